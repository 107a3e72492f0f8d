"""Reads a folder of any cache: the entries of all folders inside."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from jitstudio.core.captured import CapturedKernel, KernelLanguage, Representation
from jitstudio.core.library import LARGEST_SOURCE, Notes
from jitstudio.kernel_caches import compute_cache, cupy, cutile, numba, plain, triton
from jitstudio.kernel_caches.entry import CacheEntry, Folder, read_below

_MOST_FILES = 1_000_000
_MOST_FOLDERS = 100_000
_DEEPEST = 16
# The beginning of the name of files that Triton has not finished.
_HALF_WRITTEN = "tmp.pid_"
_PLACE = re.compile(r"(.+):(\d{1,9})")
# Decorators and comments between the line that a compiler names and the function itself.
_NEAR = 50

# The content of a folder tells the cache, not the place: TorchInductor's cache has Triton's inside,
# and all may be together. Plain files are those that no other reader has taken.
_READERS = (triton.entries, cupy.entries, numba.entries, cutile.entries, compute_cache.entries)


def folders(root: Path, notes: Notes) -> Iterator[Folder]:
    """Yields a folder and all folders inside, nearest first; links are not followed."""
    waiting = deque([("", 0)])
    files = count = 0
    while waiting:
        inner, depth = waiting.popleft()
        files_here: dict[str, os.DirEntry[str]] = {}
        try:
            with os.scandir(os.path.join(root, inner)) as entries:
                for entry in entries:
                    if entry.is_file(follow_symlinks=False):
                        files_here[entry.name] = entry
                        continue
                    below = f"{inner}/{entry.name}" if inner else entry.name
                    if entry.is_symlink():
                        notes.add(f"'{below}' is a link and is left out.")
                    elif (
                        entry.is_dir()
                        and depth < _DEEPEST
                        and not entry.name.startswith(_HALF_WRITTEN)
                    ):
                        waiting.append((below, depth + 1))
        except OSError as error:
            notes.add(f"'{inner or root.name}' cannot be read: {error.strerror or error}.")
            continue
        files, count = files + len(files_here), count + 1
        if files > _MOST_FILES or count > _MOST_FOLDERS:
            notes.add(
                f"There are more than {count:,} folders with {files:,} files: not all are read."
            )
            return
        yield Folder(root, inner, files_here)


def entries(folder: Folder) -> Iterator[CacheEntry]:
    """Yields the entries of a folder, of whichever caches."""
    for reader in (*_READERS, plain.entries):
        yield from reader(folder)


def captured(root: Path, member: str, written: bytes = b"") -> CapturedKernel | None:
    """Returns the kernel of an entry in a folder, or None if the entry is gone.

    Args:
        root: The folder that was opened.
        member: See `CacheEntry`.
        written: The present content of the file that `source` names, which may be another text.

    Raises:
        OSError: The entry cannot be read.
        Incomplete: The entry is half-written by now.
    """
    path = PurePosixPath(member if (root / member).exists() else member.partition(":")[0])
    inner = "" if path.parent == PurePosixPath() else str(path.parent)
    with os.scandir(root / inner) as scan:
        # Files of the same kernel have names that begin so.
        beginning = path.name.partition(".")[0]
        files = {
            entry.name: entry
            for entry in scan
            if entry.name.partition(".")[0] == beginning and entry.is_file(follow_symlinks=False)
        }
    for entry in entries(Folder(root, inner, files)):
        if entry.member == member:
            kernel = entry.captured()
            source = _python(root, entry, written)
            return replace(kernel, representations=(*source, *kernel.representations))
    return None


def _python(root: Path, entry: CacheEntry, written: bytes) -> Iterator[Representation]:
    """Yields the Python file of a kernel, if the kernel still is at the line of the cache.

    TorchInductor keeps the file, too, and a cache may have been moved: the folder that was opened
    comes first.
    """
    match = _PLACE.fullmatch(entry.source)
    if match is None or not entry.function:
        return
    path, line = match[1], int(match[2])
    try:
        cached = read_below(root, *PurePosixPath(path).parts[-2:], limit=LARGEST_SOURCE)
    except OSError:
        cached = b""
    for content in (cached, written):
        near = b"\n".join(content.split(b"\n")[max(line - 1, 0) : line + _NEAR])
        if re.search(rb"\bdef\s+%s\b" % re.escape(entry.function.encode()), near):
            yield Representation(KernelLanguage.PYTHON, content, path)
            return
