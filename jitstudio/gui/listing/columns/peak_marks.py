"""Marks the peaks of live registers beside the handle of a listing's scroll bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QStyle, QStyleOptionSlider, QWidget

if TYPE_CHECKING:
    from jitstudio.gui.listing.listing_view import ListingView

_HEIGHT, _TOP_HEIGHT = 2, 4


@dataclass(frozen=True)
class PeakMark:
    """A peak.

    Attributes:
        line: Where it is, from 0.
        share: How high it is, as a share of the highest in its function.
        strain: What it costs, from 0 to 1.
    """

    line: int
    share: float
    strain: float


class PeakMarks(QWidget):
    """Lies over the vertical scroll bar of a listing; the mouse goes through it."""

    def __init__(self, view: ListingView) -> None:
        self._bar = view.verticalScrollBar()
        super().__init__(self._bar)
        self._view = view
        self._marks: Sequence[PeakMark] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._bar.installEventFilter(self)
        view.shown.changed.connect(self.update)
        self.resize(self._bar.size())
        self.show()

    @property
    def marks(self) -> Sequence[PeakMark]:
        """What is marked."""
        return self._marks

    def show_marks(self, marks: Sequence[PeakMark]) -> None:
        """Mark these peaks, and no others."""
        self._marks = marks
        self.update()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Stay as large as the scroll bar."""
        if event.type() == QEvent.Type.Resize:
            self.resize(self._bar.size())
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a tick for each; where several fall together, the highest is seen."""
        if not self._marks or not self._view.line_count:
            return
        groove, rows = self._groove(), self._view.shown.rows
        painter = QPainter(self)
        for mark in sorted(self._marks, key=lambda mark: mark.share):
            y = groove[0] + round(rows.row(mark.line) / max(1, len(rows)) * groove[1])
            is_top = mark.share == 1
            left = 0 if is_top else self.width() // 2
            height = _TOP_HEIGHT if is_top else _HEIGHT
            color = self._view.theme.step(mark.strain)
            painter.fillRect(left, y, self.width() - left, height, color)
        painter.end()

    def _groove(self) -> tuple[int, int]:
        option = QStyleOptionSlider()
        option.initFrom(self._bar)
        option.orientation = self._bar.orientation()
        place = self._bar.style().subControlRect(
            QStyle.ComplexControl.CC_ScrollBar,
            option,
            QStyle.SubControl.SC_ScrollBarGroove,
            self._bar,
        )
        return place.top(), place.height()
