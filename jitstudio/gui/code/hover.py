"""The tooltip of the word below the mouse, or at the cursor, of a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip

from jitstudio.analysis.reference import Help
from jitstudio.analysis.sass.constant_names import ConstantValue, NamedConstant, NameSource
from jitstudio.core.code import CodeKind
from jitstudio.core.constant_banks import ADDRESS_BANK
from jitstudio.core.launch.request import KernelForm
from jitstudio.gui.kit.fonts import CODE_FAMILY
from jitstudio.gui.kit.translating import counted
from jitstudio.listing.word import Word
from jitstudio.simulator.ptx.register_variables import RegisterVariable

_CODE = f"<span style=\"font-family: '{CODE_FAMILY}'\">{{}}</span>"
_TABLE = '<table style="margin-top: 5px">{}</table>'
_ROW = '<tr><td style="padding-right: 12px">{}</td><td>{}</td></tr>'
_PARAGRAPH = '<p style="margin: {gap}px 0 0 0; white-space: {space}">{text}</p>'
# Qt would break a shorter text in two, to keep the tooltip square.
_SHORT = 72
_Table = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Tip:
    """The help for a word.

    Attributes:
        html: The tooltip.
        line: The same in short, without any layout.
        span: Where the word is in its line: the first column, and the one behind the last.
    """

    html: str
    line: str
    span: tuple[int, int]


def help_tip(help_entry: Help, span: tuple[int, int]) -> Tip:
    """Returns the tip for a word of PTX or SASS."""
    entry = help_entry.entry
    since = entry.since(QCoreApplication.translate("Hover", "{target} and later"))
    html = _html(entry.title, entry.text, help_entry.tables, since)
    return Tip(html, f"{entry.title}: {entry.text}", span)


def word_tip(word: Word, span: tuple[int, int]) -> Tip:
    """Returns the tip for a word of another language."""
    title = word.usage or word.text
    return Tip(_html(title, word.help, (), ""), f"{title}: {word.help}", span)


def constant_tip(constant: NamedConstant, form: KernelForm | None) -> Tip:
    """Returns the tip for an operand in a constant bank.

    Args:
        constant: The operand with its names, and with its columns in the line.
        form: The kernel, by its declaration or PTX; None where neither is known.
    """
    place = f"c[{constant.bank:#x}][{constant.offset:#x}]"
    rows = [(value.name, _value_text(value, constant.bank)) for value in constant.values]
    said = "; ".join(text for _, text in rows)
    read = QCoreApplication.translate("Hover", "reads {place}").format(place=place)
    source = _name_source(constant.values[0].source, form)
    return Tip(
        _html(constant.name, source, (rows,), read), f"{constant.name}: {said}", constant.span
    )


def register_tip(
    register: str, variables: Sequence[RegisterVariable], span: tuple[int, int]
) -> Tip:
    """Returns the tip for a register that holds variables of the source."""
    translate = QCoreApplication.translate
    declared = translate("Hover", "{type}, declared in {file}, line {line}")
    rows = [
        (
            v.name,
            declared.format(type=v.type, file=PurePath(v.file).name, line=v.line)
            if v.file and v.line
            else v.type,
        )
        for v in variables
    ]
    title = f"{register}: {', '.join(name for name, _ in rows)}"
    source = translate("Hover", "The debug information of -G says so, for this instruction.")
    said = "; ".join(f"{name}: {text}" for name, text in rows)
    return Tip(_html(title, source, (rows,), ""), f"{register} holds {said}", span)


def _value_text(value: ConstantValue, bank: int) -> str:
    translate = QCoreApplication.translate
    size = counted(
        value.whole.size, translate("Hover", "1 byte"), translate("Hover", "{count} bytes")
    )
    if value.parameter is not None:
        text = translate("Hover", "parameter {number}, {size} at offset {offset}")
        said = text.format(number=value.parameter, size=size, offset=f"{value.whole.offset:#x}")
    elif bank == ADDRESS_BANK:
        said = translate("Hover", "address of a variable")
    else:
        said = translate("Hover", "__constant__ variable, {size}").format(size=size)
    return f"{value.type}, {said}" if value.type else said


def _name_source(source: NameSource, form: KernelForm | None) -> str:
    """Returns a sentence on where a name comes from."""
    translate = QCoreApplication.translate
    if source is NameSource.DECLARATION and form is not None:
        text = translate("Hover", "Declared in {module}, line {line}.")
        return text.format(module=form.module, line=form.line)
    return {
        NameSource.PTX: translate("Hover", "The name is that in the PTX."),
        NameSource.SYMBOL: translate("Hover", "The name is a symbol of the cubin."),
    }.get(source, translate("Hover", "No source names it; the cubin says where it is."))


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


class WordHover(QObject):
    """Shows the tips of a text; subclasses find the word at a place.

    Args:
        view: Shows the text.
        want: Called with the language when the mouse enters, as tips may be wanted.
        find: The tip for a column of a line of a language, if there is one.
    """

    # On the class too: the mouse comes for the last time when Python may have emptied this object.
    _is_whole = False

    def __init__(
        self,
        view: QAbstractScrollArea,
        want: Callable[[CodeKind], None],
        find: Callable[[CodeKind, str, int], Tip | None],
    ) -> None:
        super().__init__(view)
        self._view = view
        self._want = want
        self._find = find
        self._is_whole = True
        view.viewport().installEventFilter(self)

    @property
    def kind(self) -> CodeKind:
        """The language of the text; for subclasses."""
        raise NotImplementedError

    @property
    def can_explain(self) -> bool:
        """Whether anything is known of the word at the cursor."""
        line, column = self._visible_cursor()
        return (self._tip(line, column) or self._tip(line, column - 1)) is not None

    def explain(self) -> Tip | None:
        """Explains the word at or before the cursor, or the instruction of the line."""
        line, column = self._visible_cursor()
        places = (column, column - 1, *self._openings(line))
        tip = next(filter(None, (self._tip(line, place) for place in places)), None)
        if tip is not None:
            area = self._area(line, tip)
            self._show(self._view.viewport().mapToGlobal(area.bottomLeft()), tip, area)
        return tip

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Explains the word below the mouse."""
        if not self._is_whole:
            return False
        if event.type() == QEvent.Type.Enter:
            self._want(self.kind)
        elif event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            return self._point(event)
        return False

    def _point(self, event: QHelpEvent) -> bool:
        """Explains the word below the mouse; returns whether there is a tip."""
        for line, column in self._below(event.pos()):
            tip = self._tip(line, column)
            if tip is not None and (area := self._area(line, tip)).contains(event.pos()):
                self._show(event.globalPos(), tip, area)
                return True
        return False

    def _show(self, at: QPoint, tip: Tip, area: QRect) -> None:
        """Shows a tip until the mouse leaves the word."""
        QToolTip.showText(at, tip.html, self._view.viewport(), area)

    def _visible_cursor(self) -> tuple[int, int]:
        """Line and column of the cursor, which is scrolled to; for subclasses."""
        raise NotImplementedError

    def _below(self, at: QPoint) -> Iterable[tuple[int, int]]:
        """Returns the lines and columns that a place in the viewport may mean; for subclasses."""
        raise NotImplementedError

    def _tip(self, line: int, column: int) -> Tip | None:
        """Returns the tip for a place, or None; for subclasses."""
        raise NotImplementedError

    def _openings(self, line: int) -> Iterable[int]:
        """Returns the columns of the words that tell a line's action; for subclasses."""
        raise NotImplementedError

    def _area(self, line: int, tip: Tip) -> QRect:
        """Returns where the word of a tip is in the viewport; for subclasses."""
        raise NotImplementedError
