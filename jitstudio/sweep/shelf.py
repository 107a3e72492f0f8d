"""Tools that are dear to start, kept for whoever needs one next."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar


class Tool(Protocol):
    """A `Builder` or a `Launcher`."""

    def cancel(self, ticket: int) -> None:
        """End the call with this ticket."""

    def close(self) -> None:
        """End its processes for good."""


_T = TypeVar("_T", bound=Tool)


class Shelf(Generic[_T]):
    """As many tools of one kind as were ever in use at the same time. Safe for several threads.

    Args:
        make: Makes one.
    """

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._tickets = itertools.count(1)
        self._free: list[_T] = []
        self._used: dict[int, _T] = {}

    @contextmanager
    def borrow(self) -> Iterator[tuple[_T, int]]:
        """A tool that nobody else uses meanwhile, and the ticket for its call."""
        with self._lock:
            # The last given back is the warmest.
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
        """End all calls in progress."""
        with self._lock:
            used = dict(self._used)
        for ticket, tool in used.items():
            tool.cancel(ticket)

    def close(self) -> None:
        """End all tools; calls in progress end as cancelled."""
        with self._lock:
            tools = [*self._free, *self._used.values()]
            self._free.clear()
        for tool in tools:
            tool.close()
