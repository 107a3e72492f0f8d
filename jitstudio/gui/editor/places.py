"""Places in an editable text, for search and replacement: lines from 0, columns in characters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextEdit

from jitstudio.gui.kit.code_units import from_units, to_units

if TYPE_CHECKING:
    from jitstudio.gui.code.search import Change, Span

MOST_SINGLE = 2000
"""How many changes are made one by one: each takes 20 µs, a whole text at once 100 ms."""


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
    """Replace parts of lines, given in order of their place, as one step of undo.

    Cursors elsewhere stay where they are, unless the changes are too many to be made one by one.
    """
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    if len(changes) <= MOST_SINGLE:
        # From the end: so the places of the earlier ones stay right.
        for line, span, text in reversed(changes):
            cursor_over(document, line, span).insertText(text)
    else:
        first, last = changes[0][0], changes[-1][0]
        block, end = document.findBlockByNumber(first), document.findBlockByNumber(last)
        cursor.setPosition(block.position())
        cursor.setPosition(end.position() + end.length() - 1, QTextCursor.MoveMode.KeepAnchor)
        old = raw_lines(document)[first : last + 1]
        cursor.insertText("\n".join(replaced(old, changes, first)))
    cursor.endEditBlock()


def raw_lines(document: QTextDocument) -> list[str]:
    """All lines, as Qt has them: plain text has lost every no-break space."""
    return document.toRawText().split("\u2029")


def replaced(lines: Sequence[str], changes: Sequence[Change], first: int = 0) -> list[str]:
    """What some lines are once changes to them, given in order of their place, are made.

    Args:
        lines: The lines from `first` on.
        changes: What to replace.
        first: The number of the first line.
    """
    made = list(lines)
    for line, group in groupby(changes, key=itemgetter(0)):
        old, done = lines[line - first], 0
        parts: list[str] = []
        for _, (start, end), text in group:
            parts += old[done:start], text
            done = end
        made[line - first] = "".join((*parts, old[done:]))
    return made


def apply(document: QTextDocument, edits: Sequence[tuple[int, int, str]]) -> None:
    """Replace what is between positions, given in order, as one step of undo."""
    if len(edits) > MOST_SINGLE:
        first, last = edits[0][0], edits[-1][1]
        raw, done = document.toRawText().encode("utf-16-le", "surrogatepass"), first
        parts: list[bytes] = []
        for start, end, text in edits:
            parts += raw[2 * done : 2 * start], text.encode("utf-16-le")
            done = end
        edits = [(first, last, b"".join(parts).decode("utf-16-le", "surrogatepass"))]
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for start, end, text in reversed(edits):
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text)
    cursor.endEditBlock()


def ground(cursor: QTextCursor, color: QColor) -> QTextEdit.ExtraSelection:
    """A coloured ground behind what a cursor selects; the colours of the text stay."""
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor
    wash = QTextCharFormat()
    wash.setBackground(color)
    selection.format = wash
    return selection
