"""Which lines of a listing are shown while its text, its filters and its folds change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.gui.listing.hiding import Hiding
from jitstudio.gui.listing.rows import Rows
from jitstudio.listing.folds import Outline, outline
from jitstudio.listing.lines import LineClass

# A text of so many lines and characters is read through at once, within milliseconds, so that
# nothing jumps.
_FEW_LINES, _FEW_CHARACTERS = 3000, 200_000


class ShownLines(QObject):
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
        self._hiding = Hiding(1)
        self._filters: frozenset[LineClass] = frozenset()
        # What was folded or opened, while it is not known where that is in a newer text.
        self._toggled: frozenset[str] = frozenset()
        self._line_count = 1
        self._reading = Background(self)
        self._reading.done.connect(self._on_outlined)

    @property
    def rows(self) -> Rows:
        """The lines that are shown."""
        return self._hiding.rows

    @property
    def hiding(self) -> Hiding:
        """What is hidden now, and what can be."""
        return self._hiding

    @property
    def filters(self) -> frozenset[LineClass]:
        """Which classes of lines are left out."""
        return self._filters

    def set_text(self, lines: Sequence[str], kind: CodeKind | None, keep_folds: bool) -> None:
        """Turn to another text; nothing is signalled if it is short.

        Args:
            lines: The text.
            kind: What it is; None for a text that has no folds or filters.
            keep_folds: Whether what is folded now shall be so in this text too.
        """
        self._reading.stop()
        toggled = self._hiding.toggled_names | self._toggled
        self._toggled = toggled if keep_folds else frozenset()
        self._line_count = len(lines)
        if kind is not None and _is_short(lines):
            self._take(outline(kind, lines))
        else:
            self._hiding = Hiding(len(lines))
            if kind is not None:
                self._reading.start(_reader(kind, lines))
        self.hidden_count_changed.emit(self.rows.hidden_count)

    def set_filters(self, filters: frozenset[LineClass]) -> None:
        """Leave out these classes of lines."""
        if filters != self._filters:
            self._filters = filters
            self._hiding.set_filters(filters)
            self.filters_changed.emit(filters)
            self._tell()

    def reveal(self, line: int) -> None:
        """Show a line, whatever hides it."""
        if not self.rows.shows(line):
            self._hiding.reveal(line)
            self._tell()

    def toggle(self, head: int) -> None:
        """Fold the block that begins in a line, or unfold it."""
        self._set_folded(head, not self._hiding.is_folded(head))

    def fold(self, line: int) -> None:
        """Fold the innermost block that a line is in."""
        if (block := self._hiding.block_around(line)) is not None:
            self._set_folded(block.head, True)

    def unfold(self, line: int) -> None:
        """Unfold the block that begins in a line."""
        self._set_folded(line, False)

    def set_all_folded(self, folded: bool) -> None:
        """Fold or unfold all blocks."""
        self._hiding.set_all_folded(folded)
        self._tell()

    @Slot()
    def show_all(self) -> None:
        """Hide nothing any more: no filters, no folds, of headers and padding neither."""
        self._hiding.set_all_folded(False)
        self.set_filters(frozenset())
        self._tell()

    def _set_folded(self, head: int, folded: bool) -> None:
        self._hiding.set_folded(head, folded)
        self._tell()

    def _tell(self) -> None:
        self.changed.emit()
        self.hidden_count_changed.emit(self.rows.hidden_count)

    def _take(self, found: Outline) -> None:
        self._hiding = Hiding(self._line_count, found)
        self._hiding.toggle_names(self._toggled)
        self._toggled = frozenset()
        self._hiding.set_filters(self._filters)

    @Slot(object)
    def _on_outlined(self, found: Outline) -> None:
        self._take(found)
        self._tell()


def _is_short(lines: Sequence[str]) -> bool:
    return len(lines) <= _FEW_LINES and sum(map(len, lines)) <= _FEW_CHARACTERS


def _reader(kind: CodeKind, lines: Sequence[str]) -> Callable[[Event], Outline]:
    def read(stop: Event) -> Outline:
        return outline(kind, Paced(lines, stop))

    return read
