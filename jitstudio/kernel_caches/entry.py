"""An entry of a cache, one compilation, and the folder of files that hold entries."""

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
    """A compilation kept in a cache.

    Attributes:
        member: The file in the folder that was opened; behind a colon the entry inside the file.
        origin: The compiler or package, with the version where known: ``Triton 3.6.0``.
        date: The time of writing, in seconds since 1970 UTC.
        source: The source, with a line where known: ``/home/me/k.py:12``; empty where the cache
            does not say.
        code: The machine code, or the PTX where there is none.
        captured: Reads the whole kernel.
        function: The name of the kernel in a Python file that is its source; empty for none.
    """

    member: str
    origin: str
    date: float
    source: str
    code: Representation
    captured: Callable[[], CapturedKernel]
    function: str = ""


class Folder:
    """The plain files of a folder in a cache.

    Attributes:
        root: The folder that was opened.
        inner: The path of this folder from there; empty for the same folder.
        names: The files, without those that a reader has taken.
        used: The files that readers have looked into; of the others they know the names.
        notes: The parts that are not read, and why.
    """

    def __init__(self, root: Path, inner: str, entries: Mapping[str, os.DirEntry[str]]) -> None:
        self.root = root
        self.inner = inner
        self.names = dict(entries)
        self.notes = Notes()
        self.used: dict[str, None] = {}
        self._entries = entries

    def fingerprint(self, used: Iterable[str]) -> tuple[object, ...]:
        """Returns a value that changes once a file is added, removed or, if in `used`, written."""
        parts: list[object] = [*self._entries]
        for name in used:
            # It may be gone since: caches are cleared while programs run.
            with suppress(OSError, KeyError):
                status = self._status(name)
                parts.append((name, status.st_ino, status.st_size, status.st_mtime_ns))
        return tuple(parts)

    def member(self, name: str) -> str:
        """Returns the path of a file from the folder that was opened."""
        return f"{self.inner}/{name}" if self.inner else name

    def path(self, name: str) -> str:
        """Returns the file of this name, which is about to be read.

        Raises:
            OSError: The file is gone.
        """
        self._status(name)
        return self._entries[name].path

    def date(self, name: str) -> float:
        """Returns the time at which a file was written, in seconds since 1970."""
        return self._status(name).st_mtime

    def size(self, name: str) -> int:
        """Returns the bytes of a file."""
        return self._status(name).st_size

    def _status(self, name: str) -> os.stat_result:
        """Returns the status of a file, noted before reading: a later write is read again."""
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
            Incomplete: The file holds no object of JSON.
            OSError: The file cannot be read.
        """
        try:
            content = json.loads(self.read(name, _LARGEST_JSON))
        except (ValueError, RecursionError):
            raise Incomplete("it is not JSON, or half of one") from None
        if not isinstance(content, dict):
            raise Incomplete("it is not a JSON object")
        return content

    @contextmanager
    def noting(self, name: str) -> Iterator[None]:
        """Notes an error with a file in the block, and goes on behind the block."""
        try:
            yield
        except OSError as error:
            self.notes.add(f"'{self.member(name)}' cannot be read: {error.strerror or error}.")
        except (Incomplete, CapturedError) as error:
            self.notes.add(f"'{self.member(name)}' is left out: {error}.")
        except _DAMAGED as error:
            self.notes.add(f"'{self.member(name)}' is damaged: {error or type(error).__name__}.")

    def representation(self, language: KernelLanguage, name: str, file: str = "") -> Representation:
        """Returns the content of a file as a representation."""
        return Representation(language, self.read(name), file)


def read_below(root: Path, *parts: str, limit: int = LARGEST) -> bytes:
    """Returns the bytes of a file in a folder; no link is followed, nothing outside is read.

    Args:
        root: The folder.
        *parts: The path from there to the file.
        limit: Bytes of the largest file that is read.

    Raises:
        OSError: The path is a link, is outside, or is not readable; see `read_file`.
    """
    path = root
    for part in parts:
        path = path / part
        if part == ".." or "/" in part or path.is_symlink():
            raise OSError(errno.EINVAL, "it is a link or outside of the folder", str(path))
    return read_file(path, limit)


def name_in(code: Representation, otherwise: str) -> str:
    """Returns the name of the first kernel or function in the code, or `otherwise`."""
    if code.language is KernelLanguage.CUBIN:
        return next(iter(code_sizes(code.content)), otherwise)
    return first_entry(code.text) or otherwise


def name_of(name: object, otherwise: str) -> str:
    """Returns the name of a kernel in an object of JSON; `otherwise` where there is none."""
    return name if isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME else otherwise


def facts_of(metadata: Mapping[str, object]) -> dict[str, str]:
    """Returns the values in an object of JSON that fit into a line."""
    return {
        key: json.dumps(value) if isinstance(value, bool) else str(value)
        for key, value in metadata.items()
        if isinstance(value, str | int | float) and value != ""
    }
