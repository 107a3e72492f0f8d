"""The common base of pictures of boxes and arrows: zoom, keyboard, screen readers."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QKeyEvent,
    QPainter,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsView, QHBoxLayout, QWidget

from jitstudio.gui.kit.fonts import LETTERS, when_letters_change
from jitstudio.gui.kit.parts import bare_button

_STEP = 1.2
_HINT_MARGIN = 16
_SPACING = 6


class Way(Enum):
    """The direction of a keyboard move."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    FIRST = "first"
    LAST = "last"


_WAYS = {
    Qt.Key.Key_Left: Way.LEFT,
    Qt.Key.Key_Right: Way.RIGHT,
    Qt.Key.Key_Up: Way.UP,
    Qt.Key.Key_Down: Way.DOWN,
    Qt.Key.Key_Home: Way.FIRST,
    Qt.Key.Key_End: Way.LAST,
}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


def mixed(ground: QColor, color: QColor, share: float) -> QColor:
    """Returns `ground` mixed with a share of `color`."""
    parts = (
        (ground.redF(), color.redF()),
        (ground.greenF(), color.greenF()),
        (ground.blueF(), color.blueF()),
    )
    return QColor.fromRgbF(*(start + (end - start) * share for start, end in parts))


class PictureCanvas(QGraphicsView):
    """Shows a picture; subclasses know the content.

    Args:
        zoomed: The least and the most scale that it can be zoomed to.
    """

    def __init__(self, zoomed: tuple[float, float], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QGraphicsView.Shape.NoFrame)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self._zoomed = zoomed
        self._hint = ""
        self._letters = LETTERS.zoom
        when_letters_change(self, lambda it: it.fit_letters())
        self._keys = {
            Qt.Key.Key_Plus: self.zoom_in,
            Qt.Key.Key_Equal: self.zoom_in,
            Qt.Key.Key_Minus: self.zoom_out,
            Qt.Key.Key_0: self.fit,
        }

    @Slot()
    def fit(self) -> None:
        """Shows the whole picture; for subclasses."""
        raise NotImplementedError

    @Slot()
    def activate_current(self) -> None:
        """Goes on from where the keyboard is; for subclasses."""
        raise NotImplementedError

    def walk(self, way: Way) -> bool:
        """Takes the keyboard there; whether there is anything. For subclasses."""
        raise NotImplementedError

    @Slot()
    def zoom_in(self) -> None:
        """Shows the picture larger."""
        self._zoom(_STEP)

    @Slot()
    def zoom_out(self) -> None:
        """Shows the picture smaller."""
        self._zoom(1 / _STEP)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walks with the arrows, goes on with Enter, zooms with plus, minus and 0."""
        key = Qt.Key(event.key())
        if key in _WAYS and self.walk(_WAYS[key]):
            return
        if key in _ENTER:
            self.activate_current()
        elif key in self._keys:
            self._keys[key]()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zooms with Ctrl, scrolls without."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom(_STEP if event.angleDelta().y() > 0 else 1 / _STEP)
        else:
            super().wheelEvent(event)

    def fit_letters(self) -> None:
        """Scales the picture along with the rest of the window."""
        factor, self._letters = LETTERS.zoom / self._letters, LETTERS.zoom
        self._zoom(factor)

    def _zoom(self, factor: float) -> None:
        least, most = self._zoomed
        now = self.transform().m11()
        self.scale(*[max(least, min(most, now * factor)) / now] * 2)

    def _paint_hint(self, painter: QPainter, color: QColor) -> None:
        """Paints the hint where there is no picture yet."""
        painter.resetTransform()
        painter.setPen(color)
        edge = _HINT_MARGIN
        room = self.viewport().rect().adjusted(edge, edge, -edge, -edge)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(room, int(flags), self._hint)

    def _announce(self, words: str) -> None:
        """Reports to screen readers where the keyboard is."""
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)
            changed = QAccessible.Event.DescriptionChanged
            QAccessible.updateAccessibility(QAccessibleEvent(self, changed))


class PictureButtons(QWidget):
    """Zooms a picture, and asks for the picture to be saved.

    Args:
        name: How the object names of the buttons begin.
        canvas: Shows the picture.
        saving: The name of saving the picture.

    Signals:
        picture_requested: The user wants the picture in a file.
    """

    picture_requested = Signal()

    def __init__(self, name: str, canvas: PictureCanvas, saving: str, parent: QWidget) -> None:
        super().__init__(parent)
        buttons = {
            "minus": bare_button(self, self.tr("Smaller"), canvas.zoom_out, "minus"),
            "plus": bare_button(self, self.tr("Larger"), canvas.zoom_in, "plus"),
            "fit": bare_button(self, self.tr("Show all of it"), canvas.fit, "fit"),
            "save": bare_button(self, saving, self.picture_requested, "save"),
        }
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_SPACING)
        for kind, button in buttons.items():
            button.setObjectName(f"{name}{kind.capitalize()}Button")
            row.addWidget(button)
