"""What was built before, by the hash of all that it was made from: in memory and on disk.

On disk it is one SQLite file, which several programs may share and a crash leaves whole; the
values in it are read by `core.codec`, which cannot run what it reads. Nothing that goes wrong here
stops a build: the store then holds less, or nothing, and says why once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from jitstudio.core.codec import Codec, CodecError
from jitstudio.core.events import StageFinished
from jitstudio.core.tools import ToolFile
from jitstudio.paths import cache_folder

LIMIT = 512 << 20
"""Bytes of results on disk until somebody resizes it; beyond, those least recently used go."""

MEMORY_LIMIT = 64 << 20
"""Bytes of results kept in memory as well."""

_FORMAT = 2
_FILE = "results.sqlite"
# Of the limits; a result that alone would push out most others is not worth it.
_LARGEST = 1 / 4
_AFTER_EVICTION = 0.9
_PATIENCE = 2.0
_CHECK = 16
_MOST_TOOLS = 100

_SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    key BLOB PRIMARY KEY, value BLOB NOT NULL, size INTEGER NOT NULL, used REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS by_use ON results (used, size);
CREATE TABLE IF NOT EXISTS tools (surroundings BLOB PRIMARY KEY, file BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS limits (name TEXT PRIMARY KEY, bytes INTEGER NOT NULL);
"""

_RESULTS: Codec[StageFinished] = Codec(StageFinished)
_TOOLS: Codec[ToolFile] = Codec(ToolFile)

_T = TypeVar("_T")


def default_folder() -> Path:
    """Where results are kept: `JITSTUDIO_CACHE_DIR`, or a folder in the user's cache folder."""
    if chosen := os.environ.get("JITSTUDIO_CACHE_DIR"):
        return Path(chosen)
    return cache_folder() / "builds"


class Store:
    """Results by key. Safe for several threads, and for several programs at a time.

    Nothing is read or made before the first use.

    Args:
        folder: Where to keep them; it is made when the first is kept.
        limit: See `LIMIT`; what `resize` was told last for the same folder counts more.
        memory_limit: See `MEMORY_LIMIT`.
    """

    def __init__(
        self, folder: Path | None = None, *, limit: int = LIMIT, memory_limit: int = MEMORY_LIMIT
    ) -> None:
        self.folder = default_folder() if folder is None else folder
        self._limit = limit
        self._wanted_limit: int | None = None
        self._told_limit: int | None = None
        self._memory = _Memory(memory_limit)
        self._lock = threading.RLock()
        self._database: sqlite3.Connection | None = None
        self._off = False
        self._problem = ""

    def take_problem(self) -> str:
        """What is wrong with the store, in words; told once, empty from then on."""
        with self._lock:
            problem, self._problem = self._problem, ""
        return problem

    def get(self, key: bytes) -> StageFinished | None:
        """What was kept under this key, or None."""
        with self._lock:
            found = self._memory.get(key)
            if found is not None:
                return found
            value = self._try(lambda database: _read(database, key), None)
            if value is None:
                return None
            try:
                event = _RESULTS.unpack(value)
            except CodecError:
                self._try(lambda database: _forget(database, key), None)
                return None
            self._memory.put(key, event, len(value))
            return event

    def put(self, key: bytes, event: StageFinished) -> None:
        """Keep this under the key."""
        value = _RESULTS.pack(event)
        with self._lock:
            self._memory.put(key, event, len(value))
            self._try(lambda database: _write(database, key, value, self._limit), None)

    def recall(self, surroundings: bytes) -> ToolFile | None:
        """Where a tool was found in these surroundings."""
        with self._lock:
            value = self._try(lambda database: _recall(database, surroundings), None)
        with contextlib.suppress(CodecError):
            return _TOOLS.unpack(value) if value is not None else None
        return None

    def remember(self, surroundings: bytes, file: ToolFile) -> None:
        """Keep where a tool was found in these surroundings."""
        row = (surroundings, _TOOLS.pack(file))
        with self._lock:
            self._try(lambda database: _remember(database, row), None)

    def size(self) -> int:
        """Bytes of results on disk."""
        with self._lock:
            return self._try(_total, 0)

    def limit(self) -> int:
        """Bytes of results that may be on disk."""
        with self._lock:
            return self._try(lambda database: _limit_of(database, self._limit), self._limit)

    def resize(self, limit: int) -> None:
        """Keep so many bytes on disk from the next use on, whichever program uses the folder."""
        # Not under the lock, which somebody may hold for as long as a disk takes.
        self._wanted_limit = limit

    def clear(self) -> int:
        """Forget everything; the number of bytes that were on disk."""
        with self._lock:
            self._memory.clear()
            return self._try(_empty, 0)

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._lock:
            database, self._database = self._database, None
            if database is not None:
                database.close()

    def _try(self, work: Callable[[sqlite3.Connection], _T], otherwise: _T) -> _T:
        if self._off:
            return otherwise
        try:
            return work(self._opened())
        except sqlite3.OperationalError as error:
            # Not to be written, or held by another program for long: no fault of the contents.
            self._give_up(str(error))
        except sqlite3.DatabaseError as error:
            self._start_afresh(str(error))
        except OSError as error:
            self._give_up(error.strerror or str(error))
        return otherwise

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            # Others' results are no business of theirs, so none but the owner may look.
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._database = _open(self.folder / _FILE)
            self._told_limit = None
        wanted = self._wanted_limit
        if wanted is not None and wanted != self._told_limit:
            self._told_limit = wanted
            # A store that can be read and not written is still of use.
            with contextlib.suppress(sqlite3.OperationalError):
                _resize(self._database, wanted)
        return self._database

    def _give_up(self, reason: str) -> None:
        self.close()
        self._off = True
        self._problem = (
            f"The cache in '{self.folder}' cannot be used ({reason}); everything is compiled anew. "
            "Choose another folder with JITSTUDIO_CACHE_DIR."
        )

    def _start_afresh(self, reason: str) -> None:
        self.close()
        try:
            for ending in ("", "-wal", "-shm"):
                (self.folder / f"{_FILE}{ending}").unlink(missing_ok=True)
        except OSError as error:
            self._give_up(error.strerror or str(error))
            return
        self._problem = f"The cache in '{self.folder}' was damaged ({reason}) and has been emptied."


class _Memory:
    """The results used last."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: OrderedDict[bytes, tuple[StageFinished, int]] = OrderedDict()
        self._size = 0

    def get(self, key: bytes) -> StageFinished | None:
        if key not in self._held:
            return None
        self._held.move_to_end(key)
        return self._held[key][0]

    def put(self, key: bytes, event: StageFinished, size: int) -> None:
        if key in self._held:
            self._size -= self._held.pop(key)[1]
        self._held[key] = (event, size)
        self._size += size
        while self._size > self._limit:
            _, (_, gone) = self._held.popitem(last=False)
            self._size -= gone

    def clear(self) -> None:
        self._held.clear()
        self._size = 0


def _open(path: Path) -> sqlite3.Connection:
    # Every use is under the store's lock, whichever thread it comes from.
    database = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if database.execute("PRAGMA user_version").fetchone() != (_FORMAT,):
            database.executescript("DROP TABLE IF EXISTS results; DROP TABLE IF EXISTS tools;")
        database.executescript(f"{_SCHEMA} PRAGMA user_version = {_FORMAT};")
    except BaseException:
        database.close()
        raise
    return database


def _read(database: sqlite3.Connection, key: bytes) -> bytes | None:
    row = database.execute("SELECT value FROM results WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    value = bytes(row[0])
    if _checksum(value[_CHECK:]) != value[:_CHECK]:
        _forget(database, key)
        return None
    # A store that can be read and not written is still of use.
    with contextlib.suppress(sqlite3.OperationalError):
        database.execute("UPDATE results SET used = ? WHERE key = ?", (time.time(), key))
    return value[_CHECK:]


def _write(database: sqlite3.Connection, key: bytes, value: bytes, usual_limit: int) -> None:
    limit = _limit_of(database, usual_limit)
    if len(value) > limit * _LARGEST:
        return
    row = (key, _checksum(value) + value, len(value), time.time())
    database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", row)
    _evict(database, limit)


def _limit_of(database: sqlite3.Connection, usual: int) -> int:
    row = database.execute("SELECT bytes FROM limits WHERE name = 'results'").fetchone()
    return usual if row is None else int(row[0])


def _resize(database: sqlite3.Connection, limit: int) -> None:
    # Kept with the results, so that no other program throws away what this one may keep.
    database.execute("INSERT OR REPLACE INTO limits VALUES ('results', ?)", (limit,))
    _evict(database, limit)


def _evict(database: sqlite3.Connection, limit: int) -> None:
    """Let what was not used for the longest time go, where there is more than the limit."""
    excess = _total(database) - limit
    if excess <= 0:
        return
    excess += int(limit * (1 - _AFTER_EVICTION))
    old = database.execute("SELECT rowid, size FROM results ORDER BY used").fetchall()
    for rowid, size in old:
        if excess <= 0:
            break
        database.execute("DELETE FROM results WHERE rowid = ?", (rowid,))
        excess -= size
    _shrink(database)


def _forget(database: sqlite3.Connection, key: bytes) -> None:
    database.execute("DELETE FROM results WHERE key = ?", (key,))


def _recall(database: sqlite3.Connection, surroundings: bytes) -> bytes | None:
    found = database.execute("SELECT file FROM tools WHERE surroundings = ?", (surroundings,))
    row = found.fetchone()
    return None if row is None else bytes(row[0])


def _remember(database: sqlite3.Connection, row: tuple[bytes, bytes]) -> None:
    # Few are ever of use, and they are found again soon.
    (count,) = database.execute("SELECT COUNT(*) FROM tools").fetchone()
    if count >= _MOST_TOOLS:
        database.execute("DELETE FROM tools")
    database.execute("INSERT OR REPLACE INTO tools VALUES (?, ?)", row)


def _total(database: sqlite3.Connection) -> int:
    (total,) = database.execute("SELECT COALESCE(SUM(size), 0) FROM results").fetchone()
    return int(total)


def _empty(database: sqlite3.Connection) -> int:
    total = _total(database)
    database.executescript("DELETE FROM results; DELETE FROM tools;")
    _shrink(database)
    return total


def _shrink(database: sqlite3.Connection) -> None:
    """Give the space back to the file system."""
    # `execute` would free one page only, as it takes one step where there is no row to fetch.
    database.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")


def _checksum(value: bytes) -> bytes:
    # SQLite does not notice a damaged byte inside a value.
    return hashlib.blake2b(value, digest_size=_CHECK).digest()
