"""The scroll bars of a listing: what is in sight, and how something comes into sight."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from jitstudio.gui.listing.caret import ListingCaret
from jitstudio.gui.listing.grid import Grid
from jitstudio.gui.listing.rows import Rows
from jitstudio.gui.listing.text import ListingText

if TYPE_CHECKING:
    from jitstudio.gui.listing.listing_area import ListingArea

BESIDE = 4
"""Cells that stay in sight beside the caret, and behind the longest line."""


class Scrolling:
    """Moves the sight of one listing over its rows."""

    def __init__(self, view: ListingArea) -> None:
        self._view = view
        self._vertical = view.verticalScrollBar()
        self._horizontal = view.horizontalScrollBar()

    @property
    def top(self) -> int:
        """The row at the upper edge."""
        return self._vertical.value()

    def grid(self) -> Grid:
        """What stands where now."""
        view = self._view
        size, shift = view.viewport().size(), self._horizontal.value()
        return Grid.of(view.font(), view.line_count, view.lead, size, self.top, shift)

    def fit(self, text: ListingText, rows: Rows) -> None:
        """Give the bars the range of what is shown."""
        is_empty = not self._view.line_count
        grid = self.grid()
        self._vertical.setRange(0, 0 if is_empty else max(0, len(rows) - grid.whole_lines))
        self._vertical.setPageStep(grid.whole_lines)
        cells = 0 if is_empty else text.extent.widest + BESIDE
        self._horizontal.setRange(0, max(0, ceil(cells * grid.cell) - grid.text_width))
        self._horizontal.setPageStep(grid.text_width)
        self._horizontal.setSingleStep(ceil(grid.cell))

    def by(self, columns: int, rows: int) -> None:
        """Scroll, as far as there is text."""
        self._vertical.setValue(self.top + rows)
        step = self._horizontal.singleStep()
        self._horizontal.setValue(self._horizontal.value() + columns * step)

    def to_start(self) -> None:
        """Show the first row from its first column."""
        self._vertical.setValue(0)
        self._horizontal.setValue(0)

    def to_row(self, row: int, offset: int = 0) -> None:
        """Put a row so many rows below the upper edge, as far as there is text."""
        self._vertical.setValue(row - offset)

    def centre(self, row: int) -> None:
        """Put a row to the middle."""
        self.to_row(row, self.grid().whole_lines // 2)

    def follow(self, caret: ListingCaret) -> None:
        """Bring the caret into sight, by the shortest way."""
        grid, (line, column) = self.grid(), caret.place
        row = caret.rows.row(line)
        if not grid.shows(row):
            self.to_row(row, 0 if row < grid.top else grid.whole_lines - 1)
        left, right = grid.cells_in_sight
        cell = caret.text.cell(line, column)
        if cell < left:
            self._horizontal.setValue(int((cell - BESIDE) * grid.cell))
        elif cell > right - BESIDE:
            self._horizontal.setValue(ceil((cell + BESIDE) * grid.cell - grid.text_width))
