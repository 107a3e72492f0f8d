"""Which changes an editor does not take, and what to tell the user then.

Laying out one very long line freezes the whole window for seconds; so does a very long text. What
counts is the text that a change would leave: many small pastes make a large one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QTextCursor, QTextDocument

from jitstudio.gui.editor import places
from jitstudio.gui.kit.limits import (
    LARGEST_TEXT,
    LONGEST_LINE,
    MOST_LINES,
    ROOM_TO_TYPE,
    excess,
    too_many_characters,
)

if TYPE_CHECKING:
    from jitstudio.gui.code.search import Change


def refusal_to_insert(cursor: QTextCursor, text: str, copies: int = 1) -> str | None:
    """Why a text must not take the place of what is selected, or None if it may.

    Args:
        cursor: What is selected.
        text: The text.
        copies: How often it is inserted; of several, only the characters count.
    """
    document = cursor.document()
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    count = document.characterCount() - 1 - (end - start) + len(text) * copies
    if count <= LONGEST_LINE:
        return None
    if count > LARGEST_TEXT:
        return _told(too_many_characters(count))
    if copies > 1:
        return None
    # Positions count in UTF-16 units, of which Python joins some pairs.
    raw = document.toRawText().encode("utf-16-le", "surrogatepass")
    halves = (
        half.decode("utf-16-le", "surrogatepass") for half in (raw[: 2 * start], raw[2 * end :])
    )
    return _told(excess(text.join(halves).replace("\u2029", "\n")))


def refusal_to_replace(document: QTextDocument, changes: Sequence[Change]) -> str | None:
    """Why changes, given in order of their place, must not be made, or None if they may."""
    growth = sum(len(text) - (end - start) for _, (start, end), text in changes)
    if growth <= 0:
        return None
    if (count := document.characterCount() - 1 + growth) > LARGEST_TEXT * ROOM_TO_TYPE:
        return _told(too_many_characters(count))
    made = places.replaced(places.raw_lines(document), changes)
    return _told(excess("\n".join(made), ROOM_TO_TYPE))


def has_outgrown(document: QTextDocument) -> str | None:
    """Why an edit that has made a text larger must be undone, or None if it may stay."""
    count, lines = document.characterCount() - 1, document.blockCount()
    if count <= LARGEST_TEXT * ROOM_TO_TYPE and lines <= MOST_LINES * ROOM_TO_TYPE:
        return None
    return _told(excess("\n".join(places.raw_lines(document)), ROOM_TO_TYPE))


def _told(reason: str | None) -> str | None:
    if reason is None:
        return None
    told = QCoreApplication.translate("Limits", "{reason} Nothing was changed.")
    return told.format(reason=reason)
