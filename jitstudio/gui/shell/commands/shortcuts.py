"""The keys of each command: from the table, or chosen by the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence

from jitstudio.gui.shell.commands.actions import ACTIONS, Actions
from jitstudio.gui.shell.commands.spec import KeyScope
from jitstudio.gui.state.preferences import Preferences

_SPECS = {spec.id: spec for spec in ACTIONS}
_FIRST_BY_ITSELF, _LAST_BY_ITSELF = Qt.Key.Key_F1, Qt.Key.Key_F35
# What moves and edits in every text field, which would never let a command have it.
_OF_TEXT = ("MoveTo", "Select", "Delete", "Insert", "Copy", "Cut", "Paste", "Undo", "Redo")


class KeyConflict(NamedTuple):
    """The reason why a key cannot simply be given to a command.

    Attributes:
        message: The conflict in words.
        is_final: Whether the key cannot be given at all; else it is taken from another command.
    """

    message: str
    is_final: bool


class Shortcuts(QObject):
    """Gives commands their keys, at the start and whenever the user wants others.

    No two commands have the same key: one that the user gives to a command is taken from the one
    that had it, and goes back there with the defaults. Commands for stepping are by themselves, as
    they have their keys while a kernel is stepped through, and others have theirs at other times.

    Signals:
        changed: Some command has other keys now.
    """

    changed = Signal()

    def __init__(self, actions: Actions, preferences: Preferences) -> None:
        super().__init__(actions)
        self._actions = actions
        self._preferences = preferences
        saved = preferences.shortcuts
        self._own = {name: keys for name, keys in saved.items() if can_change(name)}
        if self._own:
            self._apply()

    def keys(self, name: str) -> tuple[str, ...]:
        """Returns the keys of a command now, in Qt's portable spelling."""
        if name in self._own:
            return self._own[name]
        taken = {k for other, own in self._own.items() if _are_rivals(name, other) for k in own}
        return tuple(key for key in map(_plain, _SPECS[name].keys) if key not in taken)

    def is_default(self, name: str) -> bool:
        """Returns whether a command has exactly the keys of the table."""
        return self.keys(name) == tuple(map(_plain, _SPECS[name].keys))

    def conflict(self, name: str, key: str) -> KeyConflict | None:
        """Returns the conflict of a key for a command; None where there is none."""
        key = _plain(key)
        translate = QCoreApplication.translate
        rivals = (s for s in ACTIONS if s.id != name and _are_rivals(name, s.id))
        holder = next((spec for spec in rivals if key in self.keys(spec.id)), None)
        if key in map(_plain, _SPECS[name].keys) and holder is None:
            return None
        if not _is_pressed_with_another(key):
            message = translate(
                "Shortcuts", "{key} alone is for typing. Press Ctrl or Alt with it."
            )
            return KeyConflict(message.format(key=_native(key)), True)
        if _is_of_text(key):
            message = translate("Shortcuts", "Every text field has its own use for {key}.")
            return KeyConflict(message.format(key=_native(key)), True)
        if holder is None:
            return None
        message = translate("Shortcuts", "{key} is the key of '{command}', which would lose it.")
        text = plain_text(QCoreApplication.translate("Actions", holder.text))
        return KeyConflict(message.format(key=_native(key), command=text), False)

    def set_keys(self, name: str, keys: Sequence[str]) -> None:
        """Gives a command exactly these keys; other commands lose the keys.

        Raises:
            ValueError: It cannot have one of them.
        """
        wanted = tuple(dict.fromkeys(map(_plain, keys)))
        for key in wanted:
            conflict = self.conflict(name, key)
            if conflict is not None and conflict.is_final:
                raise ValueError(conflict.message)
        for other, own in self._own.items():
            if _are_rivals(name, other):
                self._own[other] = tuple(key for key in own if key not in wanted)
        self._own[name] = wanted
        if wanted == tuple(map(_plain, _SPECS[name].keys)):
            del self._own[name]
        self._save()

    def reset(self, name: str) -> None:
        """Gives a command the keys of the table, except keys that others were given."""
        self._own.pop(name, None)
        self._save()

    def reset_all(self) -> None:
        """Gives all commands the keys of the table."""
        self._own.clear()
        self._save()

    def _save(self) -> None:
        self._preferences.shortcuts = self._own
        self._apply()
        self.changed.emit()

    def _apply(self) -> None:
        for spec in ACTIONS:
            self._actions.set_keys(spec.id, self.keys(spec.id))


def can_change(name: str) -> bool:
    """Returns whether a command may have other keys: not where all text fields know the keys."""
    return name in _SPECS and _SPECS[name].where is not KeyScope.TEXT


def _are_rivals(name: str, other: str) -> bool:
    """Returns whether two commands have their keys at the same times."""
    stepping = KeyScope.STEPPING
    return (_SPECS[name].where is stepping) == (_SPECS[other].where is stepping)


def plain_text(text: str) -> str:
    """Returns a text of a menu without mnemonic."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&").rstrip("…")


def _plain(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)


def _native(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)


def _is_pressed_with_another(key: str) -> bool:
    """Returns whether a key types nothing: a function key, or with Ctrl, Alt or Meta."""
    pressed: QKeyCombination = QKeySequence(key)[0]  # type: ignore[index]
    beside = pressed.keyboardModifiers() & ~(
        Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
    )
    is_function_key = _FIRST_BY_ITSELF <= pressed.key() <= _LAST_BY_ITSELF
    return is_function_key or beside != Qt.KeyboardModifier.NoModifier


def _is_of_text(key: str) -> bool:
    return any(
        key == bound.toString(QKeySequence.SequenceFormat.PortableText)
        for standard in QKeySequence.StandardKey
        if standard.name.startswith(_OF_TEXT)
        for bound in QKeySequence.keyBindings(standard)
    )
