"""The common base of plots: colours of the theme, and a view for keyboard and mouse.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

from collections.abc import Callable

import pyqtgraph as pg
from pygments.token import Keyword, Name, Number, String
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPen
from PySide6.QtWidgets import QWidget

from jitstudio.gui.kit.theme import Theme, current_theme, follow_theme

_LINE = 1.6
_GRID = 0.15
_CLOSER, _FARTHER = 0.8, 1.25
_STEP = 0.1
_PADDING = 0.04
_MARGINS = (4, 8, 14, 4)
# Below this width figures would run into each other.
_NARROW = 150
# Distinguished by shape as well as by colour: circle, square, triangle, and so on.
SYMBOLS = {"o": "●", "s": "■", "t": "▼", "d": "◆", "star": "★", "+": "+", "x": "✕", "t1": "▲"}
"""The symbols of the points of line after line, with the signs that legends write for them."""


class _BottomAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis with half as many figures where there is little room."""

    def __init__(self) -> None:
        super().__init__("bottom")

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """Returns distance and offset of the ticks with figures, then of ticks without."""
        levels: list[tuple[float, float]] = super().tickSpacing(low, high, size)
        if not levels or size >= _NARROW:
            return levels
        distance, offset = levels[0]
        return [(2 * distance, offset), (distance, offset)]


class Plot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """Axes in the colours of the window."""

    def __init__(self, name: str, bottom: str, left: str, parent: QWidget | None = None) -> None:
        # A menu that is not wanted takes longer to make than the plot itself.
        super().__init__(parent, axisItems={"bottom": _BottomAxis()}, enableMenu=False)
        self.setAccessibleName(name)
        self.setToolTip(
            self.tr("Turn the wheel to zoom, drag to move, double-click or press Home to see all.")
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hideButtons()
        self.setLabel("bottom", bottom)
        self.setLabel("left", left)
        # Figures are shown with their unit; "(x1e+06)" next to an axis cannot be read.
        for axis in ("bottom", "left"):
            self.getAxis(axis).enableAutoSIPrefix(False)
            # The finest ticks make a plot slow to paint, and a grid hard to read.
            self.getAxis(axis).setStyle(maxTickLevel=1)
        self.getPlotItem().getViewBox().setDefaultPadding(_PADDING)
        self.getPlotItem().setContentsMargins(*_MARGINS)
        self._keys: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Plus: lambda: self._zoom(_CLOSER),
            Qt.Key.Key_Equal: lambda: self._zoom(_CLOSER),
            Qt.Key.Key_Minus: lambda: self._zoom(_FARTHER),
            Qt.Key.Key_Left: lambda: self._pan(-_STEP, 0),
            Qt.Key.Key_Right: lambda: self._pan(_STEP, 0),
            Qt.Key.Key_Up: lambda: self._pan(0, _STEP),
            Qt.Key.Key_Down: lambda: self._pan(0, -_STEP),
            Qt.Key.Key_Home: self.show_all,
        }
        follow_theme(self, Plot._apply_theme)

    def _apply_theme(self) -> None:
        theme = current_theme()
        self.setBackground(theme.ui.base)
        for name in ("bottom", "left"):
            axis = self.getAxis(name)
            axis.setPen(pg.mkPen(theme.ui.muted_text))
            axis.setTextPen(pg.mkPen(theme.ui.muted_text))
            axis.setGrid(int(_GRID * 255))

    def show_all(self) -> None:
        """Shows everything again."""
        self.getPlotItem().enableAutoRange()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zooms with plus and minus, moves with the arrows, shows all with Home."""
        do = self._keys.get(event.key())
        if do is None:
            super().keyPressEvent(event)
        else:
            do()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Shows everything again."""
        self.show_all()

    def _zoom(self, factor: float) -> None:
        self.getPlotItem().getViewBox().scaleBy((factor, factor))

    def _pan(self, x: float, y: float) -> None:
        box = self.getPlotItem().getViewBox()
        (left, right), (bottom, top) = box.viewRange()
        up = -1 if box.yInverted() else 1
        box.translateBy(x * (right - left), up * y * (top - bottom))


def line_pen(color: QColor) -> QPen:
    """Returns the pen of a line."""
    pen: QPen = pg.mkPen(color, width=_LINE)
    return pen


def series_colors(theme: Theme) -> tuple[QColor, ...]:
    """Returns a colour for line after line, each legible on the ground of a plot."""
    tokens = (Keyword.Type, Keyword, Number, String, Name.Label)
    return (theme.ui.link, *(theme.token_style(token).color for token in tokens))
