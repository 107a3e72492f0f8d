"""What a kernel needs, above what may cost time in it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from jitstudio.analysis.sass.model import NOWHERE
from jitstudio.gui.features.report.figures import FIGURE_COLUMNS, Figure, figures
from jitstudio.gui.features.report.findings_list import FindingsList
from jitstudio.gui.features.report.reading import Reading
from jitstudio.gui.kit.rows import RowsModel
from jitstudio.gui.kit.tables import ENTER_KEYS, PanelTable
from jitstudio.gui.kit.theme import Theme

# From how many times its height on the pane counts as wide, and what the figures get of it then.
_WIDE = 1.8
_SHARE = 0.4
# What they get of a high one at most.
_MOST = 0.5
_BELOW_ROWS = 6


class OverviewPage(QWidget):
    """Figures and findings.

    Attributes:
        figures_table: What the kernel needs.
        findings: What may cost time.

    Signals:
        instruction_activated: The user wants to see the instruction with this index.
    """

    instruction_activated = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reportOverview")
        self._model: RowsModel[Figure] = RowsModel(FIGURE_COLUMNS, self)
        self.figures_table = self._make_table()
        self.findings = FindingsList(self)
        self._is_shared_by_user = False
        self._split = QSplitter(Qt.Orientation.Vertical, self, childrenCollapsible=False)
        self._split.addWidget(self.figures_table)
        self._split.addWidget(self.findings)
        self._split.splitterMoved.connect(self._on_splitter_moved)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._split)
        self.setFocusProxy(self.findings)
        self.findings.instruction_activated.connect(self.instruction_activated)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """What the kernel needs."""
        return self._model.rows

    def show_reading(self, reading: Reading) -> None:
        """Show another kernel."""
        self._model.set_rows(figures(reading))
        self.findings.show_findings(reading.findings)
        self._share_room()

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self.figures_table.set_theme(theme)
        self.findings.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the room anew."""
        super().resizeEvent(event)
        self._share_room()

    def _make_table(self) -> PanelTable:
        table = PanelTable(self.tr("What the kernel needs"), self)
        table.setObjectName("figuresTable")
        table.setModel(self._model)
        table.horizontalHeader().hide()
        table.set_columns(stretched=1, widths={0: 20})
        table.doubleClicked.connect(self._on_activated)
        table.add_command(self.tr("Show in &SASS"), self._on_activated, *ENTER_KEYS)
        table.add_command(self.tr("&Copy table"), self._copy, "Ctrl+C")
        return table

    def _share_room(self) -> None:
        """The figures as high as they are above the findings; beside them in a wide pane."""
        is_wide = self.width() > _WIDE * self.height()
        wanted = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        if wanted != self._split.orientation():
            self._split.setOrientation(wanted)
            self._is_shared_by_user = False
        if self._is_shared_by_user:
            return
        row = self.figures_table.verticalHeader().defaultSectionSize()
        needed = len(self.figures) * row + _BELOW_ROWS
        length = self.width() if is_wide else self.height()
        share = length * _SHARE if is_wide else min(needed, length * _MOST)
        self._split.setSizes([int(share), length - int(share)])

    @Slot()
    def _on_splitter_moved(self) -> None:
        self._is_shared_by_user = True

    @Slot()
    def _on_activated(self) -> None:
        row = self.figures_table.currentIndex().row()
        if 0 <= row < len(self.figures) and self.figures[row].index != NOWHERE:
            self.instruction_activated.emit(self.figures[row].index)

    @Slot()
    def _copy(self) -> None:
        lines = (f"{figure.name}\t{figure.text}" for figure in self.figures)
        QGuiApplication.clipboard().setText("\n".join(lines))
