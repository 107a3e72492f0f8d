"""The SQLite file that a store keeps its results in: what is in it, and whether it is one of ours.

Each value is sealed with its key, as SQLite notices neither a damaged byte inside a value nor a
value in the place of another. What is damaged comes as an exception of any type: SQLite's own,
`DamagedCacheFile`, a `UnicodeDecodeError` where its words are not UTF-8.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from jitstudio.core.bounds.folders import remove_tree
from jitstudio.private import is_own

# Another one where the same job has another result.
_FORMAT = 4
FILE = "results.sqlite"
_ENDINGS = ("", "-wal", "-shm", "-journal")
_ASIDE = f"{FILE}.damaged"
_LARGEST_ASIDE = 64 << 20
# Of the limits; a result that alone would push out most others is not worth it.
_LARGEST = 1 / 4
_LONGEST = 256 << 20
_AFTER_EVICTION = 0.9
# Seconds for a lock, and for one use of a file that may be made to take for ever.
_PATIENCE = 2.0
_LIMIT_OF_USE = 20.0
_CHECK = 16
_WAL = 2
_MOST_TOOLS = 100

# What SQLite complains of that is no fault of the file: it is busy, or the disk is full.
_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
}

_SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    key BLOB PRIMARY KEY, value BLOB NOT NULL, size INTEGER NOT NULL, used REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS by_use ON results (used, size);
CREATE TABLE IF NOT EXISTS tools (surroundings BLOB PRIMARY KEY, file BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS limits (name TEXT PRIMARY KEY, bytes INTEGER NOT NULL);
"""


class DamagedCacheFile(Exception):
    """The file is not one that a store has made; the message says why."""


def files_of(folder: Path) -> Iterator[Path]:
    """Whatever a store may have left in its folder."""
    for name in (*(f"{FILE}{ending}" for ending in _ENDINGS), _ASIDE):
        if os.path.lexists(folder / name):
            yield folder / name


def remove(folder: Path) -> int:
    """Removes all that a store may have left in its folder; the bytes that it had.

    Raises:
        OSError: Something cannot be removed.
    """
    size = 0
    for path in files_of(folder):
        size += path.lstat().st_size
        _delete(path)
    return size


def drop_aside(folder: Path) -> None:
    """Removes the damaged file that is kept."""
    _delete(folder / _ASIDE)


def check_files(folder: Path) -> None:
    """Finds out, before SQLite waits for it or follows it, whether each file is one of ours.

    Raises:
        Damaged: It is something else.
    """
    for path in files_of(folder):
        status = path.lstat()
        if path.name == _ASIDE:
            continue
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            raise DamagedCacheFile(f"'{path.name}' is no file of its own")
        if not is_own(status):
            raise DamagedCacheFile(f"'{path.name}' belongs to another user")
        if not os.access(path, os.W_OK) and os.access(folder, os.W_OK):
            raise DamagedCacheFile(f"'{path.name}' cannot be written to")
        if path.name == FILE and _write_version(path) > _WAL:
            raise DamagedCacheFile("its head is not SQLite's")


def _write_version(path: Path) -> int:
    """Byte 18 of the head; SQLite takes a file with a larger one for one that is only to be read.

    https://www.sqlite.org/fileformat.html#file_format_version_numbers
    """
    with path.open("rb") as file:
        return (file.read(19)[18:] or b"\0")[0]


def set_aside(folder: Path) -> str:
    """Makes room for a new file.

    Returns:
        The name under which the damaged one is kept, in the place of the last; empty if it is not.

    Raises:
        OSError: Something cannot be removed.
    """
    for path in files_of(folder):
        if path.name != FILE or path.lstat().st_size > _LARGEST_ASIDE:
            _delete(path)
    if not os.path.lexists(folder / FILE):
        return ""
    (folder / FILE).rename(folder / _ASIDE)
    return _ASIDE


def is_passing(error: Exception) -> bool:
    """Returns whether the file is well and cannot be used just now."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _PASSING


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        remove_tree(path)
    else:
        path.unlink(missing_ok=True)


def reason(error: Exception) -> str:
    """Returns why, in a text that holds nothing of a damaged file that a terminal would obey."""
    words = (error.strerror if isinstance(error, OSError) else "") or str(error)
    return "".join(letter if letter.isprintable() else "?" for letter in words)[:200]


def limit_use(database: sqlite3.Connection) -> None:
    """Has SQLite give up what it begins now once it takes far too long."""
    end = time.monotonic() + _LIMIT_OF_USE
    database.set_progress_handler(lambda: time.monotonic() > end, 1_000_000)


def open_database(path: Path) -> sqlite3.Connection:
    """Opens the file, or makes it.

    Raises:
        sqlite3.Error: SQLite cannot do so.
        Damaged: It holds something else than results.
        Exception: Whatever else SQLite makes of a damaged file.
    """
    # Every use is under the store's lock, whichever thread it comes from.
    database = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        limit_use(database)
        # A TEXT that damage has put in the place of a BLOB comes as bytes too, and fails its check.
        database.text_factory = bytes
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if database.execute("PRAGMA user_version").fetchone() != (_FORMAT,):
            database.executescript("DROP TABLE IF EXISTS results; DROP TABLE IF EXISTS tools;")
            database.executescript(f"{_SCHEMA} PRAGMA user_version = {_FORMAT};")
        if _tables(database) != _own_tables():
            raise DamagedCacheFile("it holds other tables")
    except BaseException:
        database.close()
        raise
    return database


def _tables(database: sqlite3.Connection) -> list[tuple[bytes, ...]]:
    return sorted(database.execute("SELECT type, name, ifnull(sql, '') FROM sqlite_schema"))


@cache
def _own_tables() -> list[tuple[bytes, ...]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as empty:
        empty.text_factory = bytes
        empty.executescript(_SCHEMA)
        return _tables(empty)


def read(database: sqlite3.Connection, key: bytes) -> bytes | None:
    """Returns what is kept under this key, or None; it counts as used now."""
    row = database.execute("SELECT value FROM results WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    value = _unsealed(key, row[0])
    if value is None:
        forget(database, key)
        return None
    # A store that can be read and not written is still of use.
    with contextlib.suppress(sqlite3.OperationalError):
        database.execute("UPDATE results SET used = ? WHERE key = ?", (time.time(), key))
    return value


def write(database: sqlite3.Connection, key: bytes, value: bytes, usual_limit: int) -> None:
    """Keeps this under the key, unless it is too large a part of the limit."""
    limit = limit_of(database, usual_limit)
    if len(value) > min(limit * _LARGEST, _LONGEST - _CHECK):
        return
    row = (key, _sealed(key, value), len(value), time.time())
    database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", row)
    _evict(database, limit)


def limit_of(database: sqlite3.Connection, usual: int) -> int:
    """Returns the limit that was set for this file, or the usual one."""
    row = database.execute("SELECT bytes FROM limits WHERE name = 'results'").fetchone()
    return usual if row is None else int(row[0])


def resize(database: sqlite3.Connection, limit: int) -> None:
    """Sets the limit, and drops what exceeds it."""
    # Kept with the results, so that no other program throws away what this one may keep.
    database.execute("INSERT OR REPLACE INTO limits VALUES ('results', ?)", (limit,))
    _evict(database, limit)


def _evict(database: sqlite3.Connection, limit: int) -> None:
    """Lets what was not used for the longest time go, where there is more than the limit."""
    excess = total(database) - limit
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


def forget(database: sqlite3.Connection, key: bytes) -> None:
    """Drops what is kept under this key."""
    database.execute("DELETE FROM results WHERE key = ?", (key,))


def recall(database: sqlite3.Connection, surroundings: bytes) -> bytes | None:
    """Returns where a tool was found in these surroundings, as it was kept."""
    found = database.execute("SELECT file FROM tools WHERE surroundings = ?", (surroundings,))
    row = found.fetchone()
    return None if row is None else _unsealed(surroundings, row[0])


def remember(database: sqlite3.Connection, surroundings: bytes, file: bytes) -> None:
    """Keeps where a tool was found."""
    # Few are ever of use, and they are found again soon.
    (count,) = database.execute("SELECT COUNT(*) FROM tools").fetchone()
    if count >= _MOST_TOOLS:
        database.execute("DELETE FROM tools")
    row = (surroundings, _sealed(surroundings, file))
    database.execute("INSERT OR REPLACE INTO tools VALUES (?, ?)", row)


def total(database: sqlite3.Connection) -> int:
    """Returns bytes of results in the file."""
    (total,) = database.execute("SELECT TOTAL(size) FROM results").fetchone()
    return int(total)


def empty(database: sqlite3.Connection) -> int:
    """Drops all but the limit; the bytes of results that were there."""
    dropped = total(database)
    database.executescript("DELETE FROM results; DELETE FROM tools;")
    _shrink(database)
    return dropped


def _shrink(database: sqlite3.Connection) -> None:
    """Gives the space back to the file system."""
    # `execute` would free one page only, as it takes one step where there is no row to fetch.
    database.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")


def _sealed(key: bytes, value: bytes) -> bytes:
    return _seal(key, value) + value


def _unsealed(key: bytes, sealed: object) -> bytes | None:
    """The value that was kept under this key, or None where it is not whole or another's."""
    if not isinstance(sealed, bytes) or sealed[:_CHECK] != _seal(key, sealed[_CHECK:]):
        return None
    return sealed[_CHECK:]


def _seal(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=_CHECK, key=key).digest()
