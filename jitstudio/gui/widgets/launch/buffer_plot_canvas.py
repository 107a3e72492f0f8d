"""Draws the line and the histogram of a buffer.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from jitstudio.gui.theme import Theme
from jitstudio.gui.widgets.launch.buffer_plot import PlottedBuffer
from jitstudio.gui.widgets.launch.result_plotting import Plot, line_pen

# After the last turn of the wheel, before the part in view is looked at closely.
_PAUSE_MS = 150
_MOST_SYMBOLS = 200


class BufferCanvas(QWidget):
    """A line beside a histogram.

    Signals:
        range_wanted: This part of the buffer is in view, and the line is too coarse for it.
    """

    # A buffer may have more elements than an int of Qt can count.
    range_wanted = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value: PlottedBuffer | None = None
        self._theme: Theme | None = None
        self.line = Plot("Values over their index", "Index", "Value", self)
        self.histogram = Plot("Histogram of the values", "Value", "Elements", self)
        self._both = both = QSplitter(Qt.Orientation.Horizontal, self)
        both.setChildrenCollapsible(False)
        both.addWidget(self.line)
        both.addWidget(self.histogram)
        both.setStretchFactor(0, 2)
        both.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(both)
        self.setFocusProxy(self.line)
        self._pause = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(self._on_pause)
        self.line.getPlotItem().getViewBox().sigXRangeChanged.connect(self._on_range_changed)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self.line.set_theme(theme)
        self.histogram.set_theme(theme)
        self._draw()

    def show_value(self, value: PlottedBuffer) -> None:
        """Draw this; what is in view stays in view while the buffer is the same."""
        if value is self._value:
            return
        # Statistics that come after the line must not undo what the user has zoomed into.
        is_new = self._value is None or value.curve is not self._value.curve
        is_whole = is_new and value.curve.stop - value.curve.start == value.whole
        self._value = value
        self._draw()
        if is_whole:
            self.line.show_all()
        self.histogram.show_all()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put one below the other in a narrow dock."""
        super().resizeEvent(event)
        wide = event.size().width() > event.size().height()
        self._both.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    def _draw(self) -> None:
        value, theme = self._value, self._theme
        self.line.clear()
        self.histogram.clear()
        if value is None or theme is None:
            return
        curve = value.curve
        has_symbols = len(curve.x) <= _MOST_SYMBOLS
        self.line.plot(
            curve.x,
            curve.y,
            pen=line_pen(theme.ui.link),
            connect="finite",
            antialias=has_symbols,
            symbol="o" if has_symbols else None,
            symbolSize=4,
            symbolBrush=theme.ui.link,
            symbolPen=None,
        )
        every = f", {curve.per_point:,} elements a point" if curve.per_point > 1 else ""
        self.line.setLabel("bottom", f"Index{every}")
        statistics = value.statistics
        self.histogram.setVisible(statistics is None or bool(statistics.histogram.size))
        if statistics is not None and statistics.histogram.size:
            step = f", every {statistics.step}th" if statistics.step > 1 else ""
            self.histogram.setLabel("left", f"Elements{step}")
            self.histogram.addItem(
                pg.BarGraphItem(
                    x0=statistics.edges[:-1],
                    x1=statistics.edges[1:],
                    height=statistics.histogram,
                    brush=theme.ui.link,
                    pen=pg.mkPen(theme.ui.base),
                )
            )

    @Slot()
    def _on_range_changed(self) -> None:
        self._pause.start()

    @Slot()
    def _on_pause(self) -> None:
        value = self._value
        if value is None:
            return
        (left, right), _ = self.line.getPlotItem().getViewBox().viewRange()
        start, stop = max(0, int(left)), min(value.whole, int(right) + 2)
        shown = value.curve.start, value.curve.stop
        is_covered = shown[0] <= start and stop <= shown[1]
        # A line of its own is worth while where it has at least twice the detail.
        is_fine = value.curve.per_point == 1 or 2 * (stop - start) > shown[1] - shown[0]
        if start < stop and not (is_covered and is_fine):
            self.range_wanted.emit(start, stop)
