"""The launch panel, form above and results below, in step with the launches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Qt, Slot
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.device import SIMULATOR, DeviceList
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import LaunchConfig
from jitstudio.core.launch.result import (
    KernelFacts,
    LaunchOutcome,
    LaunchResult,
    SimulationForecast,
    unlaunched,
)
from jitstudio.gui.context import Context
from jitstudio.gui.features.launch.form.launch_form import LaunchForm
from jitstudio.gui.features.launch.models.launch_text import config_text
from jitstudio.gui.features.launch.results.launch_results import LaunchResults
from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.shell.context_menus import OF_LAUNCHES
from jitstudio.gui.shell.navigation import RunPlace, StepPlace
from jitstudio.gui.shell.notice_bar import NoticeAction
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import LaunchSpecs

_WITHOUT_GPU = ("focusReportAction", "sweepAction", "saveProjectAsAction", "listDevicesAction")


_FORECAST = "forecast"
"""By which the notice about a long simulation is known."""

# Of the height of the panel, in any unit.
_SHARES = (480, 420)


def install(context: Context) -> Iterator[None]:
    """Makes the pane "Launch", in parts."""
    state, shell = context.state, context.shell
    view = LaunchPanel(shell.layout.place("launch"))
    shell.layout.fill("launch", view)
    yield from view.fill(state.launch_specs)
    yield
    LaunchPaneController(view, state.launches, state.launch_specs, context.listings, shell)
    shell.context_menus.add_to_tables(view, OF_LAUNCHES)
    launches = state.launches
    other = QCoreApplication.translate(
        "Launch", "These results are of other code: of another tab, or from before a change."
    )
    shell.stale_marks.add(view.results, lambda: launches.is_result_behind, why=other)
    launches.code_changed.connect(shell.stale_marks.update)
    view.form.fix_requested.connect(context.fixer.apply)
    view.results.location_activated.connect(context.navigator.go_to_source)

    def show_cause(place: RunPlace) -> None:
        view.results.show_cause(place.figure)
        shell.layout.bring_up(view.results)

    context.navigator.lead(RunPlace, show_cause)
    view.results.step_requested.connect(lambda place: context.navigator.go_to(StepPlace(place)))


class LaunchPaneController(QObject):
    """Shows kernels, GPUs, problems and results, and hands on the user's input."""

    def __init__(
        self,
        view: LaunchPanel,
        launches: LaunchController,
        launch_specs: LaunchSpecs,
        listings: Mapping[CodeKind, OutputPane],
        shell: Shell,
    ) -> None:
        panel = view
        super().__init__(panel)
        self._shell = shell
        self._view = view
        self._launches = launches
        self._specs = launch_specs
        self._ptx = listings[CodeKind.PTX]
        self._form, self._results = panel.form, panel.results
        self._problems: tuple[SpecProblem, ...] = ()
        # How many blocks are to be simulated once the launch of all has ended.
        self._fewer = 0
        self._form.spec_changed.connect(self._specs.edit)
        self._form.kernel_chosen.connect(self._specs.choose)
        self._form.device_chosen.connect(self._launches.choose_device)
        self._launches.devices_changed.connect(self._on_devices_changed)
        self._launches.problems_changed.connect(self._on_problems_changed)
        self._launches.config_changed.connect(self._on_config_changed)
        self._launches.facts_changed.connect(self._on_facts_changed)
        self._launches.running_changed.connect(self._form.set_running)
        self._launches.progressed.connect(self._results.show_progress)
        self._launches.printed.connect(self._results.append_console)
        self._launches.foretold.connect(self._on_foretold)
        self._launches.finished.connect(self._on_finished)
        self._launches.forgotten.connect(self._on_forgotten)
        panel.results.reported.connect(shell.status.show_message)
        panel.results.ptx_line_activated.connect(self._on_ptx_line_activated)
        self._connect_actions(shell.actions)
        if launches.devices is not None:
            self._on_devices_changed(launches.devices)
        launches.review()
        self._has_looked = False
        Visibility(panel, self, self._on_visibility_changed)

    def _on_visibility_changed(self, is_seen: bool) -> None:
        """Looks for GPUs the first time: that starts a process, which few builds need."""
        if is_seen and not self._has_looked:
            self._has_looked = True
            self._launches.list_devices()

    def _connect_actions(self, actions: Actions) -> None:
        run, stop = actions["runAction"], actions["stopRunAction"]
        self._form.set_actions(run, stop, [actions[name] for name in _WITHOUT_GPU])
        actions.bind({"runAction": self._on_run, "simulateAction": self._on_simulate})

    @Slot()
    def _on_simulate(self) -> None:
        """Chooses the simulator, as in the form, and launches there."""
        self._launches.choose_device(SIMULATOR)
        self._form.set_device(SIMULATOR)
        self._on_run()

    @Slot()
    def _on_run(self) -> None:
        """Launches the kernel with the form's configuration."""
        self._shell.layout.uncover(self._view)
        self._form.finish_editing()
        if unreadable := self._form.unreadable:
            self._show_problems()
            title = self._specs.form.title if self._specs.form else ""
            self._on_finished(unlaunched(title, LaunchOutcome.REFUSED, unreadable))
            return
        self._results.begin()
        if self._specs.form is not None:
            message = self.tr("Running {kernel}").format(kernel=self._specs.form.title)
            self._shell.status.show_message(message)
        self._launches.run()

    @Slot(DeviceList)
    def _on_devices_changed(self, devices: DeviceList) -> None:
        self._form.set_devices(devices)
        missing = self.tr("compute-sanitizer is not installed; it comes with the CUDA toolkit.")
        self._form.set_sanitizer_problem("" if devices.sanitizer else missing)
        if self._launches.device is not None:
            self._form.set_device(self._launches.device.ordinal)

    @Slot(tuple)
    def _on_problems_changed(self, problems: tuple[SpecProblem, ...]) -> None:
        self._problems = problems
        self._show_problems()

    @Slot(int)
    def _on_ptx_line_activated(self, line: int) -> None:
        run = self._launches.simulated
        if run is not None and self._ptx.go_to(*run.ptx.place_of(line)):
            self._shell.layout.uncover(self._ptx)

    @Slot(object)
    def _on_config_changed(self, config: LaunchConfig | None) -> None:
        self._form.show_summary(config_text(config) if config is not None else "")

    @Slot(object)
    def _on_facts_changed(self, facts: KernelFacts | None) -> None:
        if facts is None:
            self._form.set_suggestion(None, None)
        else:
            self._form.set_suggestion(facts.suggested_block, facts.suggested_occupancy)

    @Slot(SimulationForecast)
    def _on_foretold(self, forecast: SimulationForecast) -> None:
        """Warns of a long simulation, and offers to simulate fewer blocks."""
        message = self.tr("Simulate {count:,} of {blocks:,} blocks instead")
        label = message.format(count=forecast.fewer, blocks=forecast.blocks)
        fewer = NoticeAction("simulateFewer", label, partial(self._simulate_fewer, forecast.fewer))
        choices = (fewer,) if forecast.fewer < forecast.blocks else ()
        self._shell.notices.ask(_FORECAST, forecast.words, choices)

    def _simulate_fewer(self, count: int) -> None:
        self._fewer = count
        self._launches.cancel()

    @Slot(LaunchResult)
    def _on_finished(self, result: LaunchResult) -> None:
        self._shell.notices.withdraw(_FORECAST)
        if self._fewer:
            self._specs.edit(replace(self._specs.spec, blocks=self._fewer))
            self._specs.replaced.emit()
            self._fewer = 0
            self._on_run()
            return
        self._results.show_result(result, self._launches.device)
        if result.outcome is LaunchOutcome.REFUSED:
            self._reveal_error()

    @Slot()
    def _on_forgotten(self) -> None:
        self._results.begin()
        self._results.show_result(None)

    def _reveal_error(self) -> None:
        """Leads to the first field that forbids the launch."""
        problems = (*self._form.unreadable, *self._problems)
        places = (p.where for p in problems if p.severity is Severity.ERROR)
        if (place := next(places, None)) is not None:
            self._form.reveal(place)

    def _show_problems(self) -> None:
        problems = (*self._problems, *self._form.unreadable)
        if self._launches.devices is None:
            # Nobody has looked for GPUs yet.
            problems = tuple(p for p in problems if p.where != "device")
        self._form.show_problems(problems)


class LaunchPanel(QWidget):
    """The form, and the results below; `fill` makes both in parts that keep no window waiting.

    Attributes:
        form: The form of the launch.
        results: The results of the launch.
    """

    form: LaunchForm
    results: LaunchResults

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("launchPanel")
        self._splitter = QSplitter(Qt.Orientation.Vertical, self, childrenCollapsible=False)
        self._splitter.setObjectName("launchSplitter")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._splitter)

    def fill(self, specs: LaunchSpecs) -> Iterator[None]:
        """Makes the form, and the results below."""
        self.form = LaunchForm(specs, self._splitter)
        yield from self.form.fill()
        self.setFocusProxy(self.form)
        yield
        self.results = LaunchResults(self._splitter)
        yield from self.results.fill()
        self._splitter.setSizes(_SHARES)
