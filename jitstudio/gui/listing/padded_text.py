"""A text of a comparison, padded so that both texts have the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jitstudio.analysis.diff.model import Change, Comparison, Marks
from jitstudio.core.code import CodeKind
from jitstudio.listing.kernel_names import DemangledListing
from jitstudio.listing.lines import NOWHERE
from jitstudio.listing.sass import TextExtent


@dataclass(frozen=True, eq=False)
class PaddedText:
    """A text, with an empty line wherever only the other text has lines.

    Attributes:
        comparison: Of both.
        is_left: Whether it is the first of the two.
        kind: The kind of text.
        spelling: A line for each row, as it was compared and as it is shown.
        extent: How much room the lines take as they were compared.
    """

    comparison: Comparison
    is_left: bool
    kind: CodeKind
    spelling: DemangledListing
    extent: TextExtent

    @property
    def lines(self) -> Sequence[str]:
        """The lines to show."""
        return self.spelling.lines

    def number(self, row: int) -> int:
        """Returns the line that is in a row, counted from 1; 0 where there is none."""
        pair = self.comparison.rows[row]
        return (pair.left if self.is_left else pair.right) + 1

    def change(self, row: int) -> Change:
        """Returns the change of a row."""
        return self.comparison.rows[row].change

    def sign(self, row: int) -> str:
        """Returns a minus before a line that only the baseline has, a plus for a newer line."""
        if not self.number(row) or self.change(row) in (Change.EQUAL, Change.CONTROL):
            return ""
        return "\N{MINUS SIGN}" if self.is_left else "+"

    def marks(self, row: int) -> Marks:
        """Returns the differing parts of a row, as ranges of columns of the shown line."""
        ranges, to_shown = self.comparison.marks(row)[not self.is_left], self.spelling.to_shown
        return tuple((to_shown(row, start), to_shown(row, end)) for start, end in ranges)


def padded(comparison: Comparison, kind: CodeKind, *, is_left: bool) -> PaddedText:
    """Returns a side of a comparison."""
    text = comparison.left if is_left else comparison.right
    at = (row.left if is_left else row.right for row in comparison.rows)
    lines = tuple("" if line == NOWHERE else text[line] for line in at)
    return PaddedText(
        comparison, is_left, kind, DemangledListing.plain(lines), TextExtent.of(lines, kind)
    )


def next_hunk(comparison: Comparison, row: int, *, forward: bool) -> int | None:
    """Returns the row where the next hunk begins, or the hunk before; None for none.

    Behind the last comes the first again.
    """
    starts = [hunk.start for hunk in comparison.hunks]
    if not starts:
        return None
    if forward:
        return next((start for start in starts if start > row), starts[0])
    return next((start for start in reversed(starts) if start < row), starts[-1])
