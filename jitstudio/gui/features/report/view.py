"""The Report pane: a kernel in numbers, what may cost time in it, and how full the GPU gets."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.features.report.instructions_page import InstructionsPage
from jitstudio.gui.features.report.occupancy_page import OccupancyPage
from jitstudio.gui.features.report.overview_page import OverviewPage
from jitstudio.gui.features.report.reading import Reading
from jitstudio.gui.kit.lazy_widget import hint_label
from jitstudio.gui.kit.theme import Theme

_LEAST_LETTERS = 12
_LEAST_HEIGHT = 60


class ReportView(QWidget):
    """A choice of the kernel above three pages, or words that say why there is no kernel.

    Attributes:
        overview: What it needs, and findings.
        occupancy: How full a multiprocessor gets.
        instructions: What it consists of.

    Signals:
        kernel_chosen: The user wants to see this kernel, by its lowered name.
        location_activated: The user went to a place in the source: file, line.
        ptx_line_activated: The user went to a line of the PTX.
        instruction_activated: The user wants to see the instruction with this index.
    """

    kernel_chosen = Signal(str)
    location_activated = Signal(str, int)
    ptx_line_activated = Signal(int)
    instruction_activated = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reportView")
        self.kernels = QComboBox(self)
        self.kernels.setObjectName("reportKernel")
        self.kernels.setAccessibleName(self.tr("Kernel or function"))
        self.kernels.setToolTip(self.tr("The kernel or function that is reported on"))
        self.kernels.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.kernels.setMinimumContentsLength(_LEAST_LETTERS)
        # Older than its pages: Tab goes through children by their age.
        self.tabs = self._make_tabs()
        self.overview = OverviewPage(self)
        self.occupancy = OccupancyPage(self)
        self.instructions = InstructionsPage(self)
        self._pages = (self.overview, self.occupancy, self.instructions)
        self._add_pages()
        self._hint = hint_label(self, "reportHint", "")
        self._stack = QStackedWidget(self)
        self._lay_out()
        self.setFocusProxy(self.tabs)
        self.kernels.activated.connect(self._on_activated)
        self.overview.findings.location_activated.connect(self.location_activated)
        self.overview.findings.ptx_line_activated.connect(self.ptx_line_activated)
        self.overview.instruction_activated.connect(self.instruction_activated)

    @property
    def hint(self) -> str:
        """Why there is no report; empty where there is one."""
        return self._hint.text() if self._stack.currentWidget() is self._hint else ""

    def show_kernels(self, names: tuple[tuple[str, str], ...], chosen: str) -> None:
        """Offer kernels, each by its lowered name and by that which is shown."""
        offered = tuple(
            (self.kernels.itemData(at), self.kernels.itemText(at))
            for at in range(self.kernels.count())
        )
        if offered != names:
            self.kernels.clear()
            for lowered, shown in names:
                self.kernels.addItem(shown, lowered)
        self.kernels.setCurrentIndex(self.kernels.findData(chosen))

    def show_reading(self, reading: Reading) -> None:
        """Report on a kernel."""
        for page in self._pages:
            page.show_reading(reading)
        self._name_overview(len(reading.findings))
        self._stack.setCurrentWidget(self._report)

    def show_hint(self, words: str) -> None:
        """Say why there is no report."""
        self._hint.setText(words)
        self._stack.setCurrentWidget(self._hint)

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        for page in self._pages:
            page.set_theme(theme)

    def _make_tabs(self) -> QTabWidget:
        tabs = QTabWidget(self)
        tabs.setObjectName("reportTabs")
        tabs.setAccessibleName(self.tr("Pages of the report"))
        tabs.setDocumentMode(True)
        return tabs

    def _add_pages(self) -> None:
        titles = (self.tr("Overview"), self.tr("Occupancy"), self.tr("Instructions"))
        for page, title in zip(self._pages, titles, strict=True):
            # What stands one above the other now turns in a flat pane, but not before it is flat.
            page.setMinimumHeight(_LEAST_HEIGHT)
            self.tabs.addTab(page, title)

    def _name_overview(self, count: int) -> None:
        """Say in the tab how much was found, as another page may be in front."""
        title = self.tr("Overview")
        told = self.tr("Overview ({count})").format(count=count) if count else title
        self.tabs.setTabText(self.tabs.indexOf(self.overview), told)

    def _lay_out(self) -> None:
        label = QLabel(self.tr("&Kernel"), self)
        label.setBuddy(self.kernels)
        top = QHBoxLayout()
        top.setContentsMargins(12, 6, 8, 6)
        top.setSpacing(8)
        top.addWidget(label)
        top.addWidget(self.kernels, 1)
        self._report = QWidget(self)
        column = QVBoxLayout(self._report)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.tabs, 1)
        self._stack.addWidget(self._hint)
        self._stack.addWidget(self._report)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)

    @Slot(int)
    def _on_activated(self, row: int) -> None:
        self.kernel_chosen.emit(self.kernels.itemData(row))
