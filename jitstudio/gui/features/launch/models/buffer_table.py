"""The part of a buffer that a table shows just now.

Qt's headers keep a record of every row, and a buffer may have a thousand million elements: so this
model has no more rows than the table has room for, and is moved along the buffer instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QObject, Qt, Signal

from jitstudio.gui.features.launch.models.mismatches import index_text
from jitstudio.gui.kit.presentation import MARK_ROLE, ModelIndex, plain_tooltip

if TYPE_CHECKING:
    from jitstudio.gui.features.launch.models.buffer_data import BufferData

MOST_PER_ROW = 8
"""Elements of one number that stand side by side where there is room."""

_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class BufferTableModel(QAbstractTableModel):
    """Elements of one number each stand side by side; others have a row each.

    Signals:
        moved: Another row is the first one shown.
    """

    moved = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data: BufferData | None = None
        self._first = 0
        self._room = 1
        self._per_row = MOST_PER_ROW
        self._hexadecimal = False

    @property
    def buffer(self) -> BufferData | None:
        """What is shown."""
        return self._data

    @property
    def total_rows(self) -> int:
        """Rows that the whole buffer has."""
        return -(-self._data.length // self.per_row) if self._data else 0

    @property
    def is_grid(self) -> bool:
        """Whether elements stand side by side, as each is one number."""
        return self._data is not None and len(self._data.leaves) == 1

    @property
    def per_row(self) -> int:
        """Elements in a row."""
        return self._per_row if self.is_grid else 1

    @property
    def first_row(self) -> int:
        """The row of the buffer that is the first one shown."""
        return self._first

    def set_buffer(self, data: BufferData | None) -> None:
        """Show another buffer from its start."""
        self.beginResetModel()
        self._data, self._first = data, 0
        self.endResetModel()
        self.moved.emit()

    def set_room(self, rows: int) -> None:
        """Have so many rows, where the buffer has as many."""
        if rows != self._room:
            self.beginResetModel()
            self._room = max(1, rows)
            self.endResetModel()

    def set_per_row(self, count: int) -> None:
        """Have so many elements side by side, with the first one shown still the first."""
        if count != self._per_row:
            first = self._first * self.per_row
            self.beginResetModel()
            self._per_row = count
            self._first = first // self.per_row
            self.endResetModel()
            self.moved.emit()

    def set_hexadecimal(self, on: bool) -> None:
        """Show the bits of each value instead of the number."""
        self._hexadecimal = on
        self._tell_all()

    def move_to(self, row: int) -> None:
        """Show the buffer from this row on."""
        row = max(0, min(row, self.total_rows - 1))
        if row == self._first:
            return
        count = self.rowCount()
        # Near the end there are fewer rows to show than there is room for.
        changes_count = count != self._count_from(row)
        if changes_count:
            self.beginResetModel()
        self._first = row
        if changes_count:
            self.endResetModel()
        else:
            self._tell_all()
        self.moved.emit()

    def row_of(self, element: int) -> int:
        """The row of the buffer that an element is in."""
        return element // self.per_row

    def cell(self, index: ModelIndex) -> tuple[int, int] | None:
        """The element and the leaf of a cell; None for a cell behind the end."""
        if self._data is None or not index.isValid():
            return None
        row = self._first + index.row()
        if not self.is_grid:
            return row, index.column()
        element = row * self.per_row + index.column()
        return (element, 0) if element < self._data.length else None

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """The rows there are from the first one on, as far as there is room."""
        return 0 if parent is not None and parent.isValid() else self._count_from(self._first)

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        """Elements side by side, or the parts of one."""
        if self._data is None or (parent is not None and parent.isValid()):
            return 0
        return self.per_row if self.is_grid else len(self._data.leaves)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Values; marks of those that are wrong or were never written, and what that means."""
        cell = self.cell(index)
        if cell is None or self._data is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                show = self._data.hex_text if self._hexadecimal else self._data.text
                return show(*cell)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self.describe(*cell))
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.describe(*cell)
            case _ if role == MARK_ROLE:
                return self._mark(*cell)
        return None

    def describe(self, element: int, leaf: int) -> str:
        """One value with its place, and what is wrong with it."""
        if self._data is None:
            return ""
        lane = self._data.leaves[leaf].label
        place = f"{self._data.result.name}[{index_text((element,))}]"
        dot = "." if lane and not lane.startswith("[") else ""
        told = f"{place}{dot}{lane} = {self._data.text(element, leaf)}"
        bits = self._data.hex_text(element, leaf)
        wrong = self._data.mismatches.get((element, leaf))
        lines = [f"{told} ({bits})"]
        if wrong:
            expected = self.tr("Wrong: {expected} was expected.")
            lines.append(expected.format(expected=wrong.expected))
        if self._data.is_unwritten(element):
            lines.append(self.tr("Never written."))
        return "\n".join(lines)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """What the columns are, and the index of the first element of each row."""
        if self._data is None:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return index_text(((self._first + section) * self.per_row,))
        if self.is_grid:
            return f"+{section}"
        return self._data.leaves[section].label

    def _mark(self, element: int, leaf: int) -> str | None:
        assert self._data is not None
        if (element, leaf) in self._data.mismatches:
            return "error"
        return "warning" if self._data.is_unwritten(element) else None

    def _count_from(self, row: int) -> int:
        return max(0, min(self._room, self.total_rows - row))

    def _tell_all(self) -> None:
        rows, columns = self.rowCount(), self.columnCount()
        if rows and columns:
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, columns - 1))
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, rows - 1)
