"""Reports when a widget comes into sight and when it goes: what cannot be seen need not be made."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

_SHOWN = {QEvent.Type.Show: True, QEvent.Type.Hide: False}


class Visibility(QObject):
    """Watches one widget.

    Signals:
        changed: Whether it can be seen now; a tab behind others cannot.
    """

    changed = Signal(bool)

    def __init__(self, widget: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Reports the show and hide events of the widget."""
        if event.type() in _SHOWN:
            self.changed.emit(_SHOWN[event.type()])
        return super().eventFilter(watched, event)
