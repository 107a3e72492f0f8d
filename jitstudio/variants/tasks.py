"""The tasks of executors for variants, in this process or on another machine.

Plain functions, so that any executor can send them. Their tools are kept between calls, per
session: two runs at the same time share none.
"""

from __future__ import annotations

import itertools
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.report import KernelReport
from jitstudio.cache.store import Store
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.request import LaunchRequest
from jitstudio.core.launch.result import LaunchResult
from jitstudio.core.prebuilt import cubins
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.variants.rows import VariantReading, reports_of
from jitstudio.worker.builder import Builder
from jitstudio.worker.code_readers import DisassemblyReader
from jitstudio.worker.launcher import Launcher


class RequestRunner(Protocol):
    """A `Builder`, a `Launcher` or an `DisassemblyReader`."""

    def cancel(self, ticket: int) -> None:
        """Ends the call with this ticket."""

    def close(self) -> None:
        """Ends the processes for good."""


_T = TypeVar("_T", bound=RequestRunner)


class ToolPool(Generic[_T]):
    """As many tools of a kind as were ever in use at the same time. Safe for several threads.

    Args:
        make: Makes a tool.
    """

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._tickets = itertools.count(1)
        self._free: list[_T] = []
        self._used: dict[int, _T] = {}

    @contextmanager
    def borrow(self) -> Iterator[tuple[_T, int]]:
        """Yields a tool for exclusive use, and the ticket for a call."""
        with self._lock:
            # The tool returned last is the warmest.
            tool = self._free.pop() if self._free else self._make()
            ticket = next(self._tickets)
            self._used[ticket] = tool
        try:
            yield tool, ticket
        finally:
            with self._lock:
                del self._used[ticket]
                self._free.append(tool)

    def interrupt(self) -> None:
        """Ends all calls in progress."""
        with self._lock:
            used = dict(self._used)
        for ticket, tool in used.items():
            tool.cancel(ticket)

    def close(self) -> None:
        """Ends all tools; calls in progress end as cancelled."""
        with self._lock:
            tools = [*self._free, *self._used.values()]
            self._free.clear()
        for tool in tools:
            tool.close()


class _Tools:
    """The tools of a session. A GPU keeps the launcher whose process has initialised the GPU."""

    def __init__(self) -> None:
        # A process loads one version of a library, for good.
        self.builders: dict[tuple[int | None, str], ToolPool[Builder]] = {}
        self.launchers: defaultdict[int, ToolPool[Launcher]] = defaultdict(
            lambda: ToolPool(Launcher)
        )
        self.store = Store()
        self.readers = ToolPool(lambda: DisassemblyReader(store=self.store))

    @property
    def pools(
        self,
    ) -> tuple[ToolPool[Builder] | ToolPool[Launcher] | ToolPool[DisassemblyReader], ...]:
        """All pools of the session."""
        return (self.readers, *self.builders.values(), *self.launchers.values())


_sessions: defaultdict[str, _Tools] = defaultdict(_Tools)
_lock = threading.Lock()


def build_variant(
    session: str, request: BuildRequest, workers: int | None, timeout: float | None
) -> BuildResult:
    """Builds in processes that no other build of this session uses meanwhile.

    Args:
        session: The session whose tools are used.
        request: The build.
        workers: See `Builder`.
        timeout: Seconds after which the build is ended.

    Raises:
        WorkerError: See `Builder.build`.
    """
    with _lock:
        tools = _sessions[session]
        pool = tools.builders.setdefault(
            (workers, request.toolchain),
            ToolPool(lambda: Builder(workers=workers, store=tools.store)),
        )
    with pool.borrow() as (builder, ticket):
        return builder.build(request, ticket=ticket, timeout=timeout)


def read_variant(
    session: str, request: BuildRequest, result: BuildResult
) -> VariantReading | ReadingFailure:
    """Reads the machine code of a build; returns the reports on its functions.

    Raises:
        WorkerError: See `DisassemblyReader.analyse`.
    """
    name = f"{result.arch}.cubin"
    with _lock:
        pool = _sessions[session].readers
    reports: dict[str, KernelReport] = {}
    notes: dict[str, None] = {}
    with pool.borrow() as (reader, ticket):
        for cubin in cubins(request, result):
            analysis_request = AnalysisRequest.of_build(request, cubin.content, name)
            answer = reader.analyse(analysis_request, ticket=ticket)
            if isinstance(answer, ReadingFailure):
                return answer
            # The report of the first target counts where a build has several.
            reports = reports_of(result, cubin.name, answer) | reports
            notes |= dict.fromkeys(answer.notes)
    return VariantReading(reports, tuple(notes))


def launch_variant(session: str, request: LaunchRequest) -> LaunchResult:
    """Launches a kernel; without the files of buffers, which do not outlast the next launches.

    Raises:
        WorkerError: See `Launcher.launch`.
    """
    with _launchers(session, request.device).borrow() as (launcher, ticket):
        result = launcher.launch(request, ticket=ticket)
    return replace(result, buffers=tuple(replace(b, path="") for b in result.buffers))


def list_devices(session: str) -> DeviceList:
    """Returns the GPUs of the machine on which this runs.

    Raises:
        WorkerError: See `Launcher.devices`.
    """
    with _launchers(session, 0).borrow() as (launcher, _):
        return launcher.devices()


def interrupt(session: str) -> None:
    """Ends all calls in progress."""
    with _lock:
        pools = _sessions[session].pools
    for pool in pools:
        pool.interrupt()


def close(session: str) -> None:
    """Ends all processes of the session."""
    with _lock:
        tools = _sessions.pop(session, None)
    for pool in tools.pools if tools else ():
        pool.close()


def _launchers(session: str, device: int) -> ToolPool[Launcher]:
    with _lock:
        return _sessions[session].launchers[device]
