"""The cache of cuTile: an SQLite database of cubins, ``~/.cache/cutile-python/cache.db``.

The table is that of `cutile_cache` 1.7: a key, the cubin, the time of the last use, and an object
of JSON with the names of the kernels, the compiler's version and its remarks.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from urllib.parse import quote

from jitstudio.core.captured import CapturedKernel, KernelLanguage, Representation
from jitstudio.core.cubin import cubin_target
from jitstudio.core.plain_files import LARGEST
from jitstudio.kernel_caches.entry import (
    CacheEntry,
    Folder,
    Incomplete,
    facts_of,
    name_in,
    name_of,
)

_NAME = "cache.db"
_MAGIC = b"SQLite format 3\0"
_LARGEST_DATABASE = 64 << 30
_IS_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'cache'"
_ROWS = (
    "SELECT key, CASE WHEN length(blob) <= ? THEN blob END, atime, {metadata} FROM cache "
    "WHERE typeof(key) = 'text' AND typeof(blob) = 'blob'"
)


def entries(folder: Folder) -> Iterator[CacheEntry]:
    """Yields the entries of a folder of cuTile's cache; nothing for another folder."""
    if _NAME not in folder.names:
        return
    with folder.noting(_NAME):
        if folder.size(_NAME) > _LARGEST_DATABASE:
            raise Incomplete(f"it is larger than the {_LARGEST_DATABASE >> 30} GiB that are read")
        if folder.head(_NAME, len(_MAGIC)) == _MAGIC:
            folder.take(_NAME)
            try:
                yield from _entries(folder)
            except sqlite3.Error as error:
                raise Incomplete(f"its database is damaged, or half-written ({error})") from None


def _entries(folder: Folder) -> Iterator[CacheEntry]:
    # Unlocked and not rolled back where a program died: the folder is only read.
    address = f"file:{quote(folder.path(_NAME))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as database:
        database.execute("PRAGMA trusted_schema = OFF")
        # One damaged text shall not hide the others.
        database.text_factory = partial(str, encoding="utf-8", errors="replace")
        if database.execute(_IS_TABLE).fetchone() is None:
            raise Incomplete("it is not a cache of cuTile, or one of another version")
        columns = {row[1] for row in database.execute("PRAGMA table_info(cache)")}
        metadata = "metadata" if "metadata" in columns else "NULL"
        for key, blob, date, metadata_text in database.execute(
            _ROWS.format(metadata=metadata), (LARGEST,)
        ):
            member = f"{_NAME}:{key}"
            with folder.noting(member):
                if blob is None:
                    raise Incomplete(f"it is larger than the {LARGEST >> 20} MiB that are read")
                yield _entry(folder, member, blob, date, _metadata(metadata_text))


def _metadata(text: object) -> dict[str, object]:
    try:
        metadata = json.loads(text) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        metadata = {}
    return metadata if isinstance(metadata, dict) else {}


def _entry(
    folder: Folder, member: str, blob: bytes, used: object, metadata: dict[str, object]
) -> CacheEntry:
    if cubin_target(blob) is None:
        raise Incomplete("it is not a cubin")
    code = Representation(KernelLanguage.CUBIN, blob)
    names, written = metadata.get("kernel_names"), metadata.get("compilation_timestamp")
    name = name_of(names[0] if isinstance(names, list) and names else None, name_in(code, member))
    date = next(
        (float(seconds) for seconds in (written, used) if isinstance(seconds, int | float)), 0.0
    )
    kernel = CapturedKernel(name, "cuTile", (code,), facts_of(metadata))
    return CacheEntry(
        member=folder.member(member),
        origin="cuTile",
        date=date,
        source="",
        code=code,
        captured=partial(lambda captured_kernel: captured_kernel, kernel),
    )
