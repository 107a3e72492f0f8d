"""Lines and columns of an editable text, changes, and refusals of changes.

Lines count from 0, columns in characters. Laying out one very long line freezes the whole window
for seconds; so does a very long text. What counts is the text that a change would leave: many small
pastes make a large one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QTextCursor, QTextDocument

from jitstudio.gui.code.code_view import Change, Span
from jitstudio.gui.kit.code_units import from_units, to_units
from jitstudio.gui.kit.text_limits import (
    LARGEST_TEXT,
    LONGEST_LINE,
    MOST_LINES,
    ROOM_TO_TYPE,
    excess,
    too_many_characters,
)

MOST_SINGLE = 2000
"""How many changes are made one by one: each takes 20 µs, a whole text at once 100 ms."""


def lines(document: QTextDocument, first: int, count: int) -> list[str]:
    """Returns some lines of a document."""
    texts: list[str] = []
    block = document.findBlockByNumber(first)
    while block.isValid() and len(texts) < count:
        texts.append(block.text())
        block = block.next()
    return texts


def place_of(document: QTextDocument, position: int) -> tuple[int, int]:
    """Returns the line and column of a position."""
    block = document.findBlock(position)
    return block.blockNumber(), from_units(block.text(), position - block.position())


def cursor_over(document: QTextDocument, line: int, span: Span) -> QTextCursor:
    """Returns a cursor that selects a part of a line, clipped to the text."""
    block = document.findBlockByNumber(min(line, document.blockCount() - 1))
    text = block.text()
    cursor = QTextCursor(block)
    first, last = (min(max(0, column), len(text)) for column in span)
    cursor.setPosition(block.position() + to_units(text, first))
    last = block.position() + to_units(text, last)
    cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def replace_spans(document: QTextDocument, changes: Sequence[Change]) -> bool:
    """Replaces parts of lines, given in order of place, as a single step of undo.

    Cursors elsewhere stay where they are, unless the changes are too many to be made one by one.

    Returns:
        Whether cursors have moved, as all lines have been replaced at once.
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
    return len(changes) > MOST_SINGLE


def raw_lines(document: QTextDocument) -> list[str]:
    """Returns all lines as Qt has the text: plain text has lost every no-break space."""
    return document.toRawText().split("\u2029")


def replaced(lines: Sequence[str], changes: Sequence[Change], first: int = 0) -> list[str]:
    """Returns lines after changes, given in order of place.

    Args:
        lines: The lines from `first` on.
        changes: The replacements.
        first: The number of the first line.
    """
    changed = list(lines)
    for line, group in groupby(changes, key=itemgetter(0)):
        old, done = lines[line - first], 0
        parts: list[str] = []
        for _, (start, end), text in group:
            parts += old[done:start], text
            done = end
        changed[line - first] = "".join((*parts, old[done:]))
    return changed


def replace_ranges(document: QTextDocument, edits: Sequence[tuple[int, int, str]]) -> None:
    """Replaces ranges of positions, given in order, as a single step of undo."""
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


def refusal_to_insert(cursor: QTextCursor, text: str, copies: int = 1) -> str | None:
    """Returns why a text must not replace the selection, or None where the text may.

    Args:
        cursor: The selection.
        text: The text.
        copies: How often it is inserted; of several, only the characters count.
    """
    document = cursor.document()
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    count = document.characterCount() - 1 - (end - start) + len(text) * copies
    if count <= LONGEST_LINE:
        return None
    if count > LARGEST_TEXT:
        return _refusal(too_many_characters(count))
    if copies > 1:
        return None
    # Positions count in UTF-16 units, of which Python joins some pairs.
    raw = document.toRawText().encode("utf-16-le", "surrogatepass")
    halves = (
        half.decode("utf-16-le", "surrogatepass") for half in (raw[: 2 * start], raw[2 * end :])
    )
    return _refusal(excess(text.join(halves).replace("\u2029", "\n")))


def refusal_to_replace(document: QTextDocument, changes: Sequence[Change]) -> str | None:
    """Returns why changes, given in order of their place, must not be made, or None if they may."""
    growth = sum(len(text) - (end - start) for _, (start, end), text in changes)
    if growth <= 0:
        return None
    if (count := document.characterCount() - 1 + growth) > LARGEST_TEXT * ROOM_TO_TYPE:
        return _refusal(too_many_characters(count))
    changed = replaced(raw_lines(document), changes)
    return _refusal(excess("\n".join(changed), ROOM_TO_TYPE))


def has_outgrown(document: QTextDocument) -> str | None:
    """Returns why a growing edit must be undone, or None where the edit may stay."""
    count, lines = document.characterCount() - 1, document.blockCount()
    if count <= LARGEST_TEXT * ROOM_TO_TYPE and lines <= MOST_LINES * ROOM_TO_TYPE:
        return None
    return _refusal(excess("\n".join(raw_lines(document)), ROOM_TO_TYPE))


def _refusal(reason: str | None) -> str | None:
    if reason is None:
        return None
    text = QCoreApplication.translate("Limits", "{reason} Nothing was changed.")
    return text.format(reason=reason)
