"""What is told of a word of code: as a tooltip, and as a line for who cannot see one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.reference import Entry, Help
from jitstudio.gui.kit.fonts import CODE_FAMILY
from jitstudio.listing.word import Word

_CODE = f"<span style=\"font-family: '{CODE_FAMILY}'\">{{}}</span>"
_TABLE = '<table style="margin-top: 5px">{}</table>'
_ROW = '<tr><td style="padding-right: 12px">{}</td><td>{}</td></tr>'
_PARAGRAPH = '<p style="margin: {gap}px 0 0 0; white-space: {space}">{text}</p>'
# Qt would break a shorter text in two, to keep the tooltip square.
_SHORT = 72
_Table = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Tip:
    """What is told of one word.

    Attributes:
        html: The tooltip.
        line: The same in short, without any layout.
        span: Where the word stands in its line: the first column, and the one behind the last.
    """

    html: str
    line: str
    span: tuple[int, int]


def help_tip(told: Help, span: tuple[int, int]) -> Tip:
    """The tip for a word of PTX or SASS."""
    entry = told.entry
    title = entry.form or entry.name
    modifiers = tuple((modifier.name, modifier.text) for modifier in told.modifiers)
    html = _html(title, entry.text, (entry.operands, modifiers), _since(entry))
    return Tip(html, f"{title}: {entry.text}", span)


def word_tip(word: Word, span: tuple[int, int]) -> Tip:
    """The tip for a word of another language."""
    title = word.usage or word.text
    return Tip(_html(title, word.help, (), ""), f"{title}: {word.help}", span)


def _html(title: str, text: str, tables: Sequence[_Table], since: str) -> str:
    parts = [_paragraph(title, f"<b>{_code(title)}</b>", gap=0), _paragraph(text, escape(text))]
    parts += [_TABLE.format("".join(_rows(rows))) for rows in tables if rows]
    if since:
        parts.append(_paragraph(since, f"<i>{escape(since)}</i>"))
    return "".join(parts)


def _paragraph(plain: str, html: str, gap: int = 4) -> str:
    space = "pre" if len(plain) <= _SHORT else "normal"
    return _PARAGRAPH.format(gap=gap, space=space, text=html)


def _rows(rows: _Table) -> Iterator[str]:
    return (_ROW.format(_code(name), escape(meaning)) for name, meaning in rows)


def _code(text: str) -> str:
    return _CODE.format(escape(text))


def _since(entry: Entry) -> str:
    """Which version and target brought it, as far as that is known."""
    # What ends in a letter runs on that target alone.
    is_later_too = entry.target[-1:].isdigit()
    target = entry.target
    if is_later_too:
        target = QCoreApplication.translate("Hover", "{target} and later").format(target=target)
    version = f"PTX {entry.version}" if entry.version else ""
    return ", ".join(filter(None, (version, target)))
