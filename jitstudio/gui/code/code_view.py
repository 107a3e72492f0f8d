"""What an editor and a listing have in common: as a tab, a find bar and commands use them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QPixmap

from jitstudio.gui.code.line_colours import LineColours

Span = tuple[int, int]
"""First column and the column behind the last, in characters from 0."""
Change = tuple[int, Span, str]
"""A line from 0, a part of it, and what replaces it."""
Found = tuple[int, Span]
"""A match: its line from 0 and its part of it."""


class Searchable(Protocol):
    """A text that a find bar can search. Lines count from 0, columns in characters from 0."""

    @property
    def search_text_changed(self) -> SignalInstance:
        """Emitted when the text changed."""
        ...

    def search_line_count(self) -> int:
        """How many lines there are."""
        ...

    def search_lines(self, first: int, count: int) -> Sequence[str]:
        """Some lines."""
        ...

    def search_start(self) -> tuple[int, int]:
        """Line and column where the selection begins."""
        ...

    def search_selection(self) -> str:
        """The selected text if it is within one line, else nothing."""
        ...

    def show_match(self, line: int, span: Span) -> None:
        """Select a match and bring it into view."""
        ...

    def set_matches(self, matches: Mapping[int, Sequence[Span]]) -> None:
        """Highlight these, by line."""
        ...

    def setFocus(self) -> None:
        """Take the keyboard."""
        ...


class Editable(Searchable, Protocol):
    """A text in which a find bar can replace as well."""

    def replace_matches(self, changes: Sequence[Change]) -> bool:
        """Replace matches, given in order of their place, as one step of undo; whether it did."""
        ...


class Foldable(Protocol):
    """A view whose blocks of code can be folded."""

    def fold(self) -> None:
        """Fold the block that the cursor is in; once more, the one around it."""
        ...

    def unfold(self) -> None:
        """Unfold the block that begins at the cursor."""
        ...

    def fold_all(self) -> None:
        """Fold all blocks."""
        ...

    def unfold_all(self) -> None:
        """Unfold all blocks."""
        ...


class CodeView(Searchable, Foldable, Protocol):
    """A view of code: an editor, or a listing that cannot be edited."""

    @property
    def line_colours(self) -> LineColours:
        """Which lines belong together with those of other texts."""
        ...

    @property
    def font_size_changed(self) -> SignalInstance:
        """Emitted with the new size in points when the user has zoomed."""
        ...

    @property
    def menu_opening(self) -> SignalInstance:
        """Emitted with the context menu, still empty, before it opens."""
        ...

    @property
    def jumped(self) -> SignalInstance:
        """Emitted when the cursor went to a place that a command asked for."""
        ...

    def set_font_size(self, points: float) -> None:
        """Show the text in letters of this size."""
        ...

    def go_to(self, line: int) -> None:
        """Put the cursor to the start of a line, counted from 1, and show it."""
        ...

    def zoom_in(self) -> None:
        """Make the letters larger."""
        ...

    def zoom_out(self) -> None:
        """Make the letters smaller."""
        ...

    def zoom_reset(self) -> None:
        """Show the letters in their usual size."""
        ...

    def grab(self) -> QPixmap:
        """Return a picture of it."""
        ...

    def hasFocus(self) -> bool:
        """Return whether it has the keyboard."""
        ...


class ReadOnlyView(CodeView, Protocol):
    """A view of code that cannot be edited."""

    @property
    def line_changed(self) -> SignalInstance:
        """Emitted when the caret is on another line, with its number from 1."""
        ...

    @property
    def line(self) -> int:
        """The line of the caret, counted from 1."""
        ...


class TextFinder(Protocol):
    """What the commands of a find bar do."""

    def open_find(self, replace: bool = False) -> None:
        """Show the bar and give it the keyboard, with a field for replacing if wanted."""
        ...

    def find_next(self) -> None:
        """Go to the next match."""
        ...

    def find_previous(self) -> None:
        """Go to the match before."""
        ...
