"""Parts of a listing as HTML and Markdown, for mails, issues and slides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby

from pygments.token import Token

from jitstudio.gui.code.highlighter import LineLexer
from jitstudio.gui.kit.theme import Theme, TokenStyle
from jitstudio.gui.listing.text import LONG_LINE

_FENCE = "```"
# A comment that began farther above is taken for code, as in the listing itself.
_LOOK_BACK = 100
_PRE = (
    "font-family:'JetBrains Mono',Menlo,Consolas,monospace;font-size:10pt;line-height:1.35;"
    "color:{color};background:{ground};padding:8px"
)


@dataclass(frozen=True)
class Beside:
    """What stands beside the lines of a listing, in columns of a fixed width.

    Attributes:
        heading: The names of the columns.
        text: What they say of a line; nothing where it is no instruction.
    """

    heading: str
    text: Callable[[int], str]

    def of(self, line: int) -> str:
        """The columns of a line, as wide as the heading."""
        return self.text(line).ljust(len(self.heading))


@dataclass(frozen=True)
class Excerpt:
    """A part of a listing.

    Attributes:
        lines: The whole listing.
        parts: What to take of it: a line, the first column, and the one behind the last.
        stand_ins: Lines as the lexer shall see them; see `listing.demangling.Spelling`.
        beside: What stands in front of each line; None for nothing.
    """

    lines: Sequence[str]
    parts: Sequence[tuple[int, int, int]]
    stand_ins: Mapping[int, str] = field(default_factory=dict)
    beside: Beside | None = None

    @property
    def text(self) -> str:
        """The part as it is."""
        rows = (self.lines[line][start:end] for line, start, end in self.parts)
        if self.beside is None:
            return "\n".join(rows)
        columns = (self.beside.of(line) for line, _, _ in self.parts)
        told = (before + row for before, row in zip(columns, rows, strict=True))
        return "\n".join(row.rstrip() for row in (self.beside.heading, *told))


def as_markdown(excerpt: Excerpt, language: str) -> str:
    """A fenced block of code."""
    text = excerpt.text
    fence = _FENCE
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}\n"


def as_html(excerpt: Excerpt, lexer: LineLexer | None, theme: Theme) -> str:
    """A `<pre>` that needs no style sheet, in the colours of a theme."""
    base = theme.token_style(Token)
    style = _PRE.format(color=theme.code.text.name(), ground=theme.code.background.name())
    lines = [
        "".join(_span(text, style, base) for style, text in pieces)
        for pieces in _styled(excerpt, lexer, theme)
    ]
    if (beside := excerpt.beside) is not None:
        plain = TokenStyle(theme.ui.muted_text)
        columns = (_span(beside.of(line), plain, base) for line, _, _ in excerpt.parts)
        told = (before + row for before, row in zip(columns, lines, strict=True))
        lines = [_span(beside.heading, plain, base), *told]
    return f'<pre style="{style}">{chr(10).join(lines)}</pre>'


def _span(text: str, style: TokenStyle, base: TokenStyle) -> str:
    inside = escape(text, quote=False)
    if style == base or not text.strip():
        return inside
    look = f"color:{style.color.name()}"
    look += ";font-weight:bold" if style.bold else ""
    look += ";font-style:italic" if style.italic else ""
    return f'<span style="{look}">{inside}</span>'


def _styled(
    excerpt: Excerpt, lexer: LineLexer | None, theme: Theme
) -> Iterator[Iterator[tuple[TokenStyle, str]]]:
    """For each part its pieces, each in one style."""
    if not excerpt.parts:
        return
    wanted = {line: (start, end) for line, start, end in excerpt.parts}
    first, last = excerpt.parts[0][0], excerpt.parts[-1][0]
    state = 0
    for number in range(max(0, first - _LOOK_BACK), last + 1):
        text = excerpt.lines[number]
        styles = [theme.token_style(Token)] * len(text)
        if lexer is not None and len(text) <= LONG_LINE:
            runs, state = lexer.lex_line(excerpt.stand_ins.get(number, text), state)
            for at, length, token in runs:
                styles[at : at + length] = [theme.token_style(token)] * length
        if number in wanted:
            start, end = wanted[number]
            yield _pieces(text[start:end], styles[start:end])


def _pieces(text: str, styles: Sequence[TokenStyle]) -> Iterator[tuple[TokenStyle, str]]:
    at = 0
    for style, same in groupby(styles):
        length = len(list(same))
        yield style, text[at : at + length]
        at += length
