"""One check in full: what was expected, how far off it is, the first elements that are wrong."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHeaderView, QVBoxLayout, QWidget

from jitstudio.core.launch.result import CheckResult, Mismatch
from jitstudio.gui.features.launch.models.launch_notes import check_figures
from jitstudio.gui.features.launch.models.mismatches import index_text, mismatch_columns
from jitstudio.gui.kit.parts import text_label
from jitstudio.gui.kit.rows import RowsModel
from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.kit.theme import Theme


class CheckDetails(QWidget):
    """Figures above a table of mismatches; the table is there where there are any."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("checkDetails")
        self._figures = text_label(self, "checkFigures")
        self._first = text_label(self, "checkFirst")
        self._first.setForegroundRole(self._first.palette().ColorRole.PlaceholderText)
        self._columns = mismatch_columns()
        self._model: RowsModel[Mismatch] = RowsModel(self._columns, self)
        self._table = PanelTable(self.tr("Elements that are wrong"), self)
        self._table.setObjectName("mismatchTable")
        self._table.setModel(self._model)
        self._table.set_columns(stretched=2, widths={0: 11})
        # They are compared with each other: neither may take the room of the other.
        self._table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self._table.add_command(self.tr("&Copy all"), self.copy_all, "Ctrl+C")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(4)
        for label in (self._figures, self._first):
            label.setContentsMargins(12, 0, 12, 0)
            column.addWidget(label)
        column.addWidget(self._table, 1)
        column.addStretch()
        self.setBackgroundRole(self.palette().ColorRole.Base)
        self.setAutoFillBackground(True)

    @property
    def figures(self) -> str:
        """How far off it is, in words."""
        return self._figures.text()

    @property
    def table(self) -> PanelTable:
        """The first elements that are wrong."""
        return self._table

    def show_check(self, check: CheckResult) -> None:
        """Show another check."""
        self._figures.setText(check_figures(check))
        self._model.set_rows(check.mismatches)
        count = len(check.mismatches)
        self._table.setVisible(bool(count))
        self._first.setVisible(0 < count < check.wrong)
        self._first.setText(self.tr("The first {count:,} of them:").format(count=count))

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._table.set_theme(theme)

    @Slot()
    def copy_all(self) -> None:
        """Put the table on the clipboard, for a spreadsheet."""
        rows = [[column.title for column in self._columns]]
        rows += [[index_text(m.index), m.got, m.expected] for m in self._model.rows]
        QGuiApplication.clipboard().setText("\n".join("\t".join(row) for row in rows))
