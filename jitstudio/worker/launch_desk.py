"""Carries out what the dispatcher of the launch side hands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.request import InspectRequest, LaunchRequest
from jitstudio.core.launch.result import KernelFacts, LaunchEvent, LaunchResult
from jitstudio.worker.launcher import Launcher
from jitstudio.worker.programs.launch import ListDevices


@dataclass(frozen=True)
class TimedLaunch:
    """A launch with the moment when the user asked for it, by `time.monotonic`."""

    request: LaunchRequest
    asked_at: float


@dataclass(frozen=True)
class Rest:
    """Give the GPU's memory back until the next launch."""


class LaunchListener(Protocol):
    """Who hears what came of launches; called in the thread of the dispatcher."""

    def told(self, ticket: int, event: LaunchEvent) -> None:
        """Something happened in a launch."""

    def launched(self, ticket: int, result: LaunchResult) -> None:
        """A launch has ended, in whichever way."""

    def inspected(self, ticket: int, facts: KernelFacts | Diagnostic) -> None:
        """The driver has told about a kernel, or why it does not."""

    def devices_listed(self, ticket: int, devices: DeviceList) -> None:
        """The GPUs are known."""


class LaunchDesk:
    """Carries out launches and asks the driver.

    Args:
        launcher: Who does it; owned from now on.
        listener: Who hears of it.
    """

    def __init__(self, launcher: Launcher, listener: LaunchListener) -> None:
        self._launcher = launcher
        self._listener = listener
        self.cancel = launcher.cancel
        self.close = launcher.close

    def work(self, ticket: int, request: TimedLaunch | InspectRequest | ListDevices | Rest) -> None:
        """See `Desk`."""
        match request:
            case TimedLaunch(wanted, asked_at):
                result = self._launcher.launch(
                    wanted,
                    ticket=ticket,
                    on_event=lambda event: self._listener.told(ticket, event),
                    asked_at=asked_at,
                )
                self._listener.launched(ticket, result)
            case InspectRequest():
                self._listener.inspected(ticket, self._launcher.inspect(request))
            case Rest():
                self._launcher.rest()
            case ListDevices():
                self._listener.devices_listed(ticket, self._launcher.devices())
