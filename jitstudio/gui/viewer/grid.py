"""The fixed-width grid of a listing: how large a cell is, and what stands where in the viewport."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QFontMetricsF

_FEWEST_DIGITS = 3
# Left of the line number, and between it and the text; in pixels.
_LEFT, _GAP = 14, 14


@dataclass(frozen=True)
class Grid:
    """Turns lines and cells into pixels and back.

    Attributes:
        font: What the text is drawn in.
        cell: How wide a cell is.
        height: How high a line is.
        ascent: From the top of a line down to where its letters stand.
        text_left: Where the first cell is when nothing is scrolled aside.
        size: The viewport's.
        top: The line at the upper edge.
        shift: How many pixels are scrolled away to the left.
    """

    font: QFont
    cell: float
    height: int
    ascent: float
    text_left: int
    size: QSize
    top: int
    shift: int

    @classmethod
    def of(cls, font: QFont, line_count: int, size: QSize, top: int, shift: int) -> Grid:
        """The grid for a font and a number of lines; without lines there is no margin."""
        metrics = QFontMetricsF(font)
        cell = metrics.horizontalAdvance("0")
        digits = max(_FEWEST_DIGITS, len(str(line_count)))
        left = _LEFT + ceil(digits * cell) + _GAP if line_count else _LEFT
        return cls(font, cell, ceil(metrics.height()), metrics.ascent(), left, size, top, shift)

    @property
    def number_right(self) -> int:
        """Where line numbers end."""
        return self.text_left - _GAP

    @property
    def whole_lines(self) -> int:
        """How many lines fit, at least one."""
        return max(1, self.size.height() // self.height)

    @property
    def text_width(self) -> int:
        """How wide the part of the viewport is that shows text."""
        return max(0, self.size.width() - self.text_left)

    @property
    def cells_in_sight(self) -> tuple[float, float]:
        """The cells at the left and at the right edge of the text."""
        return self.shift / self.cell, (self.shift + self.text_width) / self.cell

    def shows(self, line: int) -> bool:
        """Whether the whole of a line is in sight."""
        return self.top <= line < self.top + self.whole_lines

    def x(self, cell: float) -> float:
        """The left edge of a cell."""
        return self.text_left + cell * self.cell - self.shift

    def y(self, line: int) -> int:
        """The upper edge of a line."""
        return (line - self.top) * self.height

    def cell_at(self, x: float) -> float:
        """The cell at a place, and how far into it."""
        return (x - self.text_left + self.shift) / self.cell

    def line_at(self, y: float) -> int:
        """The line at a height; it may lie outside of the text."""
        return self.top + int(y // self.height)
