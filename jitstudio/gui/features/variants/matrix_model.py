"""The rows of a matrix as a table whose columns know which cell is best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt

from jitstudio.analysis.matrix.rows import MatrixRow
from jitstudio.analysis.matrix.table import Figure, Value, View, best, link_title, value
from jitstudio.core.request import LinkMode
from jitstudio.core.result import ENDINGS
from jitstudio.gui.kit.launch_figures import occupancy_text, time_text
from jitstudio.gui.kit.presentation import MARK_ROLE, Column, ModelIndex
from jitstudio.gui.kit.rows import RowsModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_LAST = float("inf")
"""Sorts what is unknown behind all that is known."""
_BEST = "success"
"""The mark of what is best."""


@dataclass(frozen=True)
class _Title:
    heading: str
    tip: str
    text: Callable[[float], str]


def _count(number: float) -> str:
    return f"{number:,.0f}"


def _bytes(number: float) -> str:
    return f"{number:,.0f} B"


_TITLES = {
    Figure.REGISTERS: _Title(
        QT_TRANSLATE_NOOP("Columns", "Registers"),
        QT_TRANSLATE_NOOP("Matrix", "32-bit registers per thread"),
        _count,
    ),
    Figure.SPILLED: _Title(
        QT_TRANSLATE_NOOP("Columns", "Spilled"),
        QT_TRANSLATE_NOOP("Matrix", "bytes per thread written to memory for want of registers"),
        _bytes,
    ),
    Figure.LIVE: _Title(
        QT_TRANSLATE_NOOP("Columns", "Peak live"),
        QT_TRANSLATE_NOOP("Matrix", "the most registers that hold a needed value at once"),
        _count,
    ),
    Figure.INSTRUCTIONS: _Title(
        QT_TRANSLATE_NOOP("Columns", "Instructions"),
        QT_TRANSLATE_NOOP("Matrix", "of the kernel's machine code"),
        _count,
    ),
    Figure.CODE: _Title(
        QT_TRANSLATE_NOOP("Columns", "Code"),
        QT_TRANSLATE_NOOP("Matrix", "bytes of the kernel's machine code, with what fills it up"),
        _bytes,
    ),
    Figure.SHARED: _Title(
        QT_TRANSLATE_NOOP("Columns", "Shared"),
        QT_TRANSLATE_NOOP("Matrix", "bytes of static shared memory per block"),
        _bytes,
    ),
    Figure.OCCUPANCY: _Title(
        QT_TRANSLATE_NOOP("Columns", "Occupancy"),
        QT_TRANSLATE_NOOP("Matrix", "resident warps of those that a multiprocessor can hold"),
        occupancy_text,
    ),
    Figure.BUILD: _Title(
        QT_TRANSLATE_NOOP("Columns", "Build"),
        QT_TRANSLATE_NOOP("Matrix", "from the request to the result, without the cache"),
        time_text,
    ),
}


class MatrixModel(RowsModel[MatrixRow]):
    """A row per variant."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_columns((), View("")), parent)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What the columns say; for screen readers also which figures are best."""
        if index.isValid() and role == Qt.ItemDataRole.AccessibleTextRole:
            text = super().data(index, Qt.ItemDataRole.DisplayRole)
            is_best = super().data(index, MARK_ROLE) == _BEST
            told = QCoreApplication.translate("Matrix", "{figure} (best)")
            return told.format(figure=text) if is_best else text
        return super().data(index, role)

    def show_matrix(self, rows: tuple[MatrixRow, ...], view: View) -> None:
        """Show other rows, or something else of them."""
        self.beginResetModel()
        self._rows = rows
        self._columns = _columns(rows, view)
        self.endResetModel()


def note(row: MatrixRow, view: View) -> str:
    """What there is to say about a variant beside its figures."""
    if row.is_waiting:
        return QCoreApplication.translate("Matrix", "waits")
    if row.problem or row.result is None:
        return row.problem
    if not row.result.kernels:
        return QCoreApplication.translate("Matrix", "no kernel in the result")
    if row.resources(view.kernel) is None:
        return QCoreApplication.translate("Matrix", "without this kernel")
    return ""


def options_text(row: MatrixRow) -> str:
    """The option set, in words where it is empty."""
    return row.variant.options or QCoreApplication.translate("Matrix", "as they are")


def _columns(rows: tuple[MatrixRow, ...], view: View) -> tuple[Column[MatrixRow], ...]:
    several = len({row.variant.link for row in rows}) > 1
    return (
        Column(
            QT_TRANSLATE_NOOP("Columns", "Target"),
            lambda row: row.variant.arch.sm,
            lambda row: row.variant.index,
            _target_tip,
            mark=_mark,
        ),
        Column(QT_TRANSLATE_NOOP("Columns", "Options"), options_text),
        *((Column(QT_TRANSLATE_NOOP("Columns", "Link"), _link),) if several else ()),
        *(_figure_column(figure, rows, view) for figure in Figure),
        Column(QT_TRANSLATE_NOOP("Columns", "Note"), lambda row: note(row, view)),
    )


def _figure_column(figure: Figure, rows: tuple[MatrixRow, ...], view: View) -> Column[MatrixRow]:
    title = _TITLES[figure]
    winner = best(figure, rows, view)

    def number(row: MatrixRow) -> Value:
        return value(figure, row, view)

    def text(row: MatrixRow) -> str:
        found = number(row)
        return "" if found is None else title.text(found)

    def tip(row: MatrixRow) -> str:
        told = QCoreApplication.translate("Matrix", title.tip)
        return f"{text(row)}: {told}" if text(row) else told

    def key(row: MatrixRow) -> float:
        found = number(row)
        return _LAST if found is None else found

    def mark(row: MatrixRow) -> str:
        return _BEST if winner is not None and number(row) == winner else ""

    return Column(title.heading, text, key, tip, number=True, mark=mark)


def _link(row: MatrixRow) -> str:
    if row.variant.link is LinkMode.NONE:
        return QCoreApplication.translate("Matrix", "alone")
    return link_title(row.variant.link)


def _mark(row: MatrixRow) -> str:
    # No tick where all is well: ticks tell what is best.
    return "error" if row.problem else ""


def _target_tip(row: MatrixRow) -> str:
    return row.problem or (ENDINGS[row.result.outcome] if row.result else "")
