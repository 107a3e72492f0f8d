"""The mouse on a listing: click, drag, double and triple click, and drags beyond the edge."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Slot
from PySide6.QtGui import QClipboard, QMouseEvent
from PySide6.QtWidgets import QApplication

from jitstudio.gui.listing.caret import ListingCaret, Place
from jitstudio.gui.listing.listing_area import ListingArea

_SCROLL_INTERVAL = 40
# Every so many pixels beyond the edge, a drag scrolls by one more line or column.
_PIXELS_PER_STEP = 12

_Select = Callable[[ListingCaret, Place, Place], None]


class ListingMouse(QObject):
    """Turns the mouse events of a `ListingView` into selections."""

    def __init__(self, view: ListingArea) -> None:
        super().__init__(view)
        self._view = view
        # Where the drag began, and what it selects: characters, words or lines.
        self._origin: Place | None = None
        self._select: _Select = ListingCaret.select
        self._at = QPoint()
        self._scroll_timer = QTimer(self)
        self._scroll_timer.setInterval(_SCROLL_INTERVAL)
        self._scroll_timer.timeout.connect(self._on_scroll_tick)
        # Runs while one more click makes a triple click.
        self._triple_timer = QTimer(self)
        self._triple_timer.setSingleShot(True)

    def press(self, event: QMouseEvent) -> None:
        """Begins to select; Shift goes on from where the selection began."""
        at = event.position().toPoint()
        if (head := self._view.fold_mark_at(at)) is not None:
            self._view.visibility.toggle(head)
            return
        if self._view.line_marks.can_break and self._view.grid.is_sign(at.x()):
            self._view.line_marks.toggled.emit(self._place_line(at))
            return
        is_triple = self._triple_timer.isActive() and _are_near(at, self._at)
        is_extending = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if is_triple or self._view.is_margin(at):
            self._select = ListingCaret.select_lines
        else:
            self._select = ListingCaret.select
        self._triple_timer.stop()
        self._begin(at, self._view.caret.anchor if is_extending else None)

    def double_click(self, event: QMouseEvent) -> None:
        """Begins to select whole words."""
        at = event.position().toPoint()
        if self._view.is_margin(at):
            self.press(event)
            return
        self._select = ListingCaret.select_words
        self._triple_timer.start(QApplication.doubleClickInterval())
        self._begin(at, None)

    def move(self, event: QMouseEvent) -> None:
        """Selects up to the mouse; beyond the edge the text scrolls along."""
        if self._origin is None:
            self._show_shape(event.position().toPoint())
            return
        self._at = event.position().toPoint()
        self._extend()
        if self._view.viewport().rect().contains(self._at):
            self._scroll_timer.stop()
        elif not self._scroll_timer.isActive():
            self._scroll_timer.start()

    def release(self) -> None:
        """Ends the drag; on systems with a primary selection, the middle button pastes the text."""
        self._scroll_timer.stop()
        self._origin = None
        clipboard, caret = QApplication.clipboard(), self._view.caret
        if caret.has_selection and clipboard.supportsSelection():
            clipboard.setText(caret.selected_text(), QClipboard.Mode.Selection)

    def _show_shape(self, at: QPoint) -> None:
        view = self._view
        shape = Qt.CursorShape.IBeamCursor
        if not view.line_count or view.is_margin(at):
            shape = Qt.CursorShape.ArrowCursor
        if view.line_count and view.fold_mark_at(at) is not None:
            shape = Qt.CursorShape.PointingHandCursor
        if view.viewport().cursor().shape() != shape:
            view.viewport().setCursor(shape)

    def _begin(self, at: QPoint, origin: Place | None) -> None:
        self._at = at
        self._origin = self._place() if origin is None else origin
        self._extend()

    def _place(self) -> Place:
        # A word is hit between the edges of its letters, a gap between two letters around it.
        return self._view.place_at(self._at, inside=self._select is ListingCaret.select_words)

    def _place_line(self, at: QPoint) -> int:
        line, _ = self._view.place_at(at, inside=False)
        return line

    def _extend(self) -> None:
        if self._origin is not None:
            self._select(self._view.caret, self._origin, self._place())
            self._view.caret_moved(scroll=False)

    @Slot()
    def _on_scroll_tick(self) -> None:
        edge = self._view.viewport().rect()
        self._view.scroll_by(
            _steps(self._at.x(), edge.left() + self._view.margin_width, edge.right()),
            _steps(self._at.y(), edge.top(), edge.bottom()),
        )
        self._extend()


def _are_near(place: QPoint, press: QPoint) -> bool:
    return (place - press).manhattanLength() < QApplication.startDragDistance()


def _steps(at: int, first: int, last: int) -> int:
    """Returns how far to scroll for a mouse at a place, beyond either edge; 0 within."""
    if first <= at <= last:
        return 0
    beyond = at - first if at < first else at - last
    return beyond // _PIXELS_PER_STEP + (1 if beyond > 0 else 0)
