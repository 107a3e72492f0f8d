"""Commands that editors and fields know by their keys: choosing one sends its keys there."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt, Slot
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget

from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.shell.commands.shortcuts import Shortcuts
from jitstudio.gui.shell.commands.spec import ActionSpec, Where
from jitstudio.gui.shell.commands.table import ACTIONS


class KeystrokeCommands(QObject):
    """Sends what such a command means to the editor in front, or to what has the keyboard."""

    def __init__(
        self, tabs: EditorTabs, actions: Actions, shortcuts: Shortcuts, window: QWidget
    ) -> None:
        super().__init__(window)
        self._tabs = tabs
        self._shortcuts = shortcuts
        self._editing = [spec for spec in ACTIONS if spec.where is Where.EDITOR]
        # Takes the keys that editors know, but that the user wants to do nothing.
        self._nothing = QAction(self)
        self._nothing.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        for spec in ACTIONS:
            if spec.where is not Where.WINDOW:
                actions.bind({spec.id: partial(self._send, spec)})
        tabs.set_commands([self._nothing, *(actions[spec.id] for spec in self._editing)])
        shortcuts.changed.connect(self._on_keys_changed)
        self._on_keys_changed()

    @Slot()
    def _on_keys_changed(self) -> None:
        used = {key for spec in ACTIONS for key in self._shortcuts.keys(spec.id)}
        known = {QKeySequence(key).toString() for spec in self._editing for key in spec.keys}
        self._nothing.setShortcuts([QKeySequence(key) for key in sorted(known - used)])

    def _send(self, spec: ActionSpec) -> None:
        # The stub does not know that a sequence has items.
        key: QKeyCombination = QKeySequence(spec.keys[0])[0]  # type: ignore[index]
        event = QKeyEvent(QEvent.Type.KeyPress, key.key(), key.keyboardModifiers())
        if spec.where is Where.EDITOR:
            if self._tabs.page is not None and self._tabs.page.editor is not None:
                # Sent by the application, it would be taken for the shortcut again.
                self._tabs.page.editor.keyPressEvent(event)
        elif (widget := QApplication.focusWidget()) is not None:
            QApplication.sendEvent(widget, event)
