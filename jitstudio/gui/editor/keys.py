"""The keys of an editor: pairs of brackets, edits, and the standard keys of a text field.

The shortcuts of commands are in `jitstudio.gui.shell.commands.actions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextCursor

from jitstudio.gui.editor import edits
from jitstudio.gui.editor.edits import one_step
from jitstudio.gui.editor.matching import types_prose
from jitstudio.gui.kit.code_units import from_units

_PARTNERS = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'"}
_CLOSERS = frozenset(_PARTNERS.values())
_QUOTES = frozenset("\"'")
# Before anything else, a bracket is meant to enclose what is there.
_MAY_FOLLOW = frozenset(" \t)]},;")
_KEEP = QTextCursor.MoveMode.KeepAnchor
_MOVE = QTextCursor.MoveOperation
Edit = Callable[[QTextCursor], None]
"""Changes the text at a cursor."""

_NONE = Qt.KeyboardModifier.NoModifier
_CTRL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_ALT = Qt.KeyboardModifier.AltModifier
_KEY = Qt.Key
KEYS: Mapping[tuple[Qt.Key, Qt.KeyboardModifier], Edit] = {
    (_KEY.Key_Tab, _NONE): edits.indent,
    (_KEY.Key_Backtab, _SHIFT): edits.unindent,
    (_KEY.Key_Backtab, _NONE): edits.unindent,
    (_KEY.Key_BracketRight, _CTRL): edits.indent_lines,
    (_KEY.Key_BracketLeft, _CTRL): edits.unindent,
    (_KEY.Key_Return, _NONE): edits.new_line,
    (_KEY.Key_Enter, _NONE): edits.new_line,
    # Qt would put a line separator, which is no line end to a compiler.
    (_KEY.Key_Return, _SHIFT): edits.new_line,
    (_KEY.Key_Enter, _SHIFT): edits.new_line,
    (_KEY.Key_BraceRight, _NONE): edits.close_brace,
    (_KEY.Key_Home, _NONE): partial(edits.home, select=False),
    (_KEY.Key_Home, _SHIFT): partial(edits.home, select=True),
    (_KEY.Key_Up, _ALT): partial(edits.move_lines, down=False),
    (_KEY.Key_Down, _ALT): partial(edits.move_lines, down=True),
    (_KEY.Key_Down, _ALT | _SHIFT): edits.duplicate_lines,
    (_KEY.Key_D, _CTRL | _SHIFT): edits.duplicate_lines,
    (_KEY.Key_K, _CTRL | _SHIFT): edits.delete_lines,
}
_OF_LINES = frozenset(
    {
        edits.unindent,
        edits.indent_lines,
        edits.move_lines,
        edits.duplicate_lines,
        edits.delete_lines,
        edits.toggle_comments,
    }
)
_STANDARD = QKeySequence.StandardKey
_MODE = QTextCursor.MoveMode
_MOVES = {
    _STANDARD.MoveToNextChar: (_MOVE.Right, _MODE.MoveAnchor),
    _STANDARD.MoveToPreviousChar: (_MOVE.Left, _MODE.MoveAnchor),
    _STANDARD.MoveToNextWord: (_MOVE.WordRight, _MODE.MoveAnchor),
    _STANDARD.MoveToPreviousWord: (_MOVE.WordLeft, _MODE.MoveAnchor),
    _STANDARD.MoveToNextLine: (_MOVE.Down, _MODE.MoveAnchor),
    _STANDARD.MoveToPreviousLine: (_MOVE.Up, _MODE.MoveAnchor),
    _STANDARD.MoveToStartOfLine: (_MOVE.StartOfLine, _MODE.MoveAnchor),
    _STANDARD.MoveToEndOfLine: (_MOVE.EndOfLine, _MODE.MoveAnchor),
    _STANDARD.MoveToStartOfBlock: (_MOVE.StartOfBlock, _MODE.MoveAnchor),
    _STANDARD.MoveToEndOfBlock: (_MOVE.EndOfBlock, _MODE.MoveAnchor),
    _STANDARD.MoveToStartOfDocument: (_MOVE.Start, _MODE.MoveAnchor),
    _STANDARD.MoveToEndOfDocument: (_MOVE.End, _MODE.MoveAnchor),
    _STANDARD.SelectNextChar: (_MOVE.Right, _MODE.KeepAnchor),
    _STANDARD.SelectPreviousChar: (_MOVE.Left, _MODE.KeepAnchor),
    _STANDARD.SelectNextWord: (_MOVE.WordRight, _MODE.KeepAnchor),
    _STANDARD.SelectPreviousWord: (_MOVE.WordLeft, _MODE.KeepAnchor),
    _STANDARD.SelectNextLine: (_MOVE.Down, _MODE.KeepAnchor),
    _STANDARD.SelectPreviousLine: (_MOVE.Up, _MODE.KeepAnchor),
    _STANDARD.SelectStartOfLine: (_MOVE.StartOfLine, _MODE.KeepAnchor),
    _STANDARD.SelectEndOfLine: (_MOVE.EndOfLine, _MODE.KeepAnchor),
    _STANDARD.SelectStartOfBlock: (_MOVE.StartOfBlock, _MODE.KeepAnchor),
    _STANDARD.SelectEndOfBlock: (_MOVE.EndOfBlock, _MODE.KeepAnchor),
    _STANDARD.SelectStartOfDocument: (_MOVE.Start, _MODE.KeepAnchor),
    _STANDARD.SelectEndOfDocument: (_MOVE.End, _MODE.KeepAnchor),
}
_DELETED = {
    _STANDARD.Delete: _MOVE.Right,
    _STANDARD.DeleteEndOfWord: _MOVE.NextWord,
    _STANDARD.DeleteStartOfWord: _MOVE.PreviousWord,
    _STANDARD.DeleteEndOfLine: _MOVE.EndOfBlock,
}


class ClosingPairs:
    """The closing signs that were put in, as far as they are in the cursor's line or the next.

    Attributes:
        is_on: Whether signs are typed as pairs at all.
    """

    def __init__(self) -> None:
        self.is_on = True
        # Each is before its sign, and is pushed along by what is typed between.
        self._put_in: list[QTextCursor] = []

    def take(self, cursor: QTextCursor, typed: str) -> bool:
        """Types a sign as a pair of brackets or quotes; returns whether that applied."""
        if not self.is_on:
            return False
        self._forget_others(cursor)
        if cursor.hasSelection():
            return self._wrap(cursor, typed)
        return self._step_over(cursor, typed) or self._put(cursor, typed)

    def backspace(self, cursor: QTextCursor) -> bool:
        """Deletes a pair with nothing between; returns whether that applied."""
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
        """Returns the brace that Enter moved a line down, if only blanks are before the brace."""
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
    """Returns the characters left and right of a cursor, empty at the ends of the line."""
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


def is_of_lines(edit: Edit) -> bool:
    """Returns whether an edit is about whole lines, whichever of their columns the cursor is in."""
    return getattr(edit, "func", edit) in _OF_LINES


def edit_of(event: QKeyEvent) -> Edit | None:
    """Returns the edit of a key press, unless Qt knows best."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if event.text() == "}":
        modifiers = _NONE  # which modifiers a brace needs depends on the keyboard
    return KEYS.get((Qt.Key(event.key()), modifiers))


def apply_key(event: QKeyEvent, cursor: QTextCursor, pairs: ClosingPairs) -> bool:
    """Applies a key at a cursor; returns whether Qt is to do nothing more."""
    edit = edit_of(event)
    if pairs.take(cursor, event.text()):
        return True
    if edit is not None:
        edit(cursor)
        return True
    return _is_backspace(event) and (pairs.backspace(cursor) or edits.backspace(cursor))


def _is_backspace(event: QKeyEvent) -> bool:
    """Returns whether a key deletes a character backwards."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() == Qt.Key.Key_Backspace and modifiers == _NONE


def standard_edit(event: QKeyEvent) -> Edit | None:
    """Returns the edit of a standard key that moves, deletes or types a character."""
    for key, (move, mode) in _MOVES.items():
        if event.matches(key):
            return partial(_go, move=move, mode=mode)
    for key, move in _DELETED.items():
        if event.matches(key):
            return partial(_delete, move=move)
    if event.key() == Qt.Key.Key_Backspace and event.modifiers() in (_NONE, _SHIFT):
        return partial(_delete, move=_MOVE.Left)
    return partial(_insert, text=event.text()) if types(event) else None


def types(event: QKeyEvent) -> bool:
    """Returns whether a key types text: see `QInputControl::isAcceptableInput` of Qt."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    text = event.text()
    return text[:1].isprintable() and text != "" and modifiers not in (_CTRL, _CTRL | _SHIFT)


def _go(cursor: QTextCursor, move: _MOVE, mode: _MODE) -> None:
    if mode is _MODE.MoveAnchor and cursor.hasSelection():
        # Without Shift, left and right go to the ends of what is selected.
        if move is _MOVE.Left:
            cursor.setPosition(cursor.selectionStart())
            return
        if move is _MOVE.Right:
            cursor.setPosition(cursor.selectionEnd())
            return
    cursor.movePosition(move, mode)


def _delete(cursor: QTextCursor, move: _MOVE) -> None:
    if not cursor.hasSelection():
        if move is _MOVE.EndOfBlock and cursor.atBlockEnd():
            move = _MOVE.Right
        cursor.movePosition(move, _MODE.KeepAnchor)
    cursor.removeSelectedText()


def _insert(cursor: QTextCursor, text: str) -> None:
    cursor.insertText(text)
