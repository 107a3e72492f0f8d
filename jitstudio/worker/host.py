"""Owns the worker process: starts it, calls it, kills it, and tells how it died.

Whatever happens to the child is an answer to the caller, and the next call works.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from enum import Enum

from jitstudio.core.events import BuildRecord, Event
from jitstudio.core.options import leave_traces
from jitstudio.core.request import BuildRequest, ProbeRequest
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.core.tools import ToolchainInfo
from jitstudio.worker.limits import default_memory_limit
from jitstudio.worker.messages import Broke, Call, Done, Told
from jitstudio.worker.obituary import crash_of_dead, crash_of_slow
from jitstudio.worker.process import ChildProcess
from jitstudio.worker.wire import FrameTooLarge

DEFAULT_TIMEOUT = 120.0
"""Seconds a build may take unless the user says otherwise; the heaviest headers need some ten."""

_LAST_WAIT = 10.0
"""Seconds that `close` waits for a call in progress."""


class WorkerError(RuntimeError):
    """The worker could not be started, or a bug of jitstudio's own broke a call."""


class _Ending(Enum):
    """Why the parent itself killed the child."""

    CANCEL = "cancel"
    TIME_LIMIT = "time limit"


_Answer = Done | tuple[_Ending | None, int, str]
"""The last reply; or, for a child that is gone, why we killed it (if we did), its exit status as
`subprocess` counts it, and what was on its stderr."""


class WorkerHost:
    """One worker process and the calls to it, one at a time.

    Calls block; make them from a thread that may wait. `cancel` and `close` are safe from any
    other thread.
    """

    def __init__(self, memory_limit: int | None = None) -> None:
        """Nothing is started yet.

        Args:
            memory_limit: Bytes the child may take, 0 for any number, None for the default.
        """
        self._memory_limit = default_memory_limit() if memory_limit is None else memory_limit
        self._child: ChildProcess | None = None
        self._served = 0
        # Guards what `cancel` and `close` look at from other threads.
        self._lock = threading.Lock()
        self._current: int | None = None
        self._ending: _Ending | None = None
        self._doomed: int | None = None
        self._closed = False
        self._busy = threading.Lock()

    @property
    def pid(self) -> int | None:
        """Process id of the child, or None where none is running."""
        child = self._child
        return child.pid if child is not None and child.alive else None

    def start(self) -> None:
        """Start the child now rather than at the first call.

        Raises:
            WorkerError: It cannot be started.
        """
        with self._busy:
            self._started()

    def build(
        self,
        request: BuildRequest,
        *,
        ticket: int = 0,
        on_event: Callable[[Event], None] = lambda event: None,
        timeout: float | None = None,
    ) -> BuildResult:
        """Build and wait for the result.

        A crash in a child that has built before is tried once more in a fresh one, as what the
        libraries keep from one build to the next can kill them: nvJitLink 13.5 dies of a symbol
        defined twice if it has done an LTO link before, and only then.

        Args:
            request: What to build.
            ticket: The number by which `cancel` knows this call.
            on_event: Called in this thread with everything the child tells meanwhile.
            timeout: Seconds after which the child is killed.

        Raises:
            WorkerError: See the class.
        """
        start = time.perf_counter()

        def ask() -> tuple[BuildRecord, _Answer]:
            record = BuildRecord(request.arch, request.emit)

            def heard(event: Event) -> None:
                record.add(event)
                on_event(event)

            return record, self._call(Call(ticket, request), heard, timeout)

        worn = self.pid is not None and self._served > 0
        record, answer = ask()
        if worn and _crashed(answer):
            record, answer = ask()
        total_ms = (time.perf_counter() - start) * 1000
        if isinstance(answer, Done):
            return record.result(total_ms)
        ending, status, stderr = answer
        tool = record.running.tool if record.running else None
        match ending:
            case _Ending.CANCEL:
                outcome, crash = Outcome.CANCELLED, None
            case _Ending.TIME_LIMIT:
                outcome, crash = Outcome.TIMED_OUT, crash_of_slow(tool, timeout or 0)
            case None:
                outcome, crash = Outcome.CRASHED, crash_of_dead(tool, status, stderr)
        return record.interrupted(outcome, crash, stderr, total_ms)

    def probe(self, request: ProbeRequest, *, timeout: float | None = 60) -> ToolchainInfo:
        """Ask for the tools and wait for the answer.

        Raises:
            WorkerError: See the class; also when the child died or took too long.
        """
        answer = self._call(Call(0, request), lambda event: None, timeout)
        if isinstance(answer, Done) and answer.answer is not None:
            return answer.answer
        if isinstance(answer, Done):
            raise WorkerError("The worker process gave no answer.")
        ending, status, stderr = answer
        match ending:
            case _Ending.CANCEL:
                raise WorkerError("The search for tools was cancelled.")
            case _Ending.TIME_LIMIT:
                raise WorkerError(crash_of_slow(None, timeout or 0).message)
            case None:
                raise WorkerError(crash_of_dead(None, status, stderr).message)

    def cancel(self, ticket: int) -> None:
        """End the call with this ticket, by killing the child; one yet to come ends at once."""
        with self._lock:
            self._doomed = ticket
        self._end(_Ending.CANCEL, ticket)

    def close(self) -> None:
        """Kill the child for good. A call in progress ends as cancelled."""
        with self._lock:
            self._closed = True
        self._end(_Ending.CANCEL, self._current)
        # A call in progress buries the child itself; wait for it, but not for ever.
        waited = self._busy.acquire(timeout=_LAST_WAIT)
        try:
            self._bury()
        finally:
            if waited:
                self._busy.release()

    def _call(
        self, call: Call, on_event: Callable[[Event], None], timeout: float | None
    ) -> _Answer:
        """Send one call and read the replies."""
        with self._busy:
            answer = self._exchange(call, on_event, timeout)
            if isinstance(call.request, BuildRequest) and leave_traces(call.request.options):
                self._bury()
            if self._child is None and not self._closed:
                # The next call finds a child that has had time to load its libraries.
                with contextlib.suppress(WorkerError):
                    self._started()
            return answer

    def _exchange(
        self, call: Call, on_event: Callable[[Event], None], timeout: float | None
    ) -> _Answer:
        child = self._started()
        with self._lock:
            self._ending = None
            if self._closed or self._doomed == call.ticket:
                return _Ending.CANCEL, 0, ""
            self._current = call.ticket
        alarm = threading.Timer(
            min(timeout or 0, threading.TIMEOUT_MAX), self._end, (_Ending.TIME_LIMIT, call.ticket)
        )
        alarm.daemon = True
        if timeout is not None:
            alarm.start()
        in_step = False
        try:
            child.forget_printed()
            answer = _converse(child, call, on_event)
            in_step = True
            self._served += 1
        except (EOFError, OSError):
            self._child = None
            status, stderr = child.bury()
            return self._ending, status, stderr
        finally:
            alarm.cancel()
            with self._lock:
                self._current = None
            if self._ending is not None or not in_step:
                # Neither a kill that came too late for this call nor an answer to a call that was
                # broken off may be met by the next one.
                self._bury()
        if isinstance(answer, Broke):
            raise WorkerError(f"A bug in jitstudio broke this call:\n{answer.traceback}")
        return answer

    def _started(self) -> ChildProcess:
        """The child, started now if there is none or it has died since the last call."""
        if self._closed:
            raise WorkerError("The worker process has been closed.")
        if self.pid is None:
            self._bury()
        if self._child is None:
            try:
                self._child, self._served = ChildProcess(self._memory_limit), 0
            except OSError as error:
                raise WorkerError(
                    f"The worker process cannot be started: {error}. "
                    "Is the machine out of memory or processes?"
                ) from error
        return self._child

    def _end(self, ending: _Ending, ticket: int | None) -> None:
        with self._lock:
            if ticket is None or self._current != ticket:
                return
            self._ending = self._ending or ending
            child = self._child
        if child is not None:
            child.kill()

    def _bury(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.bury()


def _crashed(answer: _Answer) -> bool:
    """Whether the child died of a signal of its own, not of a kill (9) from outside."""
    if isinstance(answer, Done):
        return False
    ending, status, _ = answer
    return ending is None and status < 0 and status != -9


def _converse(child: ChildProcess, call: Call, on_event: Callable[[Event], None]) -> Done | Broke:
    """Send the call and hear the child out."""
    try:
        child.wire.send(call)
    except FrameTooLarge as error:
        raise WorkerError(f"The modules and headers are too large: {error}") from None
    while True:
        match child.wire.receive():
            case Told(_, event):
                on_event(event)
            case Done() | Broke() as answer:
                return answer
