"""Errors and warnings inside a document: where they are now, and how they are underlined."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextEdit

from jitstudio.gui.kit.code_units import to_units
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import MarkColors, Theme

if TYPE_CHECKING:
    # The window comes up without any.
    from jitstudio.core.diagnostics import Severity

_TOKEN = re.compile(r"[%$@.#]?\w[\w$.]*|\S")
# The worst comes first where a line has several.
_RANK = {severity: rank for rank, severity in enumerate(MarkColors._fields)}


class DiagnosticMark(NamedTuple):
    """A message about a place in the text.

    Attributes:
        line: Counted from 1.
        column: Counted from 1 in characters, or None for the whole line.
        severity: How bad it is.
        message: The text shown when the mouse rests on the mark.
    """

    line: int
    column: int | None
    severity: Severity
    message: str


class PlacedMark(NamedTuple):
    """A mark with the marked text; the cursor follows every edit."""

    mark: DiagnosticMark
    cursor: QTextCursor
    had_text: bool

    @property
    def is_gone(self) -> bool:
        """Whether the marked text has been deleted."""
        # Text typed into the hole moves the anchor alone, behind the position.
        return self.had_text and self.cursor.anchor() >= self.cursor.position()


class MarkList:
    """The marks of a document, in order of place."""

    def __init__(self, document: QTextDocument) -> None:
        self._document = document
        self._placed: list[PlacedMark] = []

    def set_marks(self, marks: Iterable[DiagnosticMark]) -> None:
        """Replaces all marks; a mark behind the end of the text goes to the last line."""
        self._placed = [self._place(mark) for mark in marks]

    def alive(self) -> list[PlacedMark]:
        """Returns the marks whose text still exists."""
        if any(placed.is_gone for placed in self._placed):
            self._placed = [placed for placed in self._placed if not placed.is_gone]
        return self._placed

    def at_position(self, position: int) -> list[PlacedMark]:
        """Returns the marks that cover a position in the document, worst first."""
        covering = [
            placed
            for placed in self.alive()
            if placed.cursor.selectionStart() <= position <= placed.cursor.selectionEnd()
        ]
        return sorted(covering, key=lambda placed: _RANK[placed.mark.severity.value])

    def of_lines(self, first: QTextBlock, last: QTextBlock) -> list[PlacedMark]:
        """Returns the marks within some lines, worst first."""
        begin, end = first.position(), last.position() + last.length() - 1
        within = [p for p in self.alive() if begin <= p.cursor.selectionStart() <= end]
        return sorted(within, key=lambda placed: _RANK[placed.mark.severity.value])

    def by_line(self) -> dict[int, list[PlacedMark]]:
        """Returns the marks of each line, worst first, by block number."""
        lines: dict[int, list[PlacedMark]] = {}
        for placed in self.alive():
            block = self._document.findBlock(placed.cursor.selectionStart())
            lines.setdefault(block.blockNumber(), []).append(placed)
        for marks in lines.values():
            marks.sort(key=lambda placed: _RANK[placed.mark.severity.value])
        return lines

    def selections(self, first: int, last: int, theme: Theme) -> list[QTextEdit.ExtraSelection]:
        """Wavy underlines for the marks between two positions; errors are drawn last, on top."""
        shown = [
            placed
            for placed in self.alive()
            if placed.cursor.selectionEnd() >= first and placed.cursor.selectionStart() <= last
        ]
        shown.sort(key=lambda placed: -_RANK[placed.mark.severity.value])
        return [_selection(placed, theme) for placed in shown]

    def _place(self, mark: DiagnosticMark) -> PlacedMark:
        number = min(max(mark.line, 1), self._document.blockCount()) - 1
        block = self._document.findBlockByNumber(number)
        first, last = _span(block, mark.column)
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + first)
        cursor.setPosition(block.position() + last, QTextCursor.MoveMode.KeepAnchor)
        # Text typed behind it, such as the next line, is not what the mark is about.
        cursor.setKeepPositionOnInsert(cursor.hasSelection())
        return PlacedMark(mark, cursor, cursor.hasSelection())


def tooltip(marks: Iterable[PlacedMark]) -> str:
    """Returns the messages of some marks as a tooltip, each once."""
    return plain_tooltip("\n\n".join(dict.fromkeys(placed.mark.message for placed in marks)))


def _span(block: QTextBlock, column: int | None) -> tuple[int, int]:
    """Returns the range to underline, in UTF-16 units: the token at the column, or the line."""
    text = block.text()
    token = _TOKEN.search(text, max(0, column - 1)) if column is not None else None
    if token is not None:
        first, last = token.span()
    else:
        first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    return to_units(text, min(first, last)), to_units(text, last)


def _selection(placed: PlacedMark, theme: Theme) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    selection.cursor = placed.cursor
    wave = QTextCharFormat()
    wave.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
    wave.setUnderlineColor(getattr(theme.marks, placed.mark.severity.value))
    selection.format = wave
    return selection
