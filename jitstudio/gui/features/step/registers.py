"""Registers or variables of a warp: of a lane with types, or of all 32 side by side."""

from __future__ import annotations

import struct
from enum import Enum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QObject, Qt, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.presentation import MUTED_ROLE, ModelIndex
from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.kit.theme import current_theme
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.simulator.stepping.requests import RegisterRow

LANES = 32
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_FONT_SIZE = 9.5


class ValueFormat(Enum):
    """The number format of values; the value of the enumeration is the name."""

    DECLARED = QT_TRANSLATE_NOOP("ValueFormat", "As declared")
    DECIMAL = QT_TRANSLATE_NOOP("ValueFormat", "Decimal")
    UNSIGNED = QT_TRANSLATE_NOOP("ValueFormat", "Unsigned")
    HEXADECIMAL = QT_TRANSLATE_NOOP("ValueFormat", "Hexadecimal")
    FLOAT = QT_TRANSLATE_NOOP("ValueFormat", "Float")


_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


def lane_value(row: RegisterRow, lane: int, how: ValueFormat = ValueFormat.DECLARED) -> str:
    """Returns the value of a register in a lane as text."""
    if row.absent >> lane & 1:
        return "-"
    size = len(row.values) // LANES
    data = row.values[lane * size : (lane + 1) * size]
    if row.type == "pred":
        return "true" if any(data) else "false"
    if how is ValueFormat.DECLARED and row.type == "ptr":
        return hex(int.from_bytes(data, "little"))
    if how is ValueFormat.DECLARED:
        is_float = row.type in ("f16", "f32", "f64")
        how = ValueFormat.FLOAT if is_float else ValueFormat.DECIMAL
        if row.type.startswith("u"):
            how = ValueFormat.UNSIGNED
    if how is ValueFormat.HEXADECIMAL or size > 8:
        return f"0x{int.from_bytes(data, 'little'):0{2 * size}x}"
    if how is ValueFormat.FLOAT and size in _FLOATS:
        value: float = struct.unpack(_FLOATS[size], data)[0]
        return f"{value:.9g}" if size == 4 else f"{value:.17g}" if size == 8 else f"{value:.5g}"
    return str(int.from_bytes(data, "little", signed=how is not ValueFormat.UNSIGNED))


class RegistersModel(QAbstractTableModel):
    """Registers or variables as rows; changed rows are bold.

    Args:
        title: The kind of the rows.
        parent: As in Qt.
    """

    def __init__(self, title: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._title = title
        self._all: tuple[RegisterRow, ...] = ()
        self._rows: tuple[RegisterRow, ...] = ()
        # The predicates that the row "predicates" stands for.
        self._folded: tuple[RegisterRow, ...] = ()
        self._lane = 0
        self._format = ValueFormat.DECLARED
        self._is_wide = False
        self._wanted = ""
        self._is_unfolded = False

    @property
    def rows(self) -> tuple[RegisterRow, ...]:
        """The registers that are shown."""
        return self._rows

    def show(self, rows: tuple[RegisterRow, ...], lane: int) -> None:
        """Shows other values."""
        self._all = rows
        self._lane = lane
        self._fill()

    def set_format(self, how: ValueFormat) -> None:
        """Writes values in another way."""
        self._format = how
        self._emit_changed()

    def set_wide(self, on: bool) -> None:
        """Shows all lanes, or a single lane."""
        self.beginResetModel()
        self._is_wide = on
        self.endResetModel()
        self._fill()

    def set_filter(self, text: str) -> None:
        """Shows only registers whose names contain `text`."""
        self._wanted = text.strip().casefold()
        self._fill()

    def unfold(self) -> None:
        """Shows a row for each predicate from now on."""
        self._is_unfolded = True
        self._fill()

    def is_fold(self, row: int) -> bool:
        """Returns whether a row stands for all predicates."""
        return bool(self._folded) and row == len(self._rows)

    def _fold_data(self, column: int, role: int) -> Any:
        true = [row.name for row in self._folded if lane_value(row, self._lane) == "true"]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                texts = (self.tr("{count} predicates"), "pred", self.tr("true: {names}"))
                names = ", ".join(true) or self.tr("none")
                return texts[column].format(count=len(self._folded), names=names)
            case Qt.ItemDataRole.ToolTipRole:
                return self.tr("Enter shows each of them")
            case _ if role == MUTED_ROLE:
                return True
        return None

    def _fill(self) -> None:
        rows = tuple(row for row in self._all if self._wanted in row.name.casefold())
        predicates = tuple(row for row in rows if row.type == "pred")
        shows_each = self._wanted or self._is_unfolded or self._is_wide or len(predicates) == 1
        folded = () if shows_each else predicates
        if folded:
            rows = tuple(row for row in rows if row.type != "pred")
        is_changed = (lambda row: row.changed) if self._is_wide else self._changed_here
        # Those that have changed come first; the sort is stable.
        rows = tuple(sorted(rows, key=lambda row: not is_changed(row)))
        before = [row.name for row in self._rows], bool(self._folded)
        # The selection stays while the same registers are shown.
        if ([row.name for row in rows], bool(folded)) == before:
            self._rows, self._folded = rows, folded
            self._emit_changed()
        else:
            self.beginResetModel()
            self._rows, self._folded = rows, folded
            self.endResetModel()

    def _changed_here(self, row: RegisterRow) -> int:
        return row.changed >> self._lane & 1

    def _emit_changed(self) -> None:
        if count := self.rowCount():
            last = self.index(count - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the number of registers."""
        if parent is not None and parent.isValid():
            return 0
        return len(self._rows) + bool(self._folded)

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        """Returns three columns, name, type and value, or the name and a column for each lane."""
        if parent is not None and parent.isValid():
            return 0
        return 1 + LANES if self._is_wide else 3

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns names and values."""
        if self.is_fold(index.row()):
            return self._fold_data(index.column(), role)
        row, column = self._rows[index.row()], index.column()
        lane = column - 1 if self._is_wide else self._lane
        is_value = column > 0 if self._is_wide else column == 2
        match role:
            case Qt.ItemDataRole.DisplayRole:
                if is_value:
                    return lane_value(row, lane, self._format)
                return row.name if column == 0 else row.spelling or row.type
            case Qt.ItemDataRole.ToolTipRole if is_value and row.absent >> lane & 1:
                if row.spelling:
                    return self.tr("It has no value here: it is not set yet, or is kept nowhere.")
                return self.tr("This lane has not written it yet.")
            case _ if role == MUTED_ROLE and is_value:
                return bool(row.absent >> lane & 1)
            case Qt.ItemDataRole.TextAlignmentRole if is_value and self._is_wide:
                return _RIGHT
            case Qt.ItemDataRole.ToolTipRole if is_value:
                return "\n".join(
                    f"{QCoreApplication.translate('ValueFormat', how.value)}: "
                    f"{lane_value(row, lane, how)}"
                    for how in ValueFormat
                )
            case Qt.ItemDataRole.FontRole if is_value and row.changed >> lane & 1:
                font = QFont()
                font.setBold(True)
                return font
            case Qt.ItemDataRole.ForegroundRole if is_value and row.changed >> lane & 1:
                return current_theme().ui.accent
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Returns titles; lanes by their numbers."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section > 0 and self._is_wide else _LEFT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if section == 0:
            return self._title
        if self._is_wide:
            return str(section - 1)
        return self.tr("Type") if section == 1 else self.tr("Value")


class ValuesView(QWidget):
    """Registers or variables with a filter, and the choice how values are written.

    Args:
        name: Of the object; those of its parts begin with it.
        title: The kind of the rows, as the head of their column.
        titles: The same of several.
        wanted: The purpose of the filter.
        type_width: Letters for types.
        parent: As in Qt.
    """

    def __init__(
        self,
        name: str,
        title: str,
        titles: str,
        wanted: str,
        type_width: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._type_width = type_width
        self.setObjectName(f"{name}s")
        self.model = RegistersModel(title, self)
        own = name.removesuffix("Register")
        self._filter = QLineEdit(self, clearButtonEnabled=True)
        self._filter.setObjectName(f"{name}Filter")
        self._filter.setPlaceholderText(wanted)
        self._filter.setAccessibleName(wanted)
        self._format = QComboBox(self)
        self._format.setObjectName(f"{own}ValueFormat")
        self._format.setAccessibleName(self.tr("How values are written"))
        for how in ValueFormat:
            self._format.addItem(QCoreApplication.translate("ValueFormat", how.value), how)
        self._wide = QCheckBox(self.tr("Whole war&p"), self)
        self._wide.setObjectName(f"{own}WholeWarp")
        self._wide.setToolTip(self.tr("Show the values of all 32 lanes side by side"))
        self.table = PanelTable(titles, self)
        self.table.setObjectName(f"{name}Table")
        self.table.setModel(self.model)
        show_as_code(self.table, _FONT_SIZE)
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 6, 8, 6)
        bar.setSpacing(8)
        bar.addWidget(self._filter, 1)
        bar.addWidget(self._format)
        bar.addWidget(self._wide)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self.table, 1)
        self._fit()
        self._filter.textChanged.connect(self.model.set_filter)
        self.table.activated.connect(self._on_activated)
        self._format.currentIndexChanged.connect(self._on_format)
        self._wide.toggled.connect(self._on_wide)
        self.setFocusProxy(self.table)

    @property
    def register(self) -> str:
        """The register that is selected, without ``%``; empty for none."""
        index = self.table.currentIndex()
        rows = self.model.rows
        is_row = index.isValid() and index.row() < len(rows)
        return rows[index.row()].name.removeprefix("%") if is_row else ""

    def show_rows(self, rows: tuple[RegisterRow, ...], lane: int) -> None:
        """Shows other values; the selected row stays selected, wherever moved."""
        name, column = self.register, self.table.currentIndex().column()
        self.model.show(rows, lane)
        names = [row.name.removeprefix("%") for row in self.model.rows]
        if name and name != self.register and name in names:
            self.table.setCurrentIndex(self.model.index(names.index(name), column))

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        if self.model.is_fold(index.row()):
            self.model.unfold()

    @Slot()
    def _on_format(self) -> None:
        self.model.set_format(self._format.currentData())

    @Slot(bool)
    def _on_wide(self, on: bool) -> None:
        self.model.set_wide(on)
        self._fit()

    def _fit(self) -> None:
        if self._wide.isChecked():
            header = self.table.horizontalHeader()
            mode = header.ResizeMode.Interactive
            header.setSectionResizeMode(mode)
            self.table.resizeColumnsToContents()
        else:
            self.table.set_columns(stretched=2, widths={0: 12, 1: self._type_width})
