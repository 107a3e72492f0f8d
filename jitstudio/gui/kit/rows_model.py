"""A read-only table over frozen values: one row each, one `TableColumn` a column."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QObject, Qt

from jitstudio.gui.kit.presentation import ModelIndex, TableColumn

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
