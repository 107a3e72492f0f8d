"""A buffer as a picture, and as a line with the distribution of values."""

from __future__ import annotations

from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtGui import QIntValidator, QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from jitstudio.gui.features.launch.models.image_choice import ImageColouring, proposed_width
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.lazy_widget import LazyWidget
from jitstudio.gui.kit.parts import FieldName, muted, text_label

if TYPE_CHECKING:
    # Loaded late: see `banned-module-level-imports` in pyproject.toml.
    # Loaded late: see `banned-module-level-imports` in pyproject.toml.
    from jitstudio.gui.features.launch.models.buffer_data import (
        BufferData,
        DecimatedCurve,
        Statistics,
    )
    from jitstudio.gui.features.launch.models.buffer_image import Picture


# No screen has more pixels to show.
_LARGEST = 2048
_WIDEST = 1 << 24
_CHANNELS = 3


class BufferImage(QWidget):
    """A bar of choices above the picture, which is made off the GUI thread."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data: BufferData | None = None
        self._leaf = 0
        self._picture: Picture | None = None
        self._background = Background(self)
        self._background.done.connect(self._on_picture)
        self._background.failed.connect(self._on_failed)
        self._width = QLineEdit(self)
        self._width.setObjectName("imageWidth")
        self._width.setAccessibleName(self.tr("Elements a row"))
        self._width.setToolTip(self.tr("Elements a row; Enter draws it again"))
        self._width.setValidator(QIntValidator(1, _WIDEST, self._width))
        self._width.setMaximumWidth(self.fontMetrics().horizontalAdvance("0") * 12)
        self._colouring = QComboBox(self)
        self._colouring.setObjectName("imageColouring")
        self._colouring.setAccessibleName(self.tr("How numbers become colours"))
        self._facts = text_label(self, "imageFacts")
        muted(self._facts)
        self._canvas = LazyWidget(_canvas, "", self)
        self._lay_out()
        self._width.editingFinished.connect(self._on_changed)
        self._colouring.currentIndexChanged.connect(self._on_changed)
        self.show_buffer(None, 0)

    @property
    def width_choice(self) -> int:
        """Elements a row."""
        return int(self._width.text() or 1)

    @property
    def colouring(self) -> ImageColouring:
        """The mapping of numbers to colours."""
        chosen: ImageColouring | None = self._colouring.currentData()
        return chosen or ImageColouring.GREY

    @property
    def facts(self) -> str:
        """The facts about the picture."""
        return self._facts.text()

    @property
    def canvas(self) -> LazyWidget:
        """The widget that draws the picture."""
        return self._canvas

    def show_buffer(self, data: BufferData | None, leaf: int) -> None:
        """Shows a column of a buffer, as soon as the widget is seen."""
        is_number = data is not None and data.length > 0 and data.leaves[leaf].is_number
        is_other = data is not self._data
        self._data = data if is_number else None
        self._leaf = leaf
        for widget in (self._width, self._colouring):
            widget.setEnabled(is_number)
        if self._data is not None and is_other:
            self._propose(self._data)
        self._canvas.set_hint(
            self.tr(
                "The bytes of this buffer have no known meaning, so there is no picture of them."
            )
            if data is not None and not is_number
            else self.tr(
                "A buffer as rows of pixels, as wide as you say, appears here after a launch."
            )
        )
        self._on_changed()

    def showEvent(self, event: QShowEvent) -> None:
        """Makes the picture when the pane is first looked at."""
        super().showEvent(event)
        self._request()

    def _lay_out(self) -> None:
        label = FieldName(self.tr("&Width"), self._width, self)
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 4, 8, 4)
        bar.setSpacing(10)
        bar.addWidget(label)
        bar.addWidget(self._width)
        bar.addWidget(self._colouring)
        bar.addWidget(self._facts, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self._canvas, 1)

    def _propose(self, data: BufferData) -> None:
        """Proposes width and colouring for another buffer."""
        before = self.colouring
        has_channels = len(data.leaves) >= _CHANNELS
        offered = [c for c in ImageColouring if has_channels or c is not ImageColouring.CHANNELS]
        with QSignalBlocker(self._colouring):
            shape = data.result.shape
            width = shape[0] if shape else proposed_width(data.length)
            self._width.setText(str(width))
            self._colouring.clear()
            for colouring in offered:
                self._colouring.addItem(colouring.title, colouring)
            self._colouring.setCurrentIndex(offered.index(before) if before in offered else 0)

    def _request(self) -> None:
        data, leaf = self._data, self._leaf
        if data is None or self._picture is not None or not self.isVisible():
            return
        self._background.start(partial(_picture, data, leaf, self.width_choice, self.colouring))

    @Slot()
    def _on_changed(self) -> None:
        self._background.stop()
        self._picture = None
        if self._data is None:
            self._facts.setText("")
            self._canvas.show_value(None)
        self._request()

    @Slot(object)
    def _on_picture(self, picture: Picture) -> None:
        self._picture = picture
        self._facts.setText(picture.text)
        self._canvas.show_value(picture)

    @Slot(str)
    def _on_failed(self, problem: str) -> None:
        message = self.tr("The picture cannot be made: {problem}")
        self._canvas.set_hint(message.format(problem=problem))
        self._canvas.show_value(None)


def _canvas() -> type[QWidget]:
    from jitstudio.gui.features.launch.results.plots import ImageCanvas

    return ImageCanvas


def _picture(
    data: BufferData, leaf: int, width: int, colouring: ImageColouring, _stop: Event
) -> Picture:
    from jitstudio.gui.features.launch.models.buffer_image import picture

    return picture(data, leaf, width, colouring, _LARGEST)


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
        self._plot_canvas = LazyWidget(_plot_canvas, self._nothing, self)
        self._plot_canvas.made.connect(self._on_made)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._plot_canvas)
        self.setFocusProxy(self._plot_canvas)

    @property
    def canvas(self) -> LazyWidget:
        """The widget that draws the line."""
        return self._plot_canvas

    @property
    def curve(self) -> DecimatedCurve | None:
        """The drawn curve."""
        return self._curve

    def show_buffer(self, data: BufferData | None, leaf: int) -> None:
        """Shows a column of a buffer, as soon as the widget is seen."""
        self._background.stop()
        is_number = data is not None and data.length > 0 and data.leaves[leaf].is_number
        self._data = data if is_number else None
        self._leaf = leaf
        self._curve = self._statistics = None
        self._plot_canvas.set_hint(
            self.tr("The bytes of this buffer have no known meaning, so there is no line to draw.")
            if data is not None and not is_number
            else self._nothing
        )
        self._plot_canvas.show_value(None)
        self._request()

    def show_statistics(self, statistics: Statistics) -> None:
        """Draws the histogram of the same column."""
        self._statistics = statistics
        self._draw()

    def showEvent(self, event: QShowEvent) -> None:
        """Makes the line when the pane is first looked at."""
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
            self._plot_canvas.show_value(PlottedBuffer(self._curve, self._statistics, whole))

    @Slot()
    def _on_made(self) -> None:
        self._plot_canvas.content.range_wanted.connect(self._on_range_wanted)

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
        self._plot_canvas.set_hint(message.format(problem=problem))
        self._plot_canvas.show_value(None)


def _plot_canvas() -> type[QWidget]:
    from jitstudio.gui.features.launch.results.plots import BufferCanvas

    return BufferCanvas


def _curve(data: BufferData, leaf: int, start: int, stop_at: int, stop: Event) -> DecimatedCurve:
    from jitstudio.gui.features.launch.models.buffer_data import curve

    return curve(data.leaves[leaf], start, stop_at, stop)
