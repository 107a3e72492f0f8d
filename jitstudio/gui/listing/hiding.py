"""What is hidden of one listing: by filters, and in folded blocks."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from jitstudio.gui.listing.rows import Rows
from jitstudio.listing.folds import Block, Outline
from jitstudio.listing.lines import LineClass


class Hiding:
    """Decides which lines of a text are shown.

    Args:
        line_count: How many lines the text has.
        outline: What they are; without it nothing can be hidden.

    Attributes:
        rows: The lines that are shown now.
    """

    def __init__(self, line_count: int, outline: Outline | None = None) -> None:
        blocks = outline.blocks if outline else ()
        self._blocks = blocks
        self._classes = np.frombuffer(outline.classes if outline else bytes(line_count), np.uint8)
        self._heads = np.array([block.head for block in blocks], np.intp)
        self._lasts = np.array([block.last for block in blocks], np.intp)
        self._starts_folded = np.array([block.starts_folded for block in blocks], np.bool_)
        self._folded = self._starts_folded.copy()
        self._filters: frozenset[LineClass] = frozenset()
        # Lines that a filter hides, but for these.
        self._revealed: set[int] = set()
        self.rows = Rows(line_count)
        if self._folded.any():
            self._update()

    @property
    def filters(self) -> frozenset[LineClass]:
        """Which classes of lines are left out."""
        return self._filters

    def set_filters(self, filters: frozenset[LineClass]) -> None:
        """Leave out these classes of lines."""
        self._filters = filters
        self._revealed.clear()
        self._update()

    # Folds.

    def block_at(self, head: int) -> Block | None:
        """The block that begins in a line."""
        number = self._number_at(head)
        return None if number is None else self._blocks[number]

    def is_folded(self, head: int) -> bool:
        """Whether a folded block begins in a line."""
        number = self._number_at(head)
        return number is not None and bool(self._folded[number])

    def set_folded(self, head: int, folded: bool) -> None:
        """Fold the block that begins in a line, or unfold it."""
        if (number := self._number_at(head)) is not None:
            self._folded[number] = folded
            self._update()

    def set_all_folded(self, folded: bool) -> None:
        """Fold or unfold all blocks, those within others too."""
        self._folded[:] = folded
        self._update()

    def block_around(self, line: int) -> Block | None:
        """The innermost block that a line is in and that is not folded."""
        found = np.flatnonzero((self._heads <= line) & (line <= self._lasts) & ~self._folded)
        return self._blocks[found[-1]] if len(found) else None

    def function_around(self, line: int) -> Block | None:
        """The kernel or function that a line is in."""
        found = np.flatnonzero((self._heads <= line) & (line <= self._lasts))
        around = (self._blocks[number] for number in found)
        return next((block for block in around if block.is_function), None)

    @property
    def toggled_names(self) -> frozenset[str]:
        """What is folded or unfolded unlike at first, in terms that hold in another build too."""
        others = np.flatnonzero(self._folded != self._starts_folded)
        return frozenset(self._blocks[number].name for number in others)

    def toggle_names(self, names: Collection[str]) -> None:
        """Fold or unfold the blocks with these names unlike at first, and no others."""
        if names:
            toggled = np.array([block.name in names for block in self._blocks], np.bool_)
            self._folded = self._starts_folded ^ toggled
            self._update()

    def reveal(self, line: int) -> None:
        """Show a line, whatever hides it."""
        self._folded[(self._heads < line) & (line <= self._lasts)] = False
        if self._classes[line] in self._filters:
            self._revealed.add(line)
        self._update()

    def _number_at(self, head: int) -> int | None:
        number = int(np.searchsorted(self._heads, head))
        is_head = number < len(self._heads) and self._heads[number] == head
        return number if is_head else None

    def _update(self) -> None:
        hidden = self._in_folds()
        if self._filters:
            filtered = np.array([of in self._filters for of in LineClass])[self._classes]
            filtered[[*self._revealed]] = False
            hidden |= filtered
        self.rows = Rows(len(self._classes), hidden)

    def _in_folds(self) -> NDArray[np.bool_]:
        """For each line, whether it is in a folded block, below its head."""
        depths = np.zeros(len(self._classes) + 1, np.int32)
        np.add.at(depths, self._heads[self._folded] + 1, 1)
        np.subtract.at(depths, self._lasts[self._folded] + 1, 1)
        return np.cumsum(depths[:-1]) > 0
