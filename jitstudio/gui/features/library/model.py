"""The kernels of a file as rows of a table, which are filtered and sorted in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from threading import Event
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, Signal, Slot

from jitstudio.core.figures import FIGURES
from jitstudio.core.library import CodePiece, LibraryKernel, LibraryListing
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.gui.kit.presentation import TableColumn, figure_column
from jitstudio.gui.kit.tables import RowsModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


class KernelRow(NamedTuple):
    """A kernel, with the piece of code that contains the kernel."""

    kernel: LibraryKernel
    piece: CodePiece


def _figure(row: KernelRow, name: str) -> int | None:
    value: int | None
    value = row.kernel.code_bytes if name == "code_bytes" else getattr(row.kernel.resources, name)
    return value


def _place(row: KernelRow) -> str:
    """Returns the place of a kernel in the file."""
    return row.piece.member or row.piece.section


def _whole_place(row: KernelRow) -> str:
    parts = (row.piece.member, row.piece.section, f"0x{row.piece.offset:x}")
    return "\n".join(filter(None, parts))


def _date(seconds: float) -> str:
    """Returns a time in the user's own zone, in a form that sorts by time."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M") if seconds else ""


FIGURE_IDS = (
    *("registers", "stack_bytes", "shared_bytes", "code_bytes"),
    *("local_bytes", "constant_bytes", "barriers", "max_threads"),
)
"""The figures that are shown, in their order; how much was spilled no cubin says."""

COLUMNS: tuple[TableColumn[KernelRow], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Kernel"),
        # What all of them return says nothing, and takes the room of their names.
        lambda row: row.kernel.demangled.removeprefix("void "),
        tooltip=lambda row: f"{row.kernel.demangled}\n{row.kernel.name}\n{_whole_place(row)}",
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Target"),
        lambda row: row.piece.target,
        sort_key=lambda row: f"{row.piece.arch.number:04}{row.piece.arch.suffix}{row.piece.target}",
    ),
    *(figure_column(FIGURES[name], partial(_figure, name=name)) for name in FIGURE_IDS),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "In"), _place, tooltip=_whole_place),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Date"),
        lambda row: _date(row.piece.date),
        sort_key=lambda row: row.piece.date,
    ),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Made by"), lambda row: row.piece.origin),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Source"),
        lambda row: row.piece.source.rpartition("/")[2],
        tooltip=lambda row: row.piece.source,
    ),
)
OF_CACHES = tuple(range(len(COLUMNS) - 3, len(COLUMNS)))
"""The columns that are for kernels in a folder only."""


@dataclass(frozen=True)
class RowQuery:
    """The filter of rows, and their order.

    Attributes:
        words: Words in names, sources and makers, in any case and order.
        target: The target architecture; empty for any.
        column: The column to sort by; -1 for the order of the file.
        descending: Whether the last one comes first.
    """

    words: tuple[str, ...] = ()
    target: str = ""
    column: int = -1
    descending: bool = False

    def apply(self, rows: Sequence[KernelRow], stop: Event) -> tuple[KernelRow, ...]:
        """Returns the rows that are shown."""
        matching = [row for row in Paced(rows, stop) if self._takes(row)]
        if self.column >= 0:
            column = COLUMNS[self.column]
            key: Callable[[KernelRow], str | int | float] = column.sort_key or column.text
            matching.sort(key=key, reverse=self.descending)
        return tuple(matching)

    def _takes(self, row: KernelRow) -> bool:
        if self.target and row.piece.target != self.target:
            return False
        if not self.words:
            return True
        kernel, piece = row
        haystack = "\n".join((kernel.demangled, kernel.name, piece.origin, piece.source)).lower()
        return all(word in haystack for word in self.words)


class LibraryModel(RowsModel[KernelRow]):
    """Shows the kernels of a file that match a query.

    Signals:
        filtered: The rows that the newest query takes are shown.
    """

    filtered = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, parent)
        self._listing: LibraryListing | None = None
        self._all: tuple[KernelRow, ...] | None = ()
        self._query = RowQuery()
        self._background = Background(self)
        self._background.done.connect(self._on_done)

    @property
    def query(self) -> RowQuery:
        """The query of the rows that are shown, or will be in a moment."""
        return self._query

    def show_listing(self, listing: LibraryListing | None, *, is_same: bool = False) -> None:
        """Shows other kernels, in a moment; None for none.

        Args:
            listing: The kernels.
            is_same: Whether they are those of the same file or folder as before, which stay until
                then.
        """
        self._listing, self._all = listing, None
        if not is_same:
            self.set_rows(())
        self.ask(self._query)

    def ask(self, query: RowQuery) -> None:
        """Shows the rows that match `query`, in a moment."""
        self._query = query
        listing, known = self._listing, self._all

        def work(stop: Event) -> tuple[tuple[KernelRow, ...], tuple[KernelRow, ...]]:
            rows = _rows(listing, stop) if known is None else known
            return rows, query.apply(rows, stop)

        self._background.start(work)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sorts by a column; -1 for the order of the file."""
        old, descending = self._query, order == Qt.SortOrder.DescendingOrder
        self.ask(RowQuery(old.words, old.target, column, descending))

    @Slot(object)
    def _on_done(self, done: tuple[tuple[KernelRow, ...], tuple[KernelRow, ...]]) -> None:
        self._all, shown = done
        self.set_rows(shown)
        self.filtered.emit()


def _rows(listing: LibraryListing | None, stop: Event) -> tuple[KernelRow, ...]:
    """Returns all kernels of a file, in file order."""
    if listing is None:
        return ()
    return tuple(
        KernelRow(kernel, listing.pieces[kernel.piece]) for kernel in Paced(listing.kernels, stop)
    )


def rows_as_text(rows: Iterable[KernelRow]) -> str:
    """Tab-separated, with a header of the JSON's names: fit for a spreadsheet."""
    titles = ("name", "demangled", "target", "member", "section", *FIGURE_IDS)
    lines = ["\t".join((*titles, "date", "origin", "source"))]
    for row in rows:
        figures = (_figure(row, name) for name in FIGURE_IDS)
        values = ("" if figure is None else str(figure) for figure in figures)
        kernel, piece = row
        names = (kernel.name, kernel.demangled, piece.target, piece.member, piece.section)
        provenance = (_date(piece.date), piece.origin, piece.source)
        lines.append("\t".join((*names, *values, *provenance)))
    return "\n".join(lines)
