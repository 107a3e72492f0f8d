"""What may cost time in a kernel: a table, and below it what the current row means."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from jitstudio.analysis.findings.model import Finding
from jitstudio.gui.features.report.finding_rows import (
    FINDING_COLUMNS,
    explanation,
    findings_as_text,
)
from jitstudio.gui.kit.presentation import SORT_ROLE
from jitstudio.gui.kit.rows import RowsModel
from jitstudio.gui.kit.tables import ENTER_KEYS, PanelTable
from jitstudio.gui.kit.theme import Theme


class FindingsList(QWidget):
    """A table of findings with an explanation; the first is explained until one is chosen.

    Attributes:
        table: The table, over a sorted form of the findings.

    Signals:
        location_activated: The user went to a place in the source: file, line.
        ptx_line_activated: The user went to a line of the PTX, as the source is not known.
        instruction_activated: The user wants to see the instruction with this index.
    """

    location_activated = Signal(str, int)
    ptx_line_activated = Signal(int)
    instruction_activated = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model: RowsModel[Finding] = RowsModel(FINDING_COLUMNS, self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._model)
        self._sorted.setSortRole(SORT_ROLE)
        self._words = self._make_words()
        self.table = self._make_table()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.table, 1)
        column.addWidget(self._words)
        self.setFocusProxy(self.table)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is listed."""
        return self._model.rows

    @property
    def words(self) -> str:
        """What explains the current finding; empty where there is none."""
        return self._words.text()

    def show_findings(self, findings: tuple[Finding, ...]) -> None:
        """List the findings of another kernel."""
        self._model.set_rows(findings)
        self.table.set_hint(self.tr("Nothing was found that is likely to cost time."))
        self._update_words()

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self.table.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the words anew."""
        super().resizeEvent(event)
        self._fit_words()

    def _make_table(self) -> PanelTable:
        table = PanelTable(self.tr("Findings"), self)
        table.setObjectName("findingsTable")
        table.setModel(self._sorted)
        table.set_columns(stretched=0, widths={1: 20, 2: 13})
        table.hide_when_narrow(2)
        table.setSortingEnabled(True)
        table.horizontalHeader().setSortIndicatorClearable(True)
        table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)  # as the rules are
        table.clicked.connect(self._on_activated)
        table.selectionModel().currentChanged.connect(self._update_words)
        self._sorted.layoutChanged.connect(self._update_words)
        table.add_command(self.tr("&Go to source"), self._on_activated, *ENTER_KEYS)
        table.add_command(self.tr("Show in &SASS"), self._on_sass_wanted, "Ctrl+Return")
        table.add_command(self.tr("&Copy all"), self._copy, "Ctrl+C")
        return table

    def _make_words(self) -> QLabel:
        words = QLabel(self)
        words.setObjectName("findingWords")
        words.setAccessibleName(self.tr("What the finding means and what can be done"))
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.setWordWrap(True)
        words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        words.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        words.setContentsMargins(12, 8, 12, 10)
        words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        return words

    def _fit_words(self) -> None:
        """Leave them as much room as they take, but never all."""
        if self.words:
            needed = self._words.heightForWidth(self.width())
            self._words.setFixedHeight(min(needed, self.height() // 2))

    def _finding(self) -> Finding | None:
        current = self.table.currentIndex()
        index = current if current.isValid() else self._sorted.index(0, 0)
        row = self._row(index)
        return self.findings[row] if row >= 0 else None

    def _row(self, index: QModelIndex) -> int:
        return self._sorted.mapToSource(index).row()

    @Slot()
    def _update_words(self) -> None:
        finding = self._finding()
        self._words.setText(explanation(finding) if finding else "")
        self._words.setVisible(finding is not None)
        self._fit_words()

    @Slot()
    def _on_activated(self) -> None:
        finding = self._finding()
        if finding is not None and finding.places:
            self.location_activated.emit(*finding.places[0])
        elif finding is not None and finding.ptx_line:
            self.ptx_line_activated.emit(finding.ptx_line)
        else:
            self._on_sass_wanted()

    @Slot()
    def _on_sass_wanted(self) -> None:
        finding = self._finding()
        if finding is not None and finding.indices:
            self.instruction_activated.emit(finding.indices[0])

    @Slot()
    def _copy(self) -> None:
        if self.findings:
            QGuiApplication.clipboard().setText(findings_as_text(self.findings))
