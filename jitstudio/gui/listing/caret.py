"""The caret of a listing, the selection, and the keys that move the caret. No Qt widgets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from sys import maxsize

from PySide6.QtGui import QKeyEvent, QKeySequence

from jitstudio.gui.listing.folding import VisibleRows
from jitstudio.gui.listing.listing_text import ListingText

Place = tuple[int, int]
"""Line and column, both from 0."""

# Registers, labels and directives are words too: %rd4, $L__BB0_2, .global
_WORD = re.compile(r"[%$@.]?[\w$]+")
# Words are sought within so many characters: a line can be megabytes long.
_LONGEST_WORD = 2000
_Key = QKeySequence.StandardKey


class ListingCaret:
    """The caret of a text, and the place where the selection began.

    Attributes:
        rows: Which lines are shown: moves pass over the others, and few of those are copied.
        place: Where the caret is.
        anchor: The other end of the selection; the same where nothing is selected.
    """

    def __init__(self, text: ListingText) -> None:
        self.text = text
        self.rows = VisibleRows(len(text))
        self.place: Place = (0, 0)
        self.anchor: Place = (0, 0)
        # The column to come back to when up and down pass through shorter lines.
        self._goal: int | None = None

    @property
    def line(self) -> int:
        """The line of the caret."""
        return self.place[0]

    @property
    def has_selection(self) -> bool:
        """Whether anything is selected."""
        return self.place != self.anchor

    @property
    def selection(self) -> tuple[Place, Place]:
        """Both ends of the selection, the upper first."""
        return min(self.place, self.anchor), max(self.place, self.anchor)

    def set_place(self, place: Place, select: bool = False) -> None:
        """Moves the caret into the text, and the anchor along unless `select`."""
        line = min(max(place[0], 0), len(self.text) - 1)
        self.place = (line, min(max(place[1], 0), len(self.text.lines[line])))
        if not select:
            self.anchor = self.place
        self._goal = None

    def show_rows(self, rows: VisibleRows) -> None:
        """Turns to other shown lines; a caret in a hidden line moves up to the head of the fold."""
        self.rows = rows
        place, anchor = (
            (line if rows.shows(line) else rows.step(line, 0), column)
            for line, column in (self.place, self.anchor)
        )
        self.select(anchor, place)

    def select(self, anchor: Place, place: Place) -> None:
        """Selects from a place to another."""
        self.set_place(anchor)
        self.set_place(place, select=True)

    def move_lines(self, count: int, select: bool) -> None:
        """Moves down, or up, staying in the column where that began."""
        line, column = self.place
        goal = self.text.cell(line, column) if self._goal is None else self._goal
        target = self.rows.step(line, count)
        self.set_place((target, self.text.gap(target, goal)), select)
        self._goal = goal

    def move_columns(self, count: int, select: bool) -> None:
        """Moves right, or left, over the ends of lines."""
        if self.has_selection and not select:
            self.set_place(self.selection[count > 0])
            return
        line, column = self.place
        column = self.text.outside_names(line, column + count, count > 0)
        if column < 0:
            line, column = self._end_above(line)
        elif column > len(self.text.lines[line]):
            line, column = self._behind(line)
        self.set_place((line, column), select)

    def move_word(self, forward: bool, select: bool) -> None:
        """Moves to the next start of a word, or the one before, over the ends of lines."""
        line, column = self.place
        if forward:
            words = self._word_starts(line, column)
            target = next((start for start in words if start > column), None)
            beyond = self._behind(line)
        else:
            words = self._word_starts(line, max(0, column - _LONGEST_WORD), column + _LONGEST_WORD)
            target = max((start for start in words if start < column), default=None)
            beyond = self._end_above(line)
        self.set_place(beyond if target is None else (line, target), select)

    def move_home(self, select: bool) -> None:
        """Goes to the first character of the code; from there to the start of the line."""
        line, column = self.place
        text, lead = self.text.lines[line], self.text.lead(line)
        first = len(text) - len(text[lead:].lstrip())
        self.set_place((line, 0 if column == first else first), select)

    def move_end(self, select: bool) -> None:
        """Goes to the end of the line."""
        self.set_place((self.line, len(self.text.lines[self.line])), select)

    def move_top(self, select: bool) -> None:
        """Goes to the start of the text."""
        self.set_place((self.rows.line(0), 0), select)

    def move_bottom(self, select: bool) -> None:
        """Goes to the end of the text."""
        last = self.rows.line(len(self.rows) - 1)
        self.set_place((last, len(self.text.lines[last])), select)

    def select_all(self) -> None:
        """Selects all that is shown."""
        last = self.rows.line(len(self.rows) - 1)
        self.select((self.rows.line(0), 0), (last, len(self.text.lines[last])))

    def select_lines(self, origin: Place, place: Place) -> None:
        """Selects whole lines, with their ends, from `origin`'s line to `place`'s line."""
        if place[0] >= origin[0]:
            self.select((origin[0], 0), self._behind(place[0]))
        else:
            self.select(self._behind(origin[0]), (place[0], 0))

    def select_words(self, origin: Place, place: Place) -> None:
        """Selects whole words, from the word at `origin` to the word at `place`."""
        first, last = self._word_span(origin), self._word_span(place)
        if place >= origin:
            self.select((origin[0], first[0]), (place[0], last[1]))
        else:
            self.select((origin[0], first[1]), (place[0], last[0]))

    def _behind(self, line: int) -> Place:
        """Returns the start of the next shown line; from the last line, the end."""
        below = self.rows.step(line, 1)
        return (below, 0) if below > line else (line, len(self.text.lines[line]))

    def _end_above(self, line: int) -> Place:
        """Returns the end of the shown line before; from the first line, the start."""
        above = self.rows.step(line, -1)
        return (above, len(self.text.lines[above])) if above < line else (line, 0)

    def _word_starts(self, line: int, first: int, end: int = maxsize) -> Iterator[int]:
        starts = (match.start() for match in _WORD.finditer(self.text.lines[line], first, end))
        return (start for start in starts if start == self.text.outside_names(line, start, False))

    def _word_span(self, place: Place) -> tuple[int, int]:
        """Returns the word at a place, or the single character there."""
        line, column = place
        text = self.text.lines[line]
        if (name := self.text.name_at(line, column)) is not None:
            return name.start, name.end
        for match in _WORD.finditer(text, max(0, column - _LONGEST_WORD)):
            if match.start() > column:
                break
            if column < match.end():
                return match.span()
        return column, min(column + 1, len(text))

    def selected_text(self) -> str:
        """Returns the selected text of the lines to copy, joined by newlines."""
        (first, start), (last, end) = self.selection
        lines = self.text.lines
        if first == last:
            return lines[first][start:end]
        inner = map(lines.__getitem__, self.rows.copied(first + 1, last - 1))
        return "\n".join([lines[first][start:], *inner, lines[last][:end]])

    def columns_in(self, line: int) -> tuple[int, int, bool] | None:
        """Returns the selected columns of a line, and whether the line end is selected; or None."""
        (first, start), (last, end) = self.selection
        if not self.has_selection or not first <= line <= last:
            return None
        begin = start if line == first else 0
        stop = end if line == last else len(self.text.lines[line])
        return begin, stop, line < last


_Move = Callable[[ListingCaret, int, bool], None]

# The key that moves, the one that selects on the way, and what both do; `page` is in lines.
_MOVES: tuple[tuple[_Key, _Key, _Move], ...] = (
    (_Key.MoveToNextLine, _Key.SelectNextLine, lambda c, _, s: c.move_lines(1, s)),
    (_Key.MoveToPreviousLine, _Key.SelectPreviousLine, lambda c, _, s: c.move_lines(-1, s)),
    (_Key.MoveToNextChar, _Key.SelectNextChar, lambda c, _, s: c.move_columns(1, s)),
    (_Key.MoveToPreviousChar, _Key.SelectPreviousChar, lambda c, _, s: c.move_columns(-1, s)),
    (_Key.MoveToNextPage, _Key.SelectNextPage, lambda c, page, s: c.move_lines(page, s)),
    (_Key.MoveToPreviousPage, _Key.SelectPreviousPage, lambda c, page, s: c.move_lines(-page, s)),
    (_Key.MoveToNextWord, _Key.SelectNextWord, lambda c, _, s: c.move_word(True, s)),
    (_Key.MoveToPreviousWord, _Key.SelectPreviousWord, lambda c, _, s: c.move_word(False, s)),
    (_Key.MoveToStartOfLine, _Key.SelectStartOfLine, lambda c, _, s: c.move_home(s)),
    (_Key.MoveToEndOfLine, _Key.SelectEndOfLine, lambda c, _, s: c.move_end(s)),
    (_Key.MoveToStartOfDocument, _Key.SelectStartOfDocument, lambda c, _, s: c.move_top(s)),
    (_Key.MoveToEndOfDocument, _Key.SelectEndOfDocument, lambda c, _, s: c.move_bottom(s)),
    (_Key.SelectAll, _Key.SelectAll, lambda c, _page, _select: c.select_all()),
)


def move_of(event: QKeyEvent) -> tuple[_Move, bool] | None:
    """Returns the move of a key, and whether the key selects; None for other keys."""
    for moves, selects, move in _MOVES:
        if event.matches(moves):
            return move, False
        if event.matches(selects):
            return move, True
    return None
