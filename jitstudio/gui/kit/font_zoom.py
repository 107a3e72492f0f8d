"""The size of code and the gestures that change it, shared by editor and listing."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QWheelEvent

from jitstudio.gui.kit.fonts import DEFAULT_SIZE

SMALLEST, LARGEST = 6.0, 48.0
_NOTCH = 120
_KEY_STEPS = {Qt.Key.Key_Equal: 1, Qt.Key.Key_Plus: 1, Qt.Key.Key_Minus: -1}


class FontZoom(QObject):
    """A font size in points that wheel and keys change.

    Signals:
        size_changed: With the new size in points.
    """

    size_changed = Signal(float)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._size = DEFAULT_SIZE
        self._turned = 0

    @property
    def size(self) -> float:
        """The size in points."""
        return self._size

    def set_size(self, points: float) -> None:
        """Changes the size, within what can be read."""
        points = min(LARGEST, max(SMALLEST, points))
        if points != self._size:
            self._size = points
            self.size_changed.emit(points)

    def step(self, steps: int) -> None:
        """Makes it larger by `steps` points, or smaller."""
        self.set_size(self._size + steps)

    def reset(self) -> None:
        """Back to the size that a new editor has."""
        self.set_size(DEFAULT_SIZE)

    def take_wheel(self, event: QWheelEvent) -> bool:
        """Zooms if Ctrl is held; returns whether the event is used up."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        # A touchpad turns in small parts: they add up to notches.
        self._turned += event.angleDelta().y()
        steps = int(self._turned / _NOTCH)
        self._turned -= steps * _NOTCH
        self.step(steps)
        event.accept()
        return True

    def take_key(self, event: QKeyEvent) -> bool:
        """Zooms on Ctrl with =, + or -, reset on Ctrl+0; returns whether the event is used up.

        With Shift the same keys zoom the whole window.
        """
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers != Qt.KeyboardModifier.ControlModifier:
            return False
        if event.key() == Qt.Key.Key_0:
            self.reset()
            return True
        steps = _KEY_STEPS.get(Qt.Key(event.key()), 0)
        self.step(steps)
        return steps != 0


class Zoomable:
    """What a window asks of a widget whose code can be zoomed; the widget makes the zoom."""

    _zoom: FontZoom

    @property
    def font_size(self) -> float:
        """The size of the text in points."""
        return self._zoom.size

    @Slot(float)
    def set_font_size(self, points: float) -> None:
        """Changes the size of the text."""
        self._zoom.set_size(points)

    @Slot()
    def zoom_in(self) -> None:
        """Makes the text one point larger."""
        self._zoom.step(1)

    @Slot()
    def zoom_out(self) -> None:
        """Makes the text one point smaller."""
        self._zoom.step(-1)

    @Slot()
    def zoom_reset(self) -> None:
        """Gives the text its usual size again."""
        self._zoom.reset()
