"""Offers every command of the menus in a palette."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from jitstudio.gui.commands.actions import Actions
from jitstudio.gui.models.palette import Entry
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.widgets.palette import Palette

_BETWEEN = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


class PalettePresenter(QObject):
    """Reads the menus whenever the palette comes up: what they offer, it offers, and no more."""

    def __init__(self, preferences: Preferences, actions: Actions, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._preferences = preferences
        self._palette = Palette(
            "commandPalette",
            self.tr("Type a command"),
            self.tr("No command is called so"),
            window,
        )
        self._palette.chosen.connect(self._on_chosen)
        actions.bind({"paletteAction": self._on_wanted})

    @Slot()
    def _on_wanted(self) -> None:
        recent = {name: place for place, name in enumerate(self._preferences.recent_commands)}
        entries = [_entry(action, path) for path, action in _commands(self._window)]
        # What was never chosen stays in the order of the menus, behind the others.
        entries.sort(key=lambda entry: recent.get(_name(entry), len(recent)))
        self._palette.offer(entries)

    @Slot(object)
    def _on_chosen(self, action: QAction) -> None:
        # The menu may have been made anew since.
        path = next((path for path, other in _commands(self._window) if other is action), None)
        if path is not None:
            self._preferences.add_recent_command(_name(_entry(action, path)))
            action.trigger()


def _commands(window: QMainWindow) -> Iterator[tuple[str, QAction]]:
    for action in window.menuBar().actions():
        menu = action.menu()
        if isinstance(menu, QMenu):
            yield from _of_menu(menu, _plain(action.text()))


def _of_menu(menu: QMenu, path: str) -> Iterator[tuple[str, QAction]]:
    for action in menu.actions():
        below = action.menu()
        if isinstance(below, QMenu):
            yield from _of_menu(below, f"{path}{_BETWEEN}{_plain(action.text())}")
        elif not action.isSeparator() and action.isVisible():
            yield path, action


def _entry(action: QAction, path: str) -> Entry:
    return Entry(
        title=_plain(action.text()),
        payload=action,
        detail=path,
        keys=action.shortcut().toString(QKeySequence.SequenceFormat.NativeText),
        icon=None if action.icon().isNull() else action.icon(),
        enabled=action.isEnabled(),
        tip=action.statusTip() or action.toolTip(),
    )


def _name(entry: Entry) -> str:
    return f"{entry.detail}{_BETWEEN}{entry.title}"


def _plain(text: str) -> str:
    """A text of a menu without its mnemonic."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&").rstrip("…")
