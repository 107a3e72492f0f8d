"""The times of variants over the first axis, a line for each value of the other axes.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

from html import escape
from itertools import cycle

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from jitstudio.gui.features.variants.table_model import TimeChart, TimeLine
from jitstudio.gui.kit.launch_figures import time_scale, time_text
from jitstudio.gui.kit.plots import (
    SYMBOLS,
    Plot,
    line_pen,
    series_colors,
)
from jitstudio.gui.kit.theme import Theme, current_theme, follow_theme

_RING = 18


class TimesPlot(QWidget):
    """Lines with a legend below, and a ring round the best point."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chart: TimeChart | None = None
        self.plot = Plot(self.tr("Times of the variants"), "", self.tr("Time"), self)
        # Below the plot: in it, there is no place that no line may come to.
        self.legend = QLabel(self)
        self.legend.setObjectName("variantsLegend")
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.legend.setWordWrap(True)
        self.legend.setContentsMargins(12, 2, 12, 8)
        self.legend.setBackgroundRole(self.legend.palette().ColorRole.Base)
        self.legend.setAutoFillBackground(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.legend)
        self.setFocusProxy(self.plot)
        follow_theme(self, TimesPlot._draw)

    def show_value(self, chart: TimeChart) -> None:
        """Draws these times."""
        if chart is not self._chart:
            self._chart = chart
            self._draw()
            self.plot.show_all()

    def _draw(self) -> None:
        chart, theme = self._chart, current_theme()
        self.plot.clear()
        if chart is None:
            return
        scale, unit = time_scale(min(ms for line in chart.lines for _, ms in line.points))
        self.plot.setLabel("left", self.tr("Time ({unit})").format(unit=unit))
        self.plot.setLabel("bottom", chart.axis)
        self.plot.getAxis("bottom").setTicks([list(enumerate(chart.ticks))])
        entries = []
        looks = zip(cycle(series_colors(theme)), cycle(SYMBOLS.items()), strict=False)
        for line, (color, (symbol, sign)) in zip(chart.lines, looks, strict=False):
            self._draw_line(line, symbol, scale, color)
            if line.best is not None:
                self._draw_best(*line.points[line.best], scale, theme)
            name = escape(line.name).replace(" ", "&nbsp;")
            entries.append(f'<span style="color:{color.name()}">{sign}</span>&nbsp;{name}')
        self.legend.setText(" &nbsp; &nbsp;".join(entries))
        self.legend.setVisible(any(line.name for line in chart.lines))

    def _draw_line(self, line: TimeLine, symbol: str, scale: float, color: QColor) -> None:
        x, y = zip(*line.points, strict=True)
        self.plot.plot(
            list(x),
            [ms / scale for ms in y],
            pen=line_pen(color),
            symbol=symbol,
            symbolSize=8,
            symbolBrush=color,
            symbolPen=None,
            antialias=True,
        )

    def _draw_best(self, place: int, ms: float, scale: float, theme: Theme) -> None:
        pen = pg.mkPen(theme.marks.success, width=2)
        ring = pg.ScatterPlotItem([place], [ms / scale], size=_RING, pen=pen, brush=None)
        self.plot.addItem(ring)
        message = self.tr("best: {time}").format(time=time_text(ms))
        words = pg.TextItem(message, color=theme.marks.success, anchor=(0.5, 1.6))
        words.setPos(place, ms / scale)
        self.plot.addItem(words)
