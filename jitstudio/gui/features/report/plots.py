"""The plots of the Report pane: the mix of instructions, and occupancy over other amounts.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, Qt, QTimer, Slot
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from jitstudio.analysis.occupancy.calculate import OccupancyCurve
from jitstudio.gui.features.report.model import InstructionMix
from jitstudio.gui.features.report.occupancy import LaunchOccupancy
from jitstudio.gui.kit.plots import Plot, line_pen, series_colors
from jitstudio.gui.kit.theme import Theme, current_theme, when_theme_changes


class PlotRow(QWidget):
    """Plots next to each other, or below each other where the widget is higher than wide.

    Args:
        titles: Per plot its name for screen readers and the words at its axes.
        parent: The widget's parent.
    """

    def __init__(
        self, titles: Sequence[tuple[str, str, str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._titles = titles
        self._row = QSplitter(Qt.Orientation.Horizontal, self, childrenCollapsible=False)
        self.plots: list[Plot] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._row)
        self.setBackgroundRole(self.palette().ColorRole.Base)
        self.setAutoFillBackground(True)
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._on_turn)
        self._add()
        self.setFocusProxy(self.plots[0])
        self._turn.start()
        when_theme_changes(self, PlotRow.redraw)

    def redraw(self) -> None:
        """Draws all plots anew that there are."""
        for number in range(len(self.plots)):
            self._redraw(number)

    def draw(self, number: int, plot: Plot, theme: Theme) -> None:
        """Draws the plot with a number into an emptied plot; for subclasses."""
        raise NotImplementedError

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turns as the room asks for."""
        super().resizeEvent(event)
        wide = event.size().width() > event.size().height()
        wanted = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if wanted != self._row.orientation():
            self._row.setOrientation(wanted)
            self._share_room()

    def _add(self) -> None:
        plot = Plot(*self._titles[len(self.plots)], self)
        self.plots.append(plot)
        self._row.addWidget(plot)
        plot.show()
        self._share_room()

    def _redraw(self, number: int) -> None:
        self.plots[number].clear()
        self.draw(number, self.plots[number], current_theme())

    def _share_room(self) -> None:
        self._row.setSizes([1000] * self._row.count())

    @Slot()
    def _on_turn(self) -> None:
        if len(self.plots) == len(self._titles):
            self._turn.stop()
            return
        self._add()
        self._redraw(len(self.plots) - 1)


_THICKNESS = 0.7
# Room for the count behind the longest bar.
_BESIDE = 1.18
_MARGIN = 0.02


class MixPlots(PlotRow):
    """Bars for the groups next to bars for the opcodes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._mix: InstructionMix | None = None
        translate = QCoreApplication.translate
        count = translate("MixPlots", "Instructions")
        super().__init__(
            (
                (translate("MixPlots", "Instructions by what they are for"), count, ""),
                (translate("MixPlots", "The most frequent opcodes"), count, ""),
            ),
            parent,
        )

    def show_value(self, mix: InstructionMix) -> None:
        """Draws the instructions of a kernel."""
        if mix != self._mix:
            self._mix = mix
            self.redraw()

    def draw(self, number: int, plot: Plot, theme: Theme) -> None:
        """Draws the plot with a number."""
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
    """Draws horizontal bars, the first on top, each between name and count."""
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


_RING = 14
_HEADROOM = 1.15
# How much of a colour fills what is below a line.
_FILL = 40
# What an axis counts in.
_UNITS = (1, 1, 1024)


class OccupancyPlots(PlotRow):
    """Warps over the threads of a block, over registers and over shared memory."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._launch: LaunchOccupancy | None = None
        self._curves: tuple[OccupancyCurve, ...] = ()
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

    def show_value(self, launch: LaunchOccupancy) -> None:
        """Draws the curves of a launch."""
        if launch != self._launch:
            self._launch = launch
            self._curves = launch.curves()
            self.redraw()

    def draw(self, number: int, plot: Plot, theme: Theme) -> None:
        """Draws the curve with a number, with a ring at the launch."""
        if self._launch is None:
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
        most = self._launch.limits.warps
        plot.setXRange(-_MARGIN * values[-1], (1 + _MARGIN) * values[-1], padding=0)
        plot.setYRange(-_MARGIN * most, _HEADROOM * most, padding=0)

    def _draw_now(self, plot: Plot, value: float, most: float, theme: Theme) -> None:
        assert self._launch is not None
        warps = self._launch.occupancy.warps
        pen = pg.mkPen(theme.marks.warning, width=2)
        plot.addItem(pg.ScatterPlotItem([value], [warps], size=_RING, pen=pen, brush=None))
        message = self.tr("now: {value:g}").format(value=round(value, 1))
        # Next to the ring, on the side where there is more room.
        anchor = (-0.15, 1.1) if value < most / 2 else (1.15, 1.1)
        words = pg.TextItem(message, color=theme.marks.warning, anchor=anchor)
        words.setPos(value, warps)
        plot.addItem(words)
