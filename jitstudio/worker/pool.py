"""The worker processes of a program: the free processes, and the work of each."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable
from typing import Any

from jitstudio.core.request import DemangleRequest, ProbeRequest
from jitstudio.worker.calls import RunningCalls
from jitstudio.worker.host import ChildDeath, WorkerError, WorkerHost
from jitstudio.worker.limits import WATCH
from jitstudio.worker.programs.build import Precompile
from jitstudio.worker.sandbox.access import NOTHING, Need, SandboxAccess

MOST_WORKERS = 8
KEPT_WARM = 60.0
"""Seconds after which workers are ended, but those that are kept, if they had nothing to do."""

_CHORE_LIMIT = 60.0
_GLANCE = 0.1


def cores() -> int:
    """Returns how many cores this process may use."""
    with contextlib.suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_size() -> int:
    """Returns as many workers as this process may use cores, within reason."""
    return min(cores(), MOST_WORKERS)


class Pool:
    """Hosts, of which the first is always in use and the others only if there is enough to do.

    A module has a home, the process that worked on it first: it keeps precompiled headers for it.
    Between builds a worker may have chores, which make those; it is not free meanwhile.

    Args:
        hosts: All of them; none is started.
        warm: How many of them go on running while there is nothing to do.
    """

    def __init__(self, hosts: Iterable[WorkerHost], warm: int = 1) -> None:
        self._hosts = tuple(hosts)
        self._warm = warm
        self._changed = threading.Condition()
        self._idle = list(self._hosts)
        self._homes: dict[str, int] = {}
        self._with_chores: list[WorkerHost] = []
        self._alarm: threading.Timer | None = None

    @property
    def first(self) -> WorkerHost:
        """The host that is always in use."""
        return self._hosts[0]

    def limit_memory(self, size: int) -> None:
        """Lets each child that is started from now on take so many bytes, 0 for any number.

        All worker processes together may not take more, from now on.
        """
        WATCH.limit = size
        for host in self._hosts:
            host.memory_limit = size

    def is_home_free(self, module: str) -> bool:
        """Returns whether the home of this module is free."""
        with self._changed:
            home = self._homes.get(module)
            return home is not None and any(host.pid == home for host in self._idle)

    def take(self, module: str, need: Need = NOTHING) -> WorkerHost | None:
        """Returns the best free worker for this module: the home, or a warm worker.

        A worker that had to be replaced to meet the need comes after a worker that had not.
        """
        with self._changed:
            if not self._idle:
                return None
            home = self._homes.get(module)
            # `min` keeps to the order of the hosts where nothing else speaks for one.
            best = min(
                sorted(self._idle, key=self._hosts.index),
                key=lambda host: (
                    not host.suits(need),
                    home is None or host.pid != home,
                    host.pid is None,
                ),
            )
            self._idle.remove(best)
            return best

    def give(self, host: WorkerHost, module: str = "", chores: bool = False) -> None:
        """Takes back a worker, which is free again.

        Args:
            host: The worker.
            module: The module of the work.
            chores: Whether it would like to prepare itself for more of that.
        """
        with self._changed:
            pid = host.pid
            if module and pid is not None:
                home = self._homes.get(module)
                if home is None or all(home != other.pid for other in self._hosts):
                    self._homes[module] = pid
                if chores and self._homes[module] == pid and host not in self._with_chores:
                    self._with_chores.append(host)
            self._idle.append(host)
            self._changed.notify_all()

    def ask(self, request: ProbeRequest | DemangleRequest, calls: RunningCalls) -> Any:
        """Returns any free worker's answer to a call of no module, or a `ChildDeath`.

        Raises:
            WorkerError: See `WorkerHost.ask`.
        """
        need = NOTHING
        if isinstance(request, ProbeRequest):
            need = Need(SandboxAccess(gpu=request.devices, toolchain=request.toolchain))
        host = self.take("", need) if self.wait(lambda: calls.ending is not None) else None
        if host is None:
            return ChildDeath(killed=True)
        try:
            return calls.ask(host, request, need=need)
        finally:
            self.give(host)

    def wait(self, enough: Callable[[], bool]) -> bool:
        """Waits for a worker to be done with chores; returns whether a worker is free.

        Args:
            enough: Asked now and then whether to wait no longer.
        """
        with self._changed:
            while not self._idle and not enough():
                self._changed.wait(_GLANCE)
            return bool(self._idle)

    def settle(self, timeout: float) -> None:
        """Waits until all chores are done."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._idle) == len(self._hosts), timeout)

    def begin(self) -> None:
        """Keeps all workers, as a build begins."""
        if self._alarm is not None:
            self._alarm.cancel()

    def end(self) -> None:
        """Lets workers do the chores after a build, and ends workers that nobody needs."""
        with self._changed:
            busy, self._with_chores = self._with_chores, []
            busy = [host for host in busy if host in self._idle]
            for host in busy:
                self._idle.remove(host)
        for host in busy:
            threading.Thread(target=self._do_chores, args=(host,), daemon=True).start()
        if any(host.pid is not None for host in self._hosts[self._warm :]):
            self._alarm = threading.Timer(KEPT_WARM, self._rest)
            self._alarm.daemon = True
            self._alarm.start()

    def close(self) -> None:
        """Ends all workers for good."""
        self.begin()
        for host in self._hosts:
            host.close()

    def _do_chores(self, host: WorkerHost) -> None:
        calls = RunningCalls(_CHORE_LIMIT)
        calls.start_clock()
        try:
            # A worker that dies of it, or is closed, has nothing to say: nobody has asked.
            with contextlib.suppress(WorkerError):
                calls.ask(host, Precompile())
        finally:
            calls.stop_clock()
            self.give(host)

    def _rest(self) -> None:
        for host in self._hosts[self._warm :]:
            host.rest()
