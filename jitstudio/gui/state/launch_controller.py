"""Turns builds and launch forms into launches. The only place that starts a launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from jitstudio.core.code import Source
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.agreement import may_be_contraction, with_contraction
from jitstudio.core.launch.choice import Launchable, launchable
from jitstudio.core.launch.device import SIMULATOR, Device, DeviceList
from jitstudio.core.launch.problems import SpecError, SpecProblem
from jitstudio.core.launch.request import InspectRequest, KernelForm, LaunchRequest
from jitstudio.core.launch.resolve import ResolvedSpec, resolve
from jitstudio.core.launch.result import (
    ConsoleText,
    KernelFacts,
    LaunchEvent,
    LaunchOutcome,
    LaunchProgress,
    LaunchResult,
    SimulationForecast,
    unlaunched,
)
from jitstudio.core.launch.simulation import LineCounts, Simulation
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.result import BuildResult
from jitstudio.gui.kit.background import Background
from jitstudio.gui.services.launch_service import LaunchService
from jitstudio.gui.services.request_queue import RequestHandle
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.outputs import Built, Outputs
from jitstudio.gui.state.preferences import Preferences
from jitstudio.listing.own_headers import own_headers
from jitstudio.simulator.ptx.linking import LinkedLines

_PAUSE_MS = 250
"""Milliseconds without an edit after which the driver is asked about the occupancy."""


@dataclass(frozen=True)
class _Kernels:
    """A build and the kernels of this build: code never runs with parameters of other code."""

    built: Built
    forms: tuple[KernelForm, ...]

    @property
    def sources(self) -> tuple[Source, ...]:
        """The texts that the build is of."""
        return self.built.request.sources

    @property
    def result(self) -> BuildResult:
        """The result of the build."""
        return self.built.result

    def has_code_of(self, other: _Kernels | None) -> bool:
        """Returns whether another build has made the same of the same texts."""
        return other is not None and self.built.is_same_as(other.built)

    def launchable(self, form: KernelForm, spec: LaunchSpec, device: int) -> Launchable:
        """Returns the code to launch a kernel from; raises `SpecError` where there is none."""
        is_simulated = device == SIMULATOR
        request = self.built.request
        return launchable(request, self.result, form, spec.load, simulated=is_simulated)

    def lines_of(self, kernel: Launchable) -> LinkedLines:
        """Returns the places of the executed PTX's lines in the PTX of the modules."""
        texts = kernel.code.content.decode("utf-8", "replace").split("\0")
        return LinkedLines.of(kernel.code.name, [source.name for source in self.sources], texts)


@dataclass(frozen=True)
class SimulatedKernel:
    """The counts and findings of the simulator for a kernel of the shown build.

    Attributes:
        lowered: The kernel's lowered name.
        module: The module whose code it is in; empty where unknown.
        ptx: Whose PTX was executed: that module's, or `LINKED` for that of all.
        simulation: The counts and findings.
    """

    lowered: str
    module: str
    ptx: LinkedLines
    simulation: Simulation

    def lines_of(self, name: str) -> tuple[LineCounts, ...] | None:
        """Returns the counts of a module by line of its own PTX; None where no line has run."""
        if self.ptx.line_of(name, 1) is None:
            return None
        placed = ((line, *self.ptx.place_of(line.ptx_line)) for line in self.simulation.lines)
        return tuple(replace(line, ptx_line=at) for line, module, at in placed if module == name)


class SteppableLaunch(NamedTuple):
    """A launch that the simulator can step through.

    Attributes:
        request: The launch.
        ptx: Whose PTX it runs.
        sources: The texts that it was built of.
    """

    request: LaunchRequest
    ptx: LinkedLines
    sources: tuple[Source, ...]


def _at_once(act: Callable[[], None]) -> None:
    act()


class LaunchController(QObject):
    """Watches the results of builds and the specs, and keeps the launch in step with both.

    Args:
        keep_before: Does something once all that is unsaved is kept: a kernel may take the machine
            down with it.

    Signals:
        devices_changed: These are the GPUs.
        device_changed: Another GPU is chosen, or one is known now.
        problems_changed: Problems that forbid the launch, or may surprise.
        config_changed: How many threads there would be; None where that cannot be known.
        facts_changed: The driver's facts about the kernel; None where there are none.
        running_changed: Whether a launch is running, or waits.
        progressed: The present step.
        printed: The text that the kernel has printed since the last time.
        foretold: A simulation will take long: its `SimulationForecast`.
        finished: The result of the launch; every run ends with it.
        forgotten: The last launch was of work that is no longer open.
        simulated_changed: There are counts of another simulated launch, or none any more.
        code_changed: Other code would be launched now, or none; see `is_result_behind`.
        build_settled: A build has ended; whether there is a result of the newest text.
        broke: The worker itself failed.
    """

    devices_changed = Signal(DeviceList)
    device_changed = Signal()
    problems_changed = Signal(tuple)
    config_changed = Signal(object)
    facts_changed = Signal(object)
    running_changed = Signal(bool)
    progressed = Signal(str)
    printed = Signal(str)
    foretold = Signal(SimulationForecast)
    finished = Signal(LaunchResult)
    forgotten = Signal()
    simulated_changed = Signal()
    code_changed = Signal()
    build_settled = Signal(bool)
    broke = Signal(str)

    def __init__(
        self,
        build_controller: BuildController,
        outputs: Outputs,
        specs: LaunchSpecs,
        service: LaunchService,
        preferences: Preferences,
        parent: QObject | None = None,
        keep_before: Callable[[Callable[[], None]], None] = _at_once,
    ) -> None:
        super().__init__(parent)
        self._build_controller = build_controller
        self._outputs = outputs
        self._specs = specs
        self._service = service
        self._preferences = preferences
        self._keep_before = keep_before
        self._is_kept = False
        self._built: Built | None = None
        self._kernels: _Kernels | None = None
        self._launched: _Kernels | None = None
        self._devices: DeviceList | None = None
        self._device = 0
        # Before the GPUs are known, too.
        self._is_device_chosen = False
        self._is_waiting = False
        self._simulated: SimulatedKernel | None = None
        # What the last launch, and the last simulated one, was of.
        self._ended: _Kernels | None = None
        self._result: LaunchResult | None = None
        self._counted: tuple[_Kernels, SimulatedKernel] | None = None
        self._running: RequestHandle | None = None
        self._inspecting: RequestHandle | None = None
        self._problems: tuple[SpecProblem, ...] = ()
        self._remarks: tuple[SpecProblem, ...] = ()
        self._finder = Background(self)
        self._finder.done.connect(self._on_kernels_found)
        self._finder.failed.connect(self._on_kernels_missed)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._inspect)
        # Queued: the result of the build is reported after its end.
        queued = Qt.ConnectionType.QueuedConnection
        build_controller.build_ended.connect(self._on_build_ended, queued)
        outputs.result_changed.connect(self._on_result_changed)
        specs.changed.connect(self.review)
        service.broke.connect(self.broke)

    @property
    def device(self) -> Device | None:
        """The GPU that is chosen, or the simulator."""
        devices = self._devices.choices if self._devices else ()
        return next((d for d in devices if d.ordinal == self._device), None)

    @property
    def devices(self) -> DeviceList | None:
        """The GPUs; None until they have been asked for."""
        return self._devices

    @property
    def sources(self) -> tuple[Source, ...]:
        """The texts that the kernels to choose from were built of."""
        return self._kernels.sources if self._kernels is not None else ()

    @property
    def simulated(self) -> SimulatedKernel | None:
        """The last simulated launch of the code that is shown; None where there was none."""
        return self._simulated

    @property
    def result(self) -> LaunchResult | None:
        """The result of the last launch; None in the next, and where that was of other code."""
        kernels, is_running = self._kernels, self._is_waiting or self._running is not None
        if is_running or self._ended is None or kernels is None:
            return None
        # The kernels of a newer build come a moment after the build.
        is_newest = kernels.result is self._outputs.result
        return self._result if is_newest and self._ended.has_code_of(kernels) else None

    @property
    def launched(self) -> Built | None:
        """The build that the last launch was of, whatever is looked at by now; None for none."""
        return self._ended.built if self._ended is not None else None

    @property
    def is_result_behind(self) -> bool:
        """Whether the result of the last launch is not of the newest text shown."""
        if self._ended is None:
            return False
        return self._outputs.is_behind or not self._ended.has_code_of(self._kernels)

    @property
    def has_devices(self) -> bool:
        """Whether there is any GPU to launch on."""
        return self._devices is not None and bool(self._devices.devices)

    @property
    def kernel(self) -> str:
        """The launch name of the chosen kernel; empty for none."""
        return self._specs.spec.kernel if self._specs.form is not None else ""

    def build_first(self) -> None:
        """Builds a stale text, once: a build that is given up is not begun anew."""
        if self._build_controller.is_held or self._is_old:
            self._build()

    def awaited_build(self) -> str:
        """Returns the pending step of the build that a launch has to wait for; empty for none."""
        if self._build_controller.is_busy:
            # It would begin after a pause in typing; a launch comes after typing.
            self._build()
        is_awaited = self._build_controller.is_busy or self._finder.is_busy
        return self.tr("waiting for the build") if is_awaited else ""

    @property
    def _is_old(self) -> bool:
        """Whether the newest text is not built, and a build would not run a program."""
        is_old = self._outputs.is_edited or self._outputs.result is None
        return is_old and not self._build_controller.is_run

    def _build(self) -> None:
        if not self._build_controller.is_building:
            self._build_controller.build()

    def simulated_launch(self) -> SteppableLaunch | str:
        """Returns the launch of the form for the simulator, or why there is none, a sentence."""
        if self._is_outdated:
            return _sentence(self._old_code())
        form, spec, kernels = self._specs.form, self._specs.spec, self._kernels
        if form is None or kernels is None:
            return self.tr("There is no kernel. Build one to step through it.")
        try:
            kernel = kernels.launchable(form, spec, SIMULATOR)
        except SpecError as error:
            return _sentence(error.problem)
        resolved = resolve(spec, kernel, self._devices or DeviceList(), SIMULATOR)
        if resolved.request is None:
            return "\n".join(map(_sentence, resolved.problems))
        return SteppableLaunch(resolved.request, kernels.lines_of(kernel), kernels.sources)

    def is_of_build(self, request: LaunchRequest) -> bool:
        """Returns whether the newest build would have the simulator run the same code."""
        kernels = self._kernels
        forms = kernels.forms if kernels is not None else ()
        form = next((form for form in forms if form.lowered == request.kernel), None)
        if kernels is None or form is None:
            return False
        try:
            code = kernels.launchable(form, self._specs.spec, SIMULATOR).code
        except SpecError:
            return False
        return code.content == request.code

    @Slot()
    def list_devices(self) -> None:
        """Lists the GPUs; the first time, that starts the process that uses the GPUs."""
        handle = self._service.list_devices()
        handle.finished.connect(self.take_devices)
        handle.failed.connect(self._on_devices_missed)

    @Slot(int)
    def choose_device(self, ordinal: int) -> None:
        """Launches there from now on, also after the next start."""
        self._device, self._is_device_chosen = ordinal, True
        if self.device is not None:
            self._preferences.gpu = self.device.uuid
        self.device_changed.emit()
        self.review()

    @Slot()
    def run(self) -> None:
        """Launches the chosen spec as soon as build and GPUs are known, unless problems remain."""
        if self._is_waiting or self._running is not None:
            return
        self._is_waiting, self._is_kept = True, False
        self.running_changed.emit(True)
        if self._devices is None:
            self.list_devices()
        self.build_first()
        self._go_on()

    @Slot()
    def cancel(self) -> None:
        """Cancels the running launch, or the launch that waits."""
        if self._is_waiting:
            self._end(self._unlaunched(LaunchOutcome.CANCELLED))
        elif self._running is not None:
            self._running.cancel()

    @Slot()
    def forget(self) -> None:
        """Has no result of an earlier launch any more: other work is open."""
        if self._ended is not None:
            self._ended = self._result = self._counted = None
            self._set_simulated(None)
            self.forgotten.emit()
            self.code_changed.emit()

    @Slot()
    def _go_on(self) -> None:
        """Starts the waiting launch, unless something is left to wait for."""
        if not self._is_waiting:
            return
        if awaited := self._awaited():
            self.progressed.emit(awaited)
            return
        request = self.review()
        rival = self._rival() if self._specs.spec.both else None
        if self._is_outdated:
            self._end(self._unlaunched(LaunchOutcome.REFUSED, self._old_code()))
        elif request is None:
            self._end(self._refusal())
        elif rival is not None and rival.request is None:
            self._end(self._unlaunched(LaunchOutcome.REFUSED, *rival.problems))
        elif not self._is_kept:
            self._keep_before(self._on_kept)
        else:
            self._is_waiting, self._launched = False, self._kernels
            self._running = handle = self._service.launch(request, rival.request if rival else None)
            handle.progressed.connect(self._on_progressed)
            handle.finished.connect(self._on_finished)
            handle.dropped.connect(self._on_dropped)
            handle.failed.connect(self._on_failed)

    def _on_kept(self) -> None:
        self._is_kept = True
        self._go_on()

    def _awaited(self) -> str:
        """Returns the step that a launch still has to wait for; empty where there is none."""
        awaited = self.awaited_build()
        return awaited or (self.tr("looking for GPUs") if self._devices is None else "")

    @Slot()
    def review(self) -> LaunchRequest | None:
        """Reports problems and configuration of the launch; returns the request if there is one."""
        resolved = self._resolved()
        request = resolved.request
        self._problems = resolved.problems
        self.config_changed.emit(resolved.config)
        if request is not None and not request.is_simulated:
            self._pause.start()
        else:
            self._pause.stop()
            if self._inspecting is not None:
                self._inspecting.ignore()
            self._show_facts(None)
        self._emit_problems()
        return request

    def _resolved(self, device: int | None = None) -> ResolvedSpec:
        """Returns the launch, resolved for a device; None for the chosen device."""
        form, spec = self._specs.form, self._specs.spec
        device = self._device if device is None else device
        if form is None or self._kernels is None:
            return ResolvedSpec(None, ())
        try:
            kernel = self._kernels.launchable(form, spec, device)
        except SpecError as error:
            return ResolvedSpec(None, (error.problem,))
        return resolve(spec, kernel, self._devices or DeviceList(), device)

    def _rival(self) -> ResolvedSpec:
        """Returns the launch in the simulator, or on a GPU where the simulator is chosen."""
        gpus = self._devices.devices if self._devices else ()
        gpu = gpus[0].ordinal if gpus else 0
        return self._resolved(gpu if self._device == SIMULATOR else SIMULATOR)

    @property
    def _is_outdated(self) -> bool:
        """Whether the newest text could not be built, so that there is older code only."""
        newest = self._outputs.result
        return self._specs.form is not None and newest is not None and not newest.ok

    def _emit_problems(self) -> None:
        old = (self._old_code(),) if self._is_outdated else ()
        self.problems_changed.emit((*old, *self._problems, *self._remarks))

    def _old_code(self) -> SpecProblem:
        return SpecProblem(
            "code",
            self.tr("The last build failed, so there is no code of what the editor says."),
            self.tr("Fix the errors in the Problems list first."),
        )

    def _refusal(self) -> LaunchResult:
        """Returns why nothing can be launched now."""
        if self._specs.form is None:
            no_kernel = SpecProblem(
                "kernel", self.tr("There is no kernel."), self.tr("Build one to launch it.")
            )
            return self._unlaunched(LaunchOutcome.REFUSED, no_kernel)
        return self._unlaunched(LaunchOutcome.REFUSED, *self._problems)

    def _unlaunched(self, outcome: LaunchOutcome, *problems: SpecProblem) -> LaunchResult:
        title = self._specs.form.title if self._specs.form else ""
        return unlaunched(title, outcome, problems)

    @Slot()
    def _inspect(self) -> None:
        request = self._resolved().request
        if request is not None and not request.is_simulated and self._running is None:
            asked = InspectRequest(
                request.code,
                request.code_kind,
                request.kernel,
                request.device,
                request.config,
                request.confined_to,
            )
            if self._inspecting is not None:
                self._inspecting.ignore()
            self._inspecting = self._service.inspect(asked)
            self._inspecting.finished.connect(self._on_inspected)

    def _show_facts(self, facts: KernelFacts | Diagnostic | None) -> None:
        """Shows the facts of the driver about the kernel, or the reason why there are none."""
        self._remarks = ()
        if isinstance(facts, Diagnostic):
            words = (facts.message, facts.explanation)
            self._remarks = (SpecProblem("code", *words, Severity.WARNING, facts.fix),)
        self.facts_changed.emit(facts if isinstance(facts, KernelFacts) else None)

    @Slot()
    def _on_build_ended(self) -> None:
        if self._build_controller.is_busy:
            return
        is_given_up = self._is_old
        if is_given_up and self._is_waiting:
            self._end(self._unlaunched(LaunchOutcome.CANCELLED))
        self._go_on()
        self.build_settled.emit(not is_given_up)

    @Slot()
    def _on_result_changed(self) -> None:
        if self._outputs.good is self._built:
            # Another build has failed; what can be launched stays, and that is reported.
            self._emit_problems()
            return
        self._built = self._outputs.good
        if self._built is None:
            self._finder.stop()
            self._set_kernels(None)
        else:
            self._finder.start(_finding(self._built))

    @Slot(object)
    def _on_kernels_found(self, kernels: _Kernels) -> None:
        self._set_kernels(kernels)

    @Slot(str)
    def _on_kernels_missed(self, problem: str) -> None:
        message = self.tr("The kernels' parameters cannot be read: {problem}.")
        self.broke.emit(message.format(problem=problem))
        self._set_kernels(None)

    def _set_kernels(self, kernels: _Kernels | None) -> None:
        self._kernels = kernels
        code, counts = self._counted or (None, None)
        self._set_simulated(counts if code is not None and code.has_code_of(kernels) else None)
        # This reviews the launch.
        self._specs.set_forms(kernels.forms if kernels else ())
        self.code_changed.emit()
        self._go_on()

    @Slot(object)
    def take_devices(self, devices: DeviceList) -> None:
        """Takes in the GPUs; where there is none, the simulator is chosen."""
        self._devices = devices
        usual = devices.choices[0].ordinal
        chosen = self._device if self.device is not None else usual
        if not self._is_device_chosen:
            remembered = (d.ordinal for d in devices.choices if d.uuid == self._preferences.gpu)
            chosen = next(remembered, chosen)
        self._device = chosen
        self.devices_changed.emit(devices)
        self.device_changed.emit()
        self.review()
        self._go_on()

    @Slot(str)
    def _on_devices_missed(self, message: str) -> None:
        if self._is_waiting and self._devices is None:
            self._on_failed(message)

    @Slot(object)
    def _on_inspected(self, facts: KernelFacts | Diagnostic) -> None:
        self._show_facts(facts)
        self._emit_problems()

    @Slot(object)
    def _on_progressed(self, event: LaunchEvent) -> None:
        match event:
            case LaunchProgress(doing):
                self.progressed.emit(doing)
            case SimulationForecast():
                self.foretold.emit(event)
            case ConsoleText(text):
                self.printed.emit(text)

    @Slot(object)
    def _on_finished(self, result: LaunchResult) -> None:
        self._take_simulation(result)
        launched = self._resolved().request
        if launched and result.comparison and may_be_contraction(launched, result):
            result = with_contraction(result, None)
        self._end(result)
        if result.simulation is None:
            # What is free has changed.
            self.list_devices()

    def _take_simulation(self, result: LaunchResult) -> None:
        form, kernels = self._specs.form, self._kernels
        if form is None or kernels is not self._launched or form.title != result.kernel:
            return
        if kernels is not None and result.simulation is not None:
            ptx = kernels.lines_of(kernels.launchable(form, self._specs.spec, SIMULATOR))
            counts = SimulatedKernel(form.lowered, form.unit, ptx, result.simulation)
            self._counted = kernels, counts
            self._set_simulated(counts)

    def _set_simulated(self, simulated: SimulatedKernel | None) -> None:
        if simulated != self._simulated:
            self._simulated = simulated
            self.simulated_changed.emit()

    @Slot()
    def _on_dropped(self) -> None:
        self._end(self._unlaunched(LaunchOutcome.CANCELLED))

    @Slot(str)
    def _on_failed(self, message: str) -> None:
        self._end(self._unlaunched(LaunchOutcome.CRASHED, SpecProblem("", message)))

    def _end(self, result: LaunchResult) -> None:
        self._ended = self._kernels if self._running is None else self._launched
        self._result = result
        self._running, self._is_waiting = None, False
        self.running_changed.emit(False)
        self.finished.emit(result)
        self.code_changed.emit()


def _sentence(problem: SpecProblem) -> str:
    return f"{problem.message} {problem.remedy}".strip()


def _finding(built: Built) -> Callable[[Event], _Kernels]:
    """Reads the signatures; a long source takes a while, and so does loading the parser."""

    def find(_stop: Event) -> _Kernels:
        from jitstudio.listing.kernels.forms import kernel_forms

        headers = own_headers(built.request)
        forms = kernel_forms(built.request.sources, built.result, headers, access=True)
        return _Kernels(built, forms)

    return find
