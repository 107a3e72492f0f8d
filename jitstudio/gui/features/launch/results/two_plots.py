"""Two plots beside each other, made in two turns: each takes half of what a window may wait.

Imports pyqtgraph: loaded by `LazyWidget` only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from jitstudio.gui.kit.plots import Plot
from jitstudio.gui.kit.theme import Theme


@dataclass(frozen=True)
class PlotParts:
    """What one of the plots is made of.

    Attributes:
        name: What screen readers call it.
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
    """One below the other in a narrow dock.

    Attributes:
        first: There at once.
        second: Made in the next turn of the event loop; None until then.
    """

    def __init__(self, first: PlotParts, second: PlotParts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme | None = None
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

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        for plot in filter(None, (self.first, self.second)):
            plot.set_theme(theme)
        self.draw()

    def draw(self) -> None:
        """Draw both anew, or what there is of them."""
        for plot, parts in zip((self.first, self.second), self._parts, strict=True):
            if plot is not None and self._theme is not None:
                plot.clear()
                parts.draw(plot, self._theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put one below the other in a narrow dock."""
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
        if self._theme is not None:
            self.second.set_theme(self._theme)
            parts.draw(self.second, self._theme)
