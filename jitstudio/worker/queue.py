"""The order of requests to a worker: the newest of a kind is next.

A queue in front of one worker. Its `serve` loop runs in a thread of its own, a QThread in the
window; everything else may be called from anywhere and returns at once.
"""

from __future__ import annotations

import itertools
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol

from jitstudio.worker.host import WorkerError

GRACE = 0.5
"""Seconds that a request may go on after a newer one has come: most builds are done by then, and a
kill costs the start of a new process."""


class RequestState(Enum):
    """The state of a request, with the value that comes along; None where no value is named."""

    STARTED = auto()
    """The worker begins with it."""
    PROGRESSED = auto()
    """Something happened; what the work has reported."""
    FINISHED = auto()
    """It has ended; what the work has returned."""
    FAILED = auto()
    """The worker itself failed, so that there is no answer; a message for the user."""
    DROPPED = auto()
    """A newer request has taken its place before it began, or it was cancelled before that."""


Report = Callable[[Any], None]
"""Takes what happens in the middle of a request."""

Work = Callable[[int, Report], Any]
"""Carries out the request of a ticket and returns the answer. Blocks; may raise `WorkerError`."""

Observer = Callable[[int, RequestState, Any], None]
"""Takes ticket, state and value; called in the thread of `serve`, or of who drops a request."""


class Worker(Protocol):
    """The owner of the processes that carry requests out."""

    def cancel(self, ticket: int) -> None:
        """Ends the request with this ticket; from any thread."""

    def close(self) -> None:
        """Ends all processes; work in progress ends."""


@dataclass(frozen=True)
class _Request:
    tag: str
    ticket: int
    work: Work


class RequestQueue:
    """Takes requests, at most a single waiting request per tag, and carries these out in turn.

    Args:
        worker: Does the work of the requests; owned from now on.
        observer: Learns what becomes of them.
        grace: See `GRACE`; None to let what runs always go on to its end.
    """

    def __init__(self, worker: Worker, observer: Observer, *, grace: float | None = GRACE) -> None:
        self._worker = worker
        self._observer = observer
        self._grace = grace
        self._tickets = itertools.count(1)
        self._changed = threading.Condition()
        self._waiting: OrderedDict[str, _Request] = OrderedDict()
        self._running: _Request | None = None
        self._hurried: int | None = None
        self._closed = False

    def submit(self, tag: str, work: Work) -> int:
        """Queues a request in place of a request of the same tag that has not begun.

        Returns:
            Its ticket, by which the observer and the worker know it.
        """
        with self._changed:
            request = _Request(tag, next(self._tickets), work)
            replaced = self._waiting.pop(tag, None)
            self._waiting[tag] = request
            if self._running is not None and self._running.tag == tag:
                self._hurry(self._running.ticket)
            self._changed.notify()
        if replaced is not None:
            self._observer(replaced.ticket, RequestState.DROPPED, None)
        return request.ticket

    def cancel(self, tag: str, ticket: int) -> None:
        """Drops what waits and kills what runs under this tag, up to this ticket: nothing newer."""
        with self._changed:
            dropped, running = self._waiting.get(tag), self._running
            if dropped is not None and dropped.ticket <= ticket:
                del self._waiting[tag]
            else:
                dropped = None
        if dropped is not None:
            self._observer(dropped.ticket, RequestState.DROPPED, None)
        if running is not None and running.tag == tag and running.ticket <= ticket:
            self._worker.cancel(running.ticket)

    def close(self) -> None:
        """Ends `serve`, killing the running work."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify()
        self._worker.close()

    def serve(self) -> None:
        """Works until `close`, in a thread that may wait."""
        while (request := self._take()) is not None:
            try:
                self._carry_out(request)
            except Exception as error:
                if self._closed:
                    return
                # Whatever it was: a window that waits for this must not wait for ever.
                known = isinstance(error, WorkerError)
                message = str(error) if known else f"A bug in jitstudio: {traceback.format_exc()}"
                self._observer(request.ticket, RequestState.FAILED, message)
            finally:
                with self._changed:
                    self._running = None

    def _carry_out(self, request: _Request) -> None:
        def report(event: Any) -> None:
            self._observer(request.ticket, RequestState.PROGRESSED, event)

        self._observer(request.ticket, RequestState.STARTED, None)
        answer = request.work(request.ticket, report)
        self._observer(request.ticket, RequestState.FINISHED, answer)

    def _take(self) -> _Request | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._waiting)
            if self._closed:
                return None
            _, self._running = self._waiting.popitem(last=False)
            return self._running

    def _hurry(self, ticket: int) -> None:
        if self._grace is None or self._hurried == ticket:
            return  # an earlier edit has set the alarm
        self._hurried = ticket
        alarm = threading.Timer(self._grace, self._worker.cancel, (ticket,))
        alarm.daemon = True
        alarm.start()
