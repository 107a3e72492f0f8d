"""Names in a listing: links that are followed by click or key, and tooltips."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QCursor, QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip

from jitstudio.analysis.reference import openings
from jitstudio.core.code import CodeKind
from jitstudio.gui.code.hover import Tip, WordHover
from jitstudio.gui.listing.caret import Place
from jitstudio.gui.listing.listing_area import ListingArea
from jitstudio.listing.code_links import CodeLink

_CTRL = Qt.KeyboardModifier.ControlModifier
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_Finder = Callable[[Place], CodeLink | None]


class ListingLinks(QObject):
    """Follows the links of a `ListingView`.

    Attributes:
        hovered: The link below the mouse while Ctrl is held.

    Signals:
        missed: There is nothing to follow at the caret.
    """

    missed = Signal()

    def __init__(self, view: ListingArea) -> None:
        super().__init__(view)
        self._view = view
        self._finder: _Finder = lambda _place: None
        self.hovered: CodeLink | None = None
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def set_finder(self, finder: _Finder) -> None:
        """Sets the function that finds the link at a place."""
        self._finder = finder
        self._hover(None)

    @property
    def can_follow(self) -> bool:
        """Whether the name at the caret leads anywhere."""
        return self._link() is not None

    @Slot()
    def follow(self) -> None:
        """Goes where the name at the caret leads."""
        link = self._link()
        if link is None:
            self.missed.emit()
        else:
            self._view.jump_to(link.target)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Looks for links below the mouse while Ctrl is down, and follows clicks on links."""
        match event:
            case QKeyEvent() if event.key() == Qt.Key.Key_Control:
                at = self._view.viewport().mapFromGlobal(QCursor.pos())
                self._hover_at(at if event.type() == QEvent.Type.KeyPress else None)
            case QKeyEvent() if event.type() == QEvent.Type.KeyPress and event.key() in _ENTER:
                self.follow()
                return True
            case QMouseEvent():
                return self._take_mouse(event)
            case _ if event.type() in (QEvent.Type.Leave, QEvent.Type.FocusOut):
                self._hover(None)
        return False

    def _link(self) -> CodeLink | None:
        return self._finder(self._view.caret.place) if self._view.line_count else None

    def _take_mouse(self, event: QMouseEvent) -> bool:
        is_plain_move = event.type() == QEvent.Type.MouseMove and not event.buttons()
        is_press = event.type() == QEvent.Type.MouseButtonPress
        if not is_plain_move and not is_press:
            return False
        with_ctrl = event.modifiers() == _CTRL
        self._hover_at(event.position().toPoint() if with_ctrl else None)
        link = self.hovered
        if link is not None and is_press and event.button() == Qt.MouseButton.LeftButton:
            self._hover(None)
            self._view.caret.set_place((link.line, link.span[0]))
            self._view.jump_to(link.target)
        return link is not None

    def _hover_at(self, at: QPoint | None) -> None:
        view = self._view
        if at is None or not view.line_count or not view.viewport().rect().contains(at):
            self._hover(None)
            return
        place = view.place_at(at, inside=True)
        seen = self.hovered
        if seen and seen.line == place[0] and seen.span[0] <= place[1] < seen.span[1]:
            return
        is_behind = place[1] >= len(view.text.lines[place[0]])
        self._hover(None if is_behind or view.is_margin(at) else self._finder(place))

    def _hover(self, link: CodeLink | None) -> None:
        if link == self.hovered:
            return
        self.hovered = link
        viewport = self._view.viewport()
        shape = Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor
        viewport.setCursor(shape)
        viewport.update()


class ListingHover(WordHover):
    """Shows the tips of a `ListingView`.

    Args:
        view: The listing.
        kind: The language of its text.
        want: Called with the language when the mouse enters, as tips may be wanted.
        find: The tip for a column of a line of a language, if there is one.
        find_first: The tip that comes before that, for a line by number and text and a column.
    """

    def __init__(
        self,
        view: ListingArea,
        kind: CodeKind,
        want: Callable[[CodeKind], None],
        find: Callable[[CodeKind, str, int], Tip | None],
        find_first: Callable[[int, str, int], Tip | None] | None = None,
    ) -> None:
        self._listing = view
        self._kind = kind
        self._find_first = find_first
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

    def _visible_cursor(self) -> Place:
        self._listing.caret_moved()
        return self._listing.caret.place

    def _below(self, at: QPoint) -> Iterator[Place]:
        view = self._listing
        if view.line_count and at.x() >= view.margin_width and view.cut_at(at) is None:
            yield view.place_at(at, inside=True)

    def _tip(self, line: int, column: int) -> Tip | None:
        if not self._listing.line_count:
            return None
        text = self._listing.text.lines[line]
        first = self._find_first(line, text, column) if self._find_first else None
        return first or self._find(self.kind, text, column)

    def _openings(self, line: int) -> Iterator[int]:
        if self._listing.line_count:
            yield from openings(self.kind, self._listing.text.lines[line])

    def _area(self, line: int, tip: Tip) -> QRect:
        view, (first, last) = self._listing, tip.span
        grid = view.grid
        left, right = (round(grid.x(view.text.cell(line, column))) for column in (first, last))
        return QRect(left, grid.y(view.visibility.rows.row(line)), right - left, grid.height)
