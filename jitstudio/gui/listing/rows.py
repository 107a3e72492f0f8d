"""Which lines of a listing are shown: a line is counted in the text, a row only where it is shown.

All that moves through a listing or draws it asks here; nothing else knows of hidden lines.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Rows:
    """The lines that are shown, in order; made anew when others are. Both count from 0.

    Args:
        line_count: How many lines there are, at least one.
        hidden: For each line, whether it is hidden. The first line is shown where no other is:
            the caret must stand somewhere.
    """

    def __init__(self, line_count: int, hidden: NDArray[np.bool_] | None = None) -> None:
        self.line_count = line_count
        self._shown: NDArray[np.intp] | None = None
        if hidden is not None and hidden.any():
            shown = np.flatnonzero(~hidden)
            self._shown = shown if len(shown) else np.zeros(1, np.intp)

    def __len__(self) -> int:
        return self.line_count if self._shown is None else len(self._shown)

    @property
    def hidden_count(self) -> int:
        """How many lines are not shown."""
        return self.line_count - len(self)

    def line(self, row: int) -> int:
        """The line in a row; the first or the last for a row outside."""
        row = min(max(row, 0), len(self) - 1)
        return row if self._shown is None else int(self._shown[row])

    def row(self, line: int) -> int:
        """The row of a line, or of the nearest shown above it, or else of the first."""
        if self._shown is None:
            return min(max(line, 0), self.line_count - 1)
        return max(0, int(np.searchsorted(self._shown, line, "right")) - 1)

    def shows(self, line: int) -> bool:
        """Whether a line is shown."""
        return self.line(self.row(line)) == line

    def step(self, line: int, count: int) -> int:
        """The line so many rows further down, or up."""
        return self.line(self.row(line) + count)

    def between(self, first: int, last: int) -> Sequence[int]:
        """The shown lines from one line to another, both included."""
        if self._shown is None:
            return range(first, last + 1)
        ends = np.searchsorted(self._shown, (first, last + 1))
        found: list[int] = self._shown[ends[0] : ends[1]].tolist()
        return found
