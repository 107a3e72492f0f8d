"""The text of a listing, caret and scroll bars: all of a listing but the drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from types import MappingProxyType

from PySide6.QtCore import QMargins, QPoint, Signal, Slot
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.code_view import Span
from jitstudio.gui.code.languages import CodeLexer
from jitstudio.gui.code.line_marks import LineMarks
from jitstudio.gui.kit.spoken_text import SpokenText, caret_spoken, offer_text, text_spoken
from jitstudio.gui.listing.caret import ListingCaret, Place
from jitstudio.gui.listing.folding import LineVisibility, ListingFolds, VisibleRows
from jitstudio.gui.listing.grid import AddressColumn, Grid
from jitstudio.gui.listing.listing_text import ADDRESS_GAP, ListingText
from jitstudio.gui.listing.painter import FoldMarks
from jitstudio.listing.same_place import same_line
from jitstudio.listing.sass import NameInPlace, TextExtent, widest_line

SCROLL_MARGIN = 4
"""Cells that stay visible left and right of the caret, and behind the longest line."""

NO_NAMES: Mapping[int, Sequence[NameInPlace]] = MappingProxyType({})
"""Lines as they came."""

# What a screen reader reads of a line, in characters.
_LONGEST_DESCRIPTION = 500


class Scrolling:
    """The scroll bars of a listing: the visible rows and cells."""

    def __init__(self, view: ListingArea) -> None:
        self._view = view
        self._vertical = view.verticalScrollBar()
        self._horizontal = view.horizontalScrollBar()

    @property
    def top(self) -> int:
        """The row at the upper edge."""
        return self._vertical.value()

    def grid(self) -> Grid:
        """Returns the present grid."""
        view = self._view
        size, shift = view.viewport().size(), self._horizontal.value()
        last = view.line_count and view.line_count - 1 + view.text.first_number
        return Grid.of(view.font(), last, view.lead, size, self.top, shift)

    def fit(self, text: ListingText, rows: VisibleRows) -> None:
        """Gives the bars the range of the shown text."""
        is_empty = not self._view.line_count
        grid = self.grid()
        self._vertical.setRange(0, 0 if is_empty else max(0, len(rows) - grid.whole_lines))
        self._vertical.setPageStep(grid.whole_lines)
        cells = 0 if is_empty else text.extent.widest + SCROLL_MARGIN
        self._horizontal.setRange(0, max(0, ceil(cells * grid.cell) - grid.text_width))
        self._horizontal.setPageStep(grid.text_width)
        self._horizontal.setSingleStep(ceil(grid.cell))

    def by(self, columns: int, rows: int) -> None:
        """Scrolls, as far as there is text."""
        self._vertical.setValue(self.top + rows)
        step = self._horizontal.singleStep()
        self._horizontal.setValue(self._horizontal.value() + columns * step)

    def to_start(self) -> None:
        """Shows the first row from the first column."""
        self._vertical.setValue(0)
        self._horizontal.setValue(0)

    def to_row(self, row: int, offset: int = 0) -> None:
        """Puts a row so many rows below the upper edge, as far as there is text."""
        self._vertical.setValue(row - offset)

    def centre(self, row: int) -> None:
        """Puts a row to the middle."""
        self.to_row(row, self.grid().whole_lines // 2)

    def follow(self, caret: ListingCaret) -> None:
        """Scrolls to the caret by the shortest way."""
        grid, (line, column) = self.grid(), caret.place
        row = caret.rows.row(line)
        if not grid.shows(row):
            self.to_row(row, 0 if row < grid.top else grid.whole_lines - 1)
        left, right = grid.cells_in_sight
        cell = caret.text.cell(line, column)
        if cell < left:
            self._horizontal.setValue(int((cell - SCROLL_MARGIN) * grid.cell))
        elif cell > right - SCROLL_MARGIN:
            self._horizontal.setValue(ceil((cell + SCROLL_MARGIN) * grid.cell - grid.text_width))


@dataclass(frozen=True)
class ScrollAnchor:
    """A place in a text with the surrounding view.

    Attributes:
        top: The line at the upper edge.
        place: Where the caret is.
        offset: How many rows below the upper edge the caret is; None if it is not visible.
    """

    top: int
    place: Place
    offset: int | None

    @classmethod
    def of(cls, caret: ListingCaret, scrolling: Scrolling) -> ScrollAnchor:
        """Returns the anchor of the present view."""
        top, row = scrolling.top, caret.rows.row(caret.line)
        is_in_sight = scrolling.grid().shows(row)
        return cls(caret.rows.line(top), caret.place, row - top if is_in_sight else None)

    def moved(
        self, before: Sequence[str], folds: ListingFolds, after: Sequence[str]
    ) -> ScrollAnchor:
        """Returns the same in newer lines."""

        def moved(line: int) -> int:
            function = folds.function_around(line)
            return same_line(before, after, line, function and function.head)

        line, column = self.place
        return replace(self, top=moved(self.top), place=(moved(line), column))

    def hold(self, caret: ListingCaret, scrolling: Scrolling) -> None:
        """Scrolls the caret to the former height, or the same line to the top."""
        if self.offset is None:
            scrolling.to_row(caret.rows.row(self.top))
        else:
            scrolling.to_row(caret.rows.row(caret.line), self.offset)


class ListingArea(SpokenText, QAbstractScrollArea):
    """Lines in a viewport: the interface for windows, find bars and the parts of the view.

    Attributes:
        caret: The caret and the selection; call `caret_moved` after moving the caret.
        visibility: Which lines are visible: filters and folds.
        line_marks: Breakpoints, and where a simulated thread is.

    Signals:
        line_changed: The caret is on this line now, counted from 1.
        caret_placed: The caret or the selection is another one, or the text is.
        jumped: The caret went to a place that a command asked for.
        search_text_changed: When there are other lines.
        names_changed: Other names are drawn in place of parts of the lines, or none.
    """

    line_changed = Signal(int)
    caret_placed = Signal()
    jumped = Signal()
    search_text_changed = Signal()
    names_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ListingText()
        # As they came, in whatever words they are shown.
        self._built = self._text
        self.caret = ListingCaret(self._text)
        self._hint: str | None = ""
        self._matches: Mapping[int, Sequence[Span]] = {}
        self._names: Mapping[int, Sequence[NameInPlace]] = NO_NAMES
        self._named_extent: TextExtent | None = None
        self._told_line = 1
        self.visibility = LineVisibility(self)
        self.line_marks = LineMarks(self)
        self._scrolling = Scrolling(self)
        self._margins = QMargins()
        self._has_addresses = True
        self.visibility.changed.connect(self._on_visibility_changed)
        offer_text(self)

    # What screen readers read.

    def spoken_lines(self) -> Sequence[str]:
        """Returns the text, or the hint instead of the text."""
        return self._text.lines if self._hint is None else (self._hint,)

    def spoken_selection(self) -> tuple[Place, Place]:
        """Returns the start of the selection, and the place of the caret."""
        return self.caret.anchor, self.caret.place

    def select_spoken(self, start: Place, end: Place) -> None:
        """Selects from a place to another."""
        self.caret.select(start, end)
        self.caret_moved()

    # What a window uses.

    def set_lines(
        self,
        lines: Sequence[str],
        lexer: CodeLexer | None,
        kind: CodeKind | None = None,
        *,
        keep_position: bool = False,
        extent: TextExtent | None = None,
        first_number: int = 1,
    ) -> None:
        """Shows other lines.

        Args:
            lines: The text; it must not change afterwards.
            lexer: Finds the tokens; None for plain text.
            kind: The kind of code, which decides on folds and filters; None for neither.
            keep_position: Whether to stay at the visible place, for a newer form of the same text.
            extent: How much room they take, where that is known already.
            first_number: The number of the first line in the margin.
        """
        known = extent or TextExtent.of(lines, kind)
        text = ListingText(lines, lexer, extent=known, first_number=first_number)
        self._show(text, kind, None, keep_position)

    def respell(self, lines: Sequence[str], stand_ins: Mapping[int, str]) -> None:
        """Shows the same lines in other words; see `listing.kernel_names.DemangledListing`."""
        self._spell(lines, stand_ins)
        self.caret.set_place(self.caret.place)
        self._matches = {}
        self._lay_out()
        self.search_text_changed.emit()
        text_spoken(self)
        self.caret_moved(scroll=False)

    def show_names(
        self, names: Mapping[int, Sequence[NameInPlace]], extent: TextExtent | None = None
    ) -> None:
        """Draws names in place of parts of the lines that came; none if there are no names.

        Args:
            names: By the line, from 0.
            extent: How much room the lines take with these names; as without them if None.
        """
        if names is not self._names:
            self._names, self._named_extent = names, extent
            anchor, place = self.caret.anchor, self.caret.place
            self._spell(self._text.lines, self._text.stand_ins)
            self.caret.select(anchor, place)
            self._lay_out()
            self.names_changed.emit()

    def clear(self, placeholder: str = "") -> None:
        """Shows nothing but a hint why."""
        self._show(ListingText(), None, placeholder, keep_position=False)

    @property
    def text(self) -> ListingText:
        """The shown text."""
        return self._text

    @property
    def line_count(self) -> int:
        """The number of lines; 0 while a hint is shown."""
        return len(self._text) if self._hint is None else 0

    @property
    def line(self) -> int:
        """The line of the caret, counted from 1."""
        return self.caret.line + 1

    def go_to(self, line: int) -> None:
        """Puts the caret to the start of a line, counted from 1, and the line to the middle."""
        self.jump_to((line - 1, 0))

    def jump_to(self, place: Place) -> None:
        """Puts the caret to a place, counted from 0, and the line to the middle of the view."""
        self.caret.set_place(place)
        self._reveal_caret()
        self._scrolling.centre(self.visibility.rows.row(self.caret.line))
        self.caret_moved()
        self.jumped.emit()

    def come_up(self, head: int, line: int) -> None:
        """Puts the caret to a line of a function, and the head to the upper edge if both fit.

        Emits no `jumped`: this is where a new text begins for its reader.

        Args:
            head: The line of the function's head, from 0.
            line: The line to begin with.
        """
        self.caret.set_place((line, self._text.lead(line)))
        self._reveal_caret()
        rows, fitting = self.visibility.rows, self._scrolling.grid().whole_lines - SCROLL_MARGIN
        above = self.visibility.folds.block_at(rows.step(head, -1))
        if above is not None and above.starts_folded:
            head = above.head
        self._scrolling.to_row(max(rows.row(head), rows.row(line) - fitting))
        self.caret_moved()

    def show_line(self, line: int) -> None:
        """Shows a line, counted from 0, in the middle if not visible yet; the caret stays."""
        row = self.visibility.rows.row(line)
        if not self._scrolling.grid().shows(row):
            self._scrolling.centre(row)

    def toPlainText(self) -> str:
        """Returns the whole text."""
        return "" if self._hint is not None else "\n".join(self._text.lines)

    @Slot()
    def copy(self) -> None:
        """Puts the selected text onto the clipboard."""
        if self.caret.has_selection:
            QApplication.clipboard().setText(self.caret.selected_text())

    @Slot()
    def select_all(self) -> None:
        """Selects all that is shown."""
        self.caret.select_all()
        self.caret_moved(scroll=False)

    # What folds: jitstudio.gui.features.editing.views.Foldable.

    @Slot()
    def fold(self) -> None:
        """Folds the block with the caret; once more, the block around that."""
        self.visibility.fold(self.caret.line)

    @Slot()
    def unfold(self) -> None:
        """Unfolds the block whose head the caret is on."""
        self.visibility.unfold(self.caret.line)

    @Slot()
    def fold_all(self) -> None:
        """Folds all blocks."""
        self.visibility.set_all_folded(True)

    @Slot()
    def unfold_all(self) -> None:
        """Unfolds all blocks."""
        self.visibility.set_all_folded(False)

    # What the find bar asks for: jitstudio.gui.code.search.Searchable.

    def search_line_count(self) -> int:
        """Returns how many lines there are."""
        return self.line_count

    def search_lines(self, first: int, count: int) -> Sequence[str]:
        """Returns some lines, counted from 0."""
        return self._text.lines[first : first + count]

    def search_start(self) -> tuple[int, int]:
        """Line and column where the selection begins, counted from 0."""
        return self.caret.selection[0]

    def search_selection(self) -> str:
        """Returns the selected text if within a single line."""
        (first, _), (last, _) = self.caret.selection
        return self.caret.selected_text() if first == last else ""

    def show_match(self, line: int, span: Span) -> None:
        """Selects a match and brings the line into view, to the middle if not visible yet."""
        self.caret.select((line, span[0]), (line, span[1]))
        self._reveal_caret()
        row = self.visibility.rows.row(line)
        if not self._scrolling.grid().shows(row):
            self._scrolling.centre(row)
        self.caret_moved()

    def set_matches(self, matches: Mapping[int, Sequence[Span]]) -> None:
        """Highlights matches, by line."""
        self._matches = matches
        self.viewport().update()

    # What its own parts use.

    @property
    def grid(self) -> Grid:
        """The present grid."""
        return self._scrolling.grid()

    def leave_room(self, margins: QMargins) -> None:
        """Leaves room for other widgets around the text, in pixels."""
        if margins != self._margins:
            self._margins = margins
            self._lay_out()

    @property
    def room(self) -> int:
        """Width of the text with columns, in pixels.

        The vertical bar has its place whether it is there or not: it comes and goes with the
        horizontal one, and that with the columns, which would never come to rest.
        """
        return self.contentsRect().width() - self.verticalScrollBar().sizeHint().width()

    @property
    def lead(self) -> AddressColumn:
        """The column of addresses, if wanted."""
        extent = self._text.extent
        cells = extent.digits + ADDRESS_GAP if extent.digits and self._has_addresses else 0
        return AddressColumn(cells, extent.usual, self.room)

    @property
    def code_width(self) -> int:
        """The width that the view needs for machine code, in pixels; 0 for other code.

        A few may be longer, as elsewhere.
        """
        grid, extent = self.grid, self._text.extent
        bar = self.verticalScrollBar().sizeHint().width()
        return ceil(grid.margin + extent.usual * grid.cell) + bar if extent.digits else 0

    @property
    def has_addresses(self) -> bool:
        """Whether addresses are shown where there is room."""
        return self._has_addresses

    def set_addresses(self, shown: bool) -> None:
        """Shows the column of addresses where there is room, or never."""
        self._has_addresses = shown
        self._lay_out()

    @property
    def margin_width(self) -> int:
        """The width of the strip with the line numbers."""
        return self._scrolling.grid().margin

    def is_margin(self, at: QPoint) -> bool:
        """Returns whether a place in the viewport is on the line numbers."""
        return at.x() < self.margin_width - SCROLL_MARGIN

    def fold_mark_at(self, at: QPoint) -> int | None:
        """Returns the line whose fold mark is at a place in the viewport."""
        marks = FoldMarks(self._text, self.visibility.folds, self._scrolling.grid())
        return marks.head_at(at)

    def cut_at(self, at: QPoint) -> int | None:
        """Returns the line whose sign for cut text is at a place in the viewport."""
        grid = self._scrolling.grid()
        row, right = grid.row_at(at.y()), grid.cells_in_sight[1]
        if (
            not self.line_count
            or row >= len(self.visibility.rows)
            or grid.cell_at(at.x()) < right - 2
        ):
            return None
        line = self.visibility.rows.line(row)
        return line if self._text.cut(line, right) is not None else None

    def place_at(self, at: QPoint, inside: bool = False) -> Place:
        """Returns the gap between characters nearest to a place, or before the character."""
        grid = self._scrolling.grid()
        line = self.visibility.rows.line(grid.row_at(at.y()))
        cell = grid.cell_at(at.x())
        return line, self._text.column(line, cell - 0.5) if inside else self._text.gap(line, cell)

    def below(self, line: int) -> int:
        """Returns the lower edge of a line in the viewport."""
        return self._scrolling.grid().y(self.visibility.rows.row(line) + 1)

    def scroll_by(self, columns: int, lines: int) -> None:
        """Scrolls, as far as there is text."""
        self._scrolling.by(columns, lines)

    def caret_moved(self, scroll: bool = True) -> None:
        """Shows the caret, also in a hidden line, and emits the signals."""
        self._reveal_caret()
        if scroll:
            self._scrolling.follow(self.caret)
        self.viewport().update()
        line = self._text.lines[self.caret.line][:_LONGEST_DESCRIPTION].strip()
        number = self.caret.line + self._text.first_number
        self.setAccessibleDescription(f"Line {number:,}: {line}" if self._hint is None else "")
        caret_spoken(self)
        self.caret_placed.emit()
        if self.line != self._told_line:
            self._told_line = self.line
            self.line_changed.emit(self.line)

    # How it does it.

    def _show(
        self, text: ListingText, kind: CodeKind | None, hint: str | None, keep_position: bool
    ) -> None:
        anchor = ScrollAnchor.of(self.caret, self._scrolling)
        if keep_position:
            anchor = anchor.moved(self._built.lines, self.visibility.folds, text.lines)
        self._built = text
        self._names, self._named_extent = NO_NAMES, None
        self._text, self._hint, self._matches = text, hint, {}
        self.visibility.set_text(text.lines, kind, keep_position)
        self.caret = ListingCaret(text)
        if keep_position:
            self.caret.set_place(anchor.place)
        self.caret.show_rows(self.visibility.rows)
        self._lay_out()
        if keep_position:
            anchor.hold(self.caret, self._scrolling)
        else:
            self._scrolling.to_start()
        self.search_text_changed.emit()
        text_spoken(self)
        self.caret_moved(scroll=False)

    def _spell(self, lines: Sequence[str], stand_ins: Mapping[int, str]) -> None:
        built, others = self._built, widest_line([lines[number] for number in stand_ins])
        extent = (self._named_extent or built.measured).widened(others)
        names = self._names
        if not stand_ins.keys().isdisjoint(names):
            # Their columns are those of lines in other words.
            names = {line: parts for line, parts in names.items() if line not in stand_ins}
        self._text = self.caret.text = ListingText(
            lines, built.lexer, stand_ins, extent, built.first_number, names
        )

    @Slot()
    def _on_visibility_changed(self) -> None:
        anchor = ScrollAnchor.of(self.caret, self._scrolling)
        self.caret.show_rows(self.visibility.rows)
        self._lay_out()
        anchor.hold(self.caret, self._scrolling)
        self.caret_moved(scroll=False)

    def _reveal_caret(self) -> None:
        self.visibility.reveal(self.caret.line)

    @Slot()
    def _lay_out(self) -> None:
        grid = self._scrolling.grid()
        self._text.fit((self.room - grid.text_left) / grid.cell)
        # Sends a resize event of the viewport, which comes back to here.
        self.setViewportMargins(self._margins)
        self._scrolling.fit(self._text, self.visibility.rows)
        self.viewport().update()
