"""Where columns stand in the strip that they share: on the grid of the code font."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jitstudio.gui.listing.columns.choice import Chosen, ColumnChoice
from jitstudio.gui.listing.columns.sass_cells import NUMBER_CELLS
from jitstudio.gui.listing.columns.sass_columns import LIVE

PAD = 2
"""Left of the first column, in pixels."""

# Between the number and its bar, and right of the bar; in cells.
_BESIDE_BAR = 0.5


@dataclass(frozen=True)
class Measure:
    """The columns that are shown, measured.

    Attributes:
        choice: Which they are.
        cell: How wide a character is, in pixels.
    """

    choice: ColumnChoice
    cell: float

    @property
    def width(self) -> int:
        """Of all columns together."""
        return round(PAD + sum(one.cells for one in self.choice.shown) * self.cell)

    def columns(self) -> Iterator[tuple[Chosen, int, int]]:
        """Each column with its left edge and that of what follows it."""
        cells, left = 0, 0
        for one in self.choice.shown:
            cells += one.cells
            right = round(PAD + cells * self.cell)
            yield one, left, right
            left = right

    def at(self, x: float) -> Chosen | None:
        """The column at a place."""
        return next((one for one, left, right in self.columns() if left <= x < right), None)

    def bar(self) -> tuple[float, float] | None:
        """Left edge and width of the longest bar; None where there are no bars."""
        for one, left, right in self.columns():
            if one.key == LIVE:
                start = (PAD if left == 0 else left) + (NUMBER_CELLS + _BESIDE_BAR) * self.cell
                width = right - _BESIDE_BAR * self.cell - start
                return (start, width) if width >= self.cell else None
        return None

    def cells(self, pixels: int) -> int:
        """How many cells a width comes nearest to."""
        return round(pixels / self.cell)
