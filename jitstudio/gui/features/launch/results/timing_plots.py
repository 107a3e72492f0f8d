"""How the times of a launch are spread, and how they went one after the other.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from jitstudio.core.launch.result import Timing
from jitstudio.gui.features.launch.results.two_plots import PlotParts, TwoPlots
from jitstudio.gui.kit.launch_figures import time_scale
from jitstudio.gui.kit.plots import Plot, line_pen
from jitstudio.gui.kit.theme import Theme

_MOST_BINS = 40
# More points than these are a band of colour; the line alone says more.
_MOST_SYMBOLS = 400
# How much a label hides of what is behind it.
_VEIL = 0.6


class TimingPlots(TwoPlots):
    """A histogram beside the series of samples, with the median in both."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._timing: Timing | None = None
        translate = QCoreApplication.translate
        time = translate("TimingPlots", "Time")
        super().__init__(
            PlotParts(
                translate("TimingPlots", "Histogram of the times"),
                time,
                translate("TimingPlots", "Launches"),
                self._draw_histogram,
            ),
            PlotParts(
                translate("TimingPlots", "Time of each launch"),
                translate("TimingPlots", "Launch"),
                time,
                self._draw_series,
            ),
            parent,
        )

    def show_value(self, timing: Timing) -> None:
        """Draw these times."""
        if timing is not self._timing:
            self._timing = timing
            self.draw()
            for plot in filter(None, (self.first, self.second)):
                plot.show_all()

    def _draw_histogram(self, plot: Plot, theme: Theme) -> None:
        timing = self._timing
        if timing is None:
            return
        scale, unit = time_scale(timing.median)
        samples = np.array(timing.samples) / scale
        low, high = samples.min(), samples.max()
        # Equal times would make bins of no width.
        spread = (high - low) or max(high, 1e-9) / 10
        bins = int(min(_MOST_BINS, max(5, 2 * len(samples) ** 0.5)))
        edges = np.linspace(low, low + spread, bins + 1) - (0 if high > low else spread / 2)
        counts, _ = np.histogram(samples, edges)
        bars = pg.BarGraphItem(
            x0=edges[:-1],
            x1=edges[1:],
            height=counts,
            brush=theme.ui.link,
            pen=pg.mkPen(theme.ui.base),
        )
        plot.setLabel("bottom", self.tr("Time ({unit})").format(unit=unit))
        plot.addItem(bars)
        plot.addItem(_median_line(timing.median / scale, 90, theme, position=0.92))

    def _draw_series(self, plot: Plot, theme: Theme) -> None:
        timing = self._timing
        if timing is None:
            return
        scale, unit = time_scale(timing.median)
        samples = np.array(timing.samples) / scale
        has_symbols = len(samples) <= _MOST_SYMBOLS
        plot.setLabel("left", self.tr("Time ({unit})").format(unit=unit))
        plot.plot(
            np.arange(1, len(samples) + 1),
            samples,
            pen=line_pen(theme.ui.link),
            symbol="o" if has_symbols else None,
            symbolSize=5,
            symbolBrush=theme.ui.link,
            symbolPen=None,
            antialias=True,
        )
        # Above the line's left end, where it is whole and hides no more than a few samples.
        ends = {"position": 0, "anchors": [(0, 1), (0, 1)]}
        plot.addItem(_median_line(timing.median / scale, 0, theme, **ends))


def _median_line(place: float, angle: int, theme: Theme, **where: object) -> pg.InfiniteLine:
    color, veil = theme.marks.warning, QColor(theme.ui.base)
    veil.setAlphaF(_VEIL)
    dashed = pg.mkPen(color, width=1.5, style=Qt.PenStyle.DashLine)
    told = {"color": color, "fill": veil, "movable": False, **where}
    label = QCoreApplication.translate("TimingPlots", "median")
    return pg.InfiniteLine(place, angle, dashed, label=label, labelOpts=told)
