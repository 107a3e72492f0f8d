"""The strip beside a listing that says in columns what is known of each instruction in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Slot
from PySide6.QtGui import (
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.listing.columns.measure import PAD, Measure
from jitstudio.gui.listing.columns.sass_cells import Bar, SassCells
from jitstudio.gui.listing.grid import Grid

if TYPE_CHECKING:
    from jitstudio.gui.listing.listing_view import ListingView

# Above and below a bar.
_AIR = 3


class ColumnGutter(QWidget):
    """Draws the rows that are in sight, in step with the text beside them."""

    def __init__(self, view: ListingView) -> None:
        super().__init__(view)
        self._view = view
        self._cells: SassCells | None = None
        self._measure: Measure | None = None
        self._is_left = False
        bar = view.verticalScrollBar()
        self._top = bar.value()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Columns beside the instructions"))
        bar.valueChanged.connect(self._on_scrolled)
        view.caret_placed.connect(self.update)
        view.shown.changed.connect(self.update)
        view.bands.changed.connect(self.update)

    def show_cells(self, cells: SassCells | None) -> None:
        """Say these things of each line; nothing without."""
        self._cells = cells
        self.update()

    def lay_out(self, measure: Measure, is_left: bool) -> None:
        """Put the columns there."""
        self._measure, self._is_left = measure, is_left
        self.update()

    # What Qt calls.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is in sight."""
        view, dirty = self._view, event.rect()
        theme = view.theme
        painter = QPainter(self)
        painter.fillRect(dirty, theme.code.background)
        if self._measure is not None and view.line_count:
            self._paint_rows(painter, dirty, self._measure)
        edge = self.width() - 1 if self._is_left else 0
        painter.fillRect(edge, dirty.top(), 1, dirty.height(), theme.ui.border)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Tell what a cell says in full."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(event), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Put the caret into the line."""
        view = self._view
        if event.button() == Qt.MouseButton.LeftButton and view.line_count:
            view.caret.set_place((self._line_at(event.position().y()), 0))
            view.caret_moved()
            view.setFocus(Qt.FocusReason.MouseFocusReason)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take the end of a click, too."""
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the listing."""
        self._view.wheelEvent(event)

    # How it does it.

    def _paint_rows(self, painter: QPainter, dirty: QRect, measure: Measure) -> None:
        view, grid, theme = self._view, self._view.grid, self._view.theme
        rows = view.shown.rows
        if not view.caret.has_selection:
            y = grid.y(rows.row(view.caret.line))
            painter.fillRect(0, y, self.width(), grid.height, theme.code.current_line)
        painter.setFont(grid.font)
        painter.setPen(theme.code.text)
        first, last = max(0, grid.row_at(dirty.top())), grid.row_at(dirty.bottom())
        for row in range(first, min(last, len(rows) - 1) + 1):
            line, y = rows.line(row), grid.y(row)
            band = QRect(0, y, self.width(), grid.height)
            view.bands.paint_ground(painter, band, line, theme)
            if self._cells is not None and (text := self._cells.text(line, measure.choice)):
                self._paint_bar(painter, self._cells.bar(line), y, measure.bar())
                painter.drawText(QPointF(PAD, y + grid.ascent), text)

    def _paint_bar(
        self, painter: QPainter, bar: Bar | None, y: int, place: tuple[float, float] | None
    ) -> None:
        if bar is None or place is None or not bar.share:
            return
        theme, grid = self._view.theme, self._view.grid
        left, width = place
        full = QRectF(left, y + _AIR, width, grid.height - 2 * _AIR)
        if bar.is_top:
            # The frame of the longest bar there is.
            painter.fillRect(full.adjusted(-2, -2, 2, 2), theme.code.text)
            painter.fillRect(full.adjusted(-1, -1, 1, 1), theme.code.background)
        full.setWidth(max(1.0, width * bar.share))
        painter.fillRect(full, theme.step(bar.strain))

    def _line_at(self, y: float) -> int:
        return self._view.shown.rows.line(self._view.grid.row_at(y))

    def _tip(self, event: QHelpEvent) -> str:
        if self._cells is None or self._measure is None or not self._view.line_count:
            return ""
        one = self._measure.at(event.pos().x())
        line = self._line_at(event.pos().y())
        return plain_tooltip(self._cells.tip(line, one)) if one is not None else ""

    @Slot(int)
    def _on_scrolled(self, top: int) -> None:
        by, self._top = self._top - top, top
        grid: Grid = self._view.grid
        self.scroll(0, by * grid.height)
