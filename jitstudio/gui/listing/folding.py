"""Which lines of a listing are visible: folds and filters.

A line is counted in the text, a row only where it is visible. All that moves through a listing or
draws it asks here; nothing else knows of hidden lines.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from threading import Event

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.listing.folds import FoldRange, ListingOutline, listing_outline
from jitstudio.listing.lines import LineClass

# A text of so many lines and characters is read through at once, within milliseconds, so that
# nothing jumps.
_FEW_LINES, _FEW_CHARACTERS = 3000, 200_000


class VisibleRows:
    """The lines that are shown, in order; made anew when others are. Both count from 0.

    Args:
        line_count: How many lines there are, at least one.
        hidden: For each line, whether it is hidden. The first line is shown where no other is:
            the caret must be somewhere.
        copied: For each line, whether it is copied with those around it although it is hidden.
    """

    def __init__(
        self,
        line_count: int,
        hidden: NDArray[np.bool_] | None = None,
        copied: NDArray[np.bool_] | None = None,
    ) -> None:
        self.line_count = line_count
        self._shown: NDArray[np.intp] | None = None
        self._copied = np.flatnonzero(copied) if copied is not None else np.zeros(0, np.intp)
        if hidden is not None and hidden.any():
            shown = np.flatnonzero(~hidden)
            self._shown = shown if len(shown) else np.zeros(1, np.intp)

    def __len__(self) -> int:
        return self.line_count if self._shown is None else len(self._shown)

    @property
    def hidden_count(self) -> int:
        """The number of hidden lines."""
        return self.line_count - len(self)

    def line(self, row: int) -> int:
        """Returns the line in a row; the first or the last for a row outside."""
        row = min(max(row, 0), len(self) - 1)
        return row if self._shown is None else int(self._shown[row])

    def row(self, line: int) -> int:
        """Returns the row of a line, or of the nearest shown line above, or of the first."""
        if self._shown is None:
            return min(max(line, 0), self.line_count - 1)
        return max(0, int(np.searchsorted(self._shown, line, "right")) - 1)

    def shows(self, line: int) -> bool:
        """Returns whether a line is shown."""
        return self.line(self.row(line)) == line

    def step(self, line: int, count: int) -> int:
        """Returns the line so many rows further down, or up."""
        return self.line(self.row(line) + count)

    def copied(self, first: int, last: int) -> Sequence[int]:
        """Returns the lines to copy from a line to another, both included."""
        if self._shown is None:
            return range(first, last + 1)
        parts = (
            lines[slice(*np.searchsorted(lines, (first, last + 1)))]
            for lines in (self._shown, self._copied)
        )
        between: list[int] = np.sort(np.concatenate([*parts])).tolist()
        return between


class ListingFolds:
    """Decides which lines of a text are shown.

    Args:
        line_count: How many lines the text has.
        outline: The blocks and the kinds of lines; without an outline nothing can be hidden.

    Attributes:
        rows: The lines that are shown now.
    """

    def __init__(self, line_count: int, outline: ListingOutline | None = None) -> None:
        blocks = outline.blocks if outline else ()
        self._blocks = blocks
        self._classes = np.frombuffer(outline.classes if outline else bytes(line_count), np.uint8)
        self._heads = np.array([block.head for block in blocks], np.intp)
        self._lasts = np.array([block.last for block in blocks], np.intp)
        self._starts_folded = np.array([block.starts_folded for block in blocks], np.bool_)
        self._folded = self._starts_folded.copy()
        self._filters: frozenset[LineClass] = frozenset()
        # Lines that a filter hides, but for these.
        self._revealed: set[int] = set()
        self.rows = VisibleRows(line_count)
        if self._folded.any():
            self._update()

    @property
    def filters(self) -> frozenset[LineClass]:
        """The classes of lines that are left out."""
        return self._filters

    def set_filters(self, filters: frozenset[LineClass]) -> None:
        """Leaves out classes of lines."""
        self._filters = filters
        self._revealed.clear()
        self._update()

    # Folds.

    def block_at(self, head: int) -> FoldRange | None:
        """Returns the block that begins in a line."""
        number = self._number_at(head)
        return None if number is None else self._blocks[number]

    def is_folded(self, head: int) -> bool:
        """Returns whether a folded block begins in a line."""
        number = self._number_at(head)
        return number is not None and bool(self._folded[number])

    def set_folded(self, head: int, folded: bool) -> None:
        """Folds or unfolds the block that begins in a line."""
        if (number := self._number_at(head)) is not None:
            self._folded[number] = folded
            self._update()

    def set_all_folded(self, folded: bool) -> None:
        """Folds or unfolds all blocks, also inside others."""
        self._folded[:] = folded
        self._update()

    def block_around(self, line: int) -> FoldRange | None:
        """Returns the innermost block that a line is in and that is not folded."""
        around = np.flatnonzero((self._heads <= line) & (line <= self._lasts) & ~self._folded)
        return self._blocks[around[-1]] if len(around) else None

    def function_around(self, line: int) -> FoldRange | None:
        """Returns the kernel or function that a line is in."""
        numbers = np.flatnonzero((self._heads <= line) & (line <= self._lasts))
        around = (self._blocks[number] for number in numbers)
        return next((block for block in around if block.is_function), None)

    @property
    def toggled_names(self) -> frozenset[str]:
        """Returns the blocks folded or unfolded unlike at first, by names that outlast a build."""
        others = np.flatnonzero(self._folded != self._starts_folded)
        return frozenset(self._blocks[number].name for number in others)

    def toggle_names(self, names: Collection[str]) -> None:
        """Folds or unfolds the named blocks unlike at first, and no others."""
        if names:
            toggled = np.array([block.name in names for block in self._blocks], np.bool_)
            self._folded = self._starts_folded ^ toggled
            self._update()

    def reveal(self, line: int) -> None:
        """Shows a line that a fold or a filter hides."""
        self._folded[(self._heads < line) & (line <= self._lasts)] = False
        if self._classes[line] in self._filters:
            self._revealed.add(line)
        self._update()

    def _number_at(self, head: int) -> int | None:
        number = int(np.searchsorted(self._heads, head))
        is_head = number < len(self._heads) and self._heads[number] == head
        return number if is_head else None

    def _update(self) -> None:
        hidden, copied = self._in_folds(), None
        if self._filters:
            filtered = np.array([of in self._filters for of in LineClass])[self._classes]
            filtered[[*self._revealed]] = False
            copied = filtered & ~hidden & (self._classes == LineClass.LABEL)
            hidden |= filtered
        self.rows = VisibleRows(len(self._classes), hidden, copied)

    def _in_folds(self) -> NDArray[np.bool_]:
        """Returns for each line whether the line is in a folded block, below the head."""
        depths = np.zeros(len(self._classes) + 1, np.int32)
        np.add.at(depths, self._heads[self._folded] + 1, 1)
        np.subtract.at(depths, self._lasts[self._folded] + 1, 1)
        return np.cumsum(depths[:-1]) > 0


class LineVisibility(QObject):
    """Filters and folds of the text that a view shows.

    Signals:
        changed: Other lines are shown now, or others can be folded.
        filters_changed: These classes of lines are left out now.
        hidden_count_changed: So many lines are hidden now, also after `set_text`.
    """

    changed = Signal()
    filters_changed = Signal(frozenset)
    hidden_count_changed = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folds = ListingFolds(1)
        self._filters: frozenset[LineClass] = frozenset()
        # What was folded or opened, while it is not known where that is in a newer text.
        self._toggled: frozenset[str] = frozenset()
        self._line_count = 1
        self._reading = Background(self)
        self._reading.done.connect(self._on_outlined)

    @property
    def rows(self) -> VisibleRows:
        """The lines that are shown."""
        return self._folds.rows

    @property
    def folds(self) -> ListingFolds:
        """The folds and filters."""
        return self._folds

    @property
    def filters(self) -> frozenset[LineClass]:
        """The classes of lines that are left out."""
        return self._filters

    def set_text(self, lines: Sequence[str], kind: CodeKind | None, keep_folds: bool) -> None:
        """Turns to another text; emits no signal if the text is short.

        Args:
            lines: The text.
            kind: The kind of code; None for a text that has no folds or filters.
            keep_folds: Whether the present folds stay in this text.
        """
        self._reading.stop()
        toggled = self._folds.toggled_names | self._toggled
        self._toggled = toggled if keep_folds else frozenset()
        self._line_count = len(lines)
        if kind is not None and _is_short(lines):
            self._take(listing_outline(kind, lines))
        else:
            self._folds = ListingFolds(len(lines))
            if kind is not None:
                self._reading.start(_reader(kind, lines))
        self.hidden_count_changed.emit(self.rows.hidden_count)

    def set_filters(self, filters: frozenset[LineClass]) -> None:
        """Leaves out classes of lines."""
        if filters != self._filters:
            self._filters = filters
            self._folds.set_filters(filters)
            self.filters_changed.emit(filters)
            self._emit_changed()

    def reveal(self, line: int) -> None:
        """Shows a line that a fold or a filter hides."""
        if not self.rows.shows(line):
            self._folds.reveal(line)
            self._emit_changed()

    def toggle(self, head: int) -> None:
        """Folds or unfolds the block that begins in a line."""
        self._set_folded(head, not self._folds.is_folded(head))

    def fold(self, line: int) -> None:
        """Folds the innermost block that a line is in."""
        if (block := self._folds.block_around(line)) is not None:
            self._set_folded(block.head, True)

    def unfold(self, line: int) -> None:
        """Unfolds the block that begins in a line."""
        self._set_folded(line, False)

    def set_all_folded(self, folded: bool) -> None:
        """Folds or unfolds all blocks."""
        self._folds.set_all_folded(folded)
        self._emit_changed()

    @Slot()
    def show_all(self) -> None:
        """Hides nothing any more: no filters, no folds, of headers and padding neither."""
        self._folds.set_all_folded(False)
        self.set_filters(frozenset())
        self._emit_changed()

    def _set_folded(self, head: int, folded: bool) -> None:
        self._folds.set_folded(head, folded)
        self._emit_changed()

    def _emit_changed(self) -> None:
        self.changed.emit()
        self.hidden_count_changed.emit(self.rows.hidden_count)

    def _take(self, outline: ListingOutline) -> None:
        self._folds = ListingFolds(self._line_count, outline)
        self._folds.toggle_names(self._toggled)
        self._toggled = frozenset()
        self._folds.set_filters(self._filters)

    @Slot(object)
    def _on_outlined(self, outline: ListingOutline) -> None:
        self._take(outline)
        self._emit_changed()


def _is_short(lines: Sequence[str]) -> bool:
    return len(lines) <= _FEW_LINES and sum(map(len, lines)) <= _FEW_CHARACTERS


def _reader(kind: CodeKind, lines: Sequence[str]) -> Callable[[Event], ListingOutline]:
    def read(stop: Event) -> ListingOutline:
        return listing_outline(kind, Paced(lines, stop))

    return read
