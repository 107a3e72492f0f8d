"""Draws the picture of a buffer.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.gui.kit.plots import Plot
from jitstudio.gui.kit.theme import Theme

if TYPE_CHECKING:
    from jitstudio.gui.features.launch.models.buffer_image import Picture


class ImageCanvas(QWidget):
    """A picture with square pixels, its first row on top."""

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

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self.plot.set_theme(theme)

    def show_value(self, picture: Picture) -> None:
        """Draw this; the place in view stays where the size is the same."""
        if picture is self._picture:
            return
        before = self._picture
        self._picture = picture
        self.image.setImage(picture.pixels, levels=None, autoLevels=False)
        self.image.setRect(QRectF(0, 0, picture.width, picture.height))
        size = (picture.width, picture.height)
        if before is None or (before.width, before.height) != size:
            self.plot.show_all()
