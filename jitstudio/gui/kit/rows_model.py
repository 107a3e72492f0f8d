"""Models of tables: frozen values with one `TableColumn` a column, or titles and nothing more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QObject, Qt

from jitstudio.gui.kit.presentation import ModelIndex, TableColumn, title_of

_Row = TypeVar("_Row")


class RowsModel(QAbstractTableModel, Generic[_Row]):
    """Shows values as rows; what a column says of one is the column's business."""

    def __init__(
        self, columns: tuple[TableColumn[_Row], ...], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._columns = columns
        self._rows: tuple[_Row, ...] = ()

    @property
    def rows(self) -> tuple[_Row, ...]:
        """The values shown."""
        return self._rows

    def set_rows(self, rows: tuple[_Row, ...]) -> None:
        """Shows other values."""
        if rows != self._rows:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the number of values."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the number of columns."""
        return 0 if parent is not None and parent.isValid() else len(self._columns)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns what the column says of the value."""
        if not index.isValid():
            return None
        return self._columns[index.column()].data(self._rows[index.row()], role)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Returns the titles of the columns."""
        if orientation == Qt.Orientation.Horizontal and 0 <= section < len(self._columns):
            return self._columns[section].header(role)
        return None


class TitledModel(QAbstractTableModel):
    """Returns the titles, and what is written into their columns; subclasses give the cells."""

    _titles: Sequence[str] = ()
    _help: Mapping[int, str] = MappingProxyType({})

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        """Returns one for each title."""
        return 0 if parent is not None and parent.isValid() else len(self._titles)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Returns the titles of the columns."""
        return title_of(self._titles, section, orientation, role, self._help)
