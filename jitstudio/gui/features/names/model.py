"""The name expressions of a source, NVRTC's names for each, and the kernels without any.

Knows `core.result` and no widget. The expressions belong to the document: an edit is shown at
once, reported by `expressions_edited`, and may come back by `show_source` without doing any harm.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QFont

from jitstudio.core.result import Kernel, LoweredName
from jitstudio.gui.kit.presentation import (
    MARK_ROLE,
    MUTED_ROLE,
    ModelIndex,
    one_line,
    plain_tooltip,
)
from jitstudio.gui.kit.tables import TitledModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

EXPRESSION, LOWERED, DEMANGLED = range(3)
_TITLES = (
    QT_TRANSLATE_NOOP("Columns", "Expression"),
    QT_TRANSLATE_NOOP("Columns", "Lowered name"),
    QT_TRANSLATE_NOOP("Columns", "Demangled"),
)


class NamesModel(TitledModel):
    """Rows of expressions, then rows of the kernels that no expression produced.

    Signals:
        expressions_edited: The user changed them; all of them, in order.
        edit_refused: Why an edit was not taken.
    """

    expressions_edited = Signal(tuple)
    edit_refused = Signal(str)

    _titles = _TITLES

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = ""
        self._expressions: tuple[str, ...] = ()
        self._editable = False
        self._lowered: dict[tuple[str, str], LoweredName] = {}
        self._all_kernels: tuple[Kernel, ...] = ()
        self._kernels: tuple[Kernel, ...] = ()
        self._font: QFont | None = None

    @property
    def expressions(self) -> tuple[str, ...]:
        """The name expressions shown."""
        return self._expressions

    def show_source(self, name: str, expressions: tuple[str, ...], *, editable: bool) -> None:
        """Shows another source, or the same source after a change of the document."""
        if (name, expressions, editable) == (self._source, self._expressions, self._editable):
            return
        self.beginResetModel()
        self._source, self._expressions, self._editable = name, expressions, editable
        self._kernels = self._unnamed_kernels()
        self.endResetModel()

    def show_result(self, lowered: tuple[LoweredName, ...], kernels: tuple[Kernel, ...]) -> None:
        """Fills in the names that a build found, of all modules.

        Rows stay where they are, for the user may be typing in one of them.
        """
        self._lowered = {(name.source, name.expression): name for name in lowered}
        self._all_kernels = kernels
        self._update_kernels()
        if self._expressions:
            # Not the expressions themselves: an open editor would be filled anew.
            last = len(self._expressions) - 1
            self.dataChanged.emit(self.index(0, LOWERED), self.index(last, DEMANGLED))

    def set_code_font(self, font: QFont) -> None:
        """Shows names in `font`."""
        self._font = font
        if self.rowCount():
            self.dataChanged.emit(
                self.index(0, 0), self.index(self.rowCount() - 1, len(_TITLES) - 1)
            )

    def add(self, expression: str) -> bool:
        """Appends an expression; returns False, and reports the reason, where that is refused."""
        wanted = expression.strip()
        if self._refuses(wanted, None):
            return False
        row = len(self._expressions)
        self.beginInsertRows(QModelIndex(), row, row)
        self._expressions = (*self._expressions, wanted)
        self.endInsertRows()
        self._emit_changed()
        return True

    def remove(self, rows: set[int]) -> bool:
        """Takes expressions away; rows of kernels stay. Returns whether any went."""
        doomed = sorted((row for row in rows if row < len(self._expressions)), reverse=True)
        if not self._editable or not doomed:
            return False
        for row in doomed:
            self.beginRemoveRows(QModelIndex(), row, row)
            self._expressions = self._expressions[:row] + self._expressions[row + 1 :]
            self.endRemoveRows()
        self._emit_changed()
        return True

    def is_expression(self, index: ModelIndex) -> bool:
        """Returns whether the row is an expression rather than a kernel."""
        return index.isValid() and index.row() < len(self._expressions)

    def lowered_name(self, row: int) -> str:
        """Returns the name to launch or link by, empty where there is none yet."""
        return self._names(row)[0]

    def _emit_changed(self) -> None:
        self._update_kernels()
        self.expressions_edited.emit(self._expressions)

    def _refuses(self, expression: str, row: int | None) -> bool:
        others = self._expressions if row is None else _without(self._expressions, row)
        problem = ""
        if not self._editable:
            problem = self.tr("This source has no name expressions.")
        elif not expression:
            problem = self.tr("A name expression cannot be empty. Remove the row instead.")
        elif expression in others:
            problem = self.tr("“{name}” is in the list already.").format(name=expression)
        if problem:
            self.edit_refused.emit(problem)
        return bool(problem)

    def _unnamed_kernels(self) -> tuple[Kernel, ...]:
        known = (self._lowered.get((self._source, text)) for text in self._expressions)
        named = {name.lowered for name in known if name is not None}
        return tuple(
            kernel
            for kernel in self._all_kernels
            if kernel.module == self._source and kernel.name not in named
        )

    def _update_kernels(self) -> None:
        kernels = self._unnamed_kernels()
        if kernels == self._kernels:
            return
        first = len(self._expressions)
        if self._kernels:
            self.beginRemoveRows(QModelIndex(), first, first + len(self._kernels) - 1)
            self._kernels = ()
            self.endRemoveRows()
        if kernels:
            self.beginInsertRows(QModelIndex(), first, first + len(kernels) - 1)
            self._kernels = kernels
            self.endInsertRows()

    def _names(self, row: int) -> tuple[str, str]:
        if row >= len(self._expressions):
            kernel = self._kernels[row - len(self._expressions)]
            return kernel.name, kernel.demangled
        entry = self._lowered.get((self._source, self._expressions[row]))
        return (entry.lowered, entry.demangled) if entry else ("", "")

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """Expressions and kernels."""
        if parent is not None and parent.isValid():
            return 0
        return len(self._expressions) + len(self._kernels)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        """Only an expression can be edited."""
        flags = super().flags(index)
        if self._editable and index.column() == EXPRESSION and self.is_expression(index):
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns names, or a muted hint where there is none."""
        if not index.isValid():
            return None
        text, muted = self._cell(index.row(), index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return one_line(text)
            case Qt.ItemDataRole.EditRole:
                return text if self.is_expression(index) else ""
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(text)
            case Qt.ItemDataRole.FontRole:
                return None if muted and index.row() < len(self._expressions) else self._font
            case _ if role == MUTED_ROLE:
                return muted
            case _ if role == MARK_ROLE:
                return "error" if index.column() == LOWERED and self._is_refused(index) else None
        return None

    def _is_refused(self, index: ModelIndex) -> bool:
        if not self.is_expression(index):
            return False
        entry = self._lowered.get((self._source, self._expressions[index.row()]))
        return entry is not None and bool(entry.error)

    def _cell(self, row: int, column: int) -> tuple[str, bool]:
        """Returns the text of a cell, and whether that text is muted."""
        lowered, demangled = self._names(row)
        is_kernel = row >= len(self._expressions)
        if column == EXPRESSION:
            hint = self.tr("(no expression)")
            return (hint, True) if is_kernel else (self._expressions[row], False)
        if lowered:
            return (demangled if column == DEMANGLED else lowered), is_kernel
        entry = self._lowered.get((self._source, self._expressions[row]))
        if column == DEMANGLED:
            # There is room for it, and no name.
            error = entry.error if entry is not None else ""
            return error, bool(error)
        if entry is None:
            return self.tr("not built yet"), True
        return (self.tr("refused") if entry.error else self.tr("not built, see Problems")), True

    def setData(self, index: ModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Takes an edited expression; returns False, and reports the reason, where refused."""
        if role != Qt.ItemDataRole.EditRole or not self.flags(index) & Qt.ItemFlag.ItemIsEditable:
            return False
        row, wanted = index.row(), str(value).strip()
        if wanted == self._expressions[row]:
            return True
        if self._refuses(wanted, row):
            return False
        self._expressions = (*self._expressions[:row], wanted, *self._expressions[row + 1 :])
        self.dataChanged.emit(self.index(row, EXPRESSION), self.index(row, DEMANGLED))
        self._emit_changed()
        return True


def _without(expressions: tuple[str, ...], row: int) -> tuple[str, ...]:
    return expressions[:row] + expressions[row + 1 :]
