"""Calls that are under way in worker processes, and the one way to end them all early."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from enum import Enum
from typing import Any

from jitstudio.worker.host import Death, WorkerHost
from jitstudio.worker.messages import Call
from jitstudio.worker.sandbox.access import NOTHING, Need

_numbers = itertools.count(1)


class Ending(Enum):
    """Why the parent itself kills its children."""

    CANCEL = "cancel"
    TIME_LIMIT = "time limit"


class Flights:
    """The calls of one build or probe. Safe for several threads.

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
        """Why `stop` was called; None as long as it was not."""
        return self._ending

    def start_clock(self) -> None:
        """Stop by itself once the time is up."""
        if self.limit is None:
            return
        seconds = min(self.limit, threading.TIMEOUT_MAX)
        self._alarm = threading.Timer(seconds, self.stop, (Ending.TIME_LIMIT,))
        self._alarm.daemon = True
        self._alarm.start()

    def stop_clock(self) -> None:
        """The time does not matter any more."""
        if self._alarm is not None:
            self._alarm.cancel()

    def ask(
        self,
        host: WorkerHost,
        request: object,
        on_event: Callable[[Any], None] = lambda event: None,
        need: Need = NOTHING,
    ) -> Any:
        """The answer of a process, or its `Death`; for the arguments see `WorkerHost.ask`.

        Raises:
            WorkerError: See `WorkerHost.ask`.
        """
        ticket = self.begin(host)
        if ticket is None:
            return Death(killed=True)
        told = host.ask(Call(ticket, request), on_event, need)
        self.end(ticket)
        return told if isinstance(told, Death) else told.answer

    def begin(self, host: WorkerHost) -> int | None:
        """Announce a call to this host; its ticket, or None if no more are to be made."""
        with self._lock:
            if self._ending is not None:
                return None
            ticket = next(_numbers)
            self._hosts[ticket] = host
            return ticket

    def end(self, ticket: int) -> None:
        """The call has come back."""
        with self._lock:
            del self._hosts[ticket]

    def stop(self, ending: Ending) -> None:
        """Kill what is under way and let nothing more begin. The first reason stands."""
        with self._lock:
            self._ending = self._ending or ending
            for ticket, host in self._hosts.items():
                host.kill(ticket)
