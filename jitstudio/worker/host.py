"""Owns a worker process: starts, calls and kills the process, and says how the process died.

Whatever happens to the child is an answer to the caller, and the next call works.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jitstudio.core.codec import CodecError
from jitstudio.worker.limits import WATCH
from jitstudio.worker.process import ChildProcess
from jitstudio.worker.programs.build import BUILDING
from jitstudio.worker.protocol import (
    Call,
    Done,
    EventMessage,
    FrameTooLarge,
    InternalError,
    Outdated,
    Unfit,
    WorkerProgram,
)
from jitstudio.worker.sandbox.access import NOTHING, Need, SandboxAccess, identity

_NONSENSE = (CodecError, FrameTooLarge, Unfit)

_YIELDING = 10
"""The niceness of a child that yields: a tenth of a core that others want, too."""

_RESTLESS = (
    "NVIDIA's headers, or the folder for temporary files, are removed while they are used. End "
    "what removes them, and try again."
)

_LAST_WAIT = 10.0
"""Seconds that `close` waits for a call in progress."""


class WorkerError(RuntimeError):
    """The worker could not be started, or a bug of jitstudio's own broke a call."""


@dataclass(frozen=True)
class ChildDeath:
    """The child is gone and there is no answer.

    Attributes:
        killed: Whether `kill` was the cause.
        status: Its exit status as `subprocess` counts it: minus the signal.
        stderr: The text on the child's stderr.
        nonsense: The fault in the child's reply that ended the child; empty where there was none.
    """

    killed: bool
    status: int = 0
    stderr: str = ""
    nonsense: str = ""

    @property
    def by_itself(self) -> bool:
        """Whether the child died of a signal of its own or talked nonsense: no outside kill (9)."""
        signalled = self.status < 0 and self.status != -9
        return not self.killed and (signalled or bool(self.nonsense))


class WorkerHost:
    """A worker process and the calls to the process, in turn.

    Calls block; make them from a thread that may wait. `kill` and `close` are safe from any
    other thread.

    Args:
        memory_limit: Bytes the child may take, 0 for any number; set later, it holds for the next.
        program: The program that the child runs.
        wrapper: A command that starts the child for us, such as a debugging tool with its options.
        yields: Whether the child leaves the cores to other processes, where the system can do that.
    """

    def __init__(
        self,
        memory_limit: int,
        program: WorkerProgram = BUILDING,
        wrapper: Sequence[str] = (),
        *,
        yields: bool = False,
    ) -> None:
        self.memory_limit = memory_limit
        self._yields = yields
        self._program = program
        self._wrapper = tuple(wrapper)
        self._child: ChildProcess | None = None
        self._served = 0
        self._sealed: SandboxAccess | None = None
        self._identities: dict[str, tuple[int, int] | None] = {}
        self._earlier = SandboxAccess()
        # Guards what `kill` and `close` look at from other threads.
        self._lock = threading.Lock()
        self._current: int | None = None
        self._doomed: int | None = None
        self._closed = False
        self._busy = threading.Lock()

    @property
    def pid(self) -> int | None:
        """The process id of the child, or None if none is running."""
        child = self._child
        return child.pid if child is not None and child.alive else None

    @property
    def has_served(self) -> bool:
        """Whether the child has served a call before."""
        return self.pid is not None and self._served > 0

    def suits(self, need: Need) -> bool:
        """Returns whether a call with this need would end no child that runs."""
        sealed, identities = self._sealed, self._identities
        if self.pid is None or sealed is None:
            return True
        roots = sealed.roots_of(need.least)
        return need.met_by(sealed) and all(identity(at) == identities.get(at) for at in roots)

    def start(self) -> None:
        """Starts the child now rather than at the first call.

        Raises:
            WorkerError: It cannot be started.
        """
        with self._busy:
            self._started()

    def ask(
        self, call: Call[Any], on_event: Callable[[Any], None], need: Need = NOTHING
    ) -> Done[Any] | ChildDeath:
        """Sends a call and waits for the end.

        Args:
            call: The call; `kill` knows a call by the ticket.
            on_event: Called in this thread with everything the child reports meanwhile.
            need: What the child must be able to reach, and may. A child is sealed at its first
                call; one that cannot carry this one out is replaced.

        Raises:
            WorkerError: See the class.
        """
        with self._busy:
            answer = self._exchange(call, on_event, need)
            if isinstance(answer, Outdated):
                answer = self._exchange(call, on_event, need)
            if isinstance(answer, Outdated):
                raise WorkerError(_RESTLESS)
            if isinstance(answer, Done) and answer.spent:
                self._reap()
            if self._child is None and not self._closed:
                # The next call finds a child that has had time to load its libraries.
                with contextlib.suppress(WorkerError):
                    self._started()
            return answer

    def kill(self, ticket: int) -> None:
        """Ends the call with this ticket, by killing the child; a call yet to come ends at once."""
        with self._lock:
            self._doomed = ticket
            child = self._child if self._current == ticket else None
        if child is not None:
            child.kill()

    def rest(self) -> None:
        """Ends an idle child; the next call starts another."""
        with self._busy:
            self._reap()

    def close(self) -> None:
        """Kills the child for good. A call in progress ends as killed."""
        with self._lock:
            self._closed = True
            current = self._current
        if current is not None:
            self.kill(current)
        # A call in progress buries the child itself; wait for it, but not for ever.
        waited = self._busy.acquire(timeout=_LAST_WAIT)
        try:
            self._reap()
        finally:
            if waited:
                self._busy.release()

    def _exchange(
        self, call: Call[Any], on_event: Callable[[Any], None], need: Need
    ) -> Done[Any] | ChildDeath | Outdated:
        if not self.suits(need):
            self._reap()
        child = self._started()
        with self._lock:
            if self._closed or self._doomed == call.ticket:
                return ChildDeath(killed=True)
            self._current = call.ticket
        answer: Done[Any] | InternalError | Outdated | None = None
        try:
            access = self._access(need)
            replies = _replies(child, self._program, Call(call.ticket, call.request, access))
            with WATCH.at_work():
                while answer is None:
                    # Not around what hears of it: an OSError of that is no death of the child.
                    try:
                        reply = next(replies)
                    except (EOFError, OSError):
                        status, stderr = self._reap()
                        return ChildDeath(self._doomed == call.ticket, status, stderr)
                    except _NONSENSE as error:
                        child.kill()
                        status, stderr = self._reap()
                        return ChildDeath(self._doomed == call.ticket, status, stderr, str(error))
                    if isinstance(reply, EventMessage):
                        on_event(reply.event)
                        WATCH.look()
                    else:
                        answer = reply
            self._served += 1
        finally:
            with self._lock:
                self._current = None
                doomed = self._doomed == call.ticket
            if doomed or answer is None:
                # Neither a kill that came too late for this call nor an answer to a call that was
                # broken off may be met by the next one.
                self._reap()
        if isinstance(answer, Outdated):
            self._reap()
            return answer
        if isinstance(answer, InternalError):
            raise WorkerError(f"A bug in jitstudio broke this call:\n{answer.traceback}")
        return answer

    def _started(self) -> ChildProcess:
        """Returns the child, started anew where none waits silently for calls."""
        if self._closed:
            raise WorkerError("The worker process has been closed.")
        if self._child is not None and not self._child.idle:
            self._child.kill()
            self._reap()
        if self._child is None:
            try:
                child = ChildProcess(self.memory_limit, self._program.module, self._wrapper)
                self._child, self._served = child, 0
                if self._yields:
                    # Not on Windows; and a child that has died already yields by itself.
                    with contextlib.suppress(AttributeError, OSError):
                        os.setpriority(os.PRIO_PROCESS, child.pid, _YIELDING)
            except OSError as error:
                raise WorkerError(
                    f"The worker process cannot be started: {error}. "
                    "Is the machine out of memory or processes?"
                ) from error
        return self._child

    def _access(self, need: Need) -> SandboxAccess:
        """Returns the access that the child is sealed with; at the first call, for this need."""
        if self._sealed is None:
            sealed = need.of_new_process(self._earlier)
            paths = (*(sealed.readable or ()), *sealed.writable)
            # Before the child looks for them: one that changes meanwhile is another one then.
            self._identities = {path: identity(path) for path in paths}
            self._sealed = sealed
            if need.most is None:
                self._earlier = self._sealed
        return self._sealed

    def _reap(self) -> tuple[int, str]:
        child, self._child, self._sealed = self._child, None, None
        return child.reap() if child is not None else (0, "")


def _replies(
    child: ChildProcess, program: WorkerProgram, call: Call[Any]
) -> Iterator[EventMessage[Any] | Done[Any] | InternalError | Outdated]:
    """Sends the call and yields the child's replies, the answer at the end.

    Raises:
        EOFError, OSError: The child is gone.
        CodecError, FrameTooLarge, Unfit: A reply is none to this call.
    """
    child.forget_printed()
    service = program.service(call.request)
    try:
        child.wire.send(program.calls.dump(call))
    except (CodecError, FrameTooLarge) as error:
        raise WorkerError(f"The modules and headers are too large: {error}.") from None
    left = service.largest
    events = 0
    while True:
        frame = child.wire.receive(left)
        left -= len(frame)
        reply = service.load(frame)
        if reply.ticket != call.ticket:
            raise Unfit("it answers another call")
        if isinstance(reply, EventMessage):
            if events == service.most_events:
                raise Unfit(f"it tells of more than {events:,} events")
            events += 1
            service.check(call.request, reply.event)
        elif isinstance(reply, Done):
            service.check(call.request, reply.answer)
        yield reply
