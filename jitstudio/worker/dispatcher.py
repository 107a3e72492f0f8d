"""Which request is worked on next: the newest of its kind.

A queue in front of one `Builder`. Its `serve` loop runs in a thread of its own, a QThread in
the window; everything else may be called from anywhere and returns at once.
"""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol

from jitstudio.core.events import Event
from jitstudio.core.request import BuildRequest, ProbeRequest, Request
from jitstudio.core.result import BuildResult
from jitstudio.core.tools import ToolchainInfo
from jitstudio.worker.builder import DEFAULT_TIMEOUT, Builder
from jitstudio.worker.host import WorkerError

GRACE = 0.5
"""Seconds that a build may go on after a newer request has come: most are done by then, and a
kill costs the start of a new process."""


class Listener(Protocol):
    """Who hears what becomes of the requests; called in the thread of `serve`."""

    def started(self, ticket: int) -> None:
        """The worker begins with this request."""

    def told(self, ticket: int, event: Event) -> None:
        """Something happened in a build."""

    def built(self, ticket: int, result: BuildResult) -> None:
        """A build has ended, in whichever way."""

    def probed(self, ticket: int, info: ToolchainInfo) -> None:
        """A probe has ended well."""

    def emptied(self, ticket: int, size: int) -> None:
        """The cache, which held this many bytes, is empty."""

    def broke(self, ticket: int, message: str) -> None:
        """The worker itself failed: there is no result."""

    def dropped(self, ticket: int) -> None:
        """A request was taken out of the queue before it began."""


@dataclass(frozen=True)
class EmptyCache:
    """Forget all results that were kept of earlier builds."""


@dataclass(frozen=True)
class _Waiting:
    ticket: int
    request: Request | EmptyCache


class Dispatcher:
    """Takes requests, at most one waiting per tag, and runs them one after another.

    Args:
        builder: Who works on them; owned from now on.
        listener: Who hears of them.
        timeout: Seconds a build may take.
        grace: See `GRACE`.
    """

    def __init__(
        self,
        builder: Builder,
        listener: Listener,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        grace: float = GRACE,
    ) -> None:
        self._builder = builder
        self._listener = listener
        self._timeout = timeout
        self._grace = grace
        self._tickets = itertools.count(1)
        self._changed = threading.Condition()
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()
        self._running: tuple[str, int] | None = None
        self._hurried: int | None = None
        self._closed = False

    def submit(self, tag: str, request: Request | EmptyCache) -> int:
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
            self._builder.cancel(running[1])

    def close(self) -> None:
        """End `serve`, killing what runs."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify()
        self._builder.close()

    def serve(self) -> None:
        """Work until `close`; call this in a thread that may wait."""
        while (taken := self._take()) is not None:
            try:
                self._work(taken)
            except WorkerError as error:
                if self._closed:
                    return
                self._listener.broke(taken.ticket, str(error))
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

    def _work(self, taken: _Waiting) -> None:
        ticket = taken.ticket
        self._listener.started(ticket)
        match taken.request:
            case BuildRequest() as request:
                result = self._builder.build(
                    request,
                    ticket=ticket,
                    on_event=lambda event: self._listener.told(ticket, event),
                    timeout=self._timeout,
                )
                self._listener.built(ticket, result)
            case ProbeRequest() as probe:
                self._listener.probed(ticket, self._builder.probe(probe))
            case EmptyCache():
                self._listener.emptied(ticket, self._builder.empty_cache())

    def _hurry(self, ticket: int) -> None:
        if self._hurried == ticket:
            return  # an earlier edit has set the alarm
        self._hurried = ticket
        alarm = threading.Timer(self._grace, self._builder.cancel, (ticket,))
        alarm.daemon = True
        alarm.start()
