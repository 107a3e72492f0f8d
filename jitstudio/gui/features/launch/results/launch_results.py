"""All that came of a launch, in five panes.

Shows values of `core.launch` and reports places and actions by signals; knows no service.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from jitstudio.analysis.key_figures import Figure
from jitstudio.core.launch.device import Device
from jitstudio.core.launch.result import LaunchResult
from jitstudio.gui.features.launch.results.buffer_view import BufferView
from jitstudio.gui.features.launch.results.console_view import ConsoleView
from jitstudio.gui.features.launch.results.counts_view import CountsView
from jitstudio.gui.features.launch.results.result_view import ResultView
from jitstudio.gui.features.launch.results.timing_view import TimingView, timing_plots
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.late_import import LateImport
from jitstudio.gui.kit.parts import place_of_pages
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import current_theme, follow_theme


class LaunchResults(QWidget):
    """Result, buffers, timing, counts and console.

    Attributes:
        result: How the launch ended.
        buffers: The buffers after the launch.
        timing: How long it took.
        counts: The counts of each line in the simulator.
        console: The printed text of the kernel.

    Signals:
        location_activated: The user went to a place in the source: file, line; 0 where unknown.
        ptx_line_activated: The user went to a line of the PTX.
        step_requested: The user wants to step through a simulated thread: a `ThreadPlace`.
        reported: Something was done that cannot be seen.
    """

    location_activated = Signal(str, int)
    ptx_line_activated = Signal(int)
    step_requested = Signal(object)
    reported = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("launchResults")

    def fill(self) -> Iterator[None]:
        """Makes the five panes, in parts that keep no window waiting."""
        # Older than its pages: Tab goes through children by their age.
        self._tabs = QTabWidget(self)
        pages = place_of_pages(self._tabs)
        self.result = ResultView(pages)
        self.buffers = BufferView(pages)
        yield
        self.timing = TimingView(pages)
        self.counts = CountsView(pages)
        self.console = ConsoleView(pages)
        yield
        self._tabs.setObjectName("launchResultTabs")
        self._tabs.setAccessibleName(self.tr("Results of the launch"))
        self._tabs.setDocumentMode(True)
        for pane, title in (
            (self.result, self.tr("Result")),
            (self.buffers, self.tr("Buffers")),
            (self.timing, self.tr("Timing")),
            (self.counts, self.tr("Counts")),
            (self.console, self.tr("Console")),
        ):
            self._tabs.addTab(pane, title)
        self._has_streamed = False
        self._preparing: LateImport | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._tabs)
        self.setFocusProxy(self._tabs)
        self.result.location_activated.connect(self.location_activated)
        self.result.step_requested.connect(self.step_requested)
        self.counts.location_activated.connect(self.location_activated)
        self.counts.ptx_line_activated.connect(self.ptx_line_activated)
        self.buffers.reported.connect(self.reported)
        follow_theme(self, LaunchResults._mark_result)

    @property
    def tabs(self) -> QTabWidget:
        """The five panes."""
        return self._tabs

    @Slot(object, object)
    def show_result(self, result: LaunchResult | None, device: Device | None = None) -> None:
        """Shows the result of a launch on a device; None before the first."""
        if result is not None:
            self._prepare_plots()
        self.result.show_result(result)
        self._mark_result()
        self.buffers.show_result(result)
        self.timing.show_result(result, device)
        self.counts.show_result(result)
        if not self._has_streamed:
            self.console.set_text(result.console if result else "")
        self._has_streamed = False
        self._name_console()

    def show_cause(self, figure: Figure) -> None:
        """Leads to the first check, a failed one if any, or to the line with most of a count."""
        if figure is Figure.CHECKS:
            self._tabs.setCurrentWidget(self.result)
            self.result.choose_check()
        else:
            self._tabs.setCurrentWidget(self.counts)
            self.counts.choose_most(figure)

    @Slot()
    def begin(self) -> None:
        """Empty the console for the launch that begins; the rest stays until there is better."""
        self.console.clear()
        self._has_streamed = False
        self._name_console()

    @Slot(str)
    def show_progress(self, doing: str) -> None:
        """Shows the progress of the running launch."""
        self.result.show_progress(doing)
        self._mark_result()

    @Slot(str)
    def append_console(self, text: str) -> None:
        """Adds newly printed text of the kernel."""
        self.console.append_text(text)
        self._has_streamed = True
        self._name_console()

    def _prepare_plots(self) -> None:
        """Imports the plots before they are needed."""
        if self._preparing is None:
            self._preparing = LateImport(self)
            self._preparing.start(timing_plots)

    def _mark_result(self) -> None:
        """Marks the tab of a launch with problems, as the tab may be out of sight."""
        said = self.result.headline
        is_bad = said.mark in {"error", "warning"}
        drawn = icon(said.mark, getattr(current_theme().marks, said.mark)) if is_bad else QIcon()
        index = self._tabs.indexOf(self.result)
        self._tabs.setTabIcon(index, drawn)
        self._tabs.setTabToolTip(index, plain_tooltip(said.text if is_bad else ""))

    def _name_console(self) -> None:
        """Says in the tab that something was printed, as the tab may be out of sight otherwise."""
        has_text = self._has_streamed or bool(self.console.text)
        title = self.tr("Console •") if has_text else self.tr("Console")
        self._tabs.setTabText(self._tabs.indexOf(self.console), title)
