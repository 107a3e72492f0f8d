"""The SQLite file in which a store keeps results: content, and checks that a store made the file.

Each value is sealed with its key, as SQLite notices neither a damaged byte inside a value nor a
value in the place of another. Damage comes as an exception of any type: SQLite's own,
`DamagedCacheFile`, a `UnicodeDecodeError` where words are not UTF-8.
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
from jitstudio.system.private import is_own

# Another number where the same job has another result.
_FORMAT = 4
FILE = "results.sqlite"
_ENDINGS = ("", "-wal", "-shm", "-journal")
_ASIDE = f"{FILE}.damaged"
_LARGEST_ASIDE = 64 << 20
# Parts of the limits: a result that alone would push out most others is not stored.
_LARGEST = 1 / 4
_LONGEST = 256 << 20
_AFTER_EVICTION = 0.9
# Seconds for a lock, and for a use of the file: a hostile file could take for ever.
_PATIENCE = 2.0
_LIMIT_OF_USE = 20.0
_CHECK = 16
_MOST_TOOLS = 100

# Errors of SQLite that are no fault of the file: it is busy, or the disk is full.
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

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS results (
    key BLOB PRIMARY KEY, value BLOB NOT NULL, size INTEGER NOT NULL, used REAL NOT NULL
)""",
    "CREATE INDEX IF NOT EXISTS by_use ON results (used, size)",
    "CREATE TABLE IF NOT EXISTS tools (surroundings BLOB PRIMARY KEY, file BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS limits (name TEXT PRIMARY KEY, bytes INTEGER NOT NULL)",
)


class DamagedCacheFile(Exception):
    """The file was not made by a store; the message says why."""


def files_of(folder: Path) -> Iterator[Path]:
    """Yields all files that a store may have left in a folder."""
    for name in (*(f"{FILE}{ending}" for ending in _ENDINGS), _ASIDE):
        if os.path.lexists(folder / name):
            yield folder / name


def remove(folder: Path) -> int:
    """Removes all that a store may have left in a folder; returns the bytes that are freed.

    Raises:
        OSError: A file cannot be removed.
    """
    size = 0
    for path in files_of(folder):
        size += path.lstat().st_size
        _delete(path)
    return size


def drop_aside(folder: Path) -> None:
    """Removes the damaged file that was set aside."""
    _delete(folder / _ASIDE)


def check_files(folder: Path) -> None:
    """Checks that all files are a store's, before SQLite waits for one or follows a link.

    None is opened: closing a file drops all locks that this process has on it, so that other stores
    here and other programs would write at the same time, and damage it.
    https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_

    Raises:
        DamagedCacheFile: A file is something else.
    """
    for path in files_of(folder):
        if path.name == _ASIDE or (status := _status(path)) is None:
            continue
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            raise DamagedCacheFile(f"'{path.name}' is not a file of its own")
        if not is_own(status):
            raise DamagedCacheFile(f"'{path.name}' belongs to another user")
        if os.access(path, os.W_OK) or not os.access(folder, os.W_OK):
            continue
        if _status(path) is not None:
            raise DamagedCacheFile(f"'{path.name}' cannot be written to")


def _status(path: Path) -> os.stat_result | None:
    """Returns the status of a file; None where another program has removed the file meanwhile."""
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def set_aside(folder: Path) -> str:
    """Makes room for a new file.

    Returns:
        The new name of the damaged file, in the place of the last; empty if the file is removed.

    Raises:
        OSError: A file cannot be removed.
    """
    for path in files_of(folder):
        if path.name != FILE or path.lstat().st_size > _LARGEST_ASIDE:
            _delete(path)
    if not os.path.lexists(folder / FILE):
        return ""
    (folder / FILE).rename(folder / _ASIDE)
    return _ASIDE


def is_passing(error: Exception, folder: Path) -> bool:
    """Returns whether an error is no damage, but keeps the file from being used just now."""
    code = getattr(error, "sqlite_errorcode", 0)
    # A file that may be written is read-only for SQLite by a damaged byte 18 of its head:
    # https://www.sqlite.org/fileformat.html#file_format_version_numbers
    if code == sqlite3.SQLITE_READONLY and os.access(folder / FILE, os.W_OK):
        return False
    return code & 0xFF in _PASSING


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        remove_tree(path)
    else:
        path.unlink(missing_ok=True)


def reason(error: Exception) -> str:
    """Returns the reason of an error, without control characters of a damaged file."""
    words = (error.strerror if isinstance(error, OSError) else "") or str(error)
    return "".join(letter if letter.isprintable() else "?" for letter in words)[:200]


def limit_use(database: sqlite3.Connection) -> None:
    """Has SQLite give up the next use once that takes far too long."""
    end = time.monotonic() + _LIMIT_OF_USE
    database.set_progress_handler(lambda: time.monotonic() > end, 1_000_000)


def open_database(path: Path) -> sqlite3.Connection:
    """Opens the file, or makes a new file.

    Raises:
        sqlite3.Error: SQLite cannot open the file.
        Damaged: The file holds something else than results.
        Exception: Any other error of SQLite from a damaged file.
    """
    # Every use is under the store's lock, whichever thread it comes from.
    database = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        limit_use(database)
        # A TEXT in the place of a BLOB, by damage, comes as bytes too, and fails its check.
        database.text_factory = bytes
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if not _has_format(database):
            _make_tables(database)
        if _tables(database) != _own_tables():
            raise DamagedCacheFile("it holds other tables")
    except BaseException:
        database.close()
        raise
    return database


def _has_format(database: sqlite3.Connection) -> bool:
    return bool(database.execute("PRAGMA user_version").fetchone() == (_FORMAT,))


def _make_tables(database: sqlite3.Connection) -> None:
    """Makes all tables at once: programs that start at the same time see none or all of them."""
    database.execute("BEGIN IMMEDIATE")
    if not _has_format(database):
        for statement in ("DROP TABLE IF EXISTS results", "DROP TABLE IF EXISTS tools", *_SCHEMA):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {_FORMAT}")
    database.execute("COMMIT")


def _tables(database: sqlite3.Connection) -> list[tuple[bytes, ...]]:
    return sorted(database.execute("SELECT type, name, ifnull(sql, '') FROM sqlite_schema"))


@cache
def _own_tables() -> list[tuple[bytes, ...]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as empty:
        empty.text_factory = bytes
        empty.executescript(";".join(_SCHEMA))
        return _tables(empty)


def read(database: sqlite3.Connection, key: bytes) -> bytes | None:
    """Returns the value under a key, or None; the value counts as used now."""
    row = database.execute("SELECT value FROM results WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    value = _unsealed(key, row[0])
    if value is None:
        forget(database, key)
        return None
    # A store that can only be read is still of use.
    with contextlib.suppress(sqlite3.OperationalError):
        database.execute("UPDATE results SET used = ? WHERE key = ?", (time.time(), key))
    return value


def write(database: sqlite3.Connection, key: bytes, value: bytes, usual_limit: int) -> None:
    """Stores a value under a key, unless the value is too large a part of the limit."""
    limit = limit_of(database, usual_limit)
    if len(value) > min(limit * _LARGEST, _LONGEST - _CHECK):
        return
    row = (key, _sealed(key, value), len(value), time.time())
    database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", row)
    _evict(database, limit)


def limit_of(database: sqlite3.Connection, usual: int) -> int:
    """Returns the limit of this file, or the usual limit."""
    row = database.execute("SELECT bytes FROM limits WHERE name = 'results'").fetchone()
    return usual if row is None else int(row[0])


def resize(database: sqlite3.Connection, limit: int) -> None:
    """Sets the limit, and drops the results beyond."""
    # Stored with the results, so that no other program drops results that this one may keep.
    database.execute("INSERT OR REPLACE INTO limits VALUES ('results', ?)", (limit,))
    _evict(database, limit)


def _evict(database: sqlite3.Connection, limit: int) -> None:
    """Drops the results unused for the longest time, if the limit is exceeded."""
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
    """Drops the value under a key."""
    database.execute("DELETE FROM results WHERE key = ?", (key,))


def recall(database: sqlite3.Connection, surroundings: bytes) -> bytes | None:
    """Returns the place of a tool in these surroundings, as stored."""
    cursor = database.execute("SELECT file FROM tools WHERE surroundings = ?", (surroundings,))
    row = cursor.fetchone()
    return None if row is None else _unsealed(surroundings, row[0])


def remember(database: sqlite3.Connection, surroundings: bytes, file: bytes) -> None:
    """Stores the place of a tool."""
    # Few are of use again, and they are soon found anew.
    (count,) = database.execute("SELECT COUNT(*) FROM tools").fetchone()
    if count >= _MOST_TOOLS:
        database.execute("DELETE FROM tools")
    row = (surroundings, _sealed(surroundings, file))
    database.execute("INSERT OR REPLACE INTO tools VALUES (?, ?)", row)


def total(database: sqlite3.Connection) -> int:
    """Returns the bytes of results in the file."""
    (total,) = database.execute("SELECT TOTAL(size) FROM results").fetchone()
    return int(total)


def empty(database: sqlite3.Connection) -> int:
    """Drops all but the limit; returns the bytes of the dropped results."""
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
    """Returns the value sealed under this key, or None if damaged or sealed under another key."""
    if not isinstance(sealed, bytes) or sealed[:_CHECK] != _seal(key, sealed[_CHECK:]):
        return None
    return sealed[_CHECK:]


def _seal(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=_CHECK, key=key).digest()
