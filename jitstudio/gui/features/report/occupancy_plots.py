"""What the occupancy would be with other blocks, registers or shared memory.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from jitstudio.analysis.occupancy.curves import Curve
from jitstudio.gui.features.report.occupancy import Prospect
from jitstudio.gui.features.report.plot_row import PlotRow
from jitstudio.gui.kit.plots import Plot, line_pen
from jitstudio.gui.kit.theme import Theme

_RING = 14
_HEADROOM = 1.15
_MARGIN = 0.02
# How much of a colour fills what is below a line.
_FILL = 40
# What an axis counts in.
_UNITS = (1, 1, 1024)


class OccupancyPlots(PlotRow):
    """Warps over the threads of a block, over registers and over shared memory."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._prospect: Prospect | None = None
        self._curves: tuple[Curve, ...] = ()
        translate = QCoreApplication.translate
        warps = translate("OccupancyPlots", "Resident warps")
        super().__init__(
            (
                (
                    translate("OccupancyPlots", "Resident warps over the threads of a block"),
                    translate("OccupancyPlots", "Threads per block"),
                    warps,
                ),
                (
                    translate("OccupancyPlots", "Resident warps over registers"),
                    translate("OccupancyPlots", "Registers per thread"),
                    warps,
                ),
                (
                    translate("OccupancyPlots", "Resident warps over shared memory"),
                    translate("OccupancyPlots", "Shared memory (KiB)"),
                    warps,
                ),
            ),
            parent,
        )

    def show_value(self, prospect: Prospect) -> None:
        """Draw the curves of a launch."""
        if prospect != self._prospect:
            self._prospect = prospect
            self._curves = prospect.curves()
            self.redraw()

    def draw(self, number: int, plot: Plot, theme: Theme) -> None:
        """Draw one of the curves, with a ring where the launch is on it."""
        if self._prospect is None:
            return
        curve, unit = self._curves[number], _UNITS[number]
        fill = pg.mkColor(theme.ui.link)
        fill.setAlpha(_FILL)
        values = [point.value / unit for point in curve.points]
        plot.plot(
            # What is in between is rounded up to the next value.
            [2 * values[0] - values[1], *values],
            [point.warps for point in curve.points],
            stepMode="center",
            pen=line_pen(theme.ui.link),
            fillLevel=0,
            brush=fill,
        )
        self._draw_now(plot, curve.now / unit, values[-1], theme)
        most = self._prospect.limits.warps
        plot.setXRange(-_MARGIN * values[-1], (1 + _MARGIN) * values[-1], padding=0)
        plot.setYRange(-_MARGIN * most, _HEADROOM * most, padding=0)

    def _draw_now(self, plot: Plot, value: float, most: float, theme: Theme) -> None:
        assert self._prospect is not None
        warps = self._prospect.found.warps
        pen = pg.mkPen(theme.marks.warning, width=2)
        plot.addItem(pg.ScatterPlotItem([value], [warps], size=_RING, pen=pen, brush=None))
        told = self.tr("now: {value:g}").format(value=round(value, 1))
        # Beside the ring, on the side where there is more room.
        anchor = (-0.15, 1.1) if value < most / 2 else (1.15, 1.1)
        words = pg.TextItem(told, color=theme.marks.warning, anchor=anchor)
        words.setPos(value, warps)
        plot.addItem(words)
