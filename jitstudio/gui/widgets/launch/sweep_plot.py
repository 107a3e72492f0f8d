"""The times of a sweep over its first axis, a line for each value of the others.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.gui.models.launch_figures import time_scale, time_text
from jitstudio.gui.models.sweep import SweepChart, SweepLine
from jitstudio.gui.theme import Theme
from jitstudio.gui.widgets.launch.result_plotting import SYMBOLS, Plot, line_pen, series_colors

_RING = 18


class SweepPlot(QWidget):
    """Lines with a legend, and a ring round the best point."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chart: SweepChart | None = None
        self._theme: Theme | None = None
        self.plot = Plot("Times of the sweep", "", "Time", self)
        self.legend = self.plot.addLegend(offset=(-12, 12))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        self.setFocusProxy(self.plot)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self.plot.set_theme(theme)
        self.legend.setLabelTextColor(theme.ui.text)
        self._draw()

    def show_value(self, chart: SweepChart) -> None:
        """Draw this sweep."""
        if chart is not self._chart:
            self._chart = chart
            self._draw()
            self.plot.show_all()

    def _draw(self) -> None:
        chart, theme = self._chart, self._theme
        self.plot.clear()
        self.legend.clear()
        if chart is None or theme is None:
            return
        scale, unit = time_scale(min(ms for line in chart.lines for _, ms in line.points))
        self.plot.setLabel("left", f"Time ({unit})")
        self.plot.setLabel("bottom", chart.axis)
        self.plot.getAxis("bottom").setTicks([list(enumerate(chart.ticks))])
        colors = series_colors(theme)
        for number, line in enumerate(chart.lines):
            self._draw_line(line, number, scale, colors[number % len(colors)])
            if line.best is not None:
                self._draw_best(*line.points[line.best], scale, theme)

    def _draw_line(self, line: SweepLine, number: int, scale: float, color: QColor) -> None:
        x, y = zip(*line.points, strict=True)
        self.plot.plot(
            list(x),
            [ms / scale for ms in y],
            name=line.name or None,
            pen=line_pen(color),
            symbol=SYMBOLS[number % len(SYMBOLS)],
            symbolSize=8,
            symbolBrush=color,
            symbolPen=None,
            antialias=True,
        )

    def _draw_best(self, place: int, ms: float, scale: float, theme: Theme) -> None:
        pen = pg.mkPen(theme.marks.success, width=2)
        ring = pg.ScatterPlotItem([place], [ms / scale], size=_RING, pen=pen, brush=None)
        self.plot.addItem(ring)
        words = pg.TextItem(f"best: {time_text(ms)}", color=theme.marks.success, anchor=(0.5, 1.6))
        words.setPos(place, ms / scale)
        self.plot.addItem(words)
