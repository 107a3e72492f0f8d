"""Two texts that scroll together, each below a title, with coloured differences."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QScrollBar, QVBoxLayout, QWidget

from jitstudio.analysis.diff.model import Change
from jitstudio.gui.code.code_view import Span
from jitstudio.gui.code.languages import LANGUAGES
from jitstudio.gui.kit.parts import ShorteningLabel, TurningSplitter, muted, show_tip
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.listing.padded_text import PaddedText
from jitstudio.gui.listing.painter import ListingPage, PagePainter


class DiffListing(ListingView):
    """Shows one half of a comparison; both halves have the same rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._half: PaddedText | None = None

    def show_half(self, half: PaddedText) -> None:
        """Shows half of a comparison; a half without lines is shown as an empty text."""
        before, self._half = self._half, half
        if before is None or before.comparison is not half.comparison:
            language = LANGUAGES.get(half.kind)
            lexer = language.lexer if language else None
            self.set_lines(half.spelling.lowered or ("",), lexer, extent=half.extent)
        if half.lines:
            self.respell(half.lines, half.spelling.stand_ins)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the visible rows."""
        if self._half is None:
            super().paintEvent(event)
            return
        painter = QPainter(self.viewport())
        _DiffPainter(painter, self._page(), self._half).paint(event.rect())
        painter.end()


class _DiffPainter(PagePainter):
    """Draws the grounds below the text, and the numbers that the lines have in their own text."""

    def __init__(self, painter: QPainter, page: ListingPage, half: PaddedText) -> None:
        super().__init__(painter, page)
        self._half = half

    def _paint_background(self, line: int) -> None:
        half, page = self._half, self._page
        if line < len(half.lines):
            if (ground := self._ground(line)) is not None:
                self._painter.fillRect(self._band(line), ground)
            self._paint_parts(line, half.marks(line), self._part_color(line))
        if page.caret.line == line and page.has_focus:
            self._paint_edges(line)

    def _ground(self, row: int) -> QColor | None:
        colors = self._page.theme.diff
        if not self._half.number(row):
            return colors.missing
        if self._half.change(row) in (Change.EQUAL, Change.CONTROL):
            return None
        return colors.removed if self._half.is_left else colors.added

    def _part_color(self, row: int) -> QColor:
        colors = self._page.theme.diff
        if self._half.change(row) is Change.CONTROL:
            return colors.control_part
        return colors.removed_part if self._half.is_left else colors.added_part

    def _paint_parts(self, line: int, spans: Sequence[Span], color: QColor) -> None:
        cells = None if self._page.text.is_simple(line) else self._page.text.cells(line)
        for span in spans:
            self._fill(line, cells, span, color)

    def _paint_edges(self, line: int) -> None:
        """The line of the caret, whose own ground the others cover."""
        band, color = self._band(line), self._page.theme.ui.border
        for y in (band.top(), band.bottom()):
            self._painter.fillRect(QRect(band.left(), y, band.width(), 1), color)

    def _band(self, line: int) -> QRect:
        return QRect(0, self._y(line), self._grid.size.width(), self._grid.height)

    def _paint_margin(self, first: int, last: int) -> None:
        grid, code = self._grid, self._page.theme.code
        self._painter.setFont(grid.font)
        for row in range(first, min(last + 1, len(self._half.lines))):
            if number := self._half.number(row):
                text = str(number)
                x = grid.number_right - len(text) * grid.cell
                is_current = row == self._page.caret.line
                self._painter.setPen(code.margin_current if is_current else code.margin_text)
                self._painter.drawText(QPointF(x, grid.y(row) + grid.ascent), text)
            if sign := self._half.sign(row):
                # Colours alone are not distinguished by everybody.
                self._painter.setPen(code.margin_current)
                x = (grid.number_right + grid.margin - grid.cell) / 2
                self._painter.drawText(QPointF(x, grid.y(row) + grid.ascent), sign)


# From this ratio of width to height on they are next to each other.
_WIDE = 0.9


class SideBySide(QWidget):
    """Two texts side by side.

    Attributes:
        left: The first text.
        right: The text that is compared with the first.

    Signals:
        font_size_changed: With the new size in points.
    """

    font_size_changed = Signal(float)

    def __init__(self, object_name: str, names: tuple[str, str], parent: QWidget) -> None:
        """Makes both texts.

        Args:
            object_name: The name for the program, which `Left` and `Right` follow.
            names: The names for screen readers.
            parent: The parent widget.
        """
        super().__init__(parent)
        self.left, self.right = (DiffListing(self) for _ in range(2))
        for listing, side, name in zip(
            (self.left, self.right), ("Left", "Right"), names, strict=True
        ):
            listing.setObjectName(f"{object_name}{side}")
            listing.setAccessibleName(name)
        self._left_title, self._right_title = (ShorteningLabel(self) for _ in range(2))
        self._splitter = TurningSplitter(
            self._titled(self._left_title, self.left),
            self._titled(self._right_title, self.right),
            (1, 1),
            _WIDE,
            self,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)
        for listing, other in ((self.left, self.right), (self.right, self.left)):
            for bar, twin in (
                (listing.verticalScrollBar(), other.verticalScrollBar()),
                (listing.horizontalScrollBar(), other.horizontalScrollBar()),
            ):
                _tie(bar, twin)
            listing.font_size_changed.connect(other.set_font_size)
            listing.font_size_changed.connect(self._fit)
        self.left.font_size_changed.connect(self.font_size_changed)

    def show_halves(self, left: PaddedText, right: PaddedText) -> None:
        """Shows two texts."""
        self.left.show_half(left)
        self.right.show_half(right)
        self._fit()

    def set_titles(self, left: str, right: str) -> None:
        """Names the two texts."""
        for label, title in ((self._left_title, left), (self._right_title, right)):
            label.setText(title)
            show_tip(label, title)

    @property
    def row(self) -> int:
        """The row of the caret, in the text that has the keyboard."""
        return (self.right if self.right.hasFocus() else self.left).caret.line

    @Slot(int)
    def go_to(self, row: int) -> None:
        """Puts both carets into a row, counted from 0, and the row to the middle."""
        for listing in (self.left, self.right):
            listing.go_to(row + 1)

    def set_font_size(self, points: float) -> None:
        """Changes the size of both texts."""
        self.left.set_font_size(points)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arranges the texts side by side where there is room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Puts both side by side where each has room for the longest instruction."""
        listings = (self.left, self.right)
        self._splitter.fit(self.size(), sum(listing.code_width for listing in listings))

    def _titled(self, label: ShorteningLabel, listing: DiffListing) -> QWidget:
        label.setTextFormat(Qt.TextFormat.PlainText)
        muted(label)
        label.setContentsMargins(12, 4, 8, 4)
        label.setBuddy(listing)
        box = QWidget(self)
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(label)
        column.addWidget(listing, 1)
        return box


def _tie(bar: QScrollBar, twin: QScrollBar) -> None:
    # A value out of the other's range comes back; where both agree nothing is reported.
    bar.valueChanged.connect(twin.setValue)
