"""Where else in a text what is selected stands, in positions of a text cursor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from PySide6.QtGui import QTextCursor, QTextDocument

from jitstudio.gui.kit.code_units import in_units

_WORD = re.compile(r"[\w$]+")
Range = tuple[int, int]
"""The first position and the one behind the last."""


def word_range(cursor: QTextCursor) -> Range | None:
    """The word or number that a cursor touches, rather the one behind it than the one before."""
    block, column = cursor.block(), cursor.positionInBlock()
    words = (match.span() for match in _WORD.finditer(in_units(block.text())))
    touched = [(start, end) for start, end in words if start <= column <= end]
    if not touched:
        return None
    start, end = touched[-1]
    return block.position() + start, block.position() + end


def following(document: QTextDocument, sought: str, start: int, whole: bool) -> Iterator[Range]:
    """Where a text stands from a position on, and then from the beginning up to there.

    Args:
        document: What is searched.
        sought: As `QTextCursor.selectedText` has it; capitals matter.
        start: Where to begin.
        whole: Whether only whole words count.
    """
    escaped = re.escape(in_units(sought))
    pattern = re.compile(rf"(?<![\w$]){escaped}(?![\w$])" if whole else escaped)
    text = in_units(document.toRawText())
    # A match that begins before the start may end behind it.
    before = pattern.finditer(text, 0, start + len(escaped) + 1)
    early = (match for match in before if match.start() < start)
    return (match.span() for match in chain(pattern.finditer(text, start), early))
