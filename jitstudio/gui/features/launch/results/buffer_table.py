"""A table of a buffer of any length, with a field to go to an element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QObject, Qt, Signal, Slot
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QScrollBar,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.features.launch.models.launch_text import index_text
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.parts import FieldName, icon_button
from jitstudio.gui.kit.presentation import MARK_ROLE, ModelIndex, plain_tooltip
from jitstudio.gui.kit.tables import PanelTable

if TYPE_CHECKING:
    # Loaded late: see `banned-module-level-imports` in pyproject.toml.
    from jitstudio.gui.features.launch.models.buffer_data import BufferData


MOST_PER_ROW = 8
"""Elements of one number that are side by side where there is room."""

_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class BufferTableModel(QAbstractTableModel):
    """Elements of a single number are side by side; others have a row each.

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
        """The shown buffer."""
        return self._data

    @property
    def total_rows(self) -> int:
        """Rows that the whole buffer has."""
        return -(-self._data.length // self.per_row) if self._data else 0

    @property
    def is_grid(self) -> bool:
        """Whether elements are side by side, as each is a single number."""
        return self._data is not None and len(self._data.leaves) == 1

    @property
    def per_row(self) -> int:
        """Elements in a row."""
        return self._per_row if self.is_grid else 1

    @property
    def first_row(self) -> int:
        """The buffer row that is shown first."""
        return self._first

    def set_buffer(self, data: BufferData | None) -> None:
        """Shows another buffer from the start."""
        self.beginResetModel()
        self._data, self._first = data, 0
        self.endResetModel()
        self.moved.emit()

    def set_room(self, rows: int) -> None:
        """Has so many rows, where the buffer has as many."""
        if rows != self._room:
            self.beginResetModel()
            self._room = max(1, rows)
            self.endResetModel()

    def set_per_row(self, count: int) -> None:
        """Shows `count` elements per row; the first shown element stays first."""
        if count != self._per_row:
            first = self._first * self.per_row
            self.beginResetModel()
            self._per_row = count
            self._first = first // self.per_row
            self.endResetModel()
            self.moved.emit()

    def set_hexadecimal(self, on: bool) -> None:
        """Shows the bits of each value instead of the number."""
        self._hexadecimal = on
        self._emit_all_changed()

    def move_to(self, row: int) -> None:
        """Shows the buffer from `row` on."""
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
            self._emit_all_changed()
        self.moved.emit()

    def row_of(self, element: int) -> int:
        """Returns the row of the buffer that an element is in."""
        return element // self.per_row

    def cell(self, index: ModelIndex) -> tuple[int, int] | None:
        """Returns the element and the leaf of a cell; None for a cell behind the end."""
        if self._data is None or not index.isValid():
            return None
        row = self._first + index.row()
        if not self.is_grid:
            return row, index.column()
        element = row * self.per_row + index.column()
        return (element, 0) if element < self._data.length else None

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the number of rows from the first shown, as far as there is room."""
        return 0 if parent is not None and parent.isValid() else self._count_from(self._first)

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the number of elements side by side, or of parts of an element."""
        if self._data is None or (parent is not None and parent.isValid()):
            return 0
        return self.per_row if self.is_grid else len(self._data.leaves)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns values, marks of wrong or unwritten elements, and explanations."""
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
        """Returns a value with place, and the reason of a mark."""
        if self._data is None:
            return ""
        lane = self._data.leaves[leaf].label
        place = f"{self._data.result.name}[{index_text((element,))}]"
        dot = "." if lane and not lane.startswith("[") else ""
        message = f"{place}{dot}{lane} = {self._data.text(element, leaf)}"
        bits = self._data.hex_text(element, leaf)
        wrong = self._data.mismatches.get((element, leaf))
        lines = [f"{message} ({bits})"]
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
        """Returns the column titles, and the index of the first element of each row."""
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

    def _emit_all_changed(self) -> None:
        rows, columns = self.rowCount(), self.columnCount()
        if rows and columns:
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, columns - 1))
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, rows - 1)


_FONT_SIZE = 9.5
# In letters: of a value, between two of them, of the mark before one.
_WIDEST, _PADDING, _MARK = 24, 3, 4
_LOOKS = 64
_CORNER = "QTableCornerButton::section { background: palette(window); border: none; }"
# Row numbers are easy to read where they grow by these.
_SIDE_BY_SIDE = tuple(n for n in (1, 2, 4, 8) if n <= MOST_PER_ROW)


class _Window(PanelTable):
    """Shows as many rows as fit; keys lead beyond.

    Signals:
        row_wanted: A row of the buffer and a column shall be the current cell.
        resized: There is more room, or less.
    """

    row_wanted = Signal(int, int)
    resized = Signal()

    def __init__(self, model: BufferTableModel, bar: QScrollBar, parent: QWidget) -> None:
        super().__init__(
            QCoreApplication.translate("BufferTable", "Elements of the buffer"), parent
        )
        self._model = model
        self._bar = bar
        self.setObjectName("bufferTable")
        self.setModel(model)
        self.setSelectionBehavior(PanelTable.SelectionBehavior.SelectItems)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        show_as_code(self, _FONT_SIZE)
        # The theme's style sheet leaves the corner between both headers white.
        self.setStyleSheet(_CORNER)
        header = self.verticalHeader()
        header.show()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setHighlightSections(False)

    @property
    def room(self) -> int:
        """The number of rows that are fully visible, but at least 1."""
        return max(1, self.viewport().height() // self.verticalHeader().defaultSectionSize())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Has as many rows as there is room for."""
        super().resizeEvent(event)
        self._model.set_room(self.room)
        self.resized.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Moves along the buffer."""
        QApplication.sendEvent(self._bar, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Moves the current cell, also beyond the shown rows."""
        current = self.currentIndex()
        row = self._model.first_row + max(0, current.row())
        column = max(0, current.column())
        last_row, last_column = self._model.total_rows - 1, self._model.columnCount() - 1
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        targets = {
            Qt.Key.Key_Up: (row - 1, column),
            Qt.Key.Key_Down: (row + 1, column),
            Qt.Key.Key_PageUp: (row - self.room, column),
            Qt.Key.Key_PageDown: (row + self.room, column),
            Qt.Key.Key_Home: (0, 0) if control else (row, 0),
            Qt.Key.Key_End: (last_row, last_column) if control else (row, last_column),
        }
        target = targets.get(Qt.Key(event.key()))
        if target is None or last_row < 0:
            super().keyPressEvent(event)
        else:
            self.row_wanted.emit(max(0, min(last_row, target[0])), target[1])


class BufferTable(QWidget):
    """The table with scroll bar, and a bar to go to an element."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = BufferTableModel(self)
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._bar.setAccessibleName(self.tr("Position in the buffer"))
        self._table = _Window(self._model, self._bar, self)
        self._table.add_command(self.tr("&Copy value"), self.copy_value, "Ctrl+C")
        self._go = QLineEdit(self)
        self._go.setObjectName("bufferIndex")
        self._go.setAccessibleName(self.tr("Index to go to"))
        self._go.setPlaceholderText("0")
        self._go.setToolTip(self.tr("An index, decimal or as 0x400; Enter goes there"))
        self._go.setMaximumWidth(self.fontMetrics().horizontalAdvance("0") * 16)
        self._hexadecimal = QCheckBox(self.tr("He&xadecimal"), self)
        self._hexadecimal.setToolTip(self.tr("Show the bits of each value"))
        self._next = icon_button(
            self,
            self.tr("Next marked"),
            self.tr("Go to the next element that is wrong or unwritten"),
            "chevron-down",
        )
        self._next.setObjectName("nextMarked")
        self._lay_out()
        self._bar.valueChanged.connect(self._model.move_to)
        self._model.moved.connect(self._on_moved)
        self._model.modelReset.connect(self._on_reset)
        self._table.row_wanted.connect(self._show_cell)
        self._table.resized.connect(self._on_resized)
        self._go.returnPressed.connect(self._on_go)
        self._hexadecimal.toggled.connect(self._on_hexadecimal)
        self._next.clicked.connect(self.go_to_next_marked)
        self.show_buffer(None)

    @property
    def model(self) -> BufferTableModel:
        """The model of the shown rows."""
        return self._model

    @property
    def table(self) -> PanelTable:
        """The table; only the visible rows are in there."""
        return self._table

    def show_buffer(self, data: BufferData | None, why_not: str = "") -> None:
        """Shows another buffer, or why there is none."""
        self._model.set_buffer(data)
        self._table.set_hint("" if data else why_not)
        self._table.verticalHeader().setVisible(data is not None)
        self._next.setVisible(data is not None and data.marked_after(-1) is not None)
        for widget in (self._go, self._hexadecimal):
            widget.setEnabled(data is not None)
        self._fit_columns()
        self._on_reset()
        if data is not None and data.length:
            self._show_cell(0, 0)

    def go_to(self, element: int) -> None:
        """Makes `element` the current element."""
        data = self._model.buffer
        if data is not None and data.length:
            element = max(0, min(element, data.length - 1))
            column = element % self._model.per_row
            self._show_cell(self._model.row_of(element), column)

    @property
    def current_element(self) -> int | None:
        """The element of the current cell."""
        cell = self._model.cell(self._table.currentIndex())
        return cell[0] if cell else None

    @Slot()
    def go_to_next_marked(self) -> None:
        """Goes to the next element that is known to be wrong or unwritten."""
        data = self._model.buffer
        if data is None:
            return
        current = self.current_element
        element = data.marked_after(-1 if current is None else current)
        if element is not None:
            self.go_to(element)

    @Slot()
    def copy_value(self) -> None:
        """Copies the current value to the clipboard, as shown."""
        text = self._table.currentIndex().data()
        if text:
            QGuiApplication.clipboard().setText(text)

    def _lay_out(self) -> None:
        label = FieldName(self.tr("Go to &index"), self._go, self)
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 4, 8, 4)
        bar.setSpacing(10)
        bar.addWidget(label)
        bar.addWidget(self._go)
        bar.addWidget(self._hexadecimal)
        bar.addWidget(self._next)
        bar.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self._table, 1)
        row.addWidget(self._bar)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addLayout(row, 1)
        self.setFocusProxy(self._table)

    def _fit_columns(self) -> None:
        """Columns as wide as their values, and as many side by side as there is room for."""
        data = self._model.buffer
        if data is None or not data.length:
            return
        letter = self._table.fontMetrics().horizontalAdvance("0")
        index_width = letter * len(f"{data.length:,}") + 20
        self._table.verticalHeader().setFixedWidth(index_width)
        # The mark before a value takes room only where there are marks.
        padding = _PADDING + (_MARK if data.marked_after(-1) is not None else 0)
        widths = [letter * (self._letters(data, n) + padding) for n in range(len(data.leaves))]
        if self._model.is_grid:
            fitting = (self._table.width() - index_width) // widths[0]
            per_row = max(n for n in _SIDE_BY_SIDE if n <= max(1, fitting))
            self._model.set_per_row(per_row)
            widths *= per_row
        for column, width in enumerate(widths):
            self._table.horizontalHeader().resizeSection(column, width)

    def _letters(self, data: BufferData, leaf: int) -> int:
        show = data.hex_text if self._hexadecimal.isChecked() else data.text
        # A sample of elements from everywhere: there may be too many to look at all.
        some = [*range(0, data.length, max(1, data.length // _LOOKS)), data.length - 1]
        longest = max(len(show(element, leaf)) for element in some)
        return min(_WIDEST, max(longest, len(data.leaves[leaf].label)))

    @Slot(int, int)
    def _show_cell(self, row: int, column: int) -> None:
        first, room = self._model.first_row, self._table.room
        if not first <= row < first + room:
            # A row further on is the last one seen, one that is far away is in the middle.
            near = first - room <= row < first + 2 * room
            self._bar.setValue(
                (row if row < first else row - room + 1) if near else row - room // 2
            )
        index = self._model.index(row - self._model.first_row, column)
        self._table.setCurrentIndex(index)

    @Slot()
    def _on_moved(self) -> None:
        self._bar.setValue(self._model.first_row)

    @Slot()
    def _on_reset(self) -> None:
        room = self._table.room
        self._bar.setRange(0, max(0, self._model.total_rows - room))
        self._bar.setPageStep(room)
        self._bar.setVisible(self._bar.maximum() > 0)

    @Slot()
    def _on_resized(self) -> None:
        self._fit_columns()
        self._on_reset()

    @Slot()
    def _on_go(self) -> None:
        try:
            element = int(self._go.text().replace(",", "").strip(), 0)
        except ValueError:
            self._go.selectAll()
            return
        self.go_to(element)
        self._table.setFocus()

    @Slot(bool)
    def _on_hexadecimal(self, on: bool) -> None:
        self._model.set_hexadecimal(on)
        self._fit_columns()
