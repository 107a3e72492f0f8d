"""The table of kernels, with the resources of each."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.core.figures import NEEDS
from jitstudio.core.result import BuildResult, Kernel, Resources
from jitstudio.gui.kit.command_keys import COMMAND_KEYS
from jitstudio.gui.kit.parts import ShorteningLabel, muted, show_tip
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


class KernelsView(QWidget):
    """A table of kernels.

    Attributes:
        table: The table.

    Signals:
        kernel_activated: The user wants to see the SASS of this kernel.
        ptx_requested: The user wants to see its PTX.
    """

    kernel_activated = Signal(Kernel)
    ptx_requested = Signal(Kernel)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("kernelsView")
        self._left_out = self._make_left_out()
        self.table = self._make_table()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._left_out)
        self.setFocusProxy(self.table)

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

    def _make_table(self) -> RowsTable[TitledKernel]:
        name = self.tr("Kernels and their resources")
        table = RowsTable(name, "kernelsTable", _COLUMNS, self)
        figures = range(1, len(_COLUMNS) - 1)
        widths = {n: len(_COLUMNS[n].heading) + 3 for n in figures}
        table.set_columns(stretched=0, widths=widths)
        table.hide_when_narrow(*_OPTIONAL)
        table.left_out_changed.connect(self._on_left_out_changed)
        COMMAND_KEYS.changed.connect(self._on_left_out_changed)
        table.set_hint(self._not_built())
        table.add_activation(
            self.tr("Show in &SASS"), lambda row: self.kernel_activated.emit(row.kernel)
        )
        table.add_row_command(
            self.tr("Show in &PTX"), lambda row: self.ptx_requested.emit(row.kernel)
        )
        table.add_copying()
        return table

    def _make_left_out(self) -> ShorteningLabel:
        label = ShorteningLabel(self)
        label.setObjectName("kernelsLeftOut")
        muted(label)
        label.setContentsMargins(12, 4, 8, 4)
        label.hide()
        return label

    @Slot()
    def _on_left_out_changed(self) -> None:
        """Names the columns without room, so that they do not seem missing."""
        titles = self.table.left_out
        words = self.tr("No room for {columns}. To maximise the pane: {keys}.")
        keys = COMMAND_KEYS.words("maximiseAction")
        self._left_out.setText(words.format(columns=", ".join(titles), keys=keys))
        show_tip(self._left_out, self._left_out.text())
        self._left_out.setVisible(bool(titles))

    def _not_built(self) -> str:
        return self.tr(
            "Nothing has been built yet.\nThe registers and memory of each kernel appear here."
        )
