"""The Report pane: a kernel in numbers, findings on performance, and the occupancy."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QSizePolicy,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from jitstudio.analysis.findings.model import Finding, nothing_found
from jitstudio.analysis.key_figures import Figure
from jitstudio.core.figures import FIGURES
from jitstudio.gui.features.report.kernels import KernelsView
from jitstudio.gui.features.report.model import (
    CLASS_COLUMNS,
    FIGURE_COLUMNS,
    FINDING_COLUMNS,
    ClassRow,
    KernelReading,
    ReportFigure,
    class_rows,
    explanation,
    figures,
    findings_as_text,
    longest_name,
    mix,
)
from jitstudio.gui.features.report.occupancy_page import OccupancyPage
from jitstudio.gui.kit.lazy_widget import LazyWidget
from jitstudio.gui.kit.parts import TurningSplitter, explain_by
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.gui.kit.tables import ENTER_KEYS
from jitstudio.gui.listing.kernel_pane import KernelNames, KernelPane
from jitstudio.gui.shell.navigation import CausePlace
from jitstudio.listing.lines import NOWHERE


class FindingsList(QWidget):
    """A table of findings, with an explanation of the chosen finding or the first.

    Attributes:
        table: The table.

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
        self._without = ""
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
        """The listed findings."""
        return self.table.rows

    @property
    def words(self) -> str:
        """The explanation of the current finding, or the checks that were made if there is none."""
        return self._words.text()

    def show_findings(self, findings: tuple[Finding, ...], *, is_simulated: bool = False) -> None:
        """Lists the findings of another kernel, or names the checks that were made.

        Args:
            findings: Code that may cost time.
            is_simulated: Whether those of a simulated run are among them.
        """
        self.table.set_rows(findings)
        self._without = nothing_found(is_simulated=is_simulated)
        self.table.set_hint(self.tr("No rule applies to this code."))
        self._update_words()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Breaks the words anew."""
        super().resizeEvent(event)
        self._fit_words()

    def _make_table(self) -> RowsTable[Finding]:
        table = RowsTable(self.tr("Findings"), "findingsTable", FINDING_COLUMNS, self)
        table.set_columns(stretched=0, widths={1: 20, 2: 13})
        table.hide_when_narrow(2)
        table.clicked.connect(self._on_activated)
        table.selectionModel().currentChanged.connect(self._update_words)
        table.model().layoutChanged.connect(self._update_words)
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
        """Leaves the words as much room as necessary, but never all."""
        if self.words:
            # A label never takes less than its least height, which is that of the words before.
            self._words.setMinimumHeight(0)
            needed = self._words.heightForWidth(self.width())
            self._words.setFixedHeight(min(needed, self.height() // 2))

    def _finding(self) -> Finding | None:
        return self.table.current or next(iter(self.table.sorted_rows), None)

    @Slot()
    def _update_words(self) -> None:
        finding = self._finding()
        words = explanation(finding) if finding else self._without
        self._words.setText(words)
        self._words.setVisible(bool(words))
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


_SPILLS = "spills"
"""The rule about spilled registers."""

# From how many times its height on the pane counts as wide, and what the figures get of it then.
_WIDE_OVERVIEW = 1.8
_FIGURES_SHARE = 0.4
# What they get of a high one at most.
_FIGURES_MOST = 0.5
_BELOW_ROWS = 6


class OverviewPage(QWidget):
    """Figures and findings.

    Attributes:
        figures_table: The figures of the kernel.
        findings: Code that may cost time.

    Signals:
        instruction_activated: The user wants to see the instruction with this index.
    """

    instruction_activated = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reportOverview")
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
    def figures(self) -> tuple[ReportFigure, ...]:
        """The figures of the kernel."""
        return self.figures_table.rows

    def show_reading(self, reading: KernelReading) -> None:
        """Shows another kernel."""
        self.figures_table.set_rows(figures(reading))
        is_simulated = reading.simulation is not None
        self.findings.show_findings(reading.findings, is_simulated=is_simulated)
        self._share_room()

    def go_to_cause(self, figure: Figure) -> None:
        """Chooses the finding or the row that a key figure comes from, if there is any."""
        if figure is Figure.SPILLS:
            findings = self.findings.findings
            rules = [finding.rule for finding in findings]
            if _SPILLS in rules:
                self.findings.table.choose(rules.index(_SPILLS))
                return
        wanted = "spill_stores" if figure is Figure.SPILLS else "registers"
        label = QCoreApplication.translate("Figures", FIGURES[wanted].label)
        names = [row.name for row in self.figures]
        if label in names:
            self.figures_table.choose(names.index(label))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shares the room anew."""
        super().resizeEvent(event)
        self._share_room()

    def _make_table(self) -> RowsTable[ReportFigure]:
        name = self.tr("Resources of the kernel")
        table = RowsTable(name, "figuresTable", FIGURE_COLUMNS, self, is_sortable=False)
        table.horizontalHeader().hide()
        table.set_columns(stretched=1, widths={0: longest_name() + 2})
        table.add_activation(self.tr("Show in &SASS"), self._on_activated)
        table.add_copying()
        return table

    def _share_room(self) -> None:
        """Puts the figures above the findings at full height, or next to them in a wide pane."""
        is_wide = self.width() > _WIDE_OVERVIEW * self.height()
        wanted = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        if wanted != self._split.orientation():
            self._split.setOrientation(wanted)
            self._is_shared_by_user = False
        if self._is_shared_by_user:
            return
        row = self.figures_table.verticalHeader().defaultSectionSize()
        needed = len(self.figures) * row + _BELOW_ROWS
        length = self.width() if is_wide else self.height()
        share = length * _FIGURES_SHARE if is_wide else min(needed, length * _FIGURES_MOST)
        self._split.setSizes([int(share), length - int(share)])

    @Slot()
    def _on_splitter_moved(self) -> None:
        self._is_shared_by_user = True

    def _on_activated(self, figure: ReportFigure) -> None:
        if figure.index != NOWHERE:
            self.instruction_activated.emit(figure.index)


_SHARES = (4, 5)
_WIDE = 1.6


class InstructionsPage(QWidget):
    """The classes of instructions with their counts, and the mix as bars."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reportInstructions")
        self.table = self._make_table()
        self.plots = LazyWidget(_plots, self.tr("There is no instruction."), self)
        self._split = TurningSplitter(self.table, self.plots, _SHARES, _WIDE, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._split)

    @property
    def rows(self) -> tuple[ClassRow, ...]:
        """The classes with their counts."""
        return self.table.rows

    def show_reading(self, reading: KernelReading) -> None:
        """Shows another kernel."""
        self.table.set_rows(class_rows(reading))
        self.plots.show_value(mix(reading) if self.rows else None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turns as the pane asks for."""
        super().resizeEvent(event)
        self._split.fit(event.size())

    def _make_table(self) -> RowsTable[ClassRow]:
        table = RowsTable(self.tr("Instructions by class"), "classesTable", CLASS_COLUMNS, self)
        table.set_columns(stretched=1, widths={0: 13, 2: 9, 3: 9})
        table.add_copying()
        return table


def _plots() -> type[QWidget]:
    from jitstudio.gui.features.report.plots import MixPlots

    return MixPlots


_LEAST_HEIGHT = 60


class ReportView(KernelPane):
    """The kernels of the build, above a choice of functions and three pages on the chosen function.

    Attributes:
        kernel_list: The kernels with their resources.
        overview: Figures and findings.
        occupancy: How full a multiprocessor gets.
        instructions: The counts of instructions.

    Signals:
        location_activated: The user went to a place in the source: file, line.
        ptx_line_activated: The user went to a line of the PTX.
        instruction_activated: The user wants to see the instruction with this index.
    """

    location_activated = Signal(str, int)
    ptx_line_activated = Signal(int)
    instruction_activated = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("report", parent)
        self.kernel_list = KernelsView(self)
        explain_by(self.kernel_list, "kernels")
        # Older than its pages: Tab goes through children by their age.
        self.tabs = self._make_tabs()
        self.overview = OverviewPage(self)
        self.occupancy = OccupancyPage(self)
        self.instructions = InstructionsPage(self)
        self._lowered = ""
        # The figure that the next reading leads to the cause of.
        self._wanted: Figure | None = None
        self._pages = (self.overview, self.occupancy, self.instructions)
        self._add_pages()
        self.set_content(self.tabs)
        self.add_above(self.kernel_list)
        self.overview.findings.location_activated.connect(self.location_activated)
        self.overview.findings.ptx_line_activated.connect(self.ptx_line_activated)
        self.overview.instruction_activated.connect(self.instruction_activated)

    def show_kernels(self, names: KernelNames, chosen: str) -> None:
        """Offers functions that the list above does not have, for example callees."""
        super().show_kernels(names, chosen)
        listed = {row.kernel.name for row in self.kernel_list.table.rows}
        self.set_choice_shown(any(lowered not in listed for lowered, _ in names))

    def show_reading(self, reading: KernelReading) -> None:
        """Reports on a kernel."""
        for page in self._pages:
            page.show_reading(reading)
        self._name_overview(len(reading.findings))
        super().show_reading(reading)
        self._lowered = reading.function.name
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self.overview.go_to_cause(wanted)

    def show_cause(self, place: CausePlace) -> None:
        """Leads to the cause of a key figure, as soon as the kernel is read."""
        if place.figure is Figure.OCCUPANCY:
            self.tabs.setCurrentWidget(self.occupancy)
            if place.threads is not None:
                self.occupancy.show_launch(place.lowered, place.threads, place.dynamic_shared)
        else:
            self.tabs.setCurrentWidget(self.overview)
            is_read = self.overview.isVisible() and self._lowered == place.lowered
            self._wanted = None if is_read else place.figure
            self.overview.go_to_cause(place.figure)

    def _make_tabs(self) -> QTabWidget:
        tabs = QTabWidget(self)
        tabs.setObjectName("reportTabs")
        tabs.setAccessibleName(self.tr("Pages of the report"))
        tabs.setDocumentMode(True)
        return tabs

    def _add_pages(self) -> None:
        titles = (self.tr("Overview"), self.tr("Occupancy"), self.tr("Instructions"))
        for page, title in zip(self._pages, titles, strict=True):
            # What is one above the other now turns in a flat pane, but not before it is flat.
            page.setMinimumHeight(_LEAST_HEIGHT)
            self.tabs.addTab(page, title)

    def _name_overview(self, count: int) -> None:
        """Says in the tab how much was found, as another page may be in front."""
        title = self.tr("Overview")
        message = self.tr("Overview ({count})").format(count=count) if count else title
        self.tabs.setTabText(self.tabs.indexOf(self.overview), message)
