"""The files where a compiler has looked for headers, so that a change can be known.

A result may be used again if all the places that its compile searched hold the same as they did
then. As ccache does, a file is read once and known by its stamp from then on, and what changes
while a compile runs makes its result unfit to be kept.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from jitstudio.core.plan import Search

TICK_NS = 10_000_000
"""Within this time, at most, two changes of a file may be given the same time by the kernel."""

_SETTLED_NS = 2_000_000_000
_MOST_REMEMBERED = 20_000
_LARGEST = 64 << 20
_MOST_PLACES = 200_000
"""The kernel is asked about each at every build, which has to stay far below a compile."""

_Stamp = tuple[int, ...]
_T = TypeVar("_T")


class UnreadableFile(Exception):
    """A place holds no file that can be read like a header: a pipe, a device, a huge file."""


@dataclass(frozen=True)
class SearchSnapshot:
    """The state of the searched places, at a moment.

    Attributes:
        contents: A hash of the searches, of which files were there, what was in them, and which of
            them were the same file: `#pragma once` looks at that.
        stamps: A hash of the stamps of all files and folders.
        newest_ns: When the last change was made to any of them, by the clock of files.
    """

    contents: bytes
    stamps: bytes
    newest_ns: int

    def settled_before(self, began_ns: int) -> bool:
        """Returns whether the last change is more than a tick of the clock before a moment."""
        return self.newest_ns < began_ns - TICK_NS


class FileContentCache(Generic[_T]):
    """Values derived from files; a file is read again only if the stamp has changed.

    Args:
        derive: Derives the value from a content.
    """

    def __init__(self, derive: Callable[[bytes], _T]) -> None:
        self._derive = derive
        self._known: dict[str, tuple[_Stamp, _T]] = {}

    def of(self, path: str, status: os.stat_result) -> _T:
        """Returns the value derived from a file, the status of which is known.

        Raises:
            UnreadableFile: See the class.
            OSError: The file is gone, or is another one by now.
        """
        stamp = _stamp(status)
        known = self._known.get(path)
        # A file written a moment ago may be written again within the same tick of the clock.
        if known and known[0] == stamp and time.time_ns() - status.st_ctime_ns > _SETTLED_NS:
            return known[1]
        value = self._derive(_content(path, status))
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known[path] = (stamp, value)
        return value


class Disk:
    """Looks at files; remembers unchanged files."""

    def __init__(self) -> None:
        self._digests = FileContentCache(lambda content: hashlib.sha256(content).digest())

    def look(self, searches: Iterable[Search]) -> SearchSnapshot | None:
        """Returns the state of all places of these searches now; None if that cannot be known."""
        searches = tuple(searches)
        if sum(len(search.folders) * len(search.names) for search in searches) > _MOST_PLACES:
            return None
        contents: dict[str, tuple[object, ...]] = {}
        twins: dict[object, int] = {}
        stamps: list[tuple[str, _Stamp]] = []
        newest = 0
        try:
            for path in places(searches):
                if path in contents or (status := _status(path)) is None:
                    continue
                if stat.S_ISDIR(status.st_mode):
                    contents[path] = ("folder",)
                else:
                    content = self._digests.of(path, status)
                    # EDG tells files apart by number, GCC's preprocessor by time and content.
                    marks = (status.st_dev, status.st_ino), (content, status.st_mtime_ns)
                    contents[path] = (content, *(twins.setdefault(x, len(twins)) for x in marks))
                stamps.append((path, _stamp(status)))
                newest = max(newest, status.st_ctime_ns, _link_changed(path))
        except (UnreadableFile, OSError):
            return None
        folders = _folders(searches)
        for folder in folders:
            if (status := status_of(folder, folder=True)) is not None:
                stamps.append((folder, _stamp(status)))
                newest = max(newest, status.st_ctime_ns)
        newest = max([newest, *map(_moved, _above(folders, searches))])
        return SearchSnapshot(
            _hash((searches, sorted(contents.items()))), _hash(sorted(stamps)), newest
        )


def places(searches: Iterable[Search]) -> Iterator[str]:
    """Yields every path that may have been looked at."""
    for search in searches:
        for folder in search.folders:
            # There are thousands, at every build: as `os.path.join`, and five times as fast.
            inside = os.path.join(folder, "")
            for name in search.names:
                yield name if name.startswith("/") else inside + name


def status_of(path: str, *, folder: bool = False) -> os.stat_result | None:
    """Returns the status of a file, or of a folder where that is asked for; None for others."""
    status = _status(path)
    return status if status and stat.S_ISDIR(status.st_mode) == folder else None


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def working_folder() -> str:
    """Returns the working directory; empty if the directory has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _content(path: str, status: os.stat_result) -> bytes:
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
        raise UnreadableFile(path)
    # Not even a pipe that has just taken its place makes this wait.
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        if _stamp(os.fstat(file.fileno())) != _stamp(status):
            raise UnreadableFile(path)
        return file.read(_LARGEST + 1)


def _folders(searches: Iterable[Search]) -> set[str]:
    """Returns the folders of the searches, in which something may have come and gone."""
    return {
        os.path.join(folder, inner)
        for search in searches
        for inner in set(map(os.path.dirname, search.names))
        for folder in search.folders
    }


def _above(folders: Iterable[str], searches: Iterable[Search]) -> set[str]:
    """Returns all that leads to these folders, links included."""
    above: set[str] = set()
    real = {os.path.realpath(folder) for search in searches for folder in search.folders}
    for path in (*folders, *real):
        while path not in above:
            above.add(path)
            path = os.path.dirname(path)
    return above


def _moved(path: str) -> int:
    """Returns when a folder or link was renamed or made, if the times show that; else 0.

    A file made in a folder, or taken out, changes both times of the folder.
    """
    try:
        status = os.lstat(path)
    except OSError:
        return 0
    if stat.S_ISLNK(status.st_mode) or status.st_mtime_ns + TICK_NS < status.st_ctime_ns:
        return status.st_ctime_ns
    return 0


def _link_changed(path: str) -> int:
    status = os.lstat(path)
    return status.st_ctime_ns if stat.S_ISLNK(status.st_mode) else 0


def _stamp(status: os.stat_result) -> _Stamp:
    return (
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def _hash(value: object) -> bytes:
    return hashlib.sha256(repr(value).encode("utf-8", "backslashreplace")).digest()
