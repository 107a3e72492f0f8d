"""Lists the kernels of a build, and has the current kernel reported on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Event

from PySide6.QtCore import QObject, Slot

from jitstudio.analysis.sass.model import SassFunction
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.simulation import Simulation
from jitstudio.core.result import Kernel
from jitstudio.gui.context import Context
from jitstudio.gui.features.report.model import KernelReading, read
from jitstudio.gui.features.report.view import ReportView
from jitstudio.gui.listing.kernel_pane import KernelCode, KernelReader
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.navigation import CausePlace, KernelPlace, Navigator
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.outputs import Outputs
from jitstudio.listing.lines import NOWHERE


def install(context: Context) -> Iterator[None]:
    """Makes the panes "Report" and "Kernels", in parts."""
    state, shell = context.state, context.shell
    view = ReportView(parent=shell.layout.place("report"))
    yield
    shell.layout.fill("report", view)
    shell.layout.fill("kernels", view.kernel_list)

    def show_cause(place: CausePlace) -> None:
        view.show_cause(place)
        shell.layout.bring_up(view)

    context.navigator.lead(CausePlace, show_cause)
    view.location_activated.connect(context.navigator.go_to_source)
    ReportController(
        view,
        state.disassembly,
        state.documents,
        state.launches,
        state.outputs,
        context.listings,
        context.navigator,
        shell,
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
        outputs: Outputs,
        listings: Mapping[CodeKind, OutputPane],
        navigator: Navigator,
        shell: Shell,
    ) -> None:
        super().__init__(view)
        self._shell = shell
        self._listings = listings
        self._disassembly = disassembly
        self._documents = documents
        self._launches = launches
        self._outputs = outputs
        self._view = view
        view.ptx_line_activated.connect(self._on_ptx_line_activated)
        view.instruction_activated.connect(self._on_instruction_activated)
        outputs.result_changed.connect(self._on_result_changed)
        go_to = navigator.go_to
        kernels = view.kernel_list
        kernels.kernel_chosen.connect(self._on_kernel_chosen)
        kernels.kernel_activated.connect(lambda k: go_to(KernelPlace(CodeKind.SASS, k)))
        kernels.ptx_requested.connect(lambda k: go_to(KernelPlace(CodeKind.PTX, k)))
        disassembly.changed.connect(self._show_current)
        disassembly.kernel_changed.connect(self._show_current)
        sass = listings[CodeKind.SASS]
        reader = KernelReader(view, disassembly, sass, _read, self._simulation_of)
        launches.simulated_changed.connect(reader.update)
        self._on_result_changed()

    def _simulation_of(self, function: SassFunction) -> Simulation | None:
        run = self._launches.simulated
        return run.simulation if run and run.lowered == function.name else None

    @Slot()
    def _on_result_changed(self) -> None:
        self._view.kernel_list.show_result(self._outputs.shown_result)
        self._show_current()

    @Slot()
    def _show_current(self) -> None:
        inspection, function = self._disassembly.current, self._disassembly.function
        if inspection is not None and function is not None:
            self._view.kernel_list.show_current(inspection.name, function.name)

    @Slot(Kernel)
    def _on_kernel_chosen(self, kernel: Kernel) -> None:
        self._listings[CodeKind.SASS].go_to_kernel(kernel.module, kernel.name)
        self._disassembly.set_kernel(kernel.name)

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


def _read(code: KernelCode, _stop: Event) -> KernelReading:
    inspection, function, simulation = code
    resources = inspection.result.resources_of(function.name, inspection.name)
    unknown = " ".join(inspection.code.notes)
    return read(function, resources, inspection.target, simulation, inspection.name, unknown)
