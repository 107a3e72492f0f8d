"""The axes of variants as a table: a row for each, every cell a text that can be edited."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QCoreApplication, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QFont

from jitstudio.core.axes import Axis, AxisKind, AxisText, VariantError
from jitstudio.gui.kit.presentation import (
    MARK_ROLE,
    MUTED_ROLE,
    ModelIndex,
    one_line,
    plain_tooltip,
)
from jitstudio.gui.kit.tables import TitledModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

KIND, NAME, VALUES = range(3)


@dataclass(frozen=True)
class AxisLabels:
    """The words about a kind of axis.

    Attributes:
        title: The name of the kind, in English.
        meaning: The meaning of the values, in English.
        example: Values that make sense for many kernels.
        name_example: A name; empty for kinds that have none.
    """

    title: str
    meaning: str
    example: str
    name_example: str = ""


WORDS: dict[AxisKind, AxisLabels] = {
    AxisKind.BLOCK: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "block"),
        QT_TRANSLATE_NOOP(
            "AxisLabels",
            "Threads per block. Separate blocks with several axes by semicolons: 16,16; 32,8",
        ),
        "64, 128, 256, 512",
    ),
    AxisKind.TEMPLATE: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "template"),
        QT_TRANSLATE_NOOP(
            "AxisLabels", "What stands for a name in braces of the kernel: T in saxpy<{T}>"
        ),
        "float, double",
        "T",
    ),
    AxisKind.MACRO: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "macro"),
        QT_TRANSLATE_NOOP(
            "AxisLabels", "What the compiler defines the macro as, like -DNAME=VALUE"
        ),
        "1, 2, 4",
        "UNROLL",
    ),
    AxisKind.OPTIONS: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "options"),
        QT_TRANSLATE_NOOP(
            "AxisLabels",
            "Options beside those of the build, the sets separated by semicolons",
        ),
        "; --use_fast_math",
    ),
    AxisKind.LINK: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "link"),
        QT_TRANSLATE_NOOP("AxisLabels", "How the modules are linked: none, ptx or lto"),
        "ptx, lto",
    ),
    AxisKind.TARGET: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "target"),
        QT_TRANSLATE_NOOP("AxisLabels", "What to build for"),
        "sm_80, sm_90",
    ),
    AxisKind.TOOLCHAIN: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "toolchain"),
        QT_TRANSLATE_NOOP(
            "AxisLabels",
            "Which compilers build it: own, or versions that were added in the settings",
        ),
        "own, 13.0",
    ),
    AxisKind.ARGUMENT: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "argument"),
        QT_TRANSLATE_NOOP("AxisLabels", "The text of an argument of the launch"),
        "1<<20, 1<<24",
        "n",
    ),
    AxisKind.GRID: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "grid"),
        QT_TRANSLATE_NOOP("AxisLabels", "Blocks, like the field of the launch"),
        "132, 264, 528",
    ),
    AxisKind.COVER: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "cover"),
        QT_TRANSLATE_NOOP("AxisLabels", "How many elements the grid covers"),
        "n, (n+3)/4",
    ),
    AxisKind.CLUSTER: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "cluster"),
        QT_TRANSLATE_NOOP("AxisLabels", "Blocks per cluster"),
        "1, 2, 4",
    ),
    AxisKind.SHARED: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "shared"),
        QT_TRANSLATE_NOOP("AxisLabels", "Bytes of dynamic shared memory per block"),
        "0, 16384, 49152",
    ),
}
"""All kinds, the usual first."""


def title(kind: AxisKind) -> str:
    """Returns the name of a kind, in the user's language."""
    return QCoreApplication.translate("AxisLabels", WORDS[kind].title)


def meaning(kind: AxisKind) -> str:
    """Returns the meaning of the values of a kind, in the user's language."""
    return QCoreApplication.translate("AxisLabels", WORDS[kind].meaning)


def kinds() -> dict[str, AxisKind]:
    """Returns the kinds by name, in the user's language."""
    return {title(kind): kind for kind in WORDS}


class AxesModel(TitledModel):
    """The axes as they are typed.

    Signals:
        axes_changed: The user changed an axis, or there are more or fewer.
    """

    axes_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[AxisText] = []
        self._font: QFont | None = None
        self._titles = self.tr("Vary"), self.tr("Name"), self.tr("Values")
        self._help = {
            KIND: self.tr("The setting that varies."),
            NAME: self.tr("The name of the template parameter, the macro or the argument."),
            VALUES: self.tr("Separated by commas, or by semicolons if a value has commas."),
        }

    @property
    def rows(self) -> tuple[AxisText, ...]:
        """The typed texts of each axis, in order."""
        return tuple(self._rows)

    def axes(self) -> tuple[Axis, ...]:
        """Returns the axes of the typed texts.

        Raises:
            VariantError: A text names no values, or there is no axis.
        """
        if not self._rows:
            raise VariantError(self.tr("Add an axis to choose what varies."))
        return tuple(row.axis() for row in self._rows)

    def show_rows(self, rows: tuple[AxisText, ...]) -> None:
        """Shows other axes."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def insert(self, place: int, row: AxisText) -> None:
        """Adds an axis before this place."""
        self.beginInsertRows(QModelIndex(), place, place)
        self._rows.insert(place, row)
        self.endInsertRows()
        self.axes_changed.emit()

    def remove(self, place: int) -> None:
        """Takes an axis away."""
        self.beginRemoveRows(QModelIndex(), place, place)
        del self._rows[place]
        self.endRemoveRows()
        self.axes_changed.emit()

    def move(self, place: int, step: int) -> bool:
        """Swaps an axis with its neighbour; returns whether there is a neighbour."""
        neighbour = place + step
        if not (0 <= place < len(self._rows) and 0 <= neighbour < len(self._rows)):
            return False
        rows = self._rows
        rows[place], rows[neighbour] = rows[neighbour], rows[place]
        self._emit_rows_changed(min(place, neighbour), max(place, neighbour))
        self.axes_changed.emit()
        return True

    def unused_kind(self) -> AxisKind:
        """Returns the most usual kind that has no axis yet; kinds with names can have several."""
        used = {row.kind for row in self._rows if not row.is_named}
        return next(kind for kind in WORDS if kind not in used)

    def set_code_font(self, font: QFont) -> None:
        """Sets the font of names and values."""
        self._font = font
        if self._rows:
            self._emit_rows_changed(0, len(self._rows) - 1)

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the number of axes."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        """Returns the flags of a cell: all can be edited, except the name of an unnamed axis."""
        flags = super().flags(index)
        if not index.isValid():
            return flags
        editable = index.column() != NAME or self._rows[index.row()].is_named
        return flags | Qt.ItemFlag.ItemIsEditable if editable else flags

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns the text of a cell; a muted example while the cell is empty."""
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
        """Changes the text of an axis, and reports the change."""
        if role != Qt.ItemDataRole.EditRole or not self.flags(index) & Qt.ItemFlag.ItemIsEditable:
            return False
        place, text = index.row(), str(value).strip()
        row = self._rows[place]
        changed = _changed(row, index.column(), text)
        if changed != row:
            self._rows[place] = changed
            self._emit_rows_changed(place, place)
            self.axes_changed.emit()
        return True

    def _tip(self, row: AxisText, column: int) -> str:
        text = meaning(row.kind) if column != NAME else self._help[NAME]
        return "\n\n".join(filter(None, (_problem(row), text)))

    def _emit_rows_changed(self, first: int, last: int) -> None:
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
    except VariantError as error:
        return str(error)
    return ""
