"""The read-only view of generated code: hundreds of thousands of lines, or a line of megabytes.

Draws the visible part and lexes nothing else. Knows nothing of builds.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QMenu, QToolTip, QWidget

from jitstudio.gui.code.line_marks import NO_LINE, LineColours
from jitstudio.gui.kit.fonts import FontZoom, Zoomable, show_as_code
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import Theme, current_theme
from jitstudio.gui.listing.caret import move_of
from jitstudio.gui.listing.links import ListingLinks
from jitstudio.gui.listing.listing_area import ListingArea
from jitstudio.gui.listing.mouse import ListingMouse
from jitstudio.gui.listing.occurrences import Occurrences
from jitstudio.gui.listing.painter import ListingPage, PagePainter, paint_hint

_Key = QKeySequence.StandardKey


class ListingLineColours(LineColours):
    """The line colours of a `ListingView`, which are drawn with the text."""

    def __init__(self, view: ListingArea) -> None:
        super().__init__(view, self._line_below)
        self._view = view

    def scroll_to(self, line: int) -> None:
        """Scrolls to a line, to the middle if not visible yet."""
        if self._view.line_count:
            self._view.show_line(line)

    def _line_below(self, at: QPoint) -> int:
        line, _ = self._view.place_at(at)
        below = self._view.below(line)
        return line if self._view.line_count and at.y() < below else NO_LINE


class ListingView(Zoomable, ListingArea):
    """Shows lines that cannot be edited.

    Attributes:
        marks: The marks of the word at the caret.
        links: Names that lead somewhere.
        line_colours: Which lines belong together with the source.

    Signals:
        font_size_changed: With the new size in points.
        menu_opening: The context menu, empty as yet, is about to open where the caret is.
    """

    font_size_changed = Signal(float)
    menu_opening = Signal(QMenu)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._zoom = FontZoom(self)
        self._mouse = ListingMouse(self)
        self.marks = Occurrences(self)
        self.links = ListingLinks(self)
        self.line_colours = ListingLineColours(self)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self._zoom.size_changed.connect(self._on_font_size)
        self._code_font = show_as_code(self, self._zoom.size)
        self._code_font.changed.connect(self._lay_out)

    @property
    def theme(self) -> Theme:
        """The theme of text and columns."""
        return current_theme()

    # What Qt calls.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the visible lines."""
        painter = QPainter(self.viewport())
        if self._hint is None:
            PagePainter(painter, self._page()).paint(event.rect())
        else:
            code = self.theme.code
            painter.fillRect(event.rect(), code.background)
            painter.setFont(QApplication.font(self))
            paint_hint(painter, self.viewport().rect(), self._hint, code.hint)
        painter.end()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Moves the drawn lines, and draws the rest."""
        if dx:
            self.viewport().update()
        else:
            self.viewport().scroll(0, dy * self._scrolling.grid().height)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Fits the scroll bars."""
        self._lay_out()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Moves, selects, copies or zooms."""
        if self._zoom.take_key(event):
            return
        move = move_of(event)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif move is None or self._hint is not None:
            super().keyPressEvent(event)
        else:
            act, select = move
            act(self.caret, self._scrolling.grid().whole_lines, select)
            self.caret_moved(scroll=not event.matches(QKeySequence.StandardKey.SelectAll))

    def event(self, event: QEvent) -> bool:
        """Takes the keys of the view before the shortcuts of a window do."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_copy = event.matches(QKeySequence.StandardKey.Copy)
            event.setAccepted(is_copy or move_of(event) is not None)
            return True
        return super().event(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Shows the whole of a line that the right edge cuts off."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            line = self.cut_at(event.pos())
            whole = "" if line is None else self._text.lines[line][self._text.lead(line) :].strip()
            QToolTip.showText(event.globalPos(), plain_tooltip(whole), self.viewport())
            return True
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zooms with Ctrl, otherwise scrolls."""
        if not self._zoom.take_wheel(event):
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begins to select."""
        if event.button() == Qt.MouseButton.LeftButton and self._hint is None:
            self._mouse.press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Selects a word."""
        if event.button() == Qt.MouseButton.LeftButton and self._hint is None:
            self._mouse.double_click(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Goes on selecting; shows where text can be selected."""
        self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ends the selection."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._mouse.release()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offers the actions on the text."""
        at = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            grid, (line, column) = self._scrolling.grid(), self.caret.place
            x = round(grid.x(self._text.cell(line, column)))
            below = grid.y(self.visibility.rows.row(line) + 1)
            at = self.viewport().mapToGlobal(QPoint(x, below))
        elif not self.caret.has_selection and self._hint is None:
            self.caret.set_place(self.place_at(event.pos(), inside=True))
            self.caret_moved(scroll=False)
        self._menu().popup(at)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows the caret."""
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hides the caret."""
        super().focusOutEvent(event)
        self.viewport().update()

    # How it does it.

    def _menu(self) -> QMenu:
        """Returns the menu of the actions on the text; the menu is deleted when closed."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # Commands of the window for the line and the word here come first.
        self.menu_opening.emit(menu)
        if self.links.can_follow:
            follow = QCoreApplication.translate("ListingMenu", "&Follow the link")
            menu.addAction(f"{follow}\t{_keys(Qt.Key.Key_Return)}", self.links.follow)
        if not menu.isEmpty():
            menu.addSeparator()
        # The keys are only written there: the view itself takes them.
        copy = QCoreApplication.translate("ListingMenu", "&Copy")
        copied = menu.addAction(f"{copy}\t{_keys(_Key.Copy)}", self.copy)
        copied.setEnabled(self.caret.has_selection)
        # What the pane around it can do with the text.
        menu.addActions(self.actions())
        everything = QCoreApplication.translate("ListingMenu", "Select &all")
        select_all = menu.addAction(f"{everything}\t{_keys(_Key.SelectAll)}", self.select_all)
        select_all.setEnabled(self.line_count > 0)
        return menu

    def _page(self) -> ListingPage:
        return ListingPage(
            text=self._text,
            caret=self.caret,
            folds=self.visibility.folds,
            grid=self._scrolling.grid(),
            theme=self.theme,
            matches=self._matches,
            marks=self.marks.spans,
            link=self.links.hovered,
            line_colours=self.line_colours,
            line_marks=self.line_marks,
            has_focus=self.hasFocus(),
        )

    @Slot(float)
    def _on_font_size(self, points: float) -> None:
        self._code_font.set_size(points)
        self.font_size_changed.emit(points)


def _keys(key: _Key | Qt.Key) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
