"""Keys as somebody presses them: by Qt itself, or by an X server, to whatever has the keyboard."""

from __future__ import annotations

import subprocess
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

_MODIFIERS = {
    Qt.KeyboardModifier.ControlModifier: "ctrl",
    Qt.KeyboardModifier.ShiftModifier: "shift",
    Qt.KeyboardModifier.AltModifier: "alt",
}
# Of X where it calls a key otherwise than Qt does.
_NAMES = {"Esc": "Escape", "Space": "space", "PgDown": "Next", "PgUp": "Prior", "Del": "Delete"}


def tab_stops(first: QWidget, count: int) -> list[str]:
    """The names of widgets that Tab leads through, and of the one where it begins."""
    first.activateWindow()
    first.setFocus()
    names = []
    for _ in range(count):
        names.append(QApplication.focusWidget().objectName())
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    return names


class Keyboard(Protocol):
    """Presses keys; no widget is named."""

    def press(self, keys: str) -> None:
        """Press keys together, in Qt's spelling, such as `Ctrl+Shift+P`."""

    def type(self, text: str) -> None:
        """Press the key of each character."""


class QtKeyboard:
    """Hands keys to the window that has the keyboard, which finds the widget itself."""

    def press(self, keys: str) -> None:
        """Press keys together."""
        combination = QKeySequence(keys)[0]
        QTest.keyClick(_window(), combination.key(), combination.keyboardModifiers())

    def type(self, text: str) -> None:
        """Press the key of each character."""
        for character in text:
            QTest.keyClick(_window(), character)


class XKeyboard:
    """Presses the keys of an X server, which asks nobody whether a window is ready for them."""

    def press(self, keys: str) -> None:
        """Press keys together."""
        combination = QKeySequence(keys)[0]
        key = QKeySequence(combination.key()).toString()
        held = [name for m, name in _MODIFIERS.items() if m in combination.keyboardModifiers()]
        name = _NAMES.get(key, key.lower() if len(key) == 1 else key)
        _xdotool("key", "+".join((*held, name)))

    def type(self, text: str) -> None:
        """Press the key of each character."""
        _xdotool("type", "--delay", "5", "--", text)


def _xdotool(*words: str) -> None:
    subprocess.run(["xdotool", *words], check=True, timeout=20)


def _window() -> QWindow:
    window = QGuiApplication.focusWindow()
    assert window is not None, "no window has the keyboard"
    return window
