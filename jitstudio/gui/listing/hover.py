"""Tells of the word below the mouse in a listing, or at its caret."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip

from jitstudio.analysis.words import openings
from jitstudio.core.code import CodeKind
from jitstudio.gui.code.hover_text import Tip
from jitstudio.gui.code.word_hover import WordHover
from jitstudio.gui.listing.caret import Place

if TYPE_CHECKING:
    from jitstudio.gui.listing.listing_view import ListingView


class ListingHover(WordHover):
    """Shows the tips of one `ListingView`.

    Args:
        view: The listing.
        kind: The language of its text.
        want: Called with the language when somebody comes who may want tips.
        find: The tip for a column of a line of a language, if there is one.
    """

    def __init__(
        self,
        view: ListingView,
        kind: CodeKind,
        want: Callable[[CodeKind], None],
        find: Callable[[CodeKind, str, int], Tip | None],
    ) -> None:
        self._listing = view
        self._kind = kind
        super().__init__(view, want, find)

    @property
    def kind(self) -> CodeKind:
        """The language of the text."""
        return self._kind

    def _point(self, event: QHelpEvent) -> bool:
        if super()._point(event):
            return True
        QToolTip.hideText()
        return False

    def _cursor_in_sight(self) -> Place:
        self._listing.caret_moved()
        return self._listing.caret.place

    def _below(self, at: QPoint) -> Iterator[Place]:
        view = self._listing
        if view.line_count and at.x() >= view.margin_width and view.cut_at(at) is None:
            yield view.place_at(at, inside=True)

    def _tip(self, line: int, column: int) -> Tip | None:
        if not self._listing.line_count:
            return None
        return self._find(self.kind, self._listing.text.lines[line], column)

    def _openings(self, line: int) -> Iterator[int]:
        if self._listing.line_count:
            yield from openings(self.kind, self._listing.text.lines[line])

    def _area(self, line: int, tip: Tip) -> QRect:
        view, (first, last) = self._listing, tip.span
        grid = view.grid
        left, right = (round(grid.x(view.text.cell(line, column))) for column in (first, last))
        return QRect(left, grid.y(view.shown.rows.row(line)), right - left, grid.height)
