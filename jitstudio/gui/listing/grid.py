"""The fixed-width grid of a listing: the size of a cell, and the place of each row and cell."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QFont, QFontMetricsF

from jitstudio.gui.kit.fonts import gap, scaled

_FEWEST_DIGITS = 3
# Left of the line number, and between it and the text; in pixels at a zoom of 1.
_LEFT, _GAP = 14, 24
# In that gap are the fold marks, so far from the text.
_MARK_SIDE, _MARK_RIGHT = 12, 7


@dataclass(frozen=True)
class AddressColumn:
    """The column of addresses, which is shown where the instructions leave room.

    Attributes:
        cells: Its width; 0 for none.
        code: How many cells an instruction takes, but for a few that are longer.
        room: How wide a line may be with its number and its address, in pixels.
    """

    cells: int
    code: int
    room: int


@dataclass(frozen=True)
class Grid:
    """Turns rows and cells into pixels and back.

    Attributes:
        font: The font of the text.
        cell: How wide a cell is.
        height: How high a line is.
        ascent: From the top of a line down to the base line of its letters.
        text_left: Where the first cell is when nothing is scrolled aside.
        lead: How wide the column of addresses left of it is; 0 where there is none.
        size: The viewport's.
        top: The row at the upper edge.
        shift: How many pixels are scrolled away to the left.
    """

    font: QFont
    cell: float
    height: int
    ascent: float
    text_left: int
    lead: int
    size: QSize
    top: int
    shift: int

    @classmethod
    def of(
        cls, font: QFont, last_number: int, lead: AddressColumn, size: QSize, top: int, shift: int
    ) -> Grid:
        """Returns the grid for a font and the last line's number; for 0 there is no margin."""
        metrics = QFontMetricsF(font)
        cell = metrics.horizontalAdvance("0")
        digits = max(_FEWEST_DIGITS, len(str(last_number)))
        left = gap(_LEFT) + (ceil(digits * cell) + scaled(_GAP) if last_number else 0)
        addresses = ceil(lead.cells * cell)
        if left + addresses + lead.code * cell > lead.room:
            addresses = 0
        height, ascent = ceil(metrics.height()), metrics.ascent()
        return cls(font, cell, height, ascent, left + addresses, addresses, size, top, shift)

    @property
    def margin(self) -> int:
        """The width of the strip with line numbers and fold marks."""
        return self.text_left - self.lead

    @property
    def number_right(self) -> int:
        """The right edge of line numbers."""
        return self.margin - scaled(_GAP)

    def fold_mark(self, row: int) -> QRect:
        """Returns the place of the fold mark of a row."""
        side = min(scaled(_MARK_SIDE), self.height)
        left = self.margin - scaled(_MARK_RIGHT) - side
        return QRect(left, self.y(row) + (self.height - side) // 2, side, side)

    def sign(self, row: int) -> QRect:
        """Returns the place of the sign left of a row's number."""
        side = min(gap(_LEFT) - 2, self.height)
        return QRect(1, self.y(row) + (self.height - side) // 2, side, side)

    @staticmethod
    def is_sign(x: float) -> bool:
        """Returns whether a place is left of the line numbers."""
        return x < gap(_LEFT)

    @property
    def whole_lines(self) -> int:
        """The number of lines that fit, at least 1."""
        return max(1, self.size.height() // self.height)

    @property
    def text_width(self) -> int:
        """The width of the part of the viewport that shows text."""
        return max(0, self.size.width() - self.text_left)

    @property
    def cells_in_sight(self) -> tuple[float, float]:
        """The cells at the left and at the right edge of the text."""
        return self.shift / self.cell, (self.shift + self.text_width) / self.cell

    def shows(self, row: int) -> bool:
        """Returns whether the whole of a row is visible."""
        return self.top <= row < self.top + self.whole_lines

    def x(self, cell: float) -> float:
        """Returns the left edge of a cell; addresses have negative cells, which do not scroll."""
        if cell < 0:
            return self.text_left + (cell * self.cell if self.lead else 0)
        return self.text_left + cell * self.cell - self.shift

    def y(self, row: int) -> int:
        """Returns the upper edge of a row."""
        return (row - self.top) * self.height

    def cell_at(self, x: float) -> float:
        """Returns the cell at a place, with the fraction inside the cell."""
        if self.lead and x < self.text_left:
            return (x - self.text_left) / self.cell
        return (x - self.text_left + self.shift) / self.cell

    def row_at(self, y: float) -> int:
        """Returns the row at a height; the row may lie outside of the text."""
        return self.top + int(y // self.height)
