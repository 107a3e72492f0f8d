"""Services whose work is done in a thread of their own, and how they are closed together."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread
from typing import Protocol

from PySide6.QtCore import QDeadlineTimer, QObject, QThread

from jitstudio.worker.queue import GRACE, Desk, Dispatcher, Listener

# Killed workers are dead within milliseconds; only a hung driver takes longer.
_LAST_WAIT_MS = 12_000


class Closable(Protocol):
    """A service with threads and processes of its own."""

    def begin_closing(self) -> None:
        """End everything; returns at once."""

    def wait_closed(self, deadline: QDeadlineTimer) -> None:
        """Wait until everything has ended, but no longer than this."""


def close_all(services: Sequence[Closable]) -> None:
    """End all of them at the same time, and wait for the last; a hung one is given up."""
    for service in services:
        service.begin_closing()
    deadline = QDeadlineTimer(_LAST_WAIT_MS)
    for service in services:
        service.wait_closed(deadline)


class ServingThread(QThread):
    """Runs a dispatcher's loop until it is closed."""

    def __init__(self, dispatcher: Dispatcher, name: str) -> None:
        super().__init__()
        self._dispatcher = dispatcher
        # A dispatcher waits for the workers that it kills; the GUI thread has others to end.
        self._closer = Thread(target=dispatcher.close, name=f"end of {name}", daemon=True)
        self.setObjectName(name)
        self.start()

    def run(self) -> None:
        """Serve until the dispatcher is closed."""
        self._dispatcher.serve()

    def begin_closing(self) -> None:
        """Close the dispatcher, which kills its workers; returns at once."""
        self._closer.start()

    def wait_closed(self, deadline: QDeadlineTimer) -> None:
        """Wait until workers and loop have ended, but no longer than this."""
        self._closer.join(deadline.remainingTime() / 1000)
        self.wait(deadline)


class Service(QObject):
    """Hands requests to a dispatcher and tells in the GUI thread what came of them.

    Signals that a listener emits in the thread reach the slots of others in the GUI thread.
    """

    def begin_closing(self) -> None:
        """Kill the workers and end the thread; returns at once."""
        self._thread.begin_closing()

    def wait_closed(self, deadline: QDeadlineTimer) -> None:
        """Wait until both have ended, but no longer than this."""
        self._thread.wait_closed(deadline)

    def _serve(
        self, name: str, desk: Desk, listener: Listener, grace: float | None = GRACE
    ) -> None:
        """Begin to serve; what the arguments are says `Dispatcher`."""
        self._dispatcher = Dispatcher(desk, listener, grace=grace)
        self._thread = ServingThread(self._dispatcher, name)
