"""The read-only view of generated code: hundreds of thousands of lines, or one of megabytes.

Draws what is in sight and lexes nothing else. Knows nothing of builds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from PySide6.QtCore import QEvent, QPoint, Qt, Signal, Slot
from PySide6.QtGui import (
    QClipboard,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from jitstudio.gui.find.search import Span
from jitstudio.gui.font_zoom import FontZoom, Zoomable
from jitstudio.gui.fonts import code_font
from jitstudio.gui.highlighter import LineLexer
from jitstudio.gui.theme import Theme
from jitstudio.gui.viewer.banner import Banner
from jitstudio.gui.viewer.caret import ListingCaret, Place
from jitstudio.gui.viewer.grid import Grid
from jitstudio.gui.viewer.keys import move_of
from jitstudio.gui.viewer.menu import listing_menu
from jitstudio.gui.viewer.mouse import ListingMouse
from jitstudio.gui.viewer.painter import Page, PagePainter, paint_hint
from jitstudio.gui.viewer.text import ListingText

# Cells that stay in sight beside the caret, and behind the longest line.
_BESIDE = 4
# What a screen reader is told of a line.
_LONGEST_DESCRIPTION = 500


class ListingView(Zoomable, QAbstractScrollArea):
    """Shows lines that cannot be edited.

    Attributes:
        caret: Where the caret is and what is selected; call `caret_moved` after moving it.

    Signals:
        line_changed: The caret is on this line now, counted from 1.
        font_size_changed: With the new size in points.
        search_text_changed: When other lines are shown.
    """

    line_changed = Signal(int)
    font_size_changed = Signal(float)
    search_text_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text = ListingText()
        self.caret = ListingCaret(self._text)
        self._hint: str | None = ""
        self._is_stale = False
        self._matches: Mapping[int, Sequence[Span]] = {}
        self._told_line = 1
        self._zoom = FontZoom(self)
        self._banner = Banner(self)
        self._mouse = ListingMouse(self)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self._zoom.size_changed.connect(self._on_font_size)
        self.setFont(code_font(self._zoom.size))
        self.set_theme(theme)

    # What a window asks for.

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self._banner.set_theme(theme)
        self.viewport().update()

    def set_lines(
        self, lines: Sequence[str], lexer: LineLexer | None, *, keep_position: bool = False
    ) -> None:
        """Show other lines.

        Args:
            lines: The text; it must not change afterwards.
            lexer: Who finds the tokens, or None for plain text.
            keep_position: Whether to stay at the place in sight, for a newer form of the same text.
        """
        self._show(ListingText(lines, lexer), None, keep_position)

    def clear(self, placeholder: str = "") -> None:
        """Show nothing but a hint why."""
        self.set_stale(False, "")
        self._show(ListingText(), placeholder, keep_position=False)

    def set_stale(self, stale: bool, reason: str) -> None:
        """Grey the text and say why it is an old one, or show it as usual again."""
        self._is_stale = stale
        self._banner.say(reason if stale else "")
        self._lay_out()

    @property
    def line_count(self) -> int:
        """How many lines there are; none while a hint is shown."""
        return len(self._text) if self._hint is None else 0

    @property
    def line(self) -> int:
        """The line of the caret, counted from 1."""
        return self.caret.line + 1

    def go_to(self, line: int) -> None:
        """Put the caret to the start of a line, counted from 1, and the line to the middle."""
        self.caret.set_place((line - 1, 0))
        self._centre()
        self.caret_moved()

    def toPlainText(self) -> str:
        """The whole text."""
        return "" if self._hint is not None else "\n".join(self._text.lines)

    @Slot()
    def copy(self) -> None:
        """Put the selected text onto the clipboard."""
        if self.caret.has_selection:
            QApplication.clipboard().setText(self.caret.selected_text())

    @Slot()
    def select_all(self) -> None:
        """Select the whole text."""
        self.caret.select_all()
        self.caret_moved(scroll=False)

    # What the find bar asks for: jitstudio.gui.find.search.Searchable.

    def search_line_count(self) -> int:
        """How many lines there are."""
        return self.line_count

    def search_lines(self, first: int, count: int) -> Sequence[str]:
        """Some lines, counted from 0."""
        return self._text.lines[first : first + count]

    def search_start(self) -> tuple[int, int]:
        """Line and column where the selection begins, counted from 0."""
        return self.caret.selection[0]

    def search_selection(self) -> str:
        """The selected text if it is within one line."""
        (first, _), (last, _) = self.caret.selection
        return self.caret.selected_text() if first == last else ""

    def show_match(self, line: int, span: Span) -> None:
        """Select a match and bring it into view, to the middle if it was out of sight."""
        self.caret.select((line, span[0]), (line, span[1]))
        if not self._grid().shows(line):
            self._centre()
        self.caret_moved()

    def set_matches(self, matches: Mapping[int, Sequence[Span]]) -> None:
        """Highlight what was found, by line."""
        self._matches = matches
        self.viewport().update()

    # What its own parts ask for.

    @property
    def margin_width(self) -> int:
        """How wide the strip with the line numbers is."""
        return self._grid().text_left

    def is_margin(self, at: QPoint) -> bool:
        """Whether a place in the viewport is on the line numbers."""
        return self._hint is None and at.x() < self.margin_width - _BESIDE

    def place_at(self, at: QPoint, inside: bool = False) -> Place:
        """The gap between two characters nearest to a place, or the one before what is there."""
        grid = self._grid()
        line = min(max(grid.line_at(at.y()), 0), len(self._text) - 1)
        return line, self._text.column(line, grid.cell_at(at.x()) - (0.5 if inside else 0))

    def scroll_by(self, columns: int, lines: int) -> None:
        """Scroll, as far as there is text."""
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setValue(vertical.value() + lines)
        horizontal.setValue(horizontal.value() + columns * horizontal.singleStep())

    def caret_moved(self, scroll: bool = True) -> None:
        """Show the caret where it is now, and tell others."""
        if scroll:
            self._bring_into_sight()
        self.viewport().update()
        line = self._text.lines[self.caret.line][:_LONGEST_DESCRIPTION].strip()
        self.setAccessibleDescription(f"Line {self.line:,}: {line}" if self._hint is None else "")
        if self.line != self._told_line:
            self._told_line = self.line
            self.line_changed.emit(self.line)

    # What Qt calls.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is in sight."""
        painter = QPainter(self.viewport())
        if self._hint is None:
            PagePainter(painter, self._page()).paint(event.rect())
        else:
            code = self._theme.code
            painter.fillRect(event.rect(), code.background)
            painter.setFont(QApplication.font(self))
            paint_hint(painter, self.viewport().rect(), self._hint, code.hint)
        painter.end()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Move what is drawn already, and draw the rest."""
        if dx:
            self.viewport().update()
        else:
            self.viewport().scroll(0, dy * self._grid().height)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Fit banner and scroll bars."""
        self._lay_out()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move, select, copy or zoom."""
        if self._zoom.take_key(event):
            return
        move = move_of(event)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif move is None or self._hint is not None:
            super().keyPressEvent(event)
        else:
            act, select = move
            act(self.caret, self._grid().whole_lines, select)
            self.caret_moved(scroll=not event.matches(QKeySequence.StandardKey.SelectAll))

    def event(self, event: QEvent) -> bool:
        """Take its own keys before the shortcuts of a window do."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_copy = event.matches(QKeySequence.StandardKey.Copy)
            event.setAccepted(is_copy or move_of(event) is not None)
            return True
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl, else scroll."""
        if not self._zoom.take_wheel(event):
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to select."""
        if event.button() == Qt.MouseButton.LeftButton and self._hint is None:
            self._mouse.press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select a word."""
        if event.button() == Qt.MouseButton.LeftButton and self._hint is None:
            self._mouse.double_click(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on selecting; show where text can be selected."""
        is_text = self._hint is None and not self.is_margin(event.position().toPoint())
        shape = Qt.CursorShape.IBeamCursor if is_text else Qt.CursorShape.ArrowCursor
        if self.viewport().cursor().shape() != shape:
            self.viewport().setCursor(shape)
        self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the selection; where the system has one, it is pasted with the middle button."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._mouse.release()
        clipboard = QApplication.clipboard()
        if self.caret.has_selection and clipboard.supportsSelection():
            clipboard.setText(self.caret.selected_text(), QClipboard.Mode.Selection)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the text."""
        at = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            grid, (line, column) = self._grid(), self.caret.place
            x = round(grid.x(self._text.cell(line, column)))
            at = self.viewport().mapToGlobal(QPoint(x, grid.y(line + 1)))
        listing_menu(self).popup(at)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the caret."""
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the caret."""
        super().focusOutEvent(event)
        self.viewport().update()

    # How it does it.

    def _show(self, text: ListingText, hint: str | None, keep_position: bool) -> None:
        place = self.caret.place
        self._text, self._hint, self._matches = text, hint, {}
        self.caret = ListingCaret(text)
        if keep_position:
            self.caret.set_place(place)
        else:
            self.verticalScrollBar().setValue(0)
            self.horizontalScrollBar().setValue(0)
        self._lay_out()
        self.search_text_changed.emit()
        self.caret_moved(scroll=False)

    def _grid(self) -> Grid:
        bars = self.verticalScrollBar(), self.horizontalScrollBar()
        top, shift = (bar.value() for bar in bars)
        return Grid.of(self.font(), self.line_count, self.viewport().size(), top, shift)

    def _page(self) -> Page:
        return Page(
            text=self._text,
            caret=self.caret,
            grid=self._grid(),
            theme=self._theme,
            matches=self._matches,
            is_stale=self._is_stale,
            has_focus=self.hasFocus(),
        )

    def _lay_out(self) -> None:
        height = self._banner.wanted_height(self.viewport().width())
        # Sends a resize event of the viewport, which comes back to here.
        self.setViewportMargins(0, height, 0, 0)
        inside = self.contentsRect()
        self._banner.setGeometry(inside.left(), inside.top(), self.viewport().width(), height)
        grid = self._grid()
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setRange(0, max(0, self.line_count - grid.whole_lines))
        vertical.setPageStep(grid.whole_lines)
        cells = self._text.widest + _BESIDE if self.line_count else 0
        horizontal.setRange(0, max(0, ceil(cells * grid.cell) - grid.text_width))
        horizontal.setPageStep(grid.text_width)
        horizontal.setSingleStep(ceil(grid.cell))
        self.viewport().update()

    def _centre(self) -> None:
        self.verticalScrollBar().setValue(self.caret.line - self._grid().whole_lines // 2)

    def _bring_into_sight(self) -> None:
        grid, (line, column) = self._grid(), self.caret.place
        if not grid.shows(line):
            above = line < grid.top
            self.verticalScrollBar().setValue(line if above else line - grid.whole_lines + 1)
        left, right = grid.cells_in_sight
        cell = self._text.cell(line, column)
        if cell < left:
            self.horizontalScrollBar().setValue(int((cell - _BESIDE) * grid.cell))
        elif cell > right - _BESIDE:
            beyond = (cell + _BESIDE) * grid.cell - grid.text_width
            self.horizontalScrollBar().setValue(ceil(beyond))

    @Slot(float)
    def _on_font_size(self, points: float) -> None:
        self.setFont(code_font(points))
        self._lay_out()
        self.font_size_changed.emit(points)
