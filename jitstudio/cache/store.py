"""The results of earlier builds, by the hash of all their inputs: in memory and on disk.

On disk there is one SQLite file, which several programs may share and a crash leaves whole;
`core.codec` reads the values in it, and cannot run them. No error here stops a build: a file that
is damaged or foreign is set aside and begun anew, a file that cannot be used now is left alone for
a while, and either is reported once.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from jitstudio.cache import result_file
from jitstudio.core.codec import Codec, CodecError
from jitstudio.core.events import StageFinished
from jitstudio.core.tools import ToolFile
from jitstudio.system.paths import results_folder
from jitstudio.system.private import make_private

LIMIT = 512 << 20
"""Bytes of results on disk until the user resizes the store; the least recently used go first."""

MEMORY_LIMIT = 64 << 20
"""Bytes of results kept in memory as well."""

_REST = 60.0
"""Seconds between two tries of a file that cannot be used."""

_T = TypeVar("_T")

# By the type of the values: making a codec takes time.
_codecs: dict[type, Codec[Any]] = {}


class Store:
    """Results by key. Safe for several threads, and for several programs at a time.

    Nothing is read or made before the first use.

    Args:
        folder: The folder of the file; made with the first result.
        limit: See `LIMIT`; the last `resize` of the same folder takes precedence.
        memory_limit: See `MEMORY_LIMIT`.
    """

    def __init__(
        self, folder: Path | None = None, *, limit: int = LIMIT, memory_limit: int = MEMORY_LIMIT
    ) -> None:
        self.folder = results_folder() if folder is None else folder
        self._limit = limit
        self._wanted_limit: int | None = None
        self._told_limit: int | None = None
        self._memory = _Memory(memory_limit)
        self._lock = threading.RLock()
        self._database: sqlite3.Connection | None = None
        self._resting_until = 0.0
        self._problem = ""
        self._reported_kinds: set[str] = set()
        with _fork_lock:
            _stores.add(self)

    @contextlib.contextmanager
    def closed(self) -> Iterator[None]:
        """For the block, the file is closed and no other thread opens it."""
        with self._lock:
            self.close()
            yield

    def take_problem(self) -> str:
        """Returns the problem of the store; once only, empty from then on."""
        with self._lock:
            problem, self._problem = self._problem, ""
        return problem

    def get(self, key: bytes) -> StageFinished | None:
        """Returns the event under a key, or None."""
        return self.fetch(StageFinished, key)

    def fetch(self, kind: type[_T], key: bytes) -> _T | None:
        """Returns the value of a type under a key, or None."""
        with self._lock:
            cached = self._memory.get(key)
            if isinstance(cached, kind):
                return cached
            value = self._try(lambda database: result_file.read(database, key), None)
            if value is None:
                return None
            try:
                unpacked: _T = _codec(kind).unpack(value)
            except CodecError:
                self._try(lambda database: result_file.forget(database, key), None)
                return None
            self._memory.put(key, unpacked, len(value))
            return unpacked

    def put(self, key: bytes, value: object) -> None:
        """Stores a value under a key."""
        packed = _codec(type(value)).pack(value)
        with self._lock:
            self._memory.put(key, value, len(packed))
            self._try(lambda database: result_file.write(database, key, packed, self._limit), None)

    def recall(self, surroundings: bytes) -> ToolFile | None:
        """Returns the file of a tool in these surroundings, or None."""
        with self._lock:
            value = self._try(lambda database: result_file.recall(database, surroundings), None)
        with contextlib.suppress(CodecError):
            return _codec(ToolFile).unpack(value) if value is not None else None
        return None

    def remember(self, surroundings: bytes, file: ToolFile) -> None:
        """Stores the file of a tool in these surroundings."""
        value = _codec(ToolFile).pack(file)
        with self._lock:
            self._try(lambda database: result_file.remember(database, surroundings, value), None)

    def size(self) -> int:
        """Returns the bytes of results on disk."""
        with self._lock:
            return self._try(result_file.total, 0)

    def limit(self) -> int:
        """Returns the bytes of results that may be on disk."""
        with self._lock:
            return self._try(
                lambda database: result_file.limit_of(database, self._limit), self._limit
            )

    def resize(self, limit: int) -> None:
        """Sets the limit from the next use on, for all programs that use the folder."""
        # Not under the lock, for which a slow disk could make the caller wait.
        self._wanted_limit = limit

    def clear(self) -> int:
        """Drops all results, unreadable files included; returns the bytes that were on disk."""
        with self._lock:
            self._memory.clear()
            self._resting_until = 0.0
            cleared = self._try(result_file.empty, None)
            if cleared is None:
                return self._remove()
            self._try(lambda _: result_file.drop_aside(self.folder), None)
            return cleared

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        with self._lock:
            database, self._database = self._database, None
            if database is not None:
                with contextlib.suppress(sqlite3.Error):
                    database.close()

    def _try(self, work: Callable[[sqlite3.Connection], _T], otherwise: _T) -> _T:
        if time.monotonic() < self._resting_until:
            return otherwise
        try:
            database = self._opened()
            result_file.limit_use(database)
            return work(database)
        except (OSError, MemoryError) as error:
            self._rest(error)
        # Any other error: SQLite reports damage in many ways, a UnicodeDecodeError among them.
        except Exception as error:
            if result_file.is_passing(error, self.folder):
                self._rest(error)
            else:
                self._begin_anew(error)
        return otherwise

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            # The results of other users are private, and not to be trusted.
            make_private(self.folder)
            result_file.check_files(self.folder)
            self._database = result_file.open_database(self.folder / result_file.FILE)
            self._told_limit = None
        limit = self._wanted_limit
        if limit is not None and limit != self._told_limit:
            self._told_limit = limit
            # A store that can only be read is still of use.
            with contextlib.suppress(sqlite3.OperationalError):
                result_file.resize(self._database, limit)
        return self._database

    def _rest(self, error: Exception) -> None:
        """Leaves the file alone for a while."""
        self.close()
        self._resting_until = time.monotonic() + _REST
        reason = result_file.reason(error)
        self._report(
            f"The cache in '{self.folder}' cannot be used ({reason}); everything is compiled "
            "again. Choose another folder with JITSTUDIO_CACHE_DIR."
        )

    def _begin_anew(self, error: Exception) -> None:
        self.close()
        try:
            aside = result_file.set_aside(self.folder)
        except OSError as obstacle:
            self._rest(obstacle)
            return
        reason = result_file.reason(error)
        aside_note = f" The damaged file is kept as '{aside}'." if aside else ""
        self._report(
            f"The cache in '{self.folder}' was damaged ({reason}) and has been emptied.{aside_note}"
        )

    def _remove(self) -> int:
        """Removes the file, whatever it is, and clears the problem; returns the bytes freed."""
        self.close()
        try:
            make_private(self.folder)
            removed = result_file.remove(self.folder)
        except OSError as error:
            self._rest(error)
            return 0
        self._resting_until, self._problem = 0.0, ""
        return removed

    def _report(self, problem: str) -> None:
        kind = problem.partition("(")[0]
        if kind not in self._reported_kinds:
            self._reported_kinds.add(kind)
            self._problem = problem


class _Memory:
    """The results used last."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[bytes, tuple[object, int]] = OrderedDict()
        self._size = 0

    def get(self, key: bytes) -> object:
        if key not in self._entries:
            return None
        self._entries.move_to_end(key)
        return self._entries[key][0]

    def put(self, key: bytes, event: object, size: int) -> None:
        if key in self._entries:
            self._size -= self._entries.pop(key)[1]
        self._entries[key] = (event, size)
        self._size += size
        while self._size > self._limit:
            _, (_, gone) = self._entries.popitem(last=False)
            self._size -= gone

    def clear(self) -> None:
        self._entries.clear()
        self._size = 0


def _codec(kind: type) -> Codec[Any]:
    return _codecs.get(kind) or _codecs.setdefault(kind, Codec(kind))


# SQLite: "Do not open an SQLite database connection, then fork(2), then try to use that database
# connection in the child process." To close it there would be a use.
_stores: weakref.WeakSet[Store] = weakref.WeakSet()
# Of several entries, as what forks, or runs in a forked process, may make a store itself.
_fork_lock = threading.RLock()
_forking = contextlib.ExitStack()


def _before_fork() -> None:
    # First, so that two threads that fork do not wait for a store of each other's.
    _forking.enter_context(_fork_lock)
    for store in tuple(_stores):
        _forking.enter_context(store.closed())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_forking.close, after_in_child=_forking.close
    )
