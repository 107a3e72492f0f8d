"""One piece of work after another, each of which can be ended from any other thread."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from jitstudio.worker.calls import Ending, Flights
from jitstudio.worker.host import WorkerError

_LAST_WAIT = 10.0
"""Seconds that closing waits for what is in progress; a hung driver can take longer to die."""


class Turns:
    """Whose turn it is. Safe for several threads."""

    def __init__(self) -> None:
        # Guards what `cancel` and `closing` look at from other threads.
        self._lock = threading.Lock()
        self._current: tuple[int, Flights] | None = None
        self._doomed: int | None = None
        self._closed = False
        self._busy = threading.Lock()

    @contextlib.contextmanager
    def take(self, ticket: int, limit: float | None) -> Iterator[Flights]:
        """Wait for the turn and have it for the block.

        Args:
            ticket: The number by which `cancel` knows it; 0 for none.
            limit: Seconds after which it is ended.

        Raises:
            WorkerError: It is closed.
        """
        with self._busy:
            flights = Flights(limit)
            with self._lock:
                if self._closed:
                    raise WorkerError("The worker process has been closed.")
                self._current = (ticket, flights)
                if ticket and self._doomed == ticket:
                    flights.stop(Ending.CANCEL)
            flights.start_clock()
            try:
                yield flights
            finally:
                flights.stop_clock()
                with self._lock:
                    self._current = None

    def has(self, ticket: int) -> bool:
        """Whether the work with this ticket is in progress."""
        with self._lock:
            return self._current is not None and self._current[0] == ticket

    def cancel(self, ticket: int) -> None:
        """End the work with this ticket; work yet to come ends at once."""
        with self._lock:
            self._doomed = ticket
            current = self._current
        if current is not None and current[0] == ticket:
            current[1].stop(Ending.CANCEL)

    @contextlib.contextmanager
    def idle(self) -> Iterator[None]:
        """Wait until there is no work and keep it so for the block."""
        with self._busy:
            yield

    @contextlib.contextmanager
    def closing(self) -> Iterator[None]:
        """Let nothing more begin, end what is in progress and, for the block, wait for its end."""
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
