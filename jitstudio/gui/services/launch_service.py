"""The service that launches kernels, so that neither window nor build waits."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject

from jitstudio.core.launch.request import InspectRequest, LaunchRequest
from jitstudio.gui.services.request_queue import RequestHandle, WorkerService
from jitstudio.worker.launcher import Launcher

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

    def launch(self, request: LaunchRequest) -> RequestHandle:
        """Launches; what happens are launch events, the answer is a `LaunchResult`."""
        asked_at = time.monotonic()
        return self._submit(
            _LAUNCH,
            lambda ticket, report: self._launcher.launch(
                request, ticket=ticket, on_event=report, asked_at=asked_at
            ),
        )

    def rest(self) -> None:
        """Gives the GPU's memory back until the next launch; others want it."""
        self._submit(_REST, lambda _ticket, _report: self._launcher.rest())
