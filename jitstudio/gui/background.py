"""Work that takes longer than a window may wait: done in a thread, told of in the GUI's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from threading import Event
from time import sleep
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QThreadPool, Signal, Slot

_Item = TypeVar("_Item")
# A millisecond or two of work, and as long for others.
_PIECE, _REST = 1000, 0.001


class Unwanted(Exception):
    """Nobody waits for the work any more."""


class Paced(Sequence[_Item]):
    """A sequence that makes whoever goes through it rest now and then.

    Python runs one thread at a time. Without the rests the GUI thread would have to ask for its
    turn after each call of Qt, some thousand times for a table that is painted.

    Args:
        items: What to go through.
        stop: Ends the way through it by `Unwanted` once it is set: others wait for the thread.
    """

    def __init__(self, items: Sequence[_Item], stop: Event) -> None:
        self._items = items
        self._stop = stop

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, place: Any) -> Any:
        """An item, or several."""
        return self._items[place]

    def __iter__(self) -> Iterator[_Item]:
        for start in range(0, len(self._items), _PIECE):
            if self._stop.is_set():
                raise Unwanted
            yield from self._items[start : start + _PIECE]
            sleep(_REST)


class _Relay(QObject):
    """Sends from the thread; kept by what runs there, so it is alive as long as it is needed."""

    ended = Signal(int, object, str)


class Background(QObject):
    """Does one thing at a time: a newer one takes the place of the one before.

    Signals:
        done: What the newest work gave back.
        failed: Why it gave nothing, a sentence.
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
        """Do this; it is told by the event when nobody waits for it any more."""
        self.stop()
        self._stop = Event()
        self._busy = True
        relay = _Relay()
        relay.ended.connect(self._on_ended)
        QThreadPool.globalInstance().start(_run(work, self._stop, self._ticket, relay))

    def stop(self) -> None:
        """Forget what is being done."""
        self._ticket += 1
        self._busy = False
        self._stop.set()

    @Slot(int, object, str)
    def _on_ended(self, ticket: int, outcome: object, problem: str) -> None:
        if ticket != self._ticket:
            return
        self._busy = False
        if problem:
            self.failed.emit(problem)
        else:
            self.done.emit(outcome)


def _run(
    work: Callable[[Event], object], stop: Event, ticket: int, relay: _Relay
) -> Callable[[], None]:
    def run() -> None:
        # It may have waited for a thread until nobody waits for it.
        if stop.is_set():
            return
        outcome: object = None
        problem = ""
        try:
            outcome = work(stop)
        except Exception as error:
            # Whatever it was, the window must not go on waiting for it.
            problem = str(error) or type(error).__name__
        # Qt's side of the relay is gone once the program ends, and nobody waits then.
        with suppress(RuntimeError):
            relay.ended.emit(ticket, outcome, problem)

    return run
