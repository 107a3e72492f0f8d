"""The axes of a sweep as a table: a row for each, every cell a text that can be edited."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QCoreApplication, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QFont

from jitstudio.core.sweep.draft import AxisText
from jitstudio.core.sweep.plan import Axis, AxisKind, SweepError
from jitstudio.gui.features.variants.axis_text import WORDS, kinds, meaning, title
from jitstudio.gui.kit.presentation import (
    MARK_ROLE,
    MUTED_ROLE,
    ModelIndex,
    one_line,
    plain_tooltip,
)
from jitstudio.gui.kit.titled import TitledModel

KIND, NAME, VALUES = range(3)


class AxesModel(TitledModel):
    """The axes as they are typed.

    Signals:
        axes_changed: The user changed one, or there are more or fewer.
    """

    axes_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[AxisText] = []
        self._font: QFont | None = None
        self._titles = self.tr("Vary"), self.tr("Name"), self.tr("Values")
        self._help = {
            KIND: self.tr("What is varied."),
            NAME: self.tr("Of the template parameter, the macro or the argument."),
            VALUES: self.tr("Parted by commas, or by semicolons where a value has commas itself."),
        }

    @property
    def rows(self) -> tuple[AxisText, ...]:
        """What is typed, in order."""
        return tuple(self._rows)

    def axes(self) -> tuple[Axis, ...]:
        """What the texts say.

        Raises:
            SweepError: One of them says nothing, or there is none.
        """
        if not self._rows:
            raise SweepError(self.tr("Add an axis to say what is varied."))
        return tuple(row.axis() for row in self._rows)

    def show_rows(self, rows: tuple[AxisText, ...]) -> None:
        """Show other axes."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def insert(self, place: int, row: AxisText) -> None:
        """Add an axis before this place."""
        self.beginInsertRows(QModelIndex(), place, place)
        self._rows.insert(place, row)
        self.endInsertRows()
        self.axes_changed.emit()

    def remove(self, place: int) -> None:
        """Take an axis away."""
        self.beginRemoveRows(QModelIndex(), place, place)
        del self._rows[place]
        self.endRemoveRows()
        self.axes_changed.emit()

    def move(self, place: int, step: int) -> bool:
        """Let an axis change places with its neighbour; whether it has one there."""
        other = place + step
        if not (0 <= place < len(self._rows) and 0 <= other < len(self._rows)):
            return False
        self._rows[place], self._rows[other] = self._rows[other], self._rows[place]
        self._tell_rows(min(place, other), max(place, other))
        self.axes_changed.emit()
        return True

    def unused_kind(self) -> AxisKind:
        """The most usual kind that has no axis yet; kinds with names can have several."""
        used = {row.kind for row in self._rows if not row.is_named}
        return next(kind for kind in WORDS if kind not in used)

    def set_code_font(self, font: QFont) -> None:
        """Show what is code in this font."""
        self._font = font
        if self._rows:
            self._tell_rows(0, len(self._rows) - 1)

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """The axes."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        """All can be edited, but the name of what has none."""
        flags = super().flags(index)
        if not index.isValid():
            return flags
        editable = index.column() != NAME or self._rows[index.row()].is_named
        return flags | Qt.ItemFlag.ItemIsEditable if editable else flags

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A text, or muted an example in its stead."""
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return one_line(_written(row, column) or _example(row, column))
            case Qt.ItemDataRole.EditRole:
                return _written(row, column)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self._tip(row, column))
            case Qt.ItemDataRole.AccessibleTextRole:
                return "; ".join(filter(None, (_written(row, column), _problem(row))))
            case Qt.ItemDataRole.FontRole:
                return self._font if column != KIND else None
            case _ if role == MUTED_ROLE:
                return not _written(row, column)
            case _ if role == MARK_ROLE:
                return "error" if column == KIND and _problem(row) else None
        return None

    def setData(self, index: ModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Change an axis, and tell it."""
        if role != Qt.ItemDataRole.EditRole or not self.flags(index) & Qt.ItemFlag.ItemIsEditable:
            return False
        place, text = index.row(), str(value).strip()
        row = self._rows[place]
        changed = _changed(row, index.column(), text)
        if changed != row:
            self._rows[place] = changed
            self._tell_rows(place, place)
            self.axes_changed.emit()
        return True

    def _tip(self, row: AxisText, column: int) -> str:
        told = meaning(row.kind) if column != NAME else self._help[NAME]
        return "\n\n".join(filter(None, (_problem(row), told)))

    def _tell_rows(self, first: int, last: int) -> None:
        self.dataChanged.emit(self.index(first, KIND), self.index(last, VALUES))


def _written(row: AxisText, column: int) -> str:
    if column == KIND:
        return title(row.kind)
    if column == NAME:
        return row.name if row.is_named else ""
    return row.values


def _changed(row: AxisText, column: int, text: str) -> AxisText:
    if column == KIND:
        return replace(row, kind=kinds().get(text, row.kind))
    return replace(row, name=text) if column == NAME else replace(row, values=text)


def _example(row: AxisText, column: int) -> str:
    words = WORDS[row.kind]
    example = words.name_example if column == NAME else words.example
    if not example:
        return ""
    return QCoreApplication.translate("AxesModel", "such as {example}").format(example=example)


def _problem(row: AxisText) -> str:
    try:
        row.axis()
    except SweepError as error:
        return str(error)
    return ""
