"""Which instructions a kernel consists of: a table of classes above two plots."""

from __future__ import annotations

from PySide6.QtCore import QSortFilterProxyModel, Qt, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.gui.features.report.class_rows import CLASS_COLUMNS, ClassRow, class_rows, mix
from jitstudio.gui.features.report.reading import Reading
from jitstudio.gui.kit.lazy_widget import LazyWidget
from jitstudio.gui.kit.presentation import SORT_ROLE
from jitstudio.gui.kit.rows import RowsModel
from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.kit.turning_splitter import TurningSplitter

_SHARES = (4, 5)
_WIDE = 1.6


class InstructionsPage(QWidget):
    """The classes of instructions with their counts, and the mix as bars."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reportInstructions")
        self._model: RowsModel[ClassRow] = RowsModel(CLASS_COLUMNS, self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._model)
        self._sorted.setSortRole(SORT_ROLE)
        self.table = self._make_table()
        self.plots = LazyWidget(_plots, self.tr("There is no instruction."), self)
        self._split = TurningSplitter(self.table, self.plots, _SHARES, _WIDE, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._split)

    @property
    def rows(self) -> tuple[ClassRow, ...]:
        """The classes with their counts."""
        return self._model.rows

    def show_reading(self, reading: Reading) -> None:
        """Show another kernel."""
        self._model.set_rows(class_rows(reading))
        self.plots.show_value(mix(reading) if self._model.rows else None)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self.table.set_theme(theme)
        self.plots.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turn as the pane asks for."""
        super().resizeEvent(event)
        self._split.fit(event.size())

    def _make_table(self) -> PanelTable:
        table = PanelTable(self.tr("Instructions by class"), self)
        table.setObjectName("classesTable")
        table.setModel(self._sorted)
        table.set_columns(stretched=1, widths={0: 13, 2: 9, 3: 9})
        table.setSortingEnabled(True)
        table.horizontalHeader().setSortIndicatorClearable(True)
        table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        table.add_command(self.tr("&Copy table"), self._copy, "Ctrl+C")
        return table

    @Slot()
    def _copy(self) -> None:
        lines = (f"{row.group}\t{row.title}\t{row.count}\t{row.share:.4f}" for row in self.rows)
        QGuiApplication.clipboard().setText("\n".join(lines))


def _plots() -> type[QWidget]:
    from jitstudio.gui.features.report.mix_plots import MixPlots

    return MixPlots
