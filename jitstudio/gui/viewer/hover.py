"""Tells of the word below the mouse in a listing, or at its caret."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip

from jitstudio.core.code import CodeKind
from jitstudio.gui.models.hover import Tip
from jitstudio.gui.viewer.caret import Place

if TYPE_CHECKING:
    from jitstudio.gui.viewer.listing_view import ListingView


class ListingHover(QObject):
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
        super().__init__(view)
        self.kind = kind
        self._view = view
        self._want = want
        self._find = find
        view.viewport().installEventFilter(self)

    def explain(self) -> Tip | None:
        """Tell of the word at the caret, or of the one that ends there."""
        self._view.caret_moved()
        line, column = self._view.caret.place
        tip = self._tip((line, column)) or self._tip((line, column - 1))
        if tip is not None:
            area = self._area(line, tip)
            self._show(self._view.viewport().mapToGlobal(area.bottomLeft()), tip, area)
        return tip

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Tell of the word below the mouse."""
        if event.type() == QEvent.Type.Enter:
            self._want(self.kind)
        elif event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            return self._point(event)
        return False

    def _point(self, event: QHelpEvent) -> bool:
        view, at = self._view, event.pos()
        is_text = view.line_count > 0 and at.x() >= view.margin_width
        place = view.place_at(at, inside=True) if is_text else None
        tip = self._tip(place) if place is not None else None
        if place is None or tip is None:
            QToolTip.hideText()
            return False
        self._show(event.globalPos(), tip, self._area(place[0], tip))
        return True

    def _tip(self, place: Place) -> Tip | None:
        if not self._view.line_count:
            return None
        line, column = place
        return self._find(self.kind, self._view.text.lines[line], column)

    def _show(self, at: QPoint, tip: Tip, area: QRect) -> None:
        """Show a tip until the mouse leaves its word."""
        QToolTip.showText(at, tip.html, self._view.viewport(), area)

    def _area(self, line: int, tip: Tip) -> QRect:
        view, (first, last) = self._view, tip.span
        grid = view.grid
        left, right = (round(grid.x(view.text.cell(line, column))) for column in (first, last))
        return QRect(left, grid.y(view.shown.rows.row(line)), right - left, grid.height)
