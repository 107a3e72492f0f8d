"""The table of a sweep: a row per variant, the best marked, what failed left out by choice."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import (
    QCoreApplication,
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
    QFileDialog,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.sweep.plan import Variant
from jitstudio.core.sweep.result import SweepResult, VariantResult
from jitstudio.gui.features.variants.sweep_rows import SweepModel, SweepRow, sweep_rows
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.kit.parts import icon_button, show_icons, text_label
from jitstudio.gui.kit.presentation import SORT_ROLE
from jitstudio.gui.kit.tables import ENTER_KEYS, PanelTable
from jitstudio.gui.kit.theme import Theme

_USUAL_LENGTH, _MOST_LENGTH = 7, 30
# Behind the axes; where there is no GPU it says more than a number.
_OCCUPANCY, _CALCULATED_LENGTH = 3, 18


class _Passing(QSortFilterProxyModel):
    """Sorts by figures, and leaves out what failed if the user wants it so."""

    def __init__(self, model: SweepModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._hides_failed = False
        self.setSourceModel(model)
        self.setSortRole(SORT_ROLE)

    def hide_failed(self, on: bool) -> None:
        """Leave out what failed, or not."""
        self.beginFilterChange()
        self._hides_failed = on
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(
        self, source_row: int, _parent: QModelIndex | QPersistentModelIndex
    ) -> bool:
        """Whether a row is wanted."""
        row = self._model.rows[source_row]
        return not self._hides_failed or row.result.ok or row.is_built


class SweepTable(QWidget):
    """A bar above the table.

    Signals:
        variant_activated: The user wants to see more of this variant.
        told: Something was done that cannot be seen, in words.
    """

    variant_activated = Signal(VariantResult)
    told = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweepTable")
        self._result = SweepResult((), ())
        self._model = SweepModel(self)
        self._shown = _Passing(self._model, self)
        self._facts = text_label(self, "sweepFacts")
        self._hide = QCheckBox(self.tr("&Hide failed"), self)
        self._hide.setObjectName("sweepHideFailed")
        self._hide.toggled.connect(self._on_hide_toggled)
        self._save = icon_button(
            self, self.tr("Save CSV"), self.tr("Save the table as CSV"), "save"
        )
        self._save.clicked.connect(self.ask_where_to_save)
        self._table = PanelTable(self.tr("Variants of the sweep"), self)
        self._table.setModel(self._shown)
        self._table.setSortingEnabled(True)
        self._table.horizontalHeader().setSortIndicatorClearable(True)
        self._table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self._table.horizontalHeader().setStretchLastSection(True)
        self._table.add_command(self.tr("&Show this variant"), self._on_activated, *ENTER_KEYS)
        self._table.add_command(self.tr("&Copy all"), self.copy_all, "Ctrl+C")
        self._table.doubleClicked.connect(self._on_activated)
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 4, 8, 4)
        bar.setSpacing(10)
        bar.addWidget(self._facts, 1)
        bar.addWidget(self._hide)
        bar.addWidget(self._save)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self._table, 1)
        self.setFocusProxy(self._table)
        self.show_sweep(None)

    @property
    def table(self) -> PanelTable:
        """The table, over a sorted and filtered form of the model."""
        return self._table

    @property
    def model(self) -> SweepModel:
        """All rows."""
        return self._model

    @property
    def facts(self) -> str:
        """How many ran, and which is the best."""
        return self._facts.text()

    @Slot(object)
    def show_sweep(self, result: SweepResult | None) -> None:
        """Show a sweep as far as it has come; None before the first."""
        before, current = self._result.axes, self._current
        self._result = result or SweepResult((), ())
        self._model.show_sweep(self._result)
        if self._result.axes != before:
            self._lay_out_columns()
        elif current is not None:
            self._choose(current.variant)
        self._save.setEnabled(bool(self._result.rows))
        self._facts.setText(_facts(sweep_rows(self._result)))
        self._update_hint()

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._table.set_theme(theme)
        show_icons((self._save,), theme)

    @Slot()
    def copy_all(self) -> None:
        """Put the table on the clipboard."""
        QGuiApplication.clipboard().setText(self._result.to_csv())

    @Slot()
    def ask_where_to_save(self) -> None:
        """Ask for a file without holding up the window."""
        dialog = QFileDialog(
            self,
            self.tr("Save the sweep"),
            "sweep.csv",
            self.tr("CSV (*.csv);;All files (*)"),
        )
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(".csv")
        dialog.fileSelected.connect(self.save)
        open_dialog(dialog)

    @Slot(str)
    def save(self, name: str) -> None:
        """Write the table into a file; a few kilobytes, whatever was swept."""
        try:
            Path(name).write_text(self._result.to_csv(), "utf-8")
        except OSError as error:
            self.told.emit(self.tr("The sweep cannot be saved: {error}").format(error=error))
        else:
            self.told.emit(self.tr("Saved {name}").format(name=name))

    def _lay_out_columns(self) -> None:
        letter = self._table.fontMetrics().horizontalAdvance("0")
        header = self._table.horizontalHeader()
        lengths = dict.fromkeys(range(self._model.columnCount()), _USUAL_LENGTH)
        for column, axis in enumerate(self._result.axes, start=1):
            longest = max(map(len, axis.values))
            lengths[column] = min(max(longest + 2, _USUAL_LENGTH), _MOST_LENGTH)
        lengths[len(self._result.axes) + _OCCUPANCY] = _CALCULATED_LENGTH
        for column, length in lengths.items():
            header.resizeSection(column, max(letter * length, header.sectionSizeHint(column)))
        header.resizeSection(0, letter * _USUAL_LENGTH)

    @property
    def _current(self) -> VariantResult | None:
        index = self._shown.mapToSource(self._table.currentIndex())
        return self._model.rows[index.row()].result if index.isValid() else None

    def _choose(self, variant: Variant) -> None:
        """Go back to a row: the table forgets its own with every change."""
        rows = enumerate(self._model.rows)
        place = next((n for n, row in rows if row.result.variant is variant), None)
        if place is not None:
            self._table.setCurrentIndex(self._shown.mapFromSource(self._model.index(place, 0)))

    def _update_hint(self) -> None:
        self._table.set_hint(
            self.tr("Every variant failed. Untick “Hide failed” to see why.")
            if self._result.rows
            else self.tr(
                "No sweep has been run yet.\n"
                "Say what is varied, and run it: each variant has a row here."
            )
        )

    @Slot(bool)
    def _on_hide_toggled(self, on: bool) -> None:
        self._shown.hide_failed(on)

    @Slot()
    def _on_activated(self) -> None:
        if self._current is not None:
            self.variant_activated.emit(self._current)


def _facts(rows: tuple[SweepRow, ...]) -> str:
    if not rows:
        return ""
    best = next((row for row in rows if row.is_best), None)
    ran, built = sum(row.result.ok for row in rows), sum(row.is_built for row in rows)
    translate = QCoreApplication.translate
    if built and not ran:
        told = translate("SweepTable", "{count:,} of {total:,} variants are built")
        return told.format(count=built, total=len(rows))
    told = translate("SweepTable", "{count:,} of {total:,} variants ran and are right")
    told = told.format(count=ran, total=len(rows))
    if best is None:
        return told
    named = translate("SweepTable", "best: {name}").format(name=best.result.variant.label)
    return f"{told} · {named}"
