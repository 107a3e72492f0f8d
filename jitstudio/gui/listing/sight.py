"""What a listing looks at, so that it looks at the same when lines change or are hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jitstudio.gui.listing.caret import ListingCaret, Place
from jitstudio.gui.listing.hiding import Hiding
from jitstudio.gui.listing.scrolling import Scrolling
from jitstudio.listing.same_place import same_line


@dataclass(frozen=True)
class Sight:
    """A place in a text and what is around it.

    Attributes:
        top: The line at the upper edge.
        place: Where the caret is.
        offset: How many rows below the upper edge the caret is; None where it is out of sight.
    """

    top: int
    place: Place
    offset: int | None

    @classmethod
    def of(cls, caret: ListingCaret, scrolling: Scrolling) -> Sight:
        """What is in sight now."""
        top, row = scrolling.top, caret.rows.row(caret.line)
        is_in_sight = scrolling.grid().shows(row)
        return cls(caret.rows.line(top), caret.place, row - top if is_in_sight else None)

    def moved(self, before: Sequence[str], hiding: Hiding, after: Sequence[str]) -> Sight:
        """The same in newer lines."""

        def moved(line: int) -> int:
            function = hiding.function_around(line)
            return same_line(before, after, line, function and function.head)

        line, column = self.place
        return replace(self, top=moved(self.top), place=(moved(line), column))

    def hold(self, caret: ListingCaret, scrolling: Scrolling) -> None:
        """Scroll so that the caret is where it was in sight, or else the line that was on top."""
        if self.offset is None:
            scrolling.to_row(caret.rows.row(self.top))
        else:
            scrolling.to_row(caret.rows.row(caret.line), self.offset)
