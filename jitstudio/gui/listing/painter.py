"""Draws the visible part of a listing: highlights, tokens, selection, line numbers, fold marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from pygments.token import Token
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from jitstudio.gui.code.code_view import Span
from jitstudio.gui.code.line_marks import LineColours, LineMarks
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.theme import Theme, TokenStyle
from jitstudio.gui.listing.caret import ListingCaret
from jitstudio.gui.listing.folding import ListingFolds
from jitstudio.gui.listing.grid import Grid
from jitstudio.gui.listing.listing_text import ListingText, Run
from jitstudio.listing.code_links import CodeLink
from jitstudio.listing.folds import FoldRange
from jitstudio.listing.sass import char_cells

# Cells between the text and the count behind it, and left and right within its frame.
_BEFORE, _INSIDE = 1, 0.5
_ROUNDING = 4
CUT = "…"
"""Drawn at the right edge where a line goes on beyond it."""
_CARET_WIDTH = 2
# Between the line numbers and the text; what is scrolled aside is cut off here.
_MARGIN_EDGE = 6
_PIECE = re.compile(r"[ -~]+|[^\t]")


@dataclass(frozen=True)
class FoldMarks:
    """The fold marks of a page, with their places and their look.

    Attributes:
        text: All lines.
        folds: The folded blocks, and the blocks that can be folded.
        grid: Where things are.
    """

    text: ListingText
    folds: ListingFolds
    grid: Grid

    def head_at(self, at: QPoint) -> int | None:
        """Returns the line of the head whose mark is at a place in the viewport."""
        row = self.grid.row_at(at.y())
        if not 0 <= row < len(self.folds.rows):
            return None
        line = self.folds.rows.line(row)
        block = self.folds.block_at(line)
        if block is None:
            return None
        if self.grid.fold_mark(row).contains(at):
            return line
        is_folded = self.folds.is_folded(line)
        return line if is_folded and self._count_place(row, block).contains(QPointF(at)) else None

    def paint_chevron(self, painter: QPainter, row: int, theme: Theme) -> None:
        """Draws the mark in the margin of a row that is a head."""
        line = self.folds.rows.line(row)
        if self.folds.block_at(line) is not None:
            folded = self.folds.is_folded(line)
            color = theme.code.margin_current if folded else theme.code.margin_text
            name = "chevron-right" if folded else "chevron-down"
            icon(name, color).paint(painter, self.grid.fold_mark(row))

    def paint_count(self, painter: QPainter, row: int, theme: Theme) -> None:
        """Draws how many lines are folded behind the head in a row."""
        line = self.folds.rows.line(row)
        block = self.folds.block_at(line)
        if block is None or not self.folds.is_folded(line):
            return
        place = self._count_place(row, block)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.grid.font)
        painter.setPen(theme.ui.border)
        painter.setBrush(theme.code.margin)
        painter.drawRoundedRect(place, _ROUNDING, _ROUNDING)
        painter.setPen(theme.code.hint)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, _fold_text(block))
        painter.restore()

    def _count_place(self, row: int, block: FoldRange) -> QRectF:
        grid = self.grid
        left = grid.x(self.text.width(block.head) + _BEFORE)
        width = (
            QFontMetricsF(grid.font).horizontalAdvance(_fold_text(block)) + 2 * _INSIDE * grid.cell
        )
        return QRectF(left, grid.y(row) + 1.5, width, grid.height - 3)


def _fold_text(block: FoldRange) -> str:
    count = block.last - block.head
    if count == 1:
        return QCoreApplication.translate("FoldMarks", "… 1 line")
    return QCoreApplication.translate("FoldMarks", "… {0:,} lines").format(count)


@dataclass(frozen=True)
class ListingPage:
    """The content of a viewport.

    Attributes:
        text: All lines.
        caret: The caret and the selection.
        folds: The shown lines, and the blocks that can be folded.
        grid: Where things are.
        theme: How they look.
        matches: The matches of a search, by line.
        marks: Returns the marked parts of a line.
        link: The name to underline, if any.
        line_colours: The colours of lines that belong together.
        line_marks: Breakpoints, and where a simulated thread is.
        has_focus: Whether the caret is shown.
    """

    text: ListingText
    caret: ListingCaret
    folds: ListingFolds
    grid: Grid
    theme: Theme
    matches: Mapping[int, Sequence[Span]]
    marks: Callable[[int], Sequence[Span]]
    link: CodeLink | None
    line_colours: LineColours
    line_marks: LineMarks
    has_focus: bool

    def cut(self, line: int) -> int | None:
        """Returns where the right edge cuts a line off; see `ListingText.cut`."""
        return self.text.cut(line, self.grid.cells_in_sight[1])


def paint_hint(painter: QPainter, rect: QRect, hint: str, color: QColor) -> None:
    """Says in the middle why there is nothing to see."""
    inside = rect.adjusted(24, 24, -24, -24)
    painter.setPen(color)
    painter.drawText(inside, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, hint)


class PagePainter:
    """Draws a page; made anew for each paint event."""

    def __init__(self, painter: QPainter, page: ListingPage) -> None:
        self._painter = painter
        self._page = page
        self._grid = page.grid
        self._rows = page.folds.rows
        self._marks = FoldMarks(page.text, page.folds, page.grid)
        self._fonts: dict[tuple[bool, bool], QFont] = {}
        self._look: TokenStyle | None = None

    def paint(self, dirty: QRect) -> None:
        """Draws the rows that touch a part of the viewport."""
        page, grid, painter = self._page, self._grid, self._painter
        painter.fillRect(dirty, page.theme.code.background)
        first = max(0, grid.row_at(dirty.top()))
        last = min(len(self._rows) - 1, grid.row_at(dirty.bottom()))
        painter.setFont(grid.font)
        self._paint_current_line()
        rows = [(row, self._rows.line(row)) for row in range(first, last + 1)]
        edge = self._clip_left_of(grid.margin)
        for row, line in rows:
            band = QRect(edge, grid.y(row), grid.size.width() - edge, grid.height)
            page.line_colours.paint_line(painter, band, line, page.theme)
            page.line_marks.paint_line(painter, band, line, page.theme)
            self._paint_background(line)
            if grid.lead and page.text.lead(line):
                self._paint_address(line)
        self._clip_left_of(grid.text_left)
        for row, line in rows:
            self._paint_line(line)
            self._marks.paint_count(painter, row, page.theme)
        self._clip_left_of(grid.margin)
        self._paint_caret()
        painter.setClipping(False)
        self._paint_margin(first, last)

    def _clip_left_of(self, left: int) -> int:
        """Draws nothing left of a place, but for a few pixels; returns where that is."""
        edge, size = left - _MARGIN_EDGE, self._grid.size
        self._painter.setClipRect(QRect(edge, 0, size.width() - edge, size.height()))
        return edge

    def _paint_current_line(self) -> None:
        page, grid = self._page, self._grid
        if not page.caret.has_selection:
            band = QRect(0, self._y(page.caret.line), grid.size.width(), grid.height)
            self._painter.fillRect(band, page.theme.code.current_line)

    def _y(self, line: int) -> int:
        """Returns the upper edge of a line that is shown."""
        return self._grid.y(self._rows.row(line))

    def _paint_margin(self, first: int, last: int) -> None:
        theme, grid, current = self._page.theme, self._grid, self._page.caret.line
        code = theme.code
        self._painter.setFont(grid.font)
        for row in range(first, last + 1):
            line = self._rows.line(row)
            number = str(line + self._page.text.first_number)
            x = grid.number_right - len(number) * grid.cell
            self._painter.setPen(code.margin_current if line == current else code.margin_text)
            self._painter.drawText(QPointF(x, grid.y(row) + grid.ascent), number)
            self._marks.paint_chevron(self._painter, row, theme)
            self._page.line_marks.paint_sign(self._painter, grid.sign(row), line, theme)

    def _paint_caret(self) -> None:
        page, grid = self._page, self._grid
        if page.has_focus:
            line, column = page.caret.place
            x = round(grid.x(page.text.cell(line, column)))
            caret = QRect(x, self._y(line), _CARET_WIDTH, grid.height)
            self._painter.fillRect(caret, page.theme.code.text)

    def _paint_background(self, line: int) -> None:
        """Draws the layers below the text of a line, except the line colour."""

    def _paint_address(self, line: int) -> None:
        """Draws the address of an instruction without the comment signs around."""
        page, code = self._page, self._page.theme.code
        cells, digits = page.text.cells(line), page.text.digits(line)
        style = TokenStyle(code.margin_text)
        self._paint_spans(line, cells, digits)
        self._draw(line, cells, digits, style)
        self._paint_selection(line, cells, digits)

    def _paint_line(self, line: int) -> None:
        page = self._page
        cells = None if page.text.is_simple(line) else page.text.cells(line)
        first, last = self._columns_in_sight(line, cells)
        if (cut := page.cut(line)) is not None:
            last = max(first, min(last, cut))
            self._paint_cut(line, cells[cut] if cells else cut)
        self._paint_spans(line, cells, (first, last))
        for start, length, style in self._styled(line, first, last):
            self._draw(line, cells, (max(start, first), min(start + length, last)), style)
        self._paint_selection(line, cells, (first, last))
        if page.link is not None and page.link.line == line:
            self._underline(line, cells, page.link.span)

    def _paint_spans(self, line: int, cells: list[int] | None, part: Span) -> None:
        """Draws the highlights of occurrences and matches in a part of a line."""
        page, code, (first, last) = self._page, self._page.theme.code, part
        for spans, color in (
            (page.marks(line), code.occurrence),
            (page.matches.get(line, ()), code.match),
        ):
            for start, end in (self._whole(line, span) for span in spans):
                if start < last and end > first:
                    self._fill(line, cells, (max(start, first), min(end, last)), color)

    def _paint_selection(self, line: int, cells: list[int] | None, part: Span) -> None:
        """Draws the selection within a part of a line."""
        selected = self._page.caret.columns_in(line)
        if selected is not None:
            *inside, with_end = selected
            start, end = self._whole(line, (inside[0], inside[1]))
            code, span = self._page.theme.code, (max(start, part[0]), min(end, part[1]))
            extra = 1 if with_end and end <= part[1] else 0
            self._fill(line, cells, span, code.selection, extra=extra)
            self._draw(line, cells, span, TokenStyle(code.selection_text))

    def _whole(self, line: int, span: Span) -> Span:
        """Returns a part of a line, widened to whole names."""
        text, (start, end) = self._page.text, span
        if line not in text.names or start == end:
            return span
        return text.outside_names(line, start, False), text.outside_names(line, end, True)

    def _columns_in_sight(self, line: int, cells: list[int] | None) -> Span:
        length = len(self._page.text.lines[line])
        if cells is not None:
            return self._page.text.lead(line), length  # such lines are short
        left, right = self._grid.cells_in_sight
        return min(length, int(left)), min(length, ceil(right))

    def _paint_cut(self, line: int, cell: int) -> None:
        """Draws the sign for text cut by the edge."""
        self._use_style(TokenStyle(self._page.theme.code.hint, bold=True))
        grid = self._grid
        self._painter.drawText(QPointF(grid.x(cell), self._y(line) + grid.ascent), CUT)

    def _underline(self, line: int, cells: list[int] | None, span: Span) -> None:
        grid, color = self._grid, self._page.theme.ui.link
        left, right = (grid.x(cells[column] if cells else column) for column in span)
        below = QRectF(left, self._y(line) + grid.height - 2, right - left, 1)
        self._painter.fillRect(below, color)

    def _fill(
        self, line: int, cells: list[int] | None, span: Span, color: QColor, extra: int = 0
    ) -> None:
        grid = self._grid
        start, end = (cells[column] if cells else column for column in span)
        # Qt cannot paint what reaches millions of pixels beyond the edge.
        left = max(0.0, grid.x(start))
        right = min(float(grid.size.width()), grid.x(end + extra))
        if right > left:
            self._painter.fillRect(QRectF(left, self._y(line), right - left, grid.height), color)

    def _styled(self, line: int, first: int, last: int) -> Iterator[tuple[int, int, TokenStyle]]:
        """Yields the visible tokens as (first column, number of columns, style), without gaps."""
        page = self._page
        for start, length, token in _without_gaps(page.text.tokens(line, first, last), first, last):
            yield start, length, page.theme.token_style(token)

    def _draw(self, line: int, cells: list[int] | None, span: Span, style: TokenStyle) -> None:
        for column, text in self._page.text.pieces(line, span):
            if text and not text.isspace():
                self._use_style(style)
                self._draw_text(line, cells, column, text)

    def _draw_text(self, line: int, cells: list[int] | None, column: int, text: str) -> None:
        grid = self._grid
        for start, piece in [(0, text)] if text.isascii() and "\t" not in text else _pieces(text):
            x = grid.x(cells[column + start] if cells else column + start)
            self._painter.drawText(QPointF(x, self._y(line) + grid.ascent), piece)

    def _use_style(self, style: TokenStyle) -> None:
        if style is self._look:
            return
        painter, before = self._painter, self._look
        painter.setPen(style.color)
        look = (style.bold, style.italic)
        if before is None or look != (before.bold, before.italic):
            if look not in self._fonts:
                font = self._fonts[look] = QFont(self._grid.font)
                font.setBold(style.bold)
                font.setItalic(style.italic)
            painter.setFont(self._fonts[look])
        self._look = style


def _without_gaps(runs: list[Run], first: int, last: int) -> Iterator[Run]:
    """The runs that touch some columns, and plain ones where a lexer found nothing to say."""
    at = first
    for start, length, token in runs:
        if start + length <= first:
            continue
        if start >= last:
            break
        if start > at:
            yield at, start - at, Token
        yield start, length, token
        at = start + length
    if at < last:
        yield at, last - at, Token


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """A text in parts that each begin on the grid: plain ones, and other characters singly."""
    at, piece = 0, ""
    for match in _PIECE.finditer(text):
        part = match.group()
        if piece and not char_cells(part[0]):
            piece += part  # an accent goes onto the letter before it
            continue
        if piece:
            yield at, piece
        at, piece = match.start(), part
    if piece:
        yield at, piece
