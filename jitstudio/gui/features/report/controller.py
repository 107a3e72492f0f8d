"""Has the kernel that is looked at reported on, as long as the Report pane can be seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Event

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.simulation import Simulation
from jitstudio.gui.context import Context
from jitstudio.gui.features.report.model import KernelReading, read
from jitstudio.gui.features.report.view import ReportView
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.listing.hints import disassembly_hint
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.current_disassembly import CurrentDisassembly, Inspection
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.listing.lines import NOWHERE

_USER = "report"


def install(context: Context) -> Iterator[None]:
    """Makes the pane "Report", in parts."""
    state, shell = context.state, context.shell
    view = ReportView()
    yield
    shell.layout.fill("report", view)
    view.location_activated.connect(context.navigator.go_to_source)
    ReportController(
        view, state.disassembly, state.documents, state.launches, context.listings, shell
    )
    sass = context.listings[CodeKind.SASS]
    shell.stale_marks.add(view, lambda: sass.is_old)
    shell.context_menus.add_to_tables(view)


class ReportController(QObject):
    """Ties the Report pane to the analysis of the machine code."""

    def __init__(
        self,
        view: ReportView,
        disassembly: CurrentDisassembly,
        documents: Documents,
        launches: LaunchController,
        listings: Mapping[CodeKind, OutputPane],
        shell: Shell,
    ) -> None:
        super().__init__(view)
        self._shell = shell
        self._listings = listings
        self._disassembly = disassembly
        self._documents = documents
        self._launches = launches
        self._view = view
        self._shown: tuple[Inspection, str, Simulation | None] | None = None
        self._background = Background(self)
        self._background.done.connect(self._on_read)
        self._background.failed.connect(self._view.show_hint)
        self._disassembly.changed.connect(self._update)
        self._disassembly.kernel_changed.connect(self._update)
        listings[CodeKind.SASS].code.spelt.connect(self._update)
        launches.simulated_changed.connect(self._update)
        self._view.kernel_chosen.connect(self._disassembly.set_kernel)
        self._view.ptx_line_activated.connect(self._on_ptx_line_activated)
        self._view.instruction_activated.connect(self._on_instruction_activated)
        self._view.show_hint(disassembly_hint(self._disassembly))
        Visibility(self._view, self, self._on_visibility_changed)

    @Slot(bool)
    def _on_visibility_changed(self, visible: bool) -> None:
        self._disassembly.want(_USER, visible)
        self._update()

    @Slot()
    def _update(self) -> None:
        """Reports on the current kernel, unless shown already or out of sight."""
        inspection, function = self._disassembly.current, self._disassembly.function
        if not self._view.isVisible() or self._may_stay():
            return
        if inspection is None or function is None:
            self._shown = None
            self._background.stop()
            self._view.show_hint(disassembly_hint(self._disassembly))
            return
        spelling = self._listings[CodeKind.SASS].code.spelling
        names = tuple((name, spelling.name(shown)) for name, shown in inspection.readable)
        self._view.show_kernels(names, function.name)
        run = self._launches.simulated
        simulation = run.simulation if run and run.lowered == function.name else None
        if self._shown != (inspection, function.name, simulation):
            self._shown = (inspection, function.name, simulation)
            resources = inspection.result.resources_of(function.name, inspection.name)
            arch, module = inspection.target, inspection.name
            unknown = " ".join(inspection.code.notes)

            def work(_stop: Event) -> KernelReading:
                return read(function, resources, arch, simulation, module, unknown)

            self._background.start(work)

    def _may_stay(self) -> bool:
        """Returns whether the shown report is about to be replaced by the same, built again."""
        outgoing = self._disassembly.outgoing
        return self._shown is not None and self._shown[0] is outgoing

    @Slot(object)
    def _on_read(self, reading: KernelReading) -> None:
        self._view.show_reading(reading)

    @Slot(int)
    def _on_ptx_line_activated(self, line: int) -> None:
        inspection = self._disassembly.current
        if inspection is None:
            return
        document = self._documents.named(inspection.name)
        pane = self._listings[CodeKind.PTX]
        if document is not None and document.kind is CodeKind.PTX:
            self._view.location_activated.emit(document.name, line)
        elif pane.go_to(inspection.name, line):
            self._shell.layout.uncover(pane)

    @Slot(int)
    def _on_instruction_activated(self, index: int) -> None:
        inspection, function = self._disassembly.current, self._disassembly.function
        line = inspection.rows.line(function, index) if inspection and function else NOWHERE
        if line != NOWHERE:
            pane = self._listings[CodeKind.SASS]
            self._shell.layout.uncover(pane)
            pane.code_view.go_to(line + 1)
