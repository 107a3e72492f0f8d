"""Which keys of an editor do what: those that a plain text field knows nothing of, or other things.

The shortcuts of commands are in `jitstudio.gui.commands.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QTextCursor

from jitstudio.gui.editor import keys

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


def edit_of(event: QKeyEvent) -> Edit | None:
    """What a key press does to the text, unless Qt knows best."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if event.text() == "}":
        modifiers = _NONE  # which modifiers a brace needs depends on the keyboard
    return KEYS.get((Qt.Key(event.key()), modifiers))


def is_backspace(event: QKeyEvent) -> bool:
    """Whether this deletes one character back."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() == Qt.Key.Key_Backspace and modifiers == _NONE
