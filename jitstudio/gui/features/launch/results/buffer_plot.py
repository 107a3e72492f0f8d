"""A buffer as a line, and how its values are spread."""

from __future__ import annotations

from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.lazy_widget import LazyWidget

if TYPE_CHECKING:
    # Loaded late: see `banned-module-level-imports` in pyproject.toml.
    from jitstudio.gui.features.launch.models.buffer_data import (
        BufferData,
        DecimatedCurve,
        Statistics,
    )


class BufferPlot(QWidget):
    """Makes the line off the GUI thread, anew for each part that is zoomed into."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data: BufferData | None = None
        self._leaf = 0
        self._curve: DecimatedCurve | None = None
        self._statistics: Statistics | None = None
        self._background = Background(self)
        self._background.done.connect(self._on_curve)
        self._background.failed.connect(self._on_failed)
        self._nothing = self.tr(
            "Values over their index, and how they are spread, appear here after a launch."
        )
        self._canvas = LazyWidget(_canvas, self._nothing, self)
        self._canvas.made.connect(self._on_made)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._canvas)
        self.setFocusProxy(self._canvas)

    @property
    def canvas(self) -> LazyWidget:
        """Where it is drawn."""
        return self._canvas

    @property
    def curve(self) -> DecimatedCurve | None:
        """What is drawn."""
        return self._curve

    def show_buffer(self, data: BufferData | None, leaf: int) -> None:
        """Shows a column of a buffer, once this is seen."""
        self._background.stop()
        is_number = data is not None and data.length > 0 and data.leaves[leaf].is_number
        self._data = data if is_number else None
        self._leaf = leaf
        self._curve = self._statistics = None
        self._canvas.set_hint(
            self.tr("The bytes of this buffer have no known meaning, so there is no line to draw.")
            if data is not None and not is_number
            else self._nothing
        )
        self._canvas.show_value(None)
        self._request()

    def show_statistics(self, statistics: Statistics) -> None:
        """Draws the histogram of the same column."""
        self._statistics = statistics
        self._draw()

    def showEvent(self, event: QShowEvent) -> None:
        """Makes the line when it is first looked at."""
        super().showEvent(event)
        self._request()

    def _request(self) -> None:
        if self._data is not None and self._curve is None and self.isVisible():
            self._start(0, self._data.length)

    def _start(self, start: int, stop_at: int) -> None:
        data, leaf = self._data, self._leaf
        if data is not None:
            self._background.start(partial(_curve, data, leaf, start, stop_at))

    def _draw(self) -> None:
        if self._curve is not None and self._data is not None:
            from jitstudio.gui.features.launch.models.buffer_data import PlottedBuffer

            whole = self._data.length
            self._canvas.show_value(PlottedBuffer(self._curve, self._statistics, whole))

    @Slot()
    def _on_made(self) -> None:
        self._canvas.content.range_wanted.connect(self._on_range_wanted)

    @Slot(object, object)
    def _on_range_wanted(self, start: int, stop_at: int) -> None:
        self._start(start, stop_at)

    @Slot(object)
    def _on_curve(self, curve: DecimatedCurve) -> None:
        self._curve = curve
        self._draw()

    @Slot(str)
    def _on_failed(self, problem: str) -> None:
        message = self.tr("The buffer cannot be drawn: {problem}")
        self._canvas.set_hint(message.format(problem=problem))
        self._canvas.show_value(None)


def _canvas() -> type[QWidget]:
    from jitstudio.gui.features.launch.results.plots import BufferCanvas

    return BufferCanvas


def _curve(data: BufferData, leaf: int, start: int, stop_at: int, stop: Event) -> DecimatedCurve:
    from jitstudio.gui.features.launch.models.buffer_data import curve

    return curve(data.leaves[leaf], start, stop_at, stop)
