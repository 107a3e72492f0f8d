"""Widgets made only when seen, and reports of the moment when a widget is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QStackedLayout, QWidget

from jitstudio.gui.kit.late_import import LateImport
from jitstudio.gui.kit.parts import muted, text_label

_SHOWN = {QEvent.Type.Show: True, QEvent.Type.Hide: False}
_MARGIN = 20


class Visibility(QObject):
    """Reports whether a widget can be seen: now, and whenever that changes.

    A pane that the last session had in front is seen before anybody listens to it.

    Args:
        widget: The widget to watch; a tab behind others cannot be seen.
        parent: The listener.
        listen: Is called with whether the widget can be seen.
    """

    def __init__(self, widget: QWidget, parent: QObject, listen: Callable[[bool], object]) -> None:
        super().__init__(parent)
        self._listen = listen
        widget.installEventFilter(self)
        listen(widget.isVisible())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Reports the show and hide events of the widget."""
        # Widgets are hidden for the last time when Python may have emptied this, or the listener.
        if event.type() in _SHOWN and vars(self) and vars(self.parent()):
            self._listen(_SHOWN[event.type()])
        return super().eventFilter(watched, event)


def hint_label(parent: QWidget, object_name: str, text: str) -> QLabel:
    """Words in the middle of a pane that has nothing to show."""
    label = text_label(parent, object_name)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setMargin(_MARGIN)
    # Muted as the hints of the tables are, and still as readable.
    muted(label)
    label.setBackgroundRole(label.palette().ColorRole.Base)
    label.setAutoFillBackground(True)
    label.setText(text)
    return label


class LazyWidget(QWidget):
    """Shows a value with a widget that is imported when this widget is first seen.

    Args:
        load: Imports the widget's class and returns it; see `LateImport.start`. The class takes the
            parent and has the method `show_value`.
        hint: The text that is shown while there is no value.
        parent: The parent widget.

    Signals:
        made: The widget is there.
    """

    made = Signal()

    def __init__(self, load: Callable[[], Any], hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._load = load
        self._hint_text = hint
        self._value: object = None
        self._new: Any = None
        self._content: Any = None
        self._import = LateImport(self)
        self._import.done.connect(self._on_imported)
        self._import.failed.connect(self._on_failed)
        self._hint = hint_label(self, "plotHint", hint)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._hint)

    @property
    def content(self) -> Any:
        """The inner widget; None until made."""
        return self._content

    @property
    def hint(self) -> str:
        """The hint that is shown while there is no value."""
        return self._hint.text()

    def set_hint(self, text: str) -> None:
        """Sets the hint for when there is no value."""
        self._hint_text = text
        self._update()

    def show_value(self, value: object) -> None:
        """Shows a value, or the hint for None."""
        self._value = value
        self._update()

    def showEvent(self, event: QShowEvent) -> None:
        """Begins with the import as soon as there is something to be seen."""
        super().showEvent(event)
        self._update()

    def _update(self) -> None:
        self._hint.setText(self._hint_text)
        if self._value is None:
            self._stack.setCurrentWidget(self._hint)
        elif self._content is not None:
            self._content.show_value(self._value)
            self._stack.setCurrentWidget(self._content)
        else:
            self._hint.setText(self.tr("Preparing the plot…"))
            is_coming = self._new is not None or self._import.is_busy
            if self.isVisible() and not is_coming:
                self._import.start(self._load)

    @Slot(object)
    def _on_imported(self, kind: Any) -> None:
        self._new = kind(self)
        # To make it and to draw it are each a part of what a window may wait.
        QTimer.singleShot(0, self, self._on_made)

    @Slot()
    def _on_made(self) -> None:
        self._content = self._new
        self._stack.addWidget(self._content)
        self.setFocusProxy(self._content)
        self.made.emit()
        self._update()

    @Slot(str)
    def _on_failed(self, problem: str) -> None:
        self._hint.setText(self.tr("The plot cannot be shown: {problem}").format(problem=problem))
