"""The list of keys: those of commands, which can be changed, and those of single views."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QObject, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from jitstudio.gui.features.help.fixed_keys import fixed_keys
from jitstudio.gui.features.help.shortcuts_dialog import KeyRow, ShortcutsDialog
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.shell.commands.shortcuts import Shortcuts, can_change, plain_text
from jitstudio.gui.shell.commands.table import ACTIONS
from jitstudio.gui.shell.synonyms import also_called


class KeyList(QObject):
    """Shows the dialog with all keys, and does what is wanted of it."""

    def __init__(self, actions: Actions, shortcuts: Shortcuts, window: QWidget) -> None:
        super().__init__(window)
        self._actions = actions
        self._shortcuts = shortcuts
        self._window = window
        self._dialog: ShortcutsDialog | None = None
        shortcuts.changed.connect(self._on_changed)
        actions.bind({"shortcutsAction": self._on_wanted})

    def _rows(self) -> Iterator[KeyRow]:
        native = QKeySequence.SequenceFormat.NativeText
        for spec in ACTIONS:
            text = plain_text(self._actions[spec.id].text())
            menu = plain_text(QCoreApplication.translate("Actions", spec.menu))
            keys, is_own = self._shortcuts.keys(spec.id), can_change(spec.id)
            yield KeyRow(
                text=text,
                place=menu,
                keys=keys if is_own else tuple(QKeySequence(k).toString(native) for k in keys),
                name=spec.id if is_own else "",
                also=also_called(text),
                is_default=self._shortcuts.is_default(spec.id),
            )
        # Tables of several panes have the same ones.
        seen = {
            KeyRow(
                plain_text(action.text()),
                table.accessibleName(),
                tuple(key.toString(native) for key in action.shortcuts()),
            ): None
            for table in self._window.findChildren(PanelTable)
            for action in table.actions()
            if action.shortcuts() and action.parent() is table
        }
        yield from seen
        for row in fixed_keys():
            yield KeyRow(row.text, row.place, row.keys)

    def _problem(self, name: str, key: str) -> tuple[str, bool] | None:
        conflict = self._shortcuts.conflict(name, key)
        return (conflict.told, conflict.is_final) if conflict is not None else None

    @Slot()
    def _on_wanted(self) -> None:
        dialog = ShortcutsDialog(self._problem, self._window)
        dialog.show_rows(tuple(self._rows()))
        dialog.keys_chosen.connect(self._shortcuts.set_keys)
        dialog.reset_requested.connect(self._shortcuts.reset)
        dialog.reset_all_requested.connect(self._shortcuts.reset_all)
        self._dialog = dialog
        open_dialog(dialog)

    @Slot()
    def _on_changed(self) -> None:
        if self._dialog is not None and isValid(self._dialog):
            self._dialog.show_rows(tuple(self._rows()))
