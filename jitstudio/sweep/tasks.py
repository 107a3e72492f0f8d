"""What a sweep has executors do, in this process or on another machine.

Plain functions, so that any executor can send them; what they need is kept here between calls, per
session: a sweep in a window and another from a script do not get in each other's way.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import replace

from jitstudio.cache.store import Store
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.request import LaunchRequest
from jitstudio.core.launch.result import LaunchResult
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.sweep.shelf import Shelf
from jitstudio.worker.builder import Builder
from jitstudio.worker.launcher import Launcher


class _Workshop:
    """The tools of one session. A GPU keeps its launcher, whose process knows it already."""

    def __init__(self) -> None:
        self.builders = Shelf(lambda: Builder(workers=1, store=Store()))
        self.launchers: defaultdict[int, Shelf[Launcher]] = defaultdict(lambda: Shelf(Launcher))

    @property
    def shelves(self) -> tuple[Shelf[Builder] | Shelf[Launcher], ...]:
        """All of them."""
        return (self.builders, *self.launchers.values())


_workshops: defaultdict[str, _Workshop] = defaultdict(_Workshop)
_lock = threading.Lock()


def build_variant(session: str, request: BuildRequest, timeout: float | None) -> BuildResult:
    """Build in a process that no other build of this session uses meanwhile.

    Raises:
        WorkerError: See `Builder.build`.
    """
    with _lock:
        shelf = _workshops[session].builders
    with shelf.borrow() as (builder, ticket):
        return builder.build(request, ticket=ticket, timeout=timeout)


def launch_variant(session: str, request: LaunchRequest) -> LaunchResult:
    """Launch; the files of the buffers are not told of, as they do not outlast the next launches.

    Raises:
        WorkerError: See `Launcher.launch`.
    """
    with _launchers(session, request.device).borrow() as (launcher, ticket):
        result = launcher.launch(request, ticket=ticket)
    return replace(result, buffers=tuple(replace(b, path="") for b in result.buffers))


def list_devices(session: str) -> DeviceList:
    """The GPUs of the machine that this runs on.

    Raises:
        WorkerError: See `Launcher.devices`.
    """
    with _launchers(session, 0).borrow() as (launcher, _):
        return launcher.devices()


def interrupt(session: str) -> None:
    """End all builds and launches in progress."""
    with _lock:
        shelves = _workshops[session].shelves
    for shelf in shelves:
        shelf.interrupt()


def close(session: str) -> None:
    """End all processes of the session."""
    with _lock:
        workshop = _workshops.pop(session, None)
    for shelf in workshop.shelves if workshop else ():
        shelf.close()


def _launchers(session: str, device: int) -> Shelf[Launcher]:
    with _lock:
        return _workshops[session].launchers[device]
