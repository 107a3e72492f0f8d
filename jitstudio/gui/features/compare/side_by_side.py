"""Two texts that scroll together, each below its name."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollBar, QVBoxLayout, QWidget

from jitstudio.gui.features.compare.diff_listing import DiffListing
from jitstudio.gui.features.compare.model import Compared
from jitstudio.gui.kit.parts import ShorteningLabel
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.kit.turning_splitter import TurningSplitter

# From this ratio of width to height on they stand beside each other.
_WIDE = 0.9


class SideBySide(QWidget):
    """The baseline and what it is compared with.

    Attributes:
        left: The baseline.
        right: What it is compared with.

    Signals:
        font_size_changed: With the new size in points.
    """

    font_size_changed = Signal(float)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.left, self.right = (DiffListing(theme, self) for _ in range(2))
        for listing, object_name, name in (
            (self.left, "compareLeft", self.tr("Baseline")),
            (self.right, "compareRight", self.tr("What it is compared with")),
        ):
            listing.setObjectName(object_name)
            listing.setAccessibleName(name)
        self._left_title, self._right_title = (ShorteningLabel(self) for _ in range(2))
        self._splitter = TurningSplitter(
            self._titled(self._left_title, self.left),
            self._titled(self._right_title, self.right),
            (1, 1),
            _WIDE,
            self,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)
        for listing, other in ((self.left, self.right), (self.right, self.left)):
            for bar, twin in (
                (listing.verticalScrollBar(), other.verticalScrollBar()),
                (listing.horizontalScrollBar(), other.horizontalScrollBar()),
            ):
                _tie(bar, twin)
            listing.font_size_changed.connect(other.set_font_size)
            listing.font_size_changed.connect(self._fit)
        self.left.font_size_changed.connect(self.font_size_changed)

    def show_compared(self, compared: Compared) -> None:
        """Show two texts."""
        self.left.show_half(compared.left)
        self.right.show_half(compared.right)
        self._fit()

    def set_titles(self, left: str, right: str) -> None:
        """Say what is compared with what."""
        for label, title in ((self._left_title, left), (self._right_title, right)):
            label.setText(title)
            label.setToolTip(plain_tooltip(title))

    @property
    def row(self) -> int:
        """The row of the caret, in the text that has the keyboard."""
        return (self.right if self.right.hasFocus() else self.left).caret.line

    @Slot(int)
    def go_to(self, row: int) -> None:
        """Put both carets into a row, counted from 0, and the row to the middle."""
        for listing in (self.left, self.right):
            listing.go_to(row + 1)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        for listing in (self.left, self.right):
            listing.set_theme(theme)

    def set_font_size(self, points: float) -> None:
        """Change the size of both texts."""
        self.left.set_font_size(points)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand beside each other where there is room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Puts both side by side where each has room for its longest instruction."""
        listings = (self.left, self.right)
        self._splitter.fit(self.size(), sum(listing.code_width for listing in listings))

    def _titled(self, label: ShorteningLabel, listing: DiffListing) -> QWidget:
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setForegroundRole(label.palette().ColorRole.PlaceholderText)
        label.setContentsMargins(12, 4, 8, 4)
        label.setBuddy(listing)
        box = QWidget(self)
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(label)
        column.addWidget(listing, 1)
        return box


def _tie(bar: QScrollBar, twin: QScrollBar) -> None:
    # A value out of the other's range comes back; where both agree nothing is told.
    bar.valueChanged.connect(twin.setValue)
