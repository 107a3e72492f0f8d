"""Brackets and quotes that close themselves, as functions over a text cursor.

A closing sign that was put in by itself is typed over and taken back with its opening one; one
that was there before is not.
"""

from __future__ import annotations

from PySide6.QtGui import QTextCursor

from jitstudio.gui.editor.keys import one_step
from jitstudio.gui.editor.matching import types_prose
from jitstudio.gui.kit.code_units import from_units

_PARTNERS = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'"}
_CLOSERS = frozenset(_PARTNERS.values())
_QUOTES = frozenset("\"'")
# Before anything else, a bracket is meant to stand around what is there.
_MAY_FOLLOW = frozenset(" \t)]},;")
_KEEP = QTextCursor.MoveMode.KeepAnchor
_MOVE = QTextCursor.MoveOperation


class Pairs:
    """The closing signs that were put in, as far as they are in the cursor's line or the next.

    Attributes:
        is_on: Whether signs are typed as pairs at all.
    """

    def __init__(self) -> None:
        self.is_on = True
        # Each stands before its sign, and is pushed along by what is typed between.
        self._put_in: list[QTextCursor] = []

    def take(self, cursor: QTextCursor, typed: str) -> bool:
        """Type a sign as one of a pair; says whether that applied."""
        if not self.is_on:
            return False
        self._forget_others(cursor)
        if cursor.hasSelection():
            return self._wrap(cursor, typed)
        return self._step_over(cursor, typed) or self._put(cursor, typed)

    def backspace(self, cursor: QTextCursor) -> bool:
        """Delete a pair with nothing between; says whether that applied."""
        self._forget_others(cursor)
        before, behind = _neighbours(cursor)
        if cursor.hasSelection() or not behind or _PARTNERS.get(before) != behind:
            return False
        if self._waiting(cursor) is None:
            return False
        with one_step(cursor):
            cursor.deletePreviousChar()
            cursor.deleteChar()
        return True

    def _wrap(self, cursor: QTextCursor, typed: str) -> bool:
        if typed not in _PARTNERS:
            return False
        first, last = cursor.selectionStart(), cursor.selectionEnd()
        with one_step(cursor):
            cursor.setPosition(last)
            cursor.insertText(_PARTNERS[typed])
            cursor.setPosition(first)
            cursor.insertText(typed)
        cursor.setPosition(first + 1)
        cursor.setPosition(last + 1, _KEEP)
        return True

    def _step_over(self, cursor: QTextCursor, typed: str) -> bool:
        waiting = self._waiting(cursor) or (self._brace_below(cursor) if typed == "}" else None)
        if waiting is None or typed not in _CLOSERS or _neighbours(waiting)[1] != typed:
            return False
        self._put_in.remove(waiting)
        if waiting.block() != cursor.block() and not cursor.block().text().strip():
            # The empty line was for code that has not come.
            with one_step(cursor):
                cursor.setPosition(cursor.block().position())
                cursor.setPosition(waiting.block().position(), _KEEP)
                cursor.removeSelectedText()
        cursor.setPosition(waiting.position() + 1)
        return True

    def _put(self, cursor: QTextCursor, typed: str) -> bool:
        if typed not in _PARTNERS or not _is_wanted(cursor, typed):
            return False
        with one_step(cursor):
            cursor.insertText(typed + _PARTNERS[typed])
        cursor.movePosition(_MOVE.PreviousCharacter)
        self._put_in.append(QTextCursor(cursor))
        return True

    def _waiting(self, cursor: QTextCursor) -> QTextCursor | None:
        at = cursor.position()
        return next((put for put in self._put_in if put.position() == at), None)

    def _brace_below(self, cursor: QTextCursor) -> QTextCursor | None:
        """The brace that went down a line by Enter, if nothing but blanks is before it."""
        rest = cursor.block().text()[cursor.positionInBlock() :]
        below = cursor.block().next()
        for put in self._put_in:
            before = below.text()[: put.positionInBlock()]
            if put.block() == below and not rest.strip() and not before.strip():
                return put
        return None

    def _forget_others(self, cursor: QTextCursor) -> None:
        near = (cursor.block(), cursor.block().next())
        self._put_in = [put for put in self._put_in if put.block() in near]


def _neighbours(cursor: QTextCursor) -> tuple[str, str]:
    """The characters left and right of a cursor, empty at the ends of the line."""
    text = cursor.block().text()
    column = from_units(text, cursor.positionInBlock())
    return text[column - 1 : column] if column else "", text[column : column + 1]


def _is_wanted(cursor: QTextCursor, typed: str) -> bool:
    before, behind = _neighbours(cursor)
    if behind and behind not in _MAY_FOLLOW:
        return False
    if typed in _QUOTES and (before.isalnum() or before in ("_", "\\", typed)):
        return False
    return not types_prose(cursor.block(), cursor.positionInBlock())
