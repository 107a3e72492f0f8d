"""The table of kernels, with the resources of each."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QSize, Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.core.figures import NEEDS
from jitstudio.core.result import BuildResult, Kernel, Resources
from jitstudio.gui.kit.fonts import follow_letters
from jitstudio.gui.kit.presentation import TableColumn, figure_column
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


class TitledKernel(NamedTuple):
    """A kernel with the title among the kernels of the build."""

    kernel: Kernel
    title: str


def _figure(row: TitledKernel, name: str) -> int | None:
    value: int | None = getattr(row.kernel.resources or Resources(), name)
    return value


_COLUMNS: tuple[TableColumn[TitledKernel], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Kernel"),
        lambda row: row.title,
        tooltip=lambda row: row.kernel.name,
    ),
    *(figure_column(figure, partial(_figure, name=figure.id)) for figure in NEEDS),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Module"), lambda row: row.kernel.module),
)


# The figures that matter less; the last of them matters least, and the module even less.
_LESSER = (
    *("spill_stores", "spill_loads", "shared_bytes", "stack_bytes", "local_bytes"),
    *("constant_bytes", "barriers", "max_threads"),
)
_NUMBERS = {figure.id: number for number, figure in enumerate(NEEDS, 1)}
_OPTIONAL = (*(_NUMBERS[name] for name in _LESSER), len(_COLUMNS) - 1)
_LEAST_LETTERS, _MOST_LETTERS = 16, 36
_MOST_IN_SIGHT, _HINT_LINES = 6, 3


class KernelsView(QWidget):
    """A table of kernels.

    Attributes:
        table: The table.

    Signals:
        kernel_chosen: The user wants this kernel to be the one that is looked at.
        kernel_activated: The user wants to see the SASS of this kernel.
        ptx_requested: The user wants to see its PTX.
    """

    kernel_chosen = Signal(Kernel)
    kernel_activated = Signal(Kernel)
    ptx_requested = Signal(Kernel)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("kernelsView")
        self.table = self._make_table()
        self._high = 0
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.table, 1)
        self.setFocusProxy(self.table)
        follow_letters(self, KernelsView.fit)

    @Slot(object)
    def show_result(self, result: BuildResult | None) -> None:
        """Shows the kernels of a build; None before the first."""
        titles = result.kernel_titles if result else {}
        kernels = result.kernels if result else ()
        self.table.set_rows(tuple(TitledKernel(k, titles[k.module, k.name]) for k in kernels))
        longest = max(map(len, titles.values()), default=0)
        # What tells kernels of one name apart is at the end.
        least = min(max(longest + 1, _LEAST_LETTERS), _MOST_LETTERS)
        self.table.hide_when_narrow(*_OPTIONAL, least=least)
        self.table.set_hint(
            self.tr("There is no kernel in this build.") if result else self._not_built()
        )
        self.fit()

    def sizeHint(self) -> QSize:
        """Returns the height that `fit` has found."""
        return QSize(super().sizeHint().width(), self._high)

    def _make_table(self) -> RowsTable[TitledKernel]:
        name = self.tr("Kernels and their resources")
        table = RowsTable(name, "kernelsTable", _COLUMNS, self)
        figures = range(1, len(_COLUMNS) - 1)
        widths = {n: len(_COLUMNS[n].heading) + 3 for n in figures}
        table.set_columns(stretched=0, widths=widths)
        table.hide_when_narrow(*_OPTIONAL)
        table.set_hint(self._not_built())
        table.add_activation(
            self.tr("Show in &SASS"), lambda row: self.kernel_activated.emit(row.kernel)
        )
        table.add_row_command(
            self.tr("Show in &PTX"), lambda row: self.ptx_requested.emit(row.kernel)
        )
        table.add_copying()
        table.clicked.connect(self._on_clicked)
        return table

    def show_current(self, module: str, lowered: str) -> None:
        """Chooses the row of the kernel that is looked at, if listed."""
        shown = [(row.kernel.module, row.kernel.name) for row in self.table.rows]
        if (module, lowered) in shown:
            self.table.choose(shown.index((module, lowered)))

    @Slot()
    def fit(self) -> None:
        """Takes the height of the rows, or of as many as leave room for a report below."""
        table = self.table
        lines = min(len(table.rows), _MOST_IN_SIGHT) or _HINT_LINES
        around = table.horizontalHeader().sizeHint().height() + 2 * table.frameWidth()
        self._high = around + lines * table.verticalHeader().defaultSectionSize()
        # In a flat pane the rows scroll.
        self.setMinimumHeight(around)
        self.setMaximumHeight(self._high)
        self.updateGeometry()

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        self.kernel_chosen.emit(self.table.sorted_rows[index.row()].kernel)

    def _not_built(self) -> str:
        return self.tr(
            "Nothing has been built yet.\nThe registers and memory of each kernel appear here."
        )
