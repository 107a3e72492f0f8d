"""Keeps all worker processes together below one limit of memory.

Each has a limit of its own, but several at once could still take all there is; the kernel would
then end what it likes, perhaps the window. So while any of them works, all are looked at now and
then, and the largest is ended if together they have too much.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from jitstudio.worker.limits import default_memory_limit

_PAUSE = 0.1
"""Seconds between two looks; a look takes some 0.1 ms for each process."""

_COUNTED = ("RssAnon:", "RssShmem:")
"""Of proc_pid_status(5): not the pages of libraries, which all processes share."""


class _Watched(Protocol):
    overran: bool

    @property
    def pid(self) -> int: ...

    def kill(self) -> None: ...


class MemoryWatch:
    """Looks after all processes that were added. Safe for several threads.

    Args:
        limit: Bytes that all together may have; None for the default, 0 for any number.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self._processes: set[_Watched] = set()
        self._working = 0
        self._lock = threading.Lock()
        self._begun = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, process: _Watched) -> None:
        """Look after this one, too."""
        with self._lock:
            self._processes.add(process)

    def remove(self, process: _Watched) -> None:
        """It has ended."""
        with self._lock:
            self._processes.discard(process)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """For the block, one of them works; while none does, nothing is looked at."""
        with self._lock:
            self._working += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._look, daemon=True)
                self._thread.start()
            self._begun.set()
        try:
            yield
        finally:
            with self._lock:
                self._working -= 1

    def _look(self) -> None:
        if self.limit is None:
            self.limit = default_memory_limit()
        while True:
            self._begun.wait()
            # Most builds are over by then.
            time.sleep(_PAUSE)
            with self._lock:
                if not self._working:
                    self._begun.clear()
                processes = tuple(self._processes) if self._working else ()
            if self.limit:
                _hold(processes, self.limit)


def _hold(processes: tuple[_Watched, ...], limit: int) -> None:
    """End the largest if all together have more; one that is ending gives back what it has."""
    taken = {process: memory_of(process.pid) for process in processes}
    largest = max(taken, key=lambda process: taken[process], default=None)
    if largest is None or sum(taken.values()) <= limit:
        return
    if not any(process.overran and taken[process] for process in taken):
        largest.overran = True
        largest.kill()


def memory_of(pid: int) -> int:
    """Bytes that a process and those it has started have for themselves; 0 where it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        lists = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return 0
    lines = (line.split() for line in status.splitlines() if line.startswith(_COUNTED))
    own = sum(int(words[1]) for words in lines) << 10
    return own + sum(memory_of(int(child)) for told in lists for child in told.split())


WATCH = MemoryWatch()
"""That of this program."""
