"""The table of variants: a row each, the best of each column marked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.features.variants.table_model import ShownVariants, VariantsModel
from jitstudio.gui.kit.command_keys import COMMAND_KEYS, follow_keys
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.kit.parts import FieldName, icon_button
from jitstudio.gui.kit.presentation import SORT_ROLE
from jitstudio.gui.kit.tables import ENTER_KEYS, PanelTable
from jitstudio.variants.export import to_csv, to_markdown
from jitstudio.variants.plan import VariantPlan
from jitstudio.variants.rows import VariantRow, VariantTable, VariantView, functions_in

_WARP, _MOST_THREADS = 32, 1024
_NUMBER_LENGTH, _FIGURE_LENGTH, _LONGEST_AXIS = 8, 11, 30
_NOTED_LENGTH = 16
"""Behind the figure it says how far it is from the reference, or that it is calculated."""
_NAME_LENGTH = 10


class _Filter(QSortFilterProxyModel):
    """Sorts by figures, and leaves out failed variants if the user wants so."""

    def __init__(self, model: VariantsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._hides_failed = False
        self.setSourceModel(model)
        self.setSortRole(SORT_ROLE)

    def hide_failed(self, on: bool) -> None:
        """Leaves out failed variants, or shows them again."""
        self.beginFilterChange()
        self._hides_failed = on
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(
        self, source_row: int, _parent: QModelIndex | QPersistentModelIndex
    ) -> bool:
        """Returns whether a row is wanted."""
        row = self._model.rows[source_row]
        return not self._hides_failed or row.ok or row.is_built or row.is_waiting


class VariantsTable(QWidget):
    """The table of variants below a bar: kernel and block of the figures, and commands.

    Signals:
        variant_activated: The user wants to see this variant in the window.
        pin_requested: The user wants to compare later results with this variant.
        differences_requested: The user wants to compare the reference with another variant line
            by line.
        reported: A sentence about a result that is out of sight.
    """

    variant_activated = Signal(VariantRow)
    pin_requested = Signal(VariantRow)
    differences_requested = Signal(VariantRow, VariantRow)
    reported = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("variantsTable")
        self._table = VariantTable((), ())
        self._first_kernel = ""
        self._reference: int | None = None
        self._has_begun = False
        self._model = VariantsModel(self)
        self._filter = _Filter(self._model, self)
        self._kernel = self._make_kernel()
        self._threads = self._make_threads()
        self._threads_title = FieldName(self.tr("Th&reads per block"), self._threads, self)
        self._hide = QCheckBox(self.tr("&Hide failed"), self)
        self._hide.setObjectName("variantsHideFailed")
        self._differences = icon_button(
            self,
            self.tr("&Differences"),
            self.tr("Pin the reference as a baseline, build the chosen row, compare line by line"),
            "columns",
        )
        self._differences.setObjectName("showDifferences")
        self._copy = icon_button(
            self, self.tr("Copy"), self.tr("Copy the table as CSV"), "copy", "Ctrl+C"
        )
        self._save = icon_button(
            self, self.tr("Save CSV"), self.tr("Save the table as CSV"), "save"
        )
        self._view = self._make_view()
        self._lay_out()
        self.setFocusProxy(self._view)
        self._kernel.currentIndexChanged.connect(self._on_view_changed)
        self._threads.valueChanged.connect(self._on_view_changed)
        self._hide.toggled.connect(self._filter.hide_failed)
        self._differences.clicked.connect(self._on_differences)
        self._copy.clicked.connect(self.copy_csv)
        self._save.clicked.connect(self.ask_where_to_save)
        self._show()

    @property
    def table(self) -> PanelTable:
        """The table, over a sorted and filtered form of the model."""
        return self._view

    @property
    def model(self) -> VariantsModel:
        """All rows."""
        return self._model

    @property
    def view(self) -> VariantView:
        """The kernel and the block that the figures are about."""
        return VariantView(self._kernel.currentData() or "", self._threads.value())

    def begin(self, plan: VariantPlan, kernel: str = "", reference: int | None = None) -> None:
        """Shows another plan, without rows yet.

        Args:
            plan: The axes and the build.
            kernel: The lowered name of the kernel to begin with where the plan names none.
            reference: The index of the variant that the others are compared with.
        """
        self._first_kernel, self._reference, self._has_begun = kernel, reference, True
        self._table = VariantTable(plan.axes, ())
        self._kernel.blockSignals(True)
        self._kernel.clear()
        if plan.has_kernel:
            self._kernel.addItem(plan.spec.kernel or self.tr("its only kernel"), "")
        self._kernel.blockSignals(False)
        for part in (self._threads, self._threads_title):
            part.setVisible(not plan.has_block)
        self._show()

    def show_table(self, table: VariantTable) -> None:
        """Shows the rows as far as they have come."""
        self._table = table
        self._offer_kernels()
        self._show()

    @Slot()
    def copy_csv(self) -> None:
        """Puts the table on the clipboard, for programs."""
        self._copy_as(to_csv)

    @Slot()
    def copy_markdown(self) -> None:
        """Puts the table on the clipboard, for people."""
        self._copy_as(to_markdown)

    @Slot()
    def ask_where_to_save(self) -> None:
        """Asks for a file without holding up the window."""
        dialog = QFileDialog(
            self,
            self.tr("Save the variants"),
            "variants.csv",
            self.tr("CSV (*.csv);;All files (*)"),
        )
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(".csv")
        dialog.fileSelected.connect(self.save)
        open_dialog(dialog)

    @Slot(str)
    def save(self, name: str) -> None:
        """Writes the table into a file; a few kilobytes, whatever was varied."""
        try:
            Path(name).write_text(to_csv(self._sorted(), self.view), "utf-8")
        except OSError as error:
            self.reported.emit(self.tr("The table cannot be saved: {error}").format(error=error))
        else:
            self.reported.emit(self.tr("Saved {name}").format(name=name))

    def _copy_as(self, written: Callable[[VariantTable, VariantView], str]) -> None:
        QGuiApplication.clipboard().setText(written(self._sorted(), self.view))
        self.reported.emit(self.tr("The table is on the clipboard"))

    def _sorted(self) -> VariantTable:
        """Returns all rows in the order of the table, then the rows that are left out."""
        indices = (self._filter.index(n, 0) for n in range(self._filter.rowCount()))
        places = [self._filter.mapToSource(index).row() for index in indices]
        hidden = sorted(set(range(len(self._model.rows))).difference(places))
        rows = tuple(self._model.rows[place] for place in (*places, *hidden))
        return VariantTable(self._table.axes, rows, self._table.total_ms)

    def _offer_kernels(self) -> None:
        """Offers the kernels and functions of the rows; the choice stays."""
        before = [self._kernel.itemData(n) for n in range(self._kernel.count())]
        functions = functions_in(self._table.rows)
        planned = {"": self._kernel.itemText(0)} if before[:1] == [""] else {}
        if before == [*planned, *functions]:
            return
        chosen = self._kernel.currentData()
        self._kernel.blockSignals(True)
        self._kernel.clear()
        for lowered, name in {**planned, **functions}.items():
            self._kernel.addItem(name, lowered)
        kernel = self._first_kernel if chosen is None else chosen
        self._kernel.setCurrentIndex(max(0, self._kernel.findData(kernel)))
        self._kernel.blockSignals(False)

    def _show(self) -> None:
        current = self._current
        before = self._layout()
        self._model.show_variants(ShownVariants(self._table, self.view, self._reference))
        if self._layout() != before:
            self._size_columns()
        if current is not None:
            self._choose(current.variant.index)
        for part in (self._copy, self._save, self._kernel, self._threads, self._hide):
            part.setEnabled(bool(self._table.rows))
        self._view.set_hint(self._hint())
        self._update_differences()

    def _hint(self) -> str:
        """Returns why there is no row."""
        if self._table.rows:
            return self.tr("Every variant failed. Untick “Hide failed” to see why.")
        if self._has_begun:
            return self.tr("Each variant has a row here soon.")
        return self.tr(
            "Nothing has been built yet.\nAdd axes and run: each variant has a row here."
        )

    def _layout(self) -> tuple[object, ...]:
        """Returns the values that the widths of the columns follow from."""
        columns = range(self._model.columnCount())
        headings = [self._model.headerData(n, Qt.Orientation.Horizontal) for n in columns]
        return headings, self._model.calculated_columns, self._reference is None

    def _size_columns(self) -> None:
        letter = self._view.fontMetrics().horizontalAdvance("0")
        header = self._view.horizontalHeader()
        figure = _FIGURE_LENGTH if self._reference is None else _NOTED_LENGTH
        lengths = dict.fromkeys(range(self._model.columnCount()), figure)
        lengths[0] = _NUMBER_LENGTH
        for column, axis in enumerate(self._table.axes, start=1):
            longest = max(map(len, axis.values), default=0)
            lengths[column] = min(max(longest + 2, _FIGURE_LENGTH), _LONGEST_AXIS)
        for column in self._model.calculated_columns:
            lengths[column] = _NOTED_LENGTH
        for column, length in lengths.items():
            header.resizeSection(column, max(letter * length, header.sectionSizeHint(column)))

    @property
    def _current(self) -> VariantRow | None:
        index = self._filter.mapToSource(self._view.currentIndex())
        return self._model.rows[index.row()] if index.isValid() else None

    @property
    def _compared(self) -> tuple[VariantRow, VariantRow] | None:
        """The reference, and the row to compare: the chosen one, or the only other row."""
        rows = [row for row in self._model.rows if row.result and row.result.ok]
        base = next((row for row in rows if row.variant.index == self._reference), None)
        candidates = [row for row in rows if row is not base]
        chosen = self._current
        if chosen not in candidates:
            chosen = candidates[0] if len(candidates) == 1 else None
        return (base, chosen) if base is not None and chosen is not None else None

    def _choose(self, place: int) -> None:
        """Goes back to a variant: the table forgets the current row with every change."""
        rows = enumerate(self._model.rows)
        row = next((n for n, row in rows if row.variant.index == place), None)
        if row is not None:
            self._view.setCurrentIndex(self._filter.mapFromSource(self._model.index(row, 0)))

    def _make_kernel(self) -> QComboBox:
        kernel = QComboBox(self)
        kernel.setObjectName("variantsShownKernel")
        kernel.setAccessibleName(self.tr("The kernel that the figures are about"))
        kernel.setToolTip(kernel.accessibleName())
        kernel.setMinimumContentsLength(_NAME_LENGTH)
        kernel.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        return kernel

    def _make_threads(self) -> QSpinBox:
        threads = QSpinBox(self)
        threads.setObjectName("variantsThreads")
        threads.setAccessibleName(self.tr("Threads of a block, for the occupancy"))
        threads.setToolTip(threads.accessibleName())
        threads.setRange(1, _MOST_THREADS)
        threads.setSingleStep(_WARP)
        threads.setValue(VariantView().threads)
        threads.setMinimumHeight(self._kernel.sizeHint().height())
        return threads

    def _make_view(self) -> PanelTable:
        view = PanelTable(self.tr("Variants"), self)
        view.setModel(self._filter)
        view.horizontalHeader().setStretchLastSection(True)
        view.sort_by_headers()
        view.add_command(self.tr("&Show in the window"), self._on_activated, *ENTER_KEYS)
        pin = view.add_command(self.tr("&Pin as baseline"), self._on_pin)
        follow_keys(pin, lambda pin: pin.setShortcuts([*COMMAND_KEYS.keys("pinBaselineAction")]))
        view.add_command(self.tr("Compare the others with &this"), self._on_reference, "Ctrl+E")
        view.add_command(self.tr("&Copy as CSV"), self.copy_csv, "Ctrl+C")
        view.add_command(self.tr("Copy as &Markdown"), self.copy_markdown)
        view.doubleClicked.connect(self._on_activated)
        view.selectionModel().currentRowChanged.connect(self._update_differences)
        return view

    def _lay_out(self) -> None:
        title = FieldName(self.tr("Fi&gures of"), self._kernel, self)
        bar = QHBoxLayout()
        bar.setContentsMargins(14, 4, 14, 6)
        bar.setSpacing(8)
        bar.addWidget(title)
        # It gives way first: its list shows names whole.
        bar.addWidget(self._kernel, 1)
        bar.addWidget(self._threads_title)
        bar.addWidget(self._threads)
        bar.addStretch(1)
        for right in (self._hide, self._differences, self._copy, self._save):
            bar.addWidget(right)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self._view, 1)

    @Slot()
    def _update_differences(self) -> None:
        self._differences.setVisible(self._reference is not None)
        self._differences.setEnabled(self._compared is not None)

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

    @Slot()
    def _on_reference(self) -> None:
        """Compares all rows with the chosen one; a second time, with none."""
        if self._current is not None:
            chosen = self._current.variant.index
            self._reference = None if chosen == self._reference else chosen
            self._show()

    @Slot()
    def _on_differences(self) -> None:
        if self._compared is not None:
            self.differences_requested.emit(*self._compared)
