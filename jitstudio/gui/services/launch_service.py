"""The background of launches: a QThread of its own, so that neither window nor build waits."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.request import InspectRequest, LaunchRequest
from jitstudio.core.launch.result import KernelFacts, LaunchEvent, LaunchResult
from jitstudio.gui.services.serving import Service
from jitstudio.worker.launch_desk import LaunchDesk, Rest, TimedLaunch
from jitstudio.worker.launcher import Launcher
from jitstudio.worker.programs.launch import ListDevices

_LAUNCH, _INSPECT, _DEVICES, _REST = "launch", "inspect", "devices", "rest"


class LaunchService(Service):
    """Sends launches to the worker with the GPU and tells in the GUI thread what came of them.

    Its process starts at the first request, not with the window.

    Signals:
        devices_listed: The GPUs.
        inspected: What the driver says about a kernel, or why it says nothing.
        launch_told: An event of this launch.
        launch_finished: Its result.
        launch_dropped: It was taken back before it began.
        broke: The worker itself failed; in words.
    """

    devices_listed = Signal(DeviceList)
    inspected = Signal(int, object)
    launch_told = Signal(int, object)
    launch_finished = Signal(int, LaunchResult)
    launch_dropped = Signal(int)
    broke = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._launcher = Launcher()
        relay = _Relay(self)
        self._serve("launch service", LaunchDesk(self._launcher, relay), relay, grace=None)

    @property
    def worker_pid(self) -> int | None:
        """The process with the GPU; None where none is running."""
        return self._launcher.pid

    def list_devices(self) -> None:
        """Ask for the GPUs and their free memory."""
        self._dispatcher.submit(_DEVICES, ListDevices())

    def inspect(self, request: InspectRequest) -> int:
        """Ask the driver about a kernel; the ticket that the answer carries."""
        return self._dispatcher.submit(_INSPECT, request)

    def launch(self, request: LaunchRequest) -> int:
        """Launch; the ticket that the signals carry."""
        return self._dispatcher.submit(_LAUNCH, TimedLaunch(request, time.monotonic()))

    def rest(self) -> None:
        """Give the GPU's memory back until the next launch; others want it."""
        self._dispatcher.submit(_REST, Rest())

    def cancel(self) -> None:
        """End the launch that runs."""
        self._dispatcher.cancel(_LAUNCH)


class _Relay:
    """The listener of dispatcher and desk: turns their calls into signals of the service."""

    def __init__(self, service: LaunchService) -> None:
        self._service = service

    def started(self, _ticket: int) -> None:
        """Its first event tells it better."""

    def told(self, ticket: int, event: LaunchEvent) -> None:
        self._service.launch_told.emit(ticket, event)

    def launched(self, ticket: int, result: LaunchResult) -> None:
        self._service.launch_finished.emit(ticket, result)

    def inspected(self, ticket: int, facts: KernelFacts | Diagnostic) -> None:
        self._service.inspected.emit(ticket, facts)

    def devices_listed(self, _ticket: int, devices: DeviceList) -> None:
        self._service.devices_listed.emit(devices)

    def broke(self, ticket: int, message: str) -> None:
        self._service.broke.emit(ticket, message)

    def dropped(self, ticket: int) -> None:
        self._service.launch_dropped.emit(ticket)
