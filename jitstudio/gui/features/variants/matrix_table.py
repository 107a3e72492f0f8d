"""The table of a matrix: a row per variant, the best of each column marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from jitstudio.analysis.matrix.rows import MatrixRow
from jitstudio.analysis.matrix.table import View, to_csv, to_markdown
from jitstudio.gui.features.variants.matrix_model import MatrixModel
from jitstudio.gui.kit.command_keys import COMMAND_KEYS, follow_keys
from jitstudio.gui.kit.parts import icon_button, show_icons
from jitstudio.gui.kit.presentation import SORT_ROLE
from jitstudio.gui.kit.tables import ENTER_KEYS, PanelTable
from jitstudio.gui.kit.theme import Theme

_WARP, _MOST_THREADS = 32, 1024
_WIDTHS = {0: 12, 1: 20}
# Room for a mark beside the figure.
_USUAL_WIDTH = 13
_NAME_WIDTH = 28


class MatrixTable(QWidget):
    """A bar that says what the figures are about, above the table.

    Signals:
        variant_activated: The user wants to see this variant in the window.
        pin_requested: The user wants to compare later results with this variant.
        told: Something was done that cannot be seen, in words.
    """

    variant_activated = Signal(MatrixRow)
    pin_requested = Signal(MatrixRow)
    told = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("matrixTable")
        self._rows: tuple[MatrixRow, ...] = ()
        self._model = MatrixModel(self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._model)
        self._sorted.setSortRole(SORT_ROLE)
        self._kernel = QComboBox(self)
        self._kernel.setObjectName("matrixKernel")
        self._kernel.setAccessibleName(self.tr("The kernel that the figures are about"))
        self._kernel.setMinimumContentsLength(_NAME_WIDTH)
        self._kernel.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._threads = QSpinBox(self)
        self._threads.setObjectName("matrixThreads")
        self._threads.setAccessibleName(self.tr("Threads of a block, for the occupancy"))
        self._threads.setToolTip(self._threads.accessibleName())
        self._threads.setRange(1, _MOST_THREADS)
        self._threads.setSingleStep(_WARP)
        self._threads.setValue(View("").threads)
        self._threads.setMinimumHeight(self._kernel.sizeHint().height())
        self._csv = icon_button(self, self.tr("Copy CSV"), self.tr("Copy the table as CSV"), "copy")
        self._markdown = icon_button(
            self, self.tr("Copy Markdown"), self.tr("Copy the table as Markdown"), "copy"
        )
        self._table = PanelTable(self.tr("Variants"), self)
        self._table.setModel(self._sorted)
        self._table.setSortingEnabled(True)
        header = self._table.horizontalHeader()
        header.setSortIndicatorClearable(True)
        header.setStretchLastSection(True)
        self._table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self._table.set_hint(
            self.tr(
                "Nothing has been built yet.\n"
                "Say for which targets and with which options, and build all: "
                "each combination has a row here."
            )
        )
        self._table.add_command(self.tr("&Show in the window"), self._on_activated, *ENTER_KEYS)
        pin = self._table.add_command(self.tr("&Pin as baseline"), self._on_pin)
        follow_keys(pin, lambda it: it.setShortcuts([*COMMAND_KEYS.keys("pinBaselineAction")]))
        self._table.add_command(self.tr("&Copy as CSV"), self.copy_csv, "Ctrl+C")
        self._table.add_command(self.tr("Copy as &Markdown"), self.copy_markdown)
        self._table.doubleClicked.connect(self._on_activated)
        self._kernel.currentIndexChanged.connect(self._on_view_changed)
        self._threads.valueChanged.connect(self._on_view_changed)
        self._csv.clicked.connect(self.copy_csv)
        self._markdown.clicked.connect(self.copy_markdown)
        self._lay_out()
        self.setFocusProxy(self._table)
        self._size_columns()
        self._show()

    @property
    def table(self) -> PanelTable:
        """The table, over a sorted form of the model."""
        return self._table

    @property
    def model(self) -> MatrixModel:
        """All rows."""
        return self._model

    @property
    def view(self) -> View:
        """What the figures are about."""
        return View(self._kernel.currentData() or "", self._threads.value())

    def show_threads(self, threads: int) -> None:
        """Propose another block size."""
        self._threads.setValue(threads)

    def show_rows(
        self, rows: Sequence[MatrixRow], kernels: Mapping[str, str], wanted: str = ""
    ) -> None:
        """Show a matrix as far as it has come.

        Args:
            rows: The variants in the order of the plan.
            kernels: The lowered names of their kernels, with what to show for each.
            wanted: The kernel to begin with.
        """
        self._rows = tuple(rows)
        self._offer(kernels, self.view.kernel or wanted)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._table.set_theme(theme)
        show_icons((self._csv, self._markdown), theme)

    @Slot()
    def copy_csv(self) -> None:
        """Put the table on the clipboard, for programs."""
        self._copy(to_csv)

    @Slot()
    def copy_markdown(self) -> None:
        """Put the table on the clipboard, for people."""
        self._copy(to_markdown)

    def _copy(self, written: Callable[[Sequence[MatrixRow], View], str]) -> None:
        order = (self._sorted.index(n, 0) for n in range(self._sorted.rowCount()))
        rows = [self._rows[self._sorted.mapToSource(index).row()] for index in order]
        QGuiApplication.clipboard().setText(written(rows, self.view))
        self.told.emit(self.tr("The table is on the clipboard"))

    def _offer(self, kernels: Mapping[str, str], chosen: str) -> None:
        before = [self._kernel.itemData(n) for n in range(self._kernel.count())]
        if before == list(kernels):
            return
        self._kernel.blockSignals(True)
        self._kernel.clear()
        for name, shown in kernels.items():
            self._kernel.addItem(shown, name)
        self._kernel.setCurrentIndex(max(0, self._kernel.findData(chosen)))
        self._kernel.blockSignals(False)

    def _show(self) -> None:
        current = self._current
        columns = self._model.columnCount()
        self._model.show_matrix(self._rows, self.view)
        if self._model.columnCount() != columns:
            self._size_columns()
        if current is not None:
            self._choose(current.variant.index)
        for part in (self._csv, self._markdown, self._kernel, self._threads):
            part.setEnabled(bool(self._rows))

    def _size_columns(self) -> None:
        letter = self._table.fontMetrics().horizontalAdvance("0")
        header = self._table.horizontalHeader()
        for column in range(self._model.columnCount()):
            wanted = letter * _WIDTHS.get(column, _USUAL_WIDTH)
            header.resizeSection(column, max(wanted, header.sectionSizeHint(column)))

    @property
    def _current(self) -> MatrixRow | None:
        index = self._sorted.mapToSource(self._table.currentIndex())
        return self._model.rows[index.row()] if index.isValid() else None

    def _choose(self, place: int) -> None:
        """Go back to a row: the table forgets its own with every change."""
        rows = enumerate(self._model.rows)
        found = next((n for n, row in rows if row.variant.index == place), None)
        if found is not None:
            self._table.setCurrentIndex(self._sorted.mapFromSource(self._model.index(found, 0)))

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(14, 4, 14, 6)
        bar.setSpacing(8)
        for text, field in (
            (self.tr("&Kernel"), self._kernel),
            (self.tr("Th&reads per block"), self._threads),
        ):
            title = QLabel(text, self)
            title.setBuddy(field)
            bar.addWidget(title)
            bar.addWidget(field)
        bar.addStretch()
        bar.addWidget(self._csv)
        bar.addWidget(self._markdown)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self._table, 1)

    @Slot()
    def _on_view_changed(self) -> None:
        self._show()

    @Slot()
    def _on_activated(self) -> None:
        if self._current is not None:
            self.variant_activated.emit(self._current)

    @Slot()
    def _on_pin(self) -> None:
        if self._current is not None:
            self.pin_requested.emit(self._current)
