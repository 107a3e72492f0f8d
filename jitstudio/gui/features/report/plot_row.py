"""Plots in a row, made one after the other: each takes a part of what a window may wait.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from jitstudio.gui.kit.plots import Plot
from jitstudio.gui.kit.theme import Theme


class PlotRow(QWidget):
    """Plots beside each other, or one below the other where there is more height than width.

    Args:
        titles: Per plot its name for screen readers and the words at its axes.
        parent: The widget's parent.
    """

    def __init__(
        self, titles: Sequence[tuple[str, str, str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._titles = titles
        self._theme: Theme | None = None
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

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        for plot in self.plots:
            plot.set_theme(theme)
        self.redraw()

    def redraw(self) -> None:
        """Draw all plots anew that there are."""
        for number in range(len(self.plots)):
            self._redraw(number)

    def draw(self, number: int, plot: Plot, theme: Theme) -> None:
        """Put what there is to see into an emptied plot; for those who derive."""
        raise NotImplementedError

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turn as the room asks for."""
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
        if self._theme is not None:
            self.plots[number].clear()
            self.draw(number, self.plots[number], self._theme)

    def _share_room(self) -> None:
        self._row.setSizes([1000] * self._row.count())

    @Slot()
    def _on_turn(self) -> None:
        if len(self.plots) == len(self._titles):
            self._turn.stop()
            return
        self._add()
        if self._theme is not None:
            self.plots[-1].set_theme(self._theme)
            self._redraw(len(self.plots) - 1)
