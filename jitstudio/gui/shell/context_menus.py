"""Offers in the menus of editors, listings and tables which commands apply there."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, SignalInstance
from PySide6.QtWidgets import QMenu, QWidget

from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.shell.commands.actions import Actions

# By groups; those of texts come before what every text has, such as Copy.
OF_EDITORS = (
    ("goToDefinitionAction", "renameSymbolAction"),
    ("showInPtxAction", "showInSassAction", "explainAction", "showMessageAction"),
    ("pinBaselineAction", "copyPictureAction", "copyCommandAction"),
    ("commentAction",),
)
OF_LISTINGS = (
    ("showInSourceAction", "showInPtxAction", "showInSassAction", "explainAction"),
    ("pinBaselineAction", "copyPictureAction", "copyCommandAction"),
)
OF_SASS = (*OF_LISTINGS, ("rawSassAction", "interleaveAction"))
OF_TABLES = ("pinBaselineAction", "copyPictureAction", "copyCommandAction")
OF_LAUNCHES = ("copyPictureAction", "copyRunCommandAction", "copySweepCommandAction")
_OF_PICTURES = ("pinBaselineAction", "copyCommandAction")


class ContextMenus(QObject):
    """Adds the commands of the window to the menus of views, by their ids.

    An id that no command has is left out.
    """

    def __init__(self, actions: Actions) -> None:
        super().__init__(actions)
        self._actions = actions

    def add_to_text(
        self, menu_opening: SignalInstance, groups: tuple[tuple[str, ...], ...]
    ) -> None:
        """Adds commands to the context menu of a text each time the menu opens.

        Args:
            menu_opening: Emitted with the menu.
            groups: Ids of commands, a line between two groups.
        """
        menu_opening.connect(partial(self._add, groups))

    def add_to_tables(self, pane: QWidget, names: tuple[str, ...] = OF_TABLES) -> None:
        """Adds commands to the menus of all tables in a pane."""
        for table in pane.findChildren(PanelTable):
            table.add_separator()
            table.addActions([self._actions[name] for name in names])

    def add_to_picture(self, picture: QWidget) -> None:
        """Adds commands to the menu of a drawing."""
        picture.addActions([self._actions[name] for name in _OF_PICTURES])

    def _add(self, groups: tuple[tuple[str, ...], ...], menu: QMenu) -> None:
        for group in groups:
            if not menu.isEmpty():
                menu.addSeparator()
            for name in group:
                if name in self._actions:
                    self._add_command(menu, name)

    def _add_command(self, menu: QMenu, name: str) -> None:
        """Adds an entry that triggers the command, disabled where that has nothing to do."""
        command = self._actions[name]
        action = menu.addAction(command.text(), command.trigger)
        action.setObjectName(f"{name}Here")
        # For the eye only: a menu that is open takes no keys of the window.
        action.setShortcut(command.shortcut())
        action.setShortcutVisibleInContextMenu(True)
        action.setEnabled(self._actions.is_possible(name))
