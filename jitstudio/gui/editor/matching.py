"""Matches of the cursor's place: the partner of a bracket, the same word elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from jitstudio.gui.kit.code_units import from_units, in_units, to_units
from jitstudio.gui.kit.theme import IS_PROSE

_PARTNERS = {"(": ")", "[": "]", "{": "}"}
_PARTNERS |= {closing: opening for opening, closing in _PARTNERS.items()}
_OPENING = "([{"
_BRACE = re.compile(r"[{}]")
_BRACKET = re.compile(r"[()\[\]{}]")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_LINE_COMMENTS = ("//", ";")
_QUOTES = "\"'"
# Farther away the partner is not visible, and the search would be felt while typing.
_FARTHEST_LINES = 400
_LONGEST_LINE = 5000
_WORD_OR_NUMBER = re.compile(r"[\w$]+")
Positions = tuple[int, int]
"""The first position and the one behind the last."""


def bracket_pair(cursor: QTextCursor) -> tuple[int, int] | None:
    """Returns the positions of the bracket at the cursor and of the partner, if both exist."""
    block = cursor.block()
    if block.length() > _LONGEST_LINE:
        return None
    text, column = block.text(), cursor.positionInBlock()
    column = from_units(text, column)
    # The bracket that was just typed, else the one that the cursor is before.
    for index in (column - 1, column):
        if 0 <= index < len(text) and text[index] in _PARTNERS and not in_prose(block, index):
            partner = _partner(block, index, text[index])
            here = block.position() + to_units(text, index)
            return None if partner is None else (here, partner)
    return None


def _partner(block: QTextBlock, index: int, bracket: str) -> int | None:
    forward = bracket in _OPENING
    depth = 0
    for place, column, char in _brackets(block, index, forward):
        if char == bracket:
            depth += 1
        elif char == _PARTNERS[bracket]:
            depth -= 1
        if depth == 0:
            return place.position() + to_units(place.text(), column)
    return None


def _brackets(
    block: QTextBlock, index: int, forward: bool
) -> Iterator[tuple[QTextBlock, int, str]]:
    """Yields the brackets of code from a place on, or backwards, the place included."""
    for step in range(_FARTHEST_LINES):
        if not block.isValid() or block.length() > _LONGEST_LINE:
            return
        brackets = [(match.start(), match.group()) for match in _BRACKET.finditer(block.text())]
        if step == 0:
            brackets = [f for f in brackets if (f[0] >= index if forward else f[0] <= index)]
        for column, char in brackets if forward else reversed(brackets):
            if not in_prose(block, column):
                yield block, column, char
        block = block.next() if forward else block.previous()


def opens_block(block: QTextBlock) -> bool:
    """Returns whether a brace is opened in a line and not closed there."""
    text, depth = block.text(), 0
    if "{" not in text or len(text) > _LONGEST_LINE:
        return False
    for match in _BRACE.finditer(text):
        if not in_prose(block, to_units(text, match.start())):
            depth = max(0, depth + (1 if match.group() == "{" else -1))
    return depth > 0


def in_prose(block: QTextBlock, column: int) -> bool:
    """Returns whether the highlighter has found the character there in a comment or a string."""
    return any(
        span.start <= column < span.start + span.length and span.format.hasProperty(IS_PROSE)
        for span in block.layout().formats()
    )


def types_prose(block: QTextBlock, column: int) -> bool:
    """Returns whether text typed there becomes a part of a comment or a string."""
    text, before = block.text(), -1
    for span in block.layout().formats():
        end = span.start + span.length
        if span.format.hasProperty(IS_PROSE):
            if span.start < column < end:
                return True
            if column == end:
                typed = text[from_units(text, span.start) : from_units(text, end)]
                return not _is_closed(typed, before == span.start)
            before = end
    return False


def _is_closed(prose: str, goes_on: bool) -> bool:
    """Returns whether a comment or string ends at the end of this part."""
    if prose.startswith(_LINE_COMMENTS):
        return False
    quote = prose[-1:]
    is_quote = quote in _QUOTES and prose[-2:-1] != "\\"
    return prose.endswith("*/") or (is_quote and (goes_on or quote in prose[:-1]))


def word_at(cursor: QTextCursor) -> str:
    """Returns the identifier that the cursor touches, or nothing if other text is selected."""
    block = cursor.block()
    if block.length() > _LONGEST_LINE:
        return ""
    text = block.text()
    column = from_units(text, cursor.positionInBlock())
    touched = (m for m in _WORD.finditer(text) if m.start() <= column <= m.end())
    word = max((match.group() for match in touched), key=len, default="")
    if cursor.hasSelection() and cursor.selectedText() != word:
        return ""
    return word


def occurrences(word: str, first: QTextBlock, last: int) -> list[QTextCursor]:
    """Returns cursors that select whole words equal to `word`, from a block to a position."""
    pattern = re.compile(rf"(?<![\w$]){re.escape(word)}(?![\w$])")
    cursors: list[QTextCursor] = []
    block = first
    while block.isValid() and block.position() <= last:
        is_read = block.isVisible() and block.length() <= _LONGEST_LINE
        text = block.text() if is_read else ""
        for match in pattern.finditer(text):
            cursor = QTextCursor(block)
            cursor.setPosition(block.position() + to_units(text, match.start()))
            end = block.position() + to_units(text, match.end())
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            cursors.append(cursor)
        block = block.next()
    return cursors


def word_range(cursor: QTextCursor) -> Positions | None:
    """Returns the word or number that a cursor touches, rather behind than before the cursor."""
    block, column = cursor.block(), cursor.positionInBlock()
    words = (match.span() for match in _WORD_OR_NUMBER.finditer(in_units(block.text())))
    touched = [(start, end) for start, end in words if start <= column <= end]
    if not touched:
        return None
    start, end = touched[-1]
    return block.position() + start, block.position() + end


def following(document: QTextDocument, sought: str, start: int, whole: bool) -> Iterator[Positions]:
    """Returns where a text occurs from a position on, and then from the beginning up to there.

    Args:
        document: The document to search.
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
