"""The present keys of commands, for hints and tool tips that name keys.

Keys of a command are registered here; no other text holds a key that the user
can change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QKeySequence

from jitstudio.gui.kit.fonts import SignalFollower


class _Command(NamedTuple):
    """The place of a command in the menus, and the keys in Qt's portable spelling."""

    path: str
    keys: tuple[str, ...] = ()


class CommandKeys(QObject):
    """The keys of each command, by the name of the action.

    Signals:
        changed: Some command has other keys now.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._commands: dict[str, _Command] = {}

    def learn(self, name: str, path: str, keys: Sequence[str]) -> None:
        """Notes the place of a command in the menus, and the present keys."""
        before, now = self._commands.get(name), _Command(path, tuple(keys))
        self._commands[name] = now
        if before is not None and before != now:
            self.changed.emit()

    def keys(self, name: str) -> tuple[str, ...]:
        """Returns the keys of a command in Qt's portable spelling; none if there are none."""
        command = self._commands.get(name)
        return command.keys if command else ()

    def words(self, name: str) -> str:
        """Returns how to give a command: the first key, or the place in the menus without a key."""
        keys, command = self.keys(name), self._commands.get(name)
        if keys:
            return QKeySequence(keys[0]).toString(QKeySequence.SequenceFormat.NativeText)
        return command.path if command else ""

    def tip(self, text: str, name: str) -> str:
        """Returns a tool tip followed by the first key of a command, if there is a key."""
        return f"{text} ({self.words(name)})" if self.keys(name) else text


COMMAND_KEYS = CommandKeys()
"""Those of the application."""


def follow_keys(owner: QObject, do: Callable[[Any], object]) -> None:
    """Calls `do` with `owner` now, and again whenever keys change, as long as `owner` lives."""
    do(owner)
    SignalFollower(owner, do, COMMAND_KEYS.changed)
