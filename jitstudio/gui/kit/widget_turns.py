"""Changes all widgets without a wait of the window: in sight at once, the others by turns."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

# So long a turn may take, in seconds, and so long a picture of a screen is there.
_TURN, _PICTURE = 0.004, 0.016


class WidgetTurns(QObject):
    """Carries out a change on all widgets that there are.

    Args:
        change: What is done with a widget.
        parent: The parent object.

    Signals:
        done: The widgets out of sight are changed, too.
    """

    done = Signal()

    def __init__(self, change: Callable[[QWidget], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._change = change
        self._rest: list[QWidget] = []
        self._caught_up = 0.0
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._on_turn)

    @property
    def is_busy(self) -> bool:
        """Whether widgets out of sight wait for their turn."""
        return bool(self._rest)

    def start(self) -> None:
        """Changes the widgets in sight now, all while no window is, and begins with the others."""
        widgets = QApplication.allWidgets()
        self._rest = widgets if any(map(QWidget.isVisible, widgets)) else []
        if not self._rest:
            self._timer.stop()
            for widget in filter(isValid, widgets):
                self._change(widget)
            return
        self._catch_up()
        self._timer.start()

    def _catch_up(self) -> None:
        """Changes widgets that have come in sight since the start."""
        self._caught_up = perf_counter()
        waiting, self._rest = self._rest, []
        for widget in filter(isValid, waiting):
            if widget.isVisible():
                self._change(widget)
            else:
                self._rest.append(widget)

    def stop(self) -> None:
        """Leaves the others as they are."""
        self._rest = []
        self._timer.stop()

    @Slot()
    def _on_turn(self) -> None:
        # To look at each widget takes as long as a turn: once a picture, not at each of its turns.
        if perf_counter() - self._caught_up >= _PICTURE:
            self._catch_up()
        end = perf_counter() + _TURN
        while self._rest and perf_counter() < end:
            widget = self._rest.pop()
            if isValid(widget):
                self._change(widget)
        if not self._rest:
            self._timer.stop()
            self.done.emit()
