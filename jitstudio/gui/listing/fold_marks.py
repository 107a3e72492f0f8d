"""The marks of what can be folded: a chevron in the margin, and how many lines are folded."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.listing.grid import Grid
from jitstudio.gui.listing.hiding import Hiding
from jitstudio.gui.listing.text import ListingText
from jitstudio.listing.folds import Block

# Cells between the text and the count behind it, and left and right within its frame.
_BEFORE, _INSIDE = 1, 0.5
_ROUNDING = 4


@dataclass(frozen=True)
class FoldMarks:
    """The marks of one page: where they stand, and how they look.

    Attributes:
        text: All lines.
        hiding: What is folded, and what can be.
        grid: Where things are.
    """

    text: ListingText
    hiding: Hiding
    grid: Grid

    def head_at(self, at: QPoint) -> int | None:
        """The line of the head whose mark is at a place in the viewport."""
        row = self.grid.row_at(at.y())
        if not 0 <= row < len(self.hiding.rows):
            return None
        line = self.hiding.rows.line(row)
        block = self.hiding.block_at(line)
        if block is None:
            return None
        if self.grid.fold_mark(row).contains(at):
            return line
        is_folded = self.hiding.is_folded(line)
        return line if is_folded and self._count_place(row, block).contains(QPointF(at)) else None

    def paint_chevron(self, painter: QPainter, row: int, theme: Theme) -> None:
        """Draw the mark in the margin of a row that is a head."""
        line = self.hiding.rows.line(row)
        if self.hiding.block_at(line) is not None:
            folded = self.hiding.is_folded(line)
            color = theme.code.margin_current if folded else theme.code.margin_text
            name = "chevron-right" if folded else "chevron-down"
            icon(name, color).paint(painter, self.grid.fold_mark(row))

    def paint_count(self, painter: QPainter, row: int, theme: Theme) -> None:
        """Draw how many lines are folded behind the head in a row."""
        line = self.hiding.rows.line(row)
        block = self.hiding.block_at(line)
        if block is None or not self.hiding.is_folded(line):
            return
        place = self._count_place(row, block)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.grid.font)
        painter.setPen(theme.ui.border)
        painter.setBrush(theme.code.margin)
        painter.drawRoundedRect(place, _ROUNDING, _ROUNDING)
        painter.setPen(theme.code.hint)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, _words(block))
        painter.restore()

    def _count_place(self, row: int, block: Block) -> QRectF:
        grid = self.grid
        left = grid.x(self.text.width(block.head) + _BEFORE)
        width = QFontMetricsF(grid.font).horizontalAdvance(_words(block)) + 2 * _INSIDE * grid.cell
        return QRectF(left, grid.y(row) + 1.5, width, grid.height - 3)


def _words(block: Block) -> str:
    count = block.last - block.head
    if count == 1:
        return QCoreApplication.translate("FoldMarks", "… 1 line")
    return QCoreApplication.translate("FoldMarks", "… {0:,} lines").format(count)
