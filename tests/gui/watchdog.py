"""Finds what makes the GUI thread stand still, and where it stood."""

from __future__ import annotations

import faulthandler
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

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
        cpu_ms: For how long of it the thread was busy itself.
        during: What was being done, as `Watchdog.doing` says.
        stack: Where the thread stood in the middle of it; empty where nobody could look.
        places: Where it stood from then on, every few milliseconds: a line for each call,
            innermost first.
    """

    ms: float
    during: str
    stack: str
    cpu_ms: float = 0.0
    places: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.ms:.0f} ms while {self.during}\n{self.stack}"


class Watchdog(QObject):
    """Beats in the GUI thread, and watches the beats from another one.

    Args:
        longest_ms: What is no stall yet.

    Attributes:
        doing: What is being done now, for the record.
        stalls: All longer than that, in order.
        longest: The longest pause between two beats, in milliseconds.
    """

    def __init__(self, longest_ms: float = LONGEST_MS) -> None:
        super().__init__()
        self._longest_ms = longest_ms
        self.doing = "starting"
        self.stalls: list[Stall] = []
        self.longest = 0.0
        self._stack = ""
        self._places_since: list[str] = []
        self._beat, self._waited, self._busy = _clocks()
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
        self._beat, self._waited, self._busy = _clocks()
        self._timer.start()

    def stop(self) -> None:
        """End the watch."""
        self._timer.stop()
        self._done.set()
        self._watcher.join()

    @Slot()
    def _on_beat(self) -> None:
        now, waited, busy = _clocks()
        ms = 1000 * (now - self._beat - (waited - self._waited))
        self.longest = max(self.longest, ms)
        if ms > self._longest_ms:
            cpu_ms, places = 1000 * (busy - self._busy), tuple(self._places_since)
            self.stalls.append(Stall(ms, self.doing, self._stack, cpu_ms, places))
        self._beat, self._waited, self._busy, self._stack = now, waited, busy, ""
        self._places_since = []

    def _watch(self) -> None:
        while not self._done.wait(self._longest_ms / 5000):
            if 1000 * (time.perf_counter() - self._beat) > self._longest_ms / 2:
                threads = self._threads()
                if not self._stack:
                    # The others may keep it waiting.
                    self._stack = "\n".join(threads)
                self._places_since.append(threads[0])

    def _threads(self) -> list[str]:
        """Where all threads stand, that of the window first and their innermost calls first.

        `sys._current_frames` would keep frames alive beyond their calls, with the painters in
        them, which another thread must not destroy.
        """
        with TemporaryFile("w+") as file:
            faulthandler.dump_traceback(file)
            file.seek(0)
            threads = file.read().split("\n\n")
        head = f"Thread 0x{self._thread_id:016x}"
        return sorted(threads, key=lambda text: not text.startswith(head))


def slowness() -> float:
    """How many times longer than there things take here and now; at least 1."""
    start = time.perf_counter()
    for _ in range(_ROUNDS):
        pass
    return max(1.0, 1000 * (time.perf_counter() - start) / _ROUNDS_MS)


def _clocks() -> tuple[float, float, float]:
    """Seconds now, those for which this thread has waited for a core, and those it was busy."""
    return time.perf_counter(), _waited_for_core(), time.thread_time()


def _waited_for_core() -> float:
    """Seconds for which this thread could have run, but other threads and programs did."""
    return int(_SCHEDSTAT.read_text().split()[1]) / 1e9 if _SCHEDSTAT.exists() else 0.0
