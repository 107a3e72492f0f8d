"""What the standard keys of a text field do, as functions over a text cursor.

Qt does this itself for the one cursor that a field has; further carets need it said.
The table follows `QWidgetTextControl::cursorMoveKeyEvent` and `keyPressEvent` of Qt 6.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextCursor

from jitstudio.gui.editor.key_table import Edit

_KEY = QKeySequence.StandardKey
_MOVE = QTextCursor.MoveOperation
_MODE = QTextCursor.MoveMode
_NONE = Qt.KeyboardModifier.NoModifier
_CTRL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier

_MOVES = {
    _KEY.MoveToNextChar: (_MOVE.Right, _MODE.MoveAnchor),
    _KEY.MoveToPreviousChar: (_MOVE.Left, _MODE.MoveAnchor),
    _KEY.MoveToNextWord: (_MOVE.WordRight, _MODE.MoveAnchor),
    _KEY.MoveToPreviousWord: (_MOVE.WordLeft, _MODE.MoveAnchor),
    _KEY.MoveToNextLine: (_MOVE.Down, _MODE.MoveAnchor),
    _KEY.MoveToPreviousLine: (_MOVE.Up, _MODE.MoveAnchor),
    _KEY.MoveToStartOfLine: (_MOVE.StartOfLine, _MODE.MoveAnchor),
    _KEY.MoveToEndOfLine: (_MOVE.EndOfLine, _MODE.MoveAnchor),
    _KEY.MoveToStartOfBlock: (_MOVE.StartOfBlock, _MODE.MoveAnchor),
    _KEY.MoveToEndOfBlock: (_MOVE.EndOfBlock, _MODE.MoveAnchor),
    _KEY.MoveToStartOfDocument: (_MOVE.Start, _MODE.MoveAnchor),
    _KEY.MoveToEndOfDocument: (_MOVE.End, _MODE.MoveAnchor),
    _KEY.SelectNextChar: (_MOVE.Right, _MODE.KeepAnchor),
    _KEY.SelectPreviousChar: (_MOVE.Left, _MODE.KeepAnchor),
    _KEY.SelectNextWord: (_MOVE.WordRight, _MODE.KeepAnchor),
    _KEY.SelectPreviousWord: (_MOVE.WordLeft, _MODE.KeepAnchor),
    _KEY.SelectNextLine: (_MOVE.Down, _MODE.KeepAnchor),
    _KEY.SelectPreviousLine: (_MOVE.Up, _MODE.KeepAnchor),
    _KEY.SelectStartOfLine: (_MOVE.StartOfLine, _MODE.KeepAnchor),
    _KEY.SelectEndOfLine: (_MOVE.EndOfLine, _MODE.KeepAnchor),
    _KEY.SelectStartOfBlock: (_MOVE.StartOfBlock, _MODE.KeepAnchor),
    _KEY.SelectEndOfBlock: (_MOVE.EndOfBlock, _MODE.KeepAnchor),
    _KEY.SelectStartOfDocument: (_MOVE.Start, _MODE.KeepAnchor),
    _KEY.SelectEndOfDocument: (_MOVE.End, _MODE.KeepAnchor),
}
_DELETED = {
    _KEY.Delete: _MOVE.Right,
    _KEY.DeleteEndOfWord: _MOVE.NextWord,
    _KEY.DeleteStartOfWord: _MOVE.PreviousWord,
    _KEY.DeleteEndOfLine: _MOVE.EndOfBlock,
}


def standard_edit(event: QKeyEvent) -> Edit | None:
    """What a key does to a cursor, if it moves it, deletes, or types a character."""
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
    """Whether a key types its text: see `QInputControl::isAcceptableInput` of Qt."""
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
