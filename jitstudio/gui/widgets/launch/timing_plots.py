"""How the times of a launch are spread, and how they went one after the other.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from jitstudio.core.launch.result import Timing
from jitstudio.gui.models.launch_figures import time_scale
from jitstudio.gui.theme import Theme
from jitstudio.gui.widgets.launch.result_plotting import Plot, line_pen

_MOST_BINS = 40
# More points than these are a band of colour; the line alone says more.
_MOST_SYMBOLS = 400


class TimingPlots(QWidget):
    """A histogram beside the series of samples, with the median in both."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._timing: Timing | None = None
        self._theme: Theme | None = None
        self.histogram = Plot("Histogram of the times", "Time", "Launches", self)
        self.series = Plot("Time of each launch", "Launch", "Time", self)
        self._both = both = QSplitter(Qt.Orientation.Horizontal, self)
        both.setChildrenCollapsible(False)
        both.addWidget(self.histogram)
        both.addWidget(self.series)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(both)
        self.setFocusProxy(self.histogram)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self.histogram.set_theme(theme)
        self.series.set_theme(theme)
        self._draw()

    def show_value(self, timing: Timing) -> None:
        """Draw these times."""
        if timing is not self._timing:
            self._timing = timing
            self._draw()
            self.histogram.show_all()
            self.series.show_all()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put one below the other in a narrow dock."""
        super().resizeEvent(event)
        wide = event.size().width() > event.size().height()
        self._both.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    def _draw(self) -> None:
        timing, theme = self._timing, self._theme
        self.histogram.clear()
        self.series.clear()
        if timing is None or theme is None:
            return
        scale, unit = time_scale(timing.median)
        samples = np.array(timing.samples) / scale
        median = timing.median / scale
        self.histogram.setLabel("bottom", f"Time ({unit})")
        self.series.setLabel("left", f"Time ({unit})")
        self._draw_histogram(samples, theme)
        self._draw_series(samples, theme)
        dashed = pg.mkPen(theme.marks.warning, width=1.5, style=Qt.PenStyle.DashLine)
        told = {"color": theme.marks.warning, "fill": theme.ui.base, "movable": False}
        self.histogram.addItem(
            pg.InfiniteLine(median, 90, dashed, label="median", labelOpts=told | {"position": 0.92})
        )
        self.series.addItem(
            pg.InfiniteLine(median, 0, dashed, label="median", labelOpts=told | {"position": 0.92})
        )

    def _draw_histogram(self, samples: np.ndarray, theme: Theme) -> None:
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
        self.histogram.addItem(bars)

    def _draw_series(self, samples: np.ndarray, theme: Theme) -> None:
        has_symbols = len(samples) <= _MOST_SYMBOLS
        self.series.plot(
            np.arange(1, len(samples) + 1),
            samples,
            pen=line_pen(theme.ui.link),
            symbol="o" if has_symbols else None,
            symbolSize=5,
            symbolBrush=theme.ui.link,
            symbolPen=None,
            antialias=True,
        )
