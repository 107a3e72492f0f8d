"""Work that takes longer than a window may wait: done in a thread, reported in the GUI's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from threading import Event
from time import sleep
from typing import Any, TypeVar
from weakref import ref

from PySide6.QtCore import QMetaMethod, QObject, Qt, QThreadPool, Signal, Slot
from shiboken6 import isValid

_Item = TypeVar("_Item")
_Owner = TypeVar("_Owner", bound=QObject)
# A millisecond or two of work, and as long for others.
_PIECE, _REST = 1000, 0.001


class Unwanted(Exception):
    """Nobody waits for the work any more."""


class Paced(Sequence[_Item]):
    """A sequence that pauses the reader now and then.

    Python runs one thread at a time. Without the rests the GUI thread would have to ask for its
    turn after each call of Qt, some thousand times for a table that is painted.

    Args:
        items: The items to go through.
        stop: Ends the way through it by `Unwanted` once it is set: others wait for the thread.
    """

    def __init__(self, items: Sequence[_Item], stop: Event) -> None:
        self._items = items
        self._stop = stop

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, place: Any) -> Any:
        """Returns an item, or several."""
        return self._items[place]

    def __iter__(self) -> Iterator[_Item]:
        for start in range(0, len(self._items), _PIECE):
            if self._stop.is_set():
                raise Unwanted
            yield from self._items[start : start + _PIECE]
            sleep(_REST)


class _Post(QObject):
    """Brings reports of threads to the thread of the window.

    It lives as long as the program: Qt does not bear a sender or a listener of Python's that goes
    while a thread emits or its event is under way.
    """

    reported = Signal(object, object, object)

    def __init__(self) -> None:
        super().__init__()
        self.reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)

    @Slot(object, object, object)
    def _on_reported(self, to: ref[QObject], listen: Callable[..., object], said: object) -> None:
        owner = to()
        if owner is not None and isValid(owner):
            listen(owner, said)


@cache
def _post() -> _Post:
    return _Post()


def reports_to(owner: _Owner, listen: Callable[[_Owner, Any], object]) -> Callable[[object], None]:
    """Returns a function for threads, whose argument the window's thread later passes on.

    Call this in the thread of the window.

    Args:
        owner: The listener; if gone by then, nothing happens. The thread does not keep the listener
            alive, as the last to let go of a Qt object destroys it.
        listen: A method of its class.
    """
    to, post = ref(owner), _post()

    def report(said: object) -> None:
        # The post is gone once the program ends.
        with suppress(RuntimeError):
            post.reported.emit(to, listen, said)

    return report


class Background(QObject):
    """Runs a function at a time in a thread: a newer call replaces the one before.

    Signals:
        done: The result of the newest work.
        failed: Why it gave nothing, a sentence. Where nobody listens, the error is a bug, and goes
            to `sys.excepthook`.
    """

    done = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ticket = 0
        self._stop = Event()
        self._busy = False

    @property
    def is_busy(self) -> bool:
        """Whether something is being done that is still wanted."""
        return self._busy

    def start(self, work: Callable[[Event], object]) -> None:
        """Runs `work` in a thread; the event tells when the result is not needed any more."""
        self.stop()
        self._stop = Event()
        self._busy = True
        report = reports_to(self, Background._on_ended)
        QThreadPool.globalInstance().start(_run(work, self._stop, self._ticket, report))

    def stop(self) -> None:
        """Forgets the running work."""
        self._ticket += 1
        self._busy = False
        self._stop.set()

    def _on_ended(self, ended: tuple[int, object, Exception | None]) -> None:
        ticket, outcome, error = ended
        if ticket != self._ticket:
            return
        self._busy = False
        if error is None:
            self.done.emit(outcome)
        elif self.isSignalConnected(QMetaMethod.fromSignal(self.failed)):
            self.failed.emit(str(error) or type(error).__name__)
        else:
            sys.excepthook(type(error), error, error.__traceback__)


def _run(
    work: Callable[[Event], object], stop: Event, ticket: int, report: Callable[[object], None]
) -> Callable[[], None]:
    def run() -> None:
        # It may have waited for a thread until it was not needed any more.
        if stop.is_set():
            return
        outcome: object = None
        problem: Exception | None = None
        try:
            outcome = work(stop)
        except Exception as error:
            # Whatever it was, the window must not go on waiting for it.
            problem = error
        report((ticket, outcome, problem))

    return run
