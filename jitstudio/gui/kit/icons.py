"""jitstudio's own icons: SVG strokes in a single colour, set when drawn."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from jitstudio.system.paths import resource

# How much of its colour an icon keeps when its action cannot be used.
_DISABLED_OPACITY = 0.4


def icon(name: str, color: QColor, disabled: QColor | None = None) -> QIcon:
    """Returns an icon that is sharp at any size and on any screen.

    Args:
        name: A file in `resources/icons`, without its ending.
        color: The colour of the strokes.
        disabled: The same for a disabled action; without it, a faded `color`.

    Raises:
        FileNotFoundError: If there is no such icon.
    """
    faded = QColor(color)
    faded.setAlphaF(_DISABLED_OPACITY)
    return _icon(name, color.rgba(), (disabled or faded).rgba())


def forget_desktop_icons() -> None:
    """Takes no icons of the desktop: made for the desktop's ground, black on a dark theme."""
    # Without any folder Qt would go back to those of the desktop.
    QIcon.setThemeSearchPaths([":/icons"])


@cache
def _icon(name: str, color: int, disabled: int) -> QIcon:
    return QIcon(_StrokeEngine(name, color, disabled))


@cache
def _renderer(name: str, rgba: int) -> QSvgRenderer:
    color = QColor.fromRgba(rgba)
    svg = resource(f"icons/{name}.svg").read_text("utf-8").replace("currentColor", color.name())
    return QSvgRenderer(QByteArray(svg.encode()))


class _StrokeEngine(QIconEngine):
    """Draws an SVG whenever Qt asks, so that no pixmap is ever scaled."""

    def __init__(self, name: str, color: int, disabled: int) -> None:
        super().__init__()
        self._name = name
        self._colors = {QIcon.Mode.Disabled: disabled}
        self._normal = color
        resource(f"icons/{name}.svg")  # a wrong name shall fail here, not in a paint event

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        """Draws into `rect`, as a square in the middle."""
        rgba = self._colors.get(mode, self._normal)
        side = min(rect.width(), rect.height())
        square = QRectF(0, 0, side, side)
        square.moveCenter(QRectF(rect).center())
        painter.save()
        painter.setOpacity(painter.opacity() * QColor.fromRgba(rgba).alphaF())
        _renderer(self._name, rgba).render(painter, square)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """Draws into a transparent pixmap of `size` device pixels."""
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(
        self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float
    ) -> QPixmap:
        """Draws into a transparent pixmap with `scale` device pixels for each pixel of `size`."""
        if (size * scale).isEmpty():
            return QPixmap()  # a button that has no room
        image = QImage(size * scale, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(scale)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return QPixmap.fromImage(image)

    def clone(self) -> QIconEngine:
        """Returns another engine that draws the same; Qt clones the engine of a changed icon."""
        return _StrokeEngine(self._name, self._normal, self._colors[QIcon.Mode.Disabled])
