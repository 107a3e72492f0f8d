"""Places in an editable text, for search and replacement: lines from 0, columns in characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextEdit

from jitstudio.gui.code_units import from_units, to_units
from jitstudio.gui.editor.keys import one_step

if TYPE_CHECKING:
    from jitstudio.gui.find.search import Change, Span


def lines(document: QTextDocument, first: int, count: int) -> list[str]:
    """Some lines of a document."""
    found: list[str] = []
    block = document.findBlockByNumber(first)
    while block.isValid() and len(found) < count:
        found.append(block.text())
        block = block.next()
    return found


def place_of(document: QTextDocument, position: int) -> tuple[int, int]:
    """The line and column of a position."""
    block = document.findBlock(position)
    return block.blockNumber(), from_units(block.text(), position - block.position())


def cursor_over(document: QTextDocument, line: int, span: Span) -> QTextCursor:
    """A cursor that selects a part of a line; what lies outside the text is cut off."""
    block = document.findBlockByNumber(min(line, document.blockCount() - 1))
    text = block.text()
    cursor = QTextCursor(block)
    first, last = (min(max(0, column), len(text)) for column in span)
    cursor.setPosition(block.position() + to_units(text, first))
    last = block.position() + to_units(text, last)
    cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def replace(document: QTextDocument, changes: Sequence[Change]) -> None:
    """Replace parts of lines, given in order of their place, as one step of undo."""
    with one_step(QTextCursor(document)):
        # From the end: so the places of the earlier ones stay right.
        for line, span, text in reversed(changes):
            cursor_over(document, line, span).insertText(text)


def ground(cursor: QTextCursor, color: QColor) -> QTextEdit.ExtraSelection:
    """A coloured ground behind what a cursor selects; the colours of the text stay."""
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor
    wash = QTextCharFormat()
    wash.setBackground(color)
    selection.format = wash
    return selection
