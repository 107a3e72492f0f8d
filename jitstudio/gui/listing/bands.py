"""The bands of a listing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint

from jitstudio.gui.code.line_colours import NO_LINE, LineColours

if TYPE_CHECKING:
    from jitstudio.gui.listing.listing_view import ListingView


class ListingLineColours(LineColours):
    """The bands of one `ListingView`, which are drawn with its page."""

    def __init__(self, view: ListingView) -> None:
        super().__init__(view, self._line_below)
        self._view = view

    def bring_into_sight(self, line: int) -> None:
        """Scroll to a line, to the middle if it is out of sight."""
        if self._view.line_count:
            self._view.show_line(line)

    def _line_below(self, at: QPoint) -> int:
        line, _ = self._view.place_at(at)
        below = self._view.below(line)
        return line if self._view.line_count and at.y() < below else NO_LINE
