"""Draws the line and the histogram of a buffer.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from jitstudio.gui.features.launch.results.buffer_plot import PlottedBuffer
from jitstudio.gui.features.launch.results.two_plots import PlotParts, TwoPlots
from jitstudio.gui.kit.plots import Plot, line_pen
from jitstudio.gui.kit.theme import Theme

# After the last turn of the wheel, before the part in view is looked at closely.
_PAUSE_MS = 150
_MOST_SYMBOLS = 200


class BufferCanvas(TwoPlots):
    """A line beside a histogram.

    Signals:
        range_wanted: This part of the buffer is in view, and the line is too coarse for it.
    """

    # A buffer may have more elements than an int of Qt can count.
    range_wanted = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._value: PlottedBuffer | None = None
        translate = QCoreApplication.translate
        value = translate("BufferCanvas", "Value")
        super().__init__(
            PlotParts(
                translate("BufferCanvas", "Values over their index"),
                translate("BufferCanvas", "Index"),
                value,
                self._draw_line,
                share=2,
            ),
            PlotParts(
                translate("BufferCanvas", "Histogram of the values"),
                value,
                translate("BufferCanvas", "Elements"),
                self._draw_histogram,
            ),
            parent,
        )
        self._pause = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(self._on_pause)
        self.first.getPlotItem().getViewBox().sigXRangeChanged.connect(self._on_range_changed)

    def show_value(self, value: PlottedBuffer) -> None:
        """Draw this; what is in view stays in view while the buffer is the same."""
        if value is self._value:
            return
        # Statistics that come after the line must not undo what the user has zoomed into.
        is_new = self._value is None or value.curve is not self._value.curve
        is_whole = is_new and value.curve.stop - value.curve.start == value.whole
        self._value = value
        self.draw()
        if is_whole:
            self.first.show_all()
        if self.second is not None:
            self.second.show_all()

    def _draw_line(self, plot: Plot, theme: Theme) -> None:
        if self._value is None:
            return
        curve = self._value.curve
        has_symbols = len(curve.x) <= _MOST_SYMBOLS
        plot.plot(
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
        title = self.tr("Index")
        if curve.per_point > 1:
            told = self.tr("Index, {count:,} elements a point")
            title = told.format(count=curve.per_point)
        plot.setLabel("bottom", title)

    def _draw_histogram(self, plot: Plot, theme: Theme) -> None:
        statistics = self._value.statistics if self._value else None
        plot.setVisible(statistics is None or bool(statistics.histogram.size))
        if statistics is not None and statistics.histogram.size:
            title = self.tr("Elements")
            if statistics.step > 1:
                title = self.tr("Elements, every {step}th").format(step=statistics.step)
            plot.setLabel("left", title)
            plot.addItem(
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
        (left, right), _ = self.first.getPlotItem().getViewBox().viewRange()
        start, stop = max(0, int(left)), min(value.whole, int(right) + 2)
        shown = value.curve.start, value.curve.stop
        is_covered = shown[0] <= start and stop <= shown[1]
        # A line of its own is worth while where it has at least twice the detail.
        is_fine = value.curve.per_point == 1 or 2 * (stop - start) > shown[1] - shown[0]
        if start < stop and not (is_covered and is_fine):
            self.range_wanted.emit(start, stop)
