"""Which request is worked on next: the newest of its kind.

A queue in front of one `Desk`. Its `serve` loop runs in a thread of its own, a QThread in the
window; everything else may be called from anywhere and returns at once.
"""

from __future__ import annotations

import itertools
import threading
import traceback
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Protocol

from jitstudio.worker.host import WorkerError

GRACE = 0.5
"""Seconds that a build may go on after a newer request has come: most are done by then, and a
kill costs the start of a new process."""


class Desk(Protocol):
    """Who carries requests out, and tells its own listener what came of them."""

    def work(self, ticket: int, request: Any) -> None:
        """Carry one out; blocks.

        Raises:
            WorkerError: The worker itself failed: there is no result.
        """

    def cancel(self, ticket: int) -> None:
        """End the request with this ticket; from any thread."""

    def close(self) -> None:
        """Let go of everything; what is in progress ends."""


class Listener(Protocol):
    """Who hears what becomes of the requests; called in the thread of `serve`."""

    def started(self, ticket: int) -> None:
        """The worker begins with this request."""

    def broke(self, ticket: int, message: str) -> None:
        """The worker itself failed: there is no result."""

    def dropped(self, ticket: int) -> None:
        """A request was taken out of the queue before it began."""


@dataclass(frozen=True)
class _Waiting:
    ticket: int
    request: Any


class Dispatcher:
    """Takes requests, at most one waiting per tag, and has them carried out one after another.

    Args:
        desk: Who carries them out; owned from now on.
        listener: Who hears of them.
        grace: See `GRACE`; None to let what runs always go on to its end.
    """

    def __init__(self, desk: Desk, listener: Listener, *, grace: float | None = GRACE) -> None:
        self._desk = desk
        self._listener = listener
        self._grace = grace
        self._tickets = itertools.count(1)
        self._changed = threading.Condition()
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()
        self._running: tuple[str, int] | None = None
        self._hurried: int | None = None
        self._closed = False

    def submit(self, tag: str, request: Any) -> int:
        """Queue a request in place of one of the same tag that has not begun.

        Returns:
            Its ticket, by which the listener and `cancel` know it.
        """
        with self._changed:
            ticket = next(self._tickets)
            replaced = self._waiting.pop(tag, None)
            self._waiting[tag] = _Waiting(ticket, request)
            if self._running is not None and self._running[0] == tag:
                self._hurry(self._running[1])
            self._changed.notify()
        if replaced is not None:
            self._listener.dropped(replaced.ticket)
        return ticket

    def cancel(self, tag: str) -> None:
        """Drop what waits under this tag and kill what runs under it."""
        with self._changed:
            dropped = self._waiting.pop(tag, None)
            running = self._running
        if dropped is not None:
            self._listener.dropped(dropped.ticket)
        if running is not None and running[0] == tag:
            self._desk.cancel(running[1])

    def close(self) -> None:
        """End `serve`, killing what runs."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify()
        self._desk.close()

    def serve(self) -> None:
        """Work until `close`; call this in a thread that may wait."""
        while (taken := self._take()) is not None:
            try:
                self._listener.started(taken.ticket)
                self._desk.work(taken.ticket, taken.request)
            except Exception as error:
                if self._closed:
                    return
                # Whatever it was: a window that waits for this must not wait for ever.
                known = isinstance(error, WorkerError)
                words = str(error) if known else f"A bug in jitstudio: {traceback.format_exc()}"
                self._listener.broke(taken.ticket, words)
            finally:
                with self._changed:
                    self._running = None

    def _take(self) -> _Waiting | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._waiting)
            if self._closed:
                return None
            tag, taken = self._waiting.popitem(last=False)
            self._running = (tag, taken.ticket)
            return taken

    def _hurry(self, ticket: int) -> None:
        if self._grace is None or self._hurried == ticket:
            return  # an earlier edit has set the alarm
        self._hurried = ticket
        alarm = threading.Timer(self._grace, self._desk.cancel, (ticket,))
        alarm.daemon = True
        alarm.start()
