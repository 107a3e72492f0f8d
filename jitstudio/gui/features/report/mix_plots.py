"""What a kernel's instructions are for, and which are the most frequent.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from jitstudio.gui.features.report.class_rows import Mix
from jitstudio.gui.features.report.plot_row import PlotRow
from jitstudio.gui.kit.plots import Plot, series_colors
from jitstudio.gui.kit.theme import Theme

_THICKNESS = 0.7
# Room for the count behind the longest bar.
_BESIDE = 1.18
_MARGIN = 0.02


class MixPlots(PlotRow):
    """Bars for the groups beside bars for the opcodes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._mix: Mix | None = None
        translate = QCoreApplication.translate
        count = translate("MixPlots", "Instructions")
        super().__init__(
            (
                (translate("MixPlots", "Instructions by what they are for"), count, ""),
                (translate("MixPlots", "The most frequent opcodes"), count, ""),
            ),
            parent,
        )

    def show_value(self, mix: Mix) -> None:
        """Draw the instructions of a kernel."""
        if mix != self._mix:
            self._mix = mix
            self.redraw()

    def draw(self, number: int, plot: Plot, theme: Theme) -> None:
        """Draw one of the two."""
        if self._mix is None:
            return
        colors = series_colors(theme)
        if number == 0:
            bars = self._mix.groups
            _draw_bars(plot, bars, [colors[at % len(colors)] for at in range(len(bars))], theme)
        else:
            bars = self._mix.opcodes
            _draw_bars(plot, bars, [colors[0]] * len(bars), theme)


def _draw_bars(
    plot: Plot, bars: Sequence[tuple[str, int]], colors: Sequence[QColor], theme: Theme
) -> None:
    """Lying bars, the first on top, each with its name before it and its count behind it."""
    if not bars:
        return
    places = range(len(bars))
    counts = [count for _, count in bars]
    plot.getPlotItem().getViewBox().invertY(True)
    plot.getAxis("left").setTicks([[(at, name) for at, (name, _) in enumerate(bars)]])
    plot.getAxis("left").setGrid(0)
    plot.addItem(
        pg.BarGraphItem(
            x0=0, y=list(places), height=_THICKNESS, width=counts, brushes=colors, pen=None
        )
    )
    for at, count in enumerate(counts):
        words = pg.TextItem(f"{count:,}", color=theme.ui.text, anchor=(0, 0.5))
        words.setPos(count, at)
        plot.addItem(words)
    plot.setXRange(-_MARGIN * max(counts), _BESIDE * max(counts), padding=0)
    plot.setYRange(-1, len(bars))
