"""The plots of a launch: times, and a buffer as a line, a histogram or a picture.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from jitstudio.core.launch.result import Timing
from jitstudio.gui.features.launch.models.buffer_data import PlottedBuffer
from jitstudio.gui.features.launch.models.buffer_image import Picture
from jitstudio.gui.kit.launch_figures import time_scale
from jitstudio.gui.kit.plots import Plot, line_pen
from jitstudio.gui.kit.theme import Theme, current_theme, when_theme_changes


@dataclass(frozen=True)
class PlotParts:
    """The parts of a plot.

    Attributes:
        name: The name for screen readers.
        bottom, left: The words at its axes.
        draw: Puts the lines into the emptied plot.
        share: Of the room, in any unit.
    """

    name: str
    bottom: str
    left: str
    draw: Callable[[Plot, Theme], None]
    share: int = 1


class TwoPlots(QWidget):
    """Two plots; below each other in a narrow dock.

    Attributes:
        first: There at once.
        second: Made in the next turn of the event loop; None until then.
    """

    def __init__(self, first: PlotParts, second: PlotParts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts = (first, second)
        self.first = self._make(first)
        self.second: Plot | None = None
        self._both = QSplitter(Qt.Orientation.Horizontal, self)
        self._both.setChildrenCollapsible(False)
        # Holds the place of the second, else the first would be painted twice.
        self._placeholder = QWidget(self)
        self._both.addWidget(self.first)
        self._both.addWidget(self._placeholder)
        self._both.splitterMoved.connect(self._on_splitter_moved)
        self._is_shared_by_user = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._both)
        self.setFocusProxy(self.first)
        self.setBackgroundRole(self.palette().ColorRole.Base)
        self.setAutoFillBackground(True)
        self._turn = QTimer(self, singleShot=True)
        self._turn.timeout.connect(self._on_turn)
        self._turn.start(0)
        when_theme_changes(self, TwoPlots.draw)

    def draw(self) -> None:
        """Draws both plots anew, as far as they are made."""
        for plot, parts in zip((self.first, self.second), self._parts, strict=True):
            if plot is not None:
                plot.clear()
                parts.draw(plot, current_theme())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts the plots below each other in a narrow dock."""
        super().resizeEvent(event)
        wide = event.size().width() > event.size().height()
        self._both.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        self._share_room()

    def _make(self, parts: PlotParts) -> Plot:
        return Plot(parts.name, parts.bottom, parts.left, self)

    def _share_room(self) -> None:
        if not self._is_shared_by_user:
            # Qt fits these to the room; left to itself, it gives none to the placeholder.
            length = max(self.width(), self.height())
            self._both.setSizes([length * parts.share for parts in self._parts])

    @Slot()
    def _on_splitter_moved(self) -> None:
        self._is_shared_by_user = True

    @Slot()
    def _on_turn(self) -> None:
        parts = self._parts[1]
        self.second = self._make(parts)
        self._both.replaceWidget(1, self.second)
        self._placeholder.deleteLater()
        self.second.show()
        self._share_room()
        parts.draw(self.second, current_theme())


_MOST_BINS = 40
# More points than these are a band of colour; the line alone says more.
_MOST_SYMBOLS = 400
# How much a label hides of what is behind it.
_VEIL = 0.6


class TimingPlots(TwoPlots):
    """A histogram next to the series of samples, with the median in both."""

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
        """Draws the times of a launch."""
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
    options = {"color": color, "fill": veil, "movable": False, **where}
    label = QCoreApplication.translate("TimingPlots", "median")
    return pg.InfiniteLine(place, angle, dashed, label=label, labelOpts=options)


# After the last turn of the wheel, before the part in view is looked at closely.
_PAUSE_MS = 150
_MOST_VALUE_SYMBOLS = 200


class BufferCanvas(TwoPlots):
    """A line next to a histogram.

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
        """Draws a buffer; the view stays while the buffer is the same."""
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
        has_symbols = len(curve.x) <= _MOST_VALUE_SYMBOLS
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
            message = self.tr("Index, {count:,} elements a point")
            title = message.format(count=curve.per_point)
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


class ImageCanvas(QWidget):
    """A picture with square pixels, the first row on top."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture: Picture | None = None
        self.plot = Plot(self.tr("Picture of the buffer"), self.tr("Column"), self.tr("Row"), self)
        self.plot.getPlotItem().getViewBox().invertY(True)
        self.plot.getPlotItem().getViewBox().setAspectLocked(True)
        self.image = pg.ImageItem(axisOrder="row-major")
        self.plot.addItem(self.image)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        self.setFocusProxy(self.plot)

    def show_value(self, picture: Picture) -> None:
        """Draws a picture; the view stays where the size is the same."""
        if picture is self._picture:
            return
        before = self._picture
        self._picture = picture
        self.image.setImage(picture.pixels, levels=None, autoLevels=False)
        self.image.setRect(QRectF(0, 0, picture.width, picture.height))
        size = (picture.width, picture.height)
        if before is None or (before.width, before.height) != size:
            self.plot.show_all()
