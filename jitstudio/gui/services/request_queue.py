"""Requests to workers in threads, with a handle for each, and closing of all services."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from threading import Thread
from typing import Any, Protocol

from PySide6.QtCore import QDeadlineTimer, QObject, QThread, Signal, Slot

from jitstudio.worker.queue import GRACE, RequestQueue, RequestState, Work, Worker

# Killed workers are dead within milliseconds; only a hung driver takes longer.
_LAST_WAIT_MS = 12_000
_hung: list[QThread] = []


class Closable(Protocol):
    """A service with threads and processes."""

    def begin_closing(self) -> None:
        """Ends everything; returns at once."""

    def wait_closed(self, deadline: QDeadlineTimer) -> None:
        """Waits until the service has ended, but no longer than `deadline`."""


def close_all(services: Sequence[Closable]) -> None:
    """Closes all services at the same time, and waits for the last; a hung service is given up."""
    for service in services:
        service.begin_closing()
    deadline = QDeadlineTimer(_LAST_WAIT_MS)
    for service in services:
        service.wait_closed(deadline)


def wait_for(thread: QThread, deadline: QDeadlineTimer) -> None:
    """Waits until a thread has ended, but no longer than `deadline`: a hung thread is left alone.

    Qt aborts the program if the object of a thread goes while that runs; it never does now.
    """
    if not thread.wait(deadline):
        _hung.append(thread)


def leave(status: int) -> int:
    """Returns the exit status of the program; exits at once where a thread hangs."""
    if any(thread.isRunning() for thread in _hung):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status


class ServingThread(QThread):
    """Runs the loop of a queue until the queue is closed."""

    def __init__(self, queue: RequestQueue, name: str) -> None:
        super().__init__()
        self._queue = queue
        # A queue waits for the workers that it kills; the GUI thread has others to end.
        self._closer = Thread(target=queue.close, name=f"end of {name}", daemon=True)
        self.setObjectName(name)
        self.start()

    def run(self) -> None:
        """Serves until the queue is closed."""
        self._queue.serve()

    def begin_closing(self) -> None:
        """Closes the queue, which kills the workers; returns at once."""
        self._closer.start()

    def wait_closed(self, deadline: QDeadlineTimer) -> None:
        """Waits until workers and loop have ended, but no longer than `deadline`."""
        self._closer.join(deadline.remainingTime() / 1000)
        wait_for(self, deadline)


class RequestHandle(QObject):
    """A request to a worker, like a `QNetworkReply` for a server.

    All signals come in the GUI thread, after the call that has made the handle; one of `finished`,
    `failed` and `dropped` is the last.

    Args:
        queue: The queue it is in; None for a request that a test answers.
        tag: Its tag there.
        ticket: Its number there.

    Signals:
        started: The worker begins with it.
        progressed: An event of the request; the kind depends on the request.
        finished: The answer.
        failed: The worker itself failed, so that there is no answer; a message for the user.
        dropped: A newer request has taken its place, or it was cancelled, before it began.
    """

    started = Signal()
    progressed = Signal(object)
    finished = Signal(object)
    failed = Signal(str)
    dropped = Signal()

    def __init__(self, queue: RequestQueue | None = None, tag: str = "", ticket: int = 0) -> None:
        super().__init__()
        self._queue = queue
        self._tag = tag
        self._ticket = ticket

    def cancel(self) -> None:
        """Cancels the request, and an older running request of the tag; none that is newer."""
        if self._queue is not None:
            self._queue.cancel(self._tag, self._ticket)

    def ignore(self) -> None:
        """Emits nothing any more, to any listener: only for a handle with a single owner."""
        self.blockSignals(True)

    def set_state(self, state: RequestState, value: Any) -> None:
        """Emits the signal of a state."""
        match state:
            case RequestState.STARTED:
                self.started.emit()
            case RequestState.PROGRESSED:
                self.progressed.emit(value)
            case RequestState.FINISHED:
                self.finished.emit(value)
            case RequestState.FAILED:
                self.failed.emit(value)
            case RequestState.DROPPED:
                self.dropped.emit()


_UNENDED = (RequestState.STARTED, RequestState.PROGRESSED)


class WorkerService(QObject):
    """Hands requests to a worker in a thread.

    Signals:
        broke: The worker failed at a request, of any handle; a message for the user.
    """

    broke = Signal(str)
    # Emitted in the thread of the queue. Handles live in the GUI thread only: one that nobody
    # keeps any more may go at any moment, which the thread must not run into.
    _came = Signal(int, object, object)

    def begin_closing(self) -> None:
        """Kills the workers and ends the thread; returns at once."""
        self._thread.begin_closing()

    def wait_closed(self, deadline: QDeadlineTimer) -> None:
        """Waits until queue and thread have ended, but no longer than `deadline`."""
        self._thread.wait_closed(deadline)

    def _serve(self, name: str, worker: Worker, grace: float | None = GRACE) -> None:
        """Begins to serve; for the arguments see `RequestQueue`."""
        self._handles: dict[int, RequestHandle] = {}
        self._came.connect(self._on_came)
        self._queue = RequestQueue(worker, self._came.emit, grace=grace)
        self._thread = ServingThread(self._queue, name)

    def _submit(self, tag: str, work: Work) -> RequestHandle:
        """Queues a request in place of a waiting request of the same tag."""
        ticket = self._queue.submit(tag, work)
        # What happens to it is reported by the event loop, later.
        handle = self._handles[ticket] = RequestHandle(self._queue, tag, ticket)
        return handle

    @Slot(int, object, object)
    def _on_came(self, ticket: int, state: RequestState, value: Any) -> None:
        handle = self._handles[ticket]
        if state not in _UNENDED:
            del self._handles[ticket]
        handle.set_state(state, value)
        if state is RequestState.FAILED:
            self.broke.emit(value)
