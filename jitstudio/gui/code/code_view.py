"""The common interface of editors and listings, for tabs, find bars and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QPixmap

from jitstudio.gui.code.line_marks import LineColours, LineMarks

Span = tuple[int, int]
"""First column and the column behind the last, in characters from 0."""
Change = tuple[int, Span, str]
"""A line from 0, the replaced part, and the replacement."""
Found = tuple[int, Span]
"""A match: its line from 0 and its part of it."""


class Searchable(Protocol):
    """A text that a find bar can search. Lines count from 0, columns in characters from 0."""

    @property
    def search_text_changed(self) -> SignalInstance:
        """Emitted when the text changed."""
        ...

    def search_line_count(self) -> int:
        """Returns how many lines there are."""
        ...

    def search_lines(self, first: int, count: int) -> Sequence[str]:
        """Returns some lines."""
        ...

    def search_start(self) -> tuple[int, int]:
        """Line and column where the selection begins."""
        ...

    def search_selection(self) -> str:
        """Returns the selected text if within a single line, or nothing."""
        ...

    def show_match(self, line: int, span: Span) -> None:
        """Selects a match and brings the line into view."""
        ...

    def set_matches(self, matches: Mapping[int, Sequence[Span]]) -> None:
        """Highlights matches, by line."""
        ...

    def setFocus(self) -> None:
        """Takes the keyboard."""
        ...


class Editable(Searchable, Protocol):
    """A text in which a find bar can replace as well."""

    def replace_matches(self, changes: Sequence[Change]) -> bool:
        """Replaces matches, given in text order, as a single step of undo; returns success."""
        ...


class Foldable(Protocol):
    """A view whose blocks of code can be folded."""

    def fold(self) -> None:
        """Folds the block with the cursor; once more, the block around that."""
        ...

    def unfold(self) -> None:
        """Unfolds the block that begins at the cursor."""
        ...

    def fold_all(self) -> None:
        """Folds all blocks."""
        ...

    def unfold_all(self) -> None:
        """Unfolds all blocks."""
        ...


class CodeView(Searchable, Foldable, Protocol):
    """A view of code: an editor, or a listing that cannot be edited."""

    @property
    def line_colours(self) -> LineColours:
        """The colours of lines that correspond to lines of other texts."""
        ...

    @property
    def line_marks(self) -> LineMarks:
        """Breakpoints, and where a simulated thread is."""
        ...

    @property
    def font_size_changed(self) -> SignalInstance:
        """Emitted with the new size in points when the user has zoomed."""
        ...

    @property
    def menu_opening(self) -> SignalInstance:
        """Emitted with the context menu, still empty, before the menu opens."""
        ...

    @property
    def jumped(self) -> SignalInstance:
        """Emitted when the cursor went to a place that a command asked for."""
        ...

    def set_font_size(self, points: float) -> None:
        """Shows the text in letters of `points` points."""
        ...

    def go_to(self, line: int) -> None:
        """Puts the cursor to the start of a line, counted from 1, and shows the line."""
        ...

    def zoom_in(self) -> None:
        """Makes the letters larger."""
        ...

    def zoom_out(self) -> None:
        """Makes the letters smaller."""
        ...

    def zoom_reset(self) -> None:
        """Shows the letters in their usual size."""
        ...

    def grab(self) -> QPixmap:
        """Returns a picture of the view."""
        ...

    def hasFocus(self) -> bool:
        """Returns whether the view has the keyboard focus."""
        ...


class TextFinder(Protocol):
    """The commands of a find bar."""

    def set_target(self, target: Searchable | None) -> None:
        """Searches in another text."""
        ...

    def open_find(self, replace: bool = False) -> None:
        """Shows the bar and gives the bar the keyboard, with a field for replacing if wanted."""
        ...

    def find_next(self) -> None:
        """Goes to the next match."""
        ...

    def find_previous(self) -> None:
        """Goes to the match before."""
        ...
