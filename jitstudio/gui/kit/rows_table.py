"""A table of values: sorted by its headers, and copied as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QSortFilterProxyModel, Slot
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QWidget

from jitstudio.gui.kit.presentation import SORT_ROLE, TableColumn
from jitstudio.gui.kit.tables import ENTER_KEYS, PanelTable, RowsModel

_Row = TypeVar("_Row")


class RowsTable(PanelTable, Generic[_Row]):
    """A table with a value in each row.

    Args:
        name: The name for screen readers.
        object_name: The name for the program.
        columns: The cells of each value.
        parent: The parent widget.
        is_sortable: Whether a click on a header sorts; a third click restores the first order.
    """

    def __init__(
        self,
        name: str,
        object_name: str,
        columns: tuple[TableColumn[_Row], ...],
        parent: QWidget | None = None,
        *,
        is_sortable: bool = True,
    ) -> None:
        super().__init__(name, parent)
        self.setObjectName(object_name)
        self._columns = columns
        self._rows: RowsModel[_Row] = RowsModel(columns, self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._rows)
        self._sorted.setSortRole(SORT_ROLE)
        self.setModel(self._sorted)
        if is_sortable:
            self.sort_by_headers()

    @property
    def rows(self) -> tuple[_Row, ...]:
        """All values, in the order they were set in."""
        return self._rows.rows

    @property
    def sorted_rows(self) -> tuple[_Row, ...]:
        """All values, in the order they are shown in."""
        shown = (self._sorted.index(row, 0) for row in range(self._sorted.rowCount()))
        return tuple(self.rows[self._sorted.mapToSource(index).row()] for index in shown)

    @property
    def current(self) -> _Row | None:
        """The value of the row that the keyboard is on."""
        row = self._sorted.mapToSource(self.currentIndex()).row()
        return self.rows[row] if row >= 0 else None

    def set_rows(self, rows: tuple[_Row, ...]) -> None:
        """Shows other values."""
        self._rows.set_rows(rows)

    def choose(self, row: int) -> None:
        """Goes to a value, by index in `rows`; -1 for none."""
        self.setCurrentIndex(self._sorted.mapFromSource(self._rows.index(row, 0)))

    def add_row_command(self, text: str, do: Callable[[_Row], object], *keys: str) -> QAction:
        """Adds a command for the current value."""

        def do_to_current() -> None:
            if (row := self.current) is not None:
                do(row)

        return self.add_command(text, do_to_current, *keys)

    def add_activation(self, text: str, do: Callable[[_Row], object]) -> None:
        """Adds the command of Enter and of a double click."""
        action = self.add_row_command(text, do, *ENTER_KEYS)
        self.doubleClicked.connect(action.trigger)

    def add_copying(self) -> None:
        """Adds the command that copies the table."""
        self.add_command(self.tr("&Copy table"), self.copy, "Ctrl+C")

    @property
    def text(self) -> str:
        """The headers and the rows as they are sorted, with tabs between cells."""
        lines = ["\t".join(column.heading for column in self._columns)]
        lines += ["\t".join(c.plain_text(row) for c in self._columns) for row in self.sorted_rows]
        return "\n".join(lines)

    @Slot()
    def copy(self) -> None:
        """Puts the table on the clipboard, for a spreadsheet."""
        QGuiApplication.clipboard().setText(self.text)
