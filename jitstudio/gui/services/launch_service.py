"""Services that launch kernels and step through kernels; neither window nor build waits."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject

from jitstudio.core.launch.request import InspectRequest, LaunchRequest
from jitstudio.gui.services.request_queue import RequestHandle, WorkerService
from jitstudio.simulator.stepping.requests import (
    MemoryArea,
    RecordingAbout,
    SimulatedThread,
    StepMove,
)
from jitstudio.worker.launcher import Launcher
from jitstudio.worker.stepper import Stepper

_LAUNCH, _INSPECT, _DEVICES, _REST = "launch", "inspect", "devices", "rest"


class LaunchService(WorkerService):
    """Asks the process with the GPU, which starts at the first request, not with the window."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._launcher = Launcher()
        self._serve("launch service", self._launcher, grace=None)

    @property
    def worker_pid(self) -> int | None:
        """The process with the GPU; None where none is running."""
        return self._launcher.pid

    def list_devices(self) -> RequestHandle:
        """Asks for the GPUs and their free memory; the answer is a `DeviceList`."""
        return self._submit(_DEVICES, lambda _ticket, _report: self._launcher.devices())

    def inspect(self, request: InspectRequest) -> RequestHandle:
        """Asks the driver about a kernel; the answer are `KernelFacts`, or why there are none."""
        return self._submit(_INSPECT, lambda _ticket, _report: self._launcher.inspect(request))

    def launch(self, request: LaunchRequest, rival: LaunchRequest | None = None) -> RequestHandle:
        """Launches; progress comes as launch events, the answer is a `LaunchResult`.

        Args:
            request: The launch.
            rival: The same elsewhere, with which it is compared; None for none.
        """
        asked_at = time.monotonic()
        return self._submit(
            _LAUNCH,
            lambda ticket, report: self._launcher.launch(
                request, ticket=ticket, on_event=report, asked_at=asked_at, rival=rival
            ),
        )

    def rest(self) -> None:
        """Frees the GPU's memory until the next launch, for other programs."""
        self._submit(_REST, lambda _ticket, _report: self._launcher.rest())


# ---- Steps through simulated runs in a process of its own

_MOVE, _LOOK, _READ, _END = "move", "look", "read", "end"


class StepService(WorkerService):
    """Asks the process with the run, which starts at the first request, not with the window."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stepper = Stepper()
        self._serve("step service", self._stepper, grace=None)

    @property
    def worker_pid(self) -> int | None:
        """The process with the run; None where none is running."""
        return self._stepper.pid

    def open(self, request: LaunchRequest, thread: SimulatedThread) -> RequestHandle:
        """Begins a run; the answer is a `StepState`, or a `Diagnostic` that says why not."""
        return self._submit(
            _MOVE,
            lambda ticket, _report: self._stepper.open(request, thread, ticket=ticket),
        )

    def move(self, move: StepMove) -> RequestHandle:
        """Moves; states come meanwhile, and the answer is as that of `open`."""
        return self._submit(
            _MOVE, lambda ticket, report: self._stepper.move(move, report, ticket=ticket)
        )

    def look_at(self, thread: SimulatedThread, *, whole_line: bool = False) -> RequestHandle:
        """Looks at another thread; the answer is as that of `open`. See `LookAt`."""
        return self._submit(
            _LOOK,
            lambda ticket, _report: self._stepper.look_at(
                thread, whole_line=whole_line, ticket=ticket
            ),
        )

    def read(
        self, area: MemoryArea, thread: SimulatedThread, start: int, count: int
    ) -> RequestHandle:
        """Reads memory at the step; the answer is a `MemoryPage` or a `Diagnostic`."""
        return self._submit(
            _READ,
            lambda ticket, _report: self._stepper.read(area, thread, start, count, ticket=ticket),
        )

    def record(self, about: RecordingAbout) -> RequestHandle:
        """Records around the step; the answer is the recording, or a `Diagnostic`."""
        return self._submit(
            _MOVE, lambda ticket, report: self._stepper.record(about, report, ticket=ticket)
        )

    def replay(self, data: bytes) -> RequestHandle:
        """Shows a recording; the answer is a `ReplayedRun` or a `Diagnostic`."""
        return self._submit(
            _MOVE, lambda ticket, _report: self._stepper.replay(data, ticket=ticket)
        )

    def end(self) -> RequestHandle:
        """Forgets the run."""
        return self._submit(_END, lambda _ticket, _report: self._stepper.end())
