"""Calls that run in worker processes: the end before time, and the wait of a call for another."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from jitstudio.worker.host import ChildDeath, WorkerError, WorkerHost
from jitstudio.worker.limits import default_memory_limit
from jitstudio.worker.protocol import Call, WorkerProgram
from jitstudio.worker.sandbox.access import NOTHING, Need

_numbers = itertools.count(1)


class Ending(Enum):
    """Why the parent kills the children."""

    CANCEL = "cancel"
    TIME_LIMIT = "time limit"


class RunningCalls:
    """The calls of a build or probe. Safe for several threads.

    Attributes:
        limit: Seconds that all calls together may take, from `start_clock` on; None for any.
    """

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._hosts: dict[int, WorkerHost] = {}
        self._ending: Ending | None = None
        self._alarm: threading.Timer | None = None

    @property
    def ending(self) -> Ending | None:
        """The reason of the `stop`; None before any `stop`."""
        return self._ending

    def start_clock(self) -> None:
        """Stops by itself once the time is up."""
        if self.limit is None:
            return
        seconds = min(self.limit, threading.TIMEOUT_MAX)
        self._alarm = threading.Timer(seconds, self.stop, (Ending.TIME_LIMIT,))
        self._alarm.daemon = True
        self._alarm.start()

    def stop_clock(self) -> None:
        """Lets the calls take any time from now on."""
        if self._alarm is not None:
            self._alarm.cancel()

    def ask(
        self,
        host: WorkerHost,
        request: object,
        on_event: Callable[[Any], None] = lambda event: None,
        need: Need = NOTHING,
    ) -> Any:
        """Returns the answer of a process, or a `ChildDeath`; see `WorkerHost.ask` for arguments.

        Raises:
            WorkerError: See `WorkerHost.ask`.
        """
        ticket = self.begin(host)
        if ticket is None:
            return ChildDeath(killed=True)
        answer = host.ask(Call(ticket, request), on_event, need)
        self.end(ticket)
        return answer if isinstance(answer, ChildDeath) else answer.answer

    def begin(self, host: WorkerHost) -> int | None:
        """Announces a call to a host and returns the ticket; None if no more may begin."""
        with self._lock:
            if self._ending is not None:
                return None
            ticket = next(_numbers)
            self._hosts[ticket] = host
            return ticket

    def end(self, ticket: int) -> None:
        """Takes note that a call has come back."""
        with self._lock:
            del self._hosts[ticket]

    def stop(self, ending: Ending) -> None:
        """Kills all calls under way and lets no other begin. The first reason counts."""
        with self._lock:
            self._ending = self._ending or ending
            for ticket, host in self._hosts.items():
                host.kill(ticket)


_LAST_WAIT = 10.0
"""Seconds that closing waits for what is in progress; a hung driver can take longer to die."""


class CallQueue:
    """Lets pieces of work begin in turn; any thread can end a piece."""

    def __init__(self) -> None:
        # Guards what `cancel` and `closing` look at from other threads.
        self._lock = threading.Lock()
        self._current: tuple[int, RunningCalls] | None = None
        self._doomed: int | None = None
        self._closed = False
        self._busy = threading.Lock()

    @contextlib.contextmanager
    def take(self, ticket: int, limit: float | None) -> Iterator[RunningCalls]:
        """Waits until all earlier work has ended; for the block, there is no other work.

        Args:
            ticket: The number by which `cancel` knows the work; 0 for none.
            limit: Seconds after which the work is ended.

        Raises:
            WorkerError: The queue is closed.
        """
        with self._busy:
            calls = RunningCalls(limit)
            with self._lock:
                if self._closed:
                    raise WorkerError("The worker process has been closed.")
                self._current = (ticket, calls)
                if ticket and self._doomed == ticket:
                    calls.stop(Ending.CANCEL)
            calls.start_clock()
            try:
                yield calls
            finally:
                calls.stop_clock()
                with self._lock:
                    self._current = None

    def has(self, ticket: int) -> bool:
        """Returns whether the work with this ticket is in progress."""
        with self._lock:
            return self._current is not None and self._current[0] == ticket

    def cancel(self, ticket: int) -> None:
        """Ends the work with this ticket; work yet to come ends at once."""
        with self._lock:
            self._doomed = ticket
            current = self._current
        if current is not None and current[0] == ticket:
            current[1].stop(Ending.CANCEL)

    @contextlib.contextmanager
    def idle(self) -> Iterator[None]:
        """Waits until there is no work and lets none begin for the block."""
        with self._busy:
            yield

    @contextlib.contextmanager
    def closing(self) -> Iterator[None]:
        """Lets nothing more begin, ends the current work and, for the block, waits for the end."""
        with self._lock:
            self._closed = True
            current = self._current
        if current is not None:
            current[1].stop(Ending.CANCEL)
        # What is in progress cleans up by itself; wait for it, but not for ever.
        waited = self._busy.acquire(timeout=_LAST_WAIT)
        try:
            yield
        finally:
            if waited:
                self._busy.release()


class SingleWorker:
    """A worker process that takes a single kind of request, in turn.

    Calls block; make them from a thread that may wait. `close`, and `cancel` where there is one,
    are safe from any other thread. Whatever happens to the process is an answer with its reason,
    and the next call works.

    Args:
        program: The program that the process runs.
        memory_limit: Bytes the process may take at most, 0 for any number, None for the default.
    """

    def __init__(self, program: WorkerProgram, memory_limit: int | None) -> None:
        limit = default_memory_limit() if memory_limit is None else memory_limit
        self._host = WorkerHost(limit, program)
        self._queue = CallQueue()

    @property
    def pid(self) -> int | None:
        """The process id of the child, or None if none is running."""
        return self._host.pid

    def start(self) -> None:
        """Starts the process now rather than at the first call.

        Raises:
            WorkerError: It cannot be started.
        """
        with self._queue.idle():
            self._host.start()

    def close(self) -> None:
        """Kills the process for good. A call in progress ends as cancelled."""
        with self._queue.closing():
            self._host.close()

    def _ask(
        self,
        request: object,
        ticket: int,
        timeout: float,
        need: Need,
        on_event: Callable[[Any], None] = lambda event: None,
    ) -> Any:
        """Returns the answer of the process, the reason of an earlier kill, or a `ChildDeath`."""
        with self._queue.take(ticket, timeout) as calls:
            answer = calls.ask(self._host, request, on_event, need)
            if isinstance(answer, ChildDeath) and answer.killed:
                return calls.ending or Ending.CANCEL
            return answer
