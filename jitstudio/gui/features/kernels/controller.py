"""Shows the kernels of the newest build with kernels, and the resources of each."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.core.figures import NEEDS
from jitstudio.core.result import BuildResult, Kernel, Resources
from jitstudio.gui.context import Context
from jitstudio.gui.kit.command_keys import COMMAND_KEYS
from jitstudio.gui.kit.parts import ShorteningLabel, muted, show_tip
from jitstudio.gui.kit.presentation import SORT_ROLE, TableColumn, figure_column
from jitstudio.gui.kit.tables import ENTER_KEYS, PanelTable, RowsModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.navigation import KernelPlace


def install(context: Context) -> None:
    """Makes the pane "Kernels"."""
    state, shell = context.state, context.shell
    view = KernelsView()
    shell.layout.fill("kernels", view)
    outputs, go_to = state.outputs, context.navigator.go_to
    outputs.result_changed.connect(lambda _result: view.show_result(outputs.figures))
    view.kernel_activated.connect(lambda kernel: go_to(KernelPlace(CodeKind.SASS, kernel)))
    view.ptx_requested.connect(lambda kernel: go_to(KernelPlace(CodeKind.PTX, kernel)))
    shell.stale_marks.add(view.table, lambda: outputs.is_behind)
    shell.context_menus.add_to_tables(view)


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


# The columns that matter less; the last of them matters least.
_OPTIONAL = (2, 3, 6, 4, 5, 7, 8, 9, 10)
_LEAST_LETTERS, _MOST_LETTERS = 16, 36


def _as_text(rows: tuple[TitledKernel, ...]) -> str:
    """Tab-separated, with a header of the JSON's names: fit for a spreadsheet."""
    names = [field.name for field in fields(Resources)]
    lines = ["\t".join(("kernel", *names))]
    for row in rows:
        figures = (_figure(row, name) for name in names)
        values = ("" if figure is None else str(figure) for figure in figures)
        lines.append("\t".join((row.title, *values)))
    return "\n".join(lines)


class KernelsView(QWidget):
    """A table of kernels.

    Signals:
        kernel_activated: The user wants to see the SASS of this kernel.
        ptx_requested: The user wants to see its PTX.
    """

    kernel_activated = Signal(Kernel)
    ptx_requested = Signal(Kernel)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("kernelsView")
        self._model: RowsModel[TitledKernel] = RowsModel(_COLUMNS, self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._model)
        self._sorted.setSortRole(SORT_ROLE)
        self._left_out = self._make_left_out()
        self._table = self._make_table()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._table, 1)
        layout.addWidget(self._left_out)
        self.setFocusProxy(self._table)

    @property
    def model(self) -> RowsModel[TitledKernel]:
        """The model of the shown kernels."""
        return self._model

    @property
    def table(self) -> PanelTable:
        """The table, over a sorted form of the model."""
        return self._table

    @Slot(object)
    def show_result(self, result: BuildResult | None) -> None:
        """Shows the kernels of a build; None before the first."""
        titles = result.kernel_titles if result else {}
        kernels = result.kernels if result else ()
        self._model.set_rows(tuple(TitledKernel(k, titles[k.module, k.name]) for k in kernels))
        longest = max(map(len, titles.values()), default=0)
        # What tells kernels of one name apart is at the end.
        least = min(max(longest + 1, _LEAST_LETTERS), _MOST_LETTERS)
        self._table.hide_when_narrow(*_OPTIONAL, least=least)
        self._table.set_hint(
            self.tr("There is no kernel in this build.") if result else self._not_built()
        )

    @Slot()
    def copy_all(self) -> None:
        """Puts the table on the clipboard, for a spreadsheet."""
        QGuiApplication.clipboard().setText(_as_text(self._model.rows))

    def _make_table(self) -> PanelTable:
        table = PanelTable(self.tr("Kernels and what they need"), self)
        table.setObjectName("kernelsTable")
        table.setModel(self._sorted)
        figures = range(1, len(_COLUMNS) - 1)
        widths = {n: len(_COLUMNS[n].heading) + 3 for n in figures}
        table.set_columns(stretched=0, widths=widths)
        table.hide_when_narrow(*_OPTIONAL)
        table.left_out_changed.connect(self._on_left_out_changed)
        COMMAND_KEYS.changed.connect(self._on_left_out_changed)
        table.setSortingEnabled(True)
        table.horizontalHeader().setSortIndicatorClearable(True)
        table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        table.set_hint(self._not_built())
        table.doubleClicked.connect(self._on_activated)
        table.add_command(self.tr("Show in &SASS"), self._on_activated, *ENTER_KEYS)
        table.add_command(self.tr("Show in &PTX"), self._on_ptx_wanted)
        table.add_command(self.tr("&Copy table"), self.copy_all, "Ctrl+C")
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
        titles = self._table.left_out
        words = self.tr("No room for {columns}. To maximise the pane: {keys}.")
        keys = COMMAND_KEYS.words("maximiseAction")
        self._left_out.setText(words.format(columns=", ".join(titles), keys=keys))
        show_tip(self._left_out, self._left_out.text())
        self._left_out.setVisible(bool(titles))

    def _not_built(self) -> str:
        return self.tr(
            "Nothing has been built yet.\nThe registers and memory of each kernel appear here."
        )

    def _current(self) -> Kernel | None:
        index = self._sorted.mapToSource(self._table.currentIndex())
        return self._model.rows[index.row()].kernel if index.isValid() else None

    @Slot()
    def _on_activated(self) -> None:
        if (kernel := self._current()) is not None:
            self.kernel_activated.emit(kernel)

    @Slot()
    def _on_ptx_wanted(self) -> None:
        if (kernel := self._current()) is not None:
            self.ptx_requested.emit(kernel)
