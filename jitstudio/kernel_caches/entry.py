"""One compilation in a cache, and the folder of files that it is read from."""

from __future__ import annotations

import errno
import json
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from jitstudio.core.captured import CapturedError, CapturedKernel, KernelLanguage, Representation
from jitstudio.core.kernel_resources import code_sizes
from jitstudio.core.library import Notes
from jitstudio.core.plain_files import LARGEST, open_file, read_file
from jitstudio.python.things import first_entry

_LARGEST_JSON = 1 << 20
_LONGEST_NAME = 4096
_DAMAGED = (ValueError, LookupError, struct.error, RecursionError, MemoryError)


class Incomplete(ValueError):
    """An entry is half-written, damaged or of another version; the message ends a sentence."""


@dataclass(frozen=True)
class CacheEntry:
    """One compilation that a cache keeps.

    Attributes:
        member: Its file in the folder that was opened, with a colon before what is inside of it.
        origin: Who has made it, with the version where that is known: ``Triton 3.6.0``.
        date: When it was written, in seconds since 1970 UTC.
        source: What people wrote, with a line where that is known: ``/home/me/k.py:12``; empty
            where the cache does not say.
        code: Its machine code, or its PTX where there is none.
        captured: Reads the rest.
        function: What the kernel is called in a Python file that is its source; empty for none.
    """

    member: str
    origin: str
    date: float
    source: str
    code: Representation
    captured: Callable[[], CapturedKernel]
    function: str = ""


class Folder:
    """The plain files of one folder of a cache.

    Attributes:
        root: The folder that was opened.
        inner: This one, as seen from there; empty for the same.
        names: Its files, without those that a reader has taken.
        used: Those that readers have looked into; of the others they know the names.
        notes: What is not read of it, and why.
    """

    def __init__(self, root: Path, inner: str, entries: Mapping[str, os.DirEntry[str]]) -> None:
        self.root = root
        self.inner = inner
        self.names = dict(entries)
        self.notes = Notes()
        self.used: dict[str, None] = {}
        self._entries = entries

    def fingerprint(self, used: Iterable[str]) -> tuple[object, ...]:
        """Returns what changes once a file is added or removed, or one of these is written."""
        found: list[object] = [*self._entries]
        for name in used:
            # It may be gone since: caches are cleared while programs run.
            with suppress(OSError, KeyError):
                one = self._status(name)
                found.append((name, one.st_ino, one.st_size, one.st_mtime_ns))
        return tuple(found)

    def member(self, name: str) -> str:
        """Returns what a file is called as seen from the folder that was opened."""
        return f"{self.inner}/{name}" if self.inner else name

    def path(self, name: str) -> str:
        """Returns the file of this name, which is about to be read.

        Raises:
            OSError: It is gone.
        """
        self._status(name)
        return self._entries[name].path

    def date(self, name: str) -> float:
        """Returns when a file was written, in seconds since 1970."""
        return self._status(name).st_mtime

    def size(self, name: str) -> int:
        """Returns the bytes of a file."""
        return self._status(name).st_size

    def _status(self, name: str) -> os.stat_result:
        """Asked for before a file is read, and kept: what is written meanwhile is read again."""
        self.used[name] = None
        return self._entries[name].stat(follow_symlinks=False)

    def take(self, *names: str) -> None:
        """Keeps these files from the readers that come later."""
        for name in names:
            self.names.pop(name, None)

    def read(self, name: str, limit: int = LARGEST) -> bytes:
        """Returns the bytes of a file; see `read_file` for what it raises."""
        return read_file(self.path(name), limit)

    def head(self, name: str, size: int) -> bytes:
        """Returns the first bytes of a file."""
        with open_file(self.path(name)) as file:
            return file.read(size) or b""

    def json(self, name: str) -> dict[str, object]:
        """Returns the object of JSON in a file.

        Raises:
            Incomplete: It holds none.
            OSError: It cannot be read.
        """
        try:
            found = json.loads(self.read(name, _LARGEST_JSON))
        except (ValueError, RecursionError):
            raise Incomplete("it is no JSON, or half of one") from None
        if not isinstance(found, dict):
            raise Incomplete("it is no object of JSON")
        return found

    @contextmanager
    def noting(self, name: str) -> Iterator[None]:
        """Notes what goes wrong with a file in the block, and goes on behind it."""
        try:
            yield
        except OSError as error:
            self.notes.add(f"'{self.member(name)}' cannot be read: {error.strerror or error}.")
        except (Incomplete, CapturedError) as error:
            self.notes.add(f"'{self.member(name)}' is left out: {error}.")
        except _DAMAGED as error:
            self.notes.add(f"'{self.member(name)}' is damaged: {error or type(error).__name__}.")

    def representation(self, language: KernelLanguage, name: str, file: str = "") -> Representation:
        """Returns what a file holds."""
        return Representation(language, self.read(name), file)


def read_below(root: Path, *parts: str, limit: int = LARGEST) -> bytes:
    """Returns the bytes of a file in a folder; nothing outside of it is read, also by no link.

    Args:
        root: The folder.
        *parts: The way from there to the file.
        limit: Bytes of the largest file that is read.

    Raises:
        OSError: It is a link, is outside, or is not readable; see `read_file`.
    """
    path = root
    for part in parts:
        path = path / part
        if part == ".." or "/" in part or path.is_symlink():
            raise OSError(errno.EINVAL, "it is a link or outside of the folder", str(path))
    return read_file(path, limit)


def name_in(code: Representation, otherwise: str) -> str:
    """Returns the name of the first kernel or function in machine code or PTX, or the other one."""
    if code.language is KernelLanguage.CUBIN:
        return next(iter(code_sizes(code.content)), otherwise)
    return first_entry(code.text) or otherwise


def name_of(told: object, otherwise: str) -> str:
    """Returns the name that an object of JSON has for a kernel; the other one where it has none."""
    return told if isinstance(told, str) and 0 < len(told) <= _LONGEST_NAME else otherwise


def facts_of(metadata: Mapping[str, object]) -> dict[str, str]:
    """Returns those of the values in an object of JSON that a line can show."""
    return {
        key: json.dumps(value) if isinstance(value, bool) else str(value)
        for key, value in metadata.items()
        if isinstance(value, str | int | float) and value != ""
    }
