"""Commands that editors and fields know by their keys: choosing one sends its keys there."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QKeyCombination, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget

from jitstudio.gui.commands.actions import Actions
from jitstudio.gui.commands.spec import ActionSpec, Where
from jitstudio.gui.commands.table import ACTIONS
from jitstudio.gui.widgets.editor_tabs import EditorTabs


class KeystrokeCommands(QObject):
    """Sends what such a command means to the editor in front, or to what has the keyboard."""

    def __init__(self, tabs: EditorTabs, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._tabs = tabs
        for spec in ACTIONS:
            if spec.where is not Where.WINDOW:
                actions.bind({spec.id: partial(self._send, spec)})
        tabs.set_commands([actions[s.id] for s in ACTIONS if s.where is Where.EDITOR])

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
