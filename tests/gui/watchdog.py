"""Finds what makes the GUI thread stand still, and where it stood."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Slot

LONGEST_MS = 50.0
"""What nobody notices."""

_BEAT_MS = 2
# What a million empty rounds take on the machine that `LONGEST_MS` is meant for, quiet.
_ROUNDS, _ROUNDS_MS = 1_000_000, 25.0
_SCHEDSTAT = Path("/proc/thread-self/schedstat")


@dataclass(frozen=True)
class Stall:
    """A time in which the GUI thread took no events.

    Attributes:
        ms: How long, without the time that the thread waited for a core of a busy machine.
        during: What was being done, as `Watchdog.doing` says.
        stack: Where the thread stood in the middle of it; empty where nobody could look.
    """

    ms: float
    during: str
    stack: str

    def __str__(self) -> str:
        return f"{self.ms:.0f} ms while {self.during}\n{self.stack}"


class Watchdog(QObject):
    """Beats in the GUI thread, and watches the beats from another one.

    Attributes:
        doing: What is being done now, for the record.
        stalls: All longer than `LONGEST_MS`, in order.
        longest: The longest pause between two beats, in milliseconds.
    """

    def __init__(self) -> None:
        super().__init__()
        self.doing = "starting"
        self.stalls: list[Stall] = []
        self.longest = 0.0
        self._stack = ""
        self._beat = time.perf_counter()
        self._waited = _waited_for_core()
        self._thread_id = threading.get_ident()
        self._done = threading.Event()
        self._timer = QTimer(self, interval=_BEAT_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_beat)
        self._timer.start()
        self._watcher = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._watcher.start()

    def reset(self) -> None:
        """Forget what was so far."""
        self.stalls.clear()
        self.longest = 0.0

    def pause(self) -> None:
        """Look away for a moment, in which the test itself keeps the thread busy."""
        self._timer.stop()

    def resume(self) -> None:
        """Look again."""
        self._beat, self._waited = time.perf_counter(), _waited_for_core()
        self._timer.start()

    def stop(self) -> None:
        """End the watch."""
        self._timer.stop()
        self._done.set()
        self._watcher.join()

    @Slot()
    def _on_beat(self) -> None:
        now, waited = time.perf_counter(), _waited_for_core()
        ms = 1000 * (now - self._beat - (waited - self._waited))
        self.longest = max(self.longest, ms)
        if ms > LONGEST_MS:
            self.stalls.append(Stall(ms, self.doing, self._stack))
        self._beat, self._waited, self._stack = now, waited, ""

    def _watch(self) -> None:
        while not self._done.wait(LONGEST_MS / 5000):
            if not self._stack and 1000 * (time.perf_counter() - self._beat) > LONGEST_MS / 2:
                self._stack = "\n".join(self._stacks())

    def _stacks(self) -> Iterator[str]:
        """Where the GUI thread stands, and the others, which may keep it waiting."""
        frames = sys._current_frames()
        for thread, lines in ((self._thread_id, 8), *((other, 3) for other in frames)):
            if thread in frames and thread != threading.get_ident():
                yield "".join(traceback.format_stack(frames.pop(thread))[-lines:])


def slowness() -> float:
    """How many times longer than there things take here and now; at least 1."""
    start = time.perf_counter()
    for _ in range(_ROUNDS):
        pass
    return max(1.0, 1000 * (time.perf_counter() - start) / _ROUNDS_MS)


def _waited_for_core() -> float:
    """Seconds for which this thread could have run, but other threads and programs did."""
    return int(_SCHEDSTAT.read_text().split()[1]) / 1e9 if _SCHEDSTAT.exists() else 0.0
