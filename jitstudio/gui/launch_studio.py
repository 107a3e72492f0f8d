"""Turns what was built and what is typed into launches. The only place that starts a launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.choice import launchable
from jitstudio.core.launch.device import Device, DeviceList
from jitstudio.core.launch.events import ConsoleText, LaunchEvent, LaunchProgress
from jitstudio.core.launch.problems import SpecError, SpecProblem
from jitstudio.core.launch.request import InspectRequest, LaunchRequest
from jitstudio.core.launch.resolve import Resolved, resolve
from jitstudio.core.launch.result import KernelFacts, LaunchOutcome, LaunchResult
from jitstudio.core.launch.signature import KernelForm
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.verdict import unlaunched
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.gui.background import Background, module
from jitstudio.gui.launch_service import LaunchService
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.preferences import Preferences

_PAUSE_MS = 250
"""Milliseconds without an edit after which the driver is asked about the occupancy."""


class LaunchStudio(QObject):
    """Watches the results of builds and the form, and keeps the launch in step with both.

    Signals:
        devices_changed: These are the GPUs.
        forms_changed: These kernels can be launched.
        problems_changed: What forbids the launch, or will surprise.
        config_changed: How many threads there would be; None where that cannot be told.
        facts_changed: What the driver says about the kernel; None where it says nothing.
        running_changed: Whether a launch is on its way.
        progressed: What is being done now, in words.
        printed: What the kernel has printed since the last time.
        finished: What the launch came to.
        broke: The worker itself failed, in words.
    """

    devices_changed = Signal(DeviceList)
    forms_changed = Signal(tuple)
    problems_changed = Signal(tuple)
    config_changed = Signal(object)
    facts_changed = Signal(object)
    running_changed = Signal(bool)
    progressed = Signal(str)
    printed = Signal(str)
    finished = Signal(LaunchResult)
    broke = Signal(str)

    def __init__(
        self,
        outputs: Outputs,
        service: LaunchService,
        preferences: Preferences,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._outputs = outputs
        self._service = service
        self._preferences = preferences
        self._built: BuildResult | None = None
        self._devices: DeviceList | None = None
        self._device = 0
        self._form: KernelForm | None = None
        self._spec = LaunchSpec()
        self._running: int | None = None
        self._eager = False
        self._inspecting: int | None = None
        self._finder = Background(self)
        self._finder.done.connect(self._on_forms_found)
        self._finder.failed.connect(self._on_forms_missed)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._inspect)
        outputs.result_changed.connect(self._on_result_changed)
        service.devices_listed.connect(self._on_devices_listed)
        service.inspected.connect(self._on_inspected)
        service.launch_told.connect(self._on_told)
        service.launch_finished.connect(self._on_finished)
        service.launch_dropped.connect(self._on_dropped)
        service.broke.connect(self._on_broke)

    @property
    def form(self) -> KernelForm | None:
        """The kernel that is chosen."""
        return self._form

    @property
    def spec(self) -> LaunchSpec:
        """The launch as it is typed."""
        return self._spec

    @property
    def built(self) -> BuildResult | None:
        """The build whose kernels can be launched; the last good one."""
        return self._built

    @property
    def device(self) -> Device | None:
        """The GPU that is chosen."""
        devices = self._devices.devices if self._devices else ()
        return next((d for d in devices if d.ordinal == self._device), None)

    @property
    def devices(self) -> DeviceList | None:
        """The GPUs; None until somebody has looked."""
        return self._devices

    @property
    def has_devices(self) -> bool:
        """Whether there is any GPU to launch on."""
        return self._devices is not None and bool(self._devices.devices)

    @property
    def is_running(self) -> bool:
        """Whether a launch is on its way."""
        return self._running is not None

    @Slot()
    def list_devices(self) -> None:
        """Look for the GPUs; the first time starts the process that uses them."""
        self._service.list_devices()

    @Slot(int)
    def choose_device(self, ordinal: int) -> None:
        """Launch there from now on, also after the next start."""
        self._device = ordinal
        if self.device is not None:
            self._preferences.gpu = self.device.uuid
        self._review()

    def edit(self, form: KernelForm | None, spec: LaunchSpec) -> None:
        """The launch is another one now: this kernel, filled in like this."""
        self._form, self._spec = form, spec
        self._review()

    @Slot()
    def run(self) -> None:
        """Launch what the form says, unless it cannot be."""
        if self._running is not None:
            return
        self._eager = self._devices is None
        if self._eager:
            self.list_devices()
            return
        request = self._review()
        if request is None:
            self.finished.emit(self._refusal())
        else:
            self._running = self._service.launch(request)
            self.running_changed.emit(True)

    @Slot()
    def cancel(self) -> None:
        """End the launch that is on its way."""
        self._service.cancel()

    def _review(self) -> LaunchRequest | None:
        """Find out whether it can be launched, and say so; the launch if it can."""
        resolved = self._resolved()
        request = resolved.request
        self.problems_changed.emit(resolved.problems)
        self.config_changed.emit(resolved.config)
        if request is not None and self.device is not None:
            self._pause.start()
        else:
            self.facts_changed.emit(None)
        return request

    def _resolved(self) -> Resolved:
        if self._form is None or self._built is None:
            return Resolved(None, ())
        try:
            kernel = launchable(self._built, self._form, self._spec.load)
        except SpecError as error:
            return Resolved(None, (error.problem,))
        return resolve(self._spec, kernel, self._devices or DeviceList(), self._device)

    def _refusal(self) -> LaunchResult:
        """Why nothing can be launched now."""
        if self._form is None:
            nothing = SpecProblem("kernel", "There is no kernel.", "Build one to launch it.")
            return unlaunched("", LaunchOutcome.REFUSED, (nothing,))
        missing = self._devices is not None and self._devices.problem
        outcome = LaunchOutcome.MISSING if missing else LaunchOutcome.REFUSED
        return unlaunched(self._form.title, outcome, self._resolved().problems)

    @Slot()
    def _inspect(self) -> None:
        request = self._resolved().request
        if request is not None and self.device is not None and self._running is None:
            asked = InspectRequest(
                request.code, request.code_kind, request.kernel, request.device, request.config
            )
            self._inspecting = self._service.inspect(asked)

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        request = self._outputs.request
        if result is None:
            self._built = None
            self._finder.stop()
            self._on_forms_found(())
        elif result.ok and request is not None:
            self._built = result
            self._finder.start(_finding(request, result))

    @Slot(object)
    def _on_forms_found(self, forms: Sequence[KernelForm]) -> None:
        # Whoever shows them chooses one and calls `edit`.
        self.forms_changed.emit(tuple(forms))

    @Slot(str)
    def _on_forms_missed(self, problem: str) -> None:
        self._on_forms_found(())
        self.broke.emit(f"The kernels' parameters cannot be read: {problem}.")

    @Slot(DeviceList)
    def _on_devices_listed(self, devices: DeviceList) -> None:
        self._devices = devices
        remembered = (d.ordinal for d in devices.devices if d.uuid == self._preferences.gpu)
        self._device = next(remembered, self._device if self.device is not None else 0)
        self.devices_changed.emit(devices)
        if self._eager:
            self.run()
        else:
            self._review()

    @Slot(int, object)
    def _on_inspected(self, ticket: int, facts: KernelFacts | Diagnostic) -> None:
        if ticket == self._inspecting:
            self.facts_changed.emit(facts if isinstance(facts, KernelFacts) else None)

    @Slot(int, object)
    def _on_told(self, ticket: int, event: LaunchEvent) -> None:
        if ticket != self._running:
            return
        match event:
            case LaunchProgress(doing):
                self.progressed.emit(doing)
            case ConsoleText(text):
                self.printed.emit(text)

    @Slot(int, LaunchResult)
    def _on_finished(self, ticket: int, result: LaunchResult) -> None:
        if ticket == self._running:
            self._end()
            self.finished.emit(result)
            # What is free has changed.
            self.list_devices()

    @Slot(int)
    def _on_dropped(self, ticket: int) -> None:
        if ticket == self._running:
            self._end()

    @Slot(int, str)
    def _on_broke(self, ticket: int, message: str) -> None:
        if ticket == self._running:
            self._end()
        self.broke.emit(message)

    def _end(self) -> None:
        self._running = None
        self.running_changed.emit(False)


def _finding(
    request: BuildRequest, result: BuildResult
) -> Callable[[Event], tuple[KernelForm, ...]]:
    """Reads the signatures; a long source takes a while, and so does loading the parser."""

    def find(_stop: Event) -> tuple[KernelForm, ...]:
        finder = module("jitstudio.listing.kernel_forms")
        forms: tuple[KernelForm, ...] = finder.kernel_forms(
            request.sources, result, request.headers, access=True
        )
        return forms

    return find
