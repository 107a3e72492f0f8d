"""Where the caret of a listing is, what is selected, and how keys move them. No Qt widgets."""

from __future__ import annotations

import re

from jitstudio.gui.viewer.text import ListingText

Place = tuple[int, int]
"""Line and column, both from 0."""

# Registers, labels and directives are words too: %rd4, $L__BB0_2, .global
_WORD = re.compile(r"[%$@.]?[\w$]+")
# Words are sought within so many characters: a line can be megabytes long.
_LONGEST_WORD = 2000


class ListingCaret:
    """The caret of one text, and the place where its selection began.

    Attributes:
        place: Where the caret is.
        anchor: The other end of the selection; the same where nothing is selected.
    """

    def __init__(self, text: ListingText) -> None:
        self.text = text
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
        """Move the caret into the text, and the anchor along unless `select`."""
        line = min(max(place[0], 0), len(self.text) - 1)
        self.place = (line, min(max(place[1], 0), len(self.text.lines[line])))
        if not select:
            self.anchor = self.place
        self._goal = None

    def select(self, anchor: Place, place: Place) -> None:
        """Select from one place to another."""
        self.set_place(anchor)
        self.set_place(place, select=True)

    def move_lines(self, count: int, select: bool) -> None:
        """Move down, or up, staying in the column where that began."""
        line, column = self.place
        goal = self.text.cell(line, column) if self._goal is None else self._goal
        target = min(max(line + count, 0), len(self.text) - 1)
        self.set_place((target, self.text.column(target, goal)), select)
        self._goal = goal

    def move_columns(self, count: int, select: bool) -> None:
        """Move right, or left, over the ends of lines."""
        if self.has_selection and not select:
            self.set_place(self.selection[count > 0])
            return
        line, column = self.place
        column += count
        if column < 0 and line > 0:
            line, column = line - 1, len(self.text.lines[line - 1])
        elif column > len(self.text.lines[line]) and line + 1 < len(self.text):
            line, column = line + 1, 0
        self.set_place((line, column), select)

    def move_word(self, forward: bool, select: bool) -> None:
        """Move to the next start of a word, or the one before, over the ends of lines."""
        line, column = self.place
        text = self.text.lines[line]
        if forward:
            found = _WORD.finditer(text, column)
            target = next((m.start() for m in found if m.start() > column), None)
            beyond: Place = (line + 1, 0) if line + 1 < len(self.text) else (line, len(text))
        else:
            found = _WORD.finditer(text, max(0, column - _LONGEST_WORD), column + _LONGEST_WORD)
            target = max((m.start() for m in found if m.start() < column), default=None)
            beyond = (line - 1, len(self.text.lines[line - 1])) if line else (0, 0)
        self.set_place(beyond if target is None else (line, target), select)

    def move_home(self, select: bool) -> None:
        """Go to the first character that is no blank; from there to the start of the line."""
        line, column = self.place
        text = self.text.lines[line]
        first = len(text) - len(text.lstrip())
        self.set_place((line, 0 if column == first else first), select)

    def move_end(self, select: bool) -> None:
        """Go to the end of the line."""
        self.set_place((self.line, len(self.text.lines[self.line])), select)

    def move_top(self, select: bool) -> None:
        """Go to the start of the text."""
        self.set_place((0, 0), select)

    def move_bottom(self, select: bool) -> None:
        """Go to the end of the text."""
        last = len(self.text) - 1
        self.set_place((last, len(self.text.lines[last])), select)

    def select_all(self) -> None:
        """Select the whole text."""
        last = len(self.text) - 1
        self.select((0, 0), (last, len(self.text.lines[last])))

    def select_lines(self, origin: Place, place: Place) -> None:
        """Select whole lines, with their ends, from the one of `origin` to the one of `place`."""
        if place[0] >= origin[0]:
            self.select((origin[0], 0), self._behind(place[0]))
        else:
            self.select(self._behind(origin[0]), (place[0], 0))

    def select_words(self, origin: Place, place: Place) -> None:
        """Select whole words, from the one at `origin` to the one at `place`."""
        first, last = self._word_span(origin), self._word_span(place)
        if place >= origin:
            self.select((origin[0], first[0]), (place[0], last[1]))
        else:
            self.select((origin[0], first[1]), (place[0], last[0]))

    def _behind(self, line: int) -> Place:
        is_last = line + 1 >= len(self.text)
        return (line, len(self.text.lines[line])) if is_last else (line + 1, 0)

    def _word_span(self, place: Place) -> tuple[int, int]:
        """The word at a place, or the single character there."""
        line, column = place
        text = self.text.lines[line]
        for match in _WORD.finditer(text, max(0, column - _LONGEST_WORD)):
            if match.start() > column:
                break
            if column < match.end():
                return match.span()
        return column, min(column + 1, len(text))

    def selected_text(self) -> str:
        """What is selected, lines joined by newlines."""
        (first, start), (last, end) = self.selection
        lines = self.text.lines
        if first == last:
            return lines[first][start:end]
        return "\n".join([lines[first][start:], *lines[first + 1 : last], lines[last][:end]])

    def columns_in(self, line: int) -> tuple[int, int, bool] | None:
        """The selected columns of a line and whether its end is selected too, if it has any."""
        (first, start), (last, end) = self.selection
        if not self.has_selection or not first <= line <= last:
            return None
        begin = start if line == first else 0
        stop = end if line == last else len(self.text.lines[line])
        return begin, stop, line < last
