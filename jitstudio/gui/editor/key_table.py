"""Which keys of an editor do what: those that a plain text field knows nothing of, or other things.

The shortcuts of commands are in `jitstudio.gui.shell.commands.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QTextCursor

from jitstudio.gui.editor import keys
from jitstudio.gui.editor.pairs import Pairs

Edit = Callable[[QTextCursor], None]

_NONE = Qt.KeyboardModifier.NoModifier
_CTRL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_ALT = Qt.KeyboardModifier.AltModifier
_KEY = Qt.Key

KEYS: Mapping[tuple[Qt.Key, Qt.KeyboardModifier], Edit] = {
    (_KEY.Key_Tab, _NONE): keys.indent,
    (_KEY.Key_Backtab, _SHIFT): keys.unindent,
    (_KEY.Key_Backtab, _NONE): keys.unindent,
    (_KEY.Key_BracketRight, _CTRL): keys.indent_lines,
    (_KEY.Key_BracketLeft, _CTRL): keys.unindent,
    (_KEY.Key_Return, _NONE): keys.new_line,
    (_KEY.Key_Enter, _NONE): keys.new_line,
    # Qt would put a line separator, which is no line end to a compiler.
    (_KEY.Key_Return, _SHIFT): keys.new_line,
    (_KEY.Key_Enter, _SHIFT): keys.new_line,
    (_KEY.Key_BraceRight, _NONE): keys.close_brace,
    (_KEY.Key_Home, _NONE): partial(keys.home, select=False),
    (_KEY.Key_Home, _SHIFT): partial(keys.home, select=True),
    (_KEY.Key_Up, _ALT): partial(keys.move_lines, down=False),
    (_KEY.Key_Down, _ALT): partial(keys.move_lines, down=True),
    (_KEY.Key_Down, _ALT | _SHIFT): keys.duplicate_lines,
    (_KEY.Key_D, _CTRL | _SHIFT): keys.duplicate_lines,
    (_KEY.Key_K, _CTRL | _SHIFT): keys.delete_lines,
}
_OF_LINES = frozenset(
    {
        keys.unindent,
        keys.indent_lines,
        keys.move_lines,
        keys.duplicate_lines,
        keys.delete_lines,
        keys.toggle_comments,
    }
)


def is_of_lines(edit: Edit) -> bool:
    """Whether an edit is about whole lines, whichever of their columns the cursor is in."""
    return getattr(edit, "func", edit) in _OF_LINES


def edit_of(event: QKeyEvent) -> Edit | None:
    """What a key press does to the text, unless Qt knows best."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if event.text() == "}":
        modifiers = _NONE  # which modifiers a brace needs depends on the keyboard
    return KEYS.get((Qt.Key(event.key()), modifiers))


def apply_key(event: QKeyEvent, cursor: QTextCursor, pairs: Pairs) -> bool:
    """Do what a key does to the text at a cursor; says whether Qt is to do nothing more."""
    edit = edit_of(event)
    if pairs.take(cursor, event.text()):
        return True
    if edit is not None:
        edit(cursor)
        return True
    return _is_backspace(event) and (pairs.backspace(cursor) or keys.backspace(cursor))


def _is_backspace(event: QKeyEvent) -> bool:
    """Whether this deletes one character back."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() == Qt.Key.Key_Backspace and modifiers == _NONE
