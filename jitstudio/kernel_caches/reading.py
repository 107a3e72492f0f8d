"""The way through a folder of any cache: what each of its folders holds."""

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
# What Triton writes to before it renames it.
_HALF_WRITTEN = "tmp.pid_"
_PLACE = re.compile(r"(.+):(\d{1,9})")
# Decorators and comments between the line that a compiler names and the function itself.
_NEAR = 50

# What is in a folder says whose it is, not where it lies: TorchInductor's cache has one of Triton's
# inside, and all may be together. Plain files are what the others have left.
_READERS = (triton.entries, cupy.entries, numba.entries, cutile.entries, compute_cache.entries)


def folders(root: Path, notes: Notes) -> Iterator[Folder]:
    """Yields a folder and all that are inside of it, nearest first; links are not followed."""
    waiting = deque([("", 0)])
    files = count = 0
    while waiting:
        inner, depth = waiting.popleft()
        found: dict[str, os.DirEntry[str]] = {}
        try:
            with os.scandir(os.path.join(root, inner)) as entries:
                for entry in entries:
                    if entry.is_file(follow_symlinks=False):
                        found[entry.name] = entry
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
        files, count = files + len(found), count + 1
        if files > _MOST_FILES or count > _MOST_FOLDERS:
            notes.add(
                f"There are more than {count:,} folders with {files:,} files: not all are read."
            )
            return
        yield Folder(root, inner, found)


def entries(folder: Folder) -> Iterator[CacheEntry]:
    """Yields all that is in one folder, of whichever caches."""
    for reader in (*_READERS, plain.entries):
        yield from reader(folder)


def captured(root: Path, member: str, written: bytes = b"") -> CapturedKernel | None:
    """Returns the kernel that is there in a folder, or None if it is not any more.

    Args:
        root: The folder that was opened.
        member: See `CacheEntry`.
        written: What the file that its `source` names holds now, which may be another text.

    Raises:
        OSError: It cannot be read.
        Incomplete: It is half-written by now.
    """
    path = PurePosixPath(member if (root / member).exists() else member.partition(":")[0])
    inner = "" if path.parent == PurePosixPath() else str(path.parent)
    with os.scandir(root / inner) as there:
        # What belongs to it has a name that begins so.
        beginning = path.name.partition(".")[0]
        files = {
            entry.name: entry
            for entry in there
            if entry.name.partition(".")[0] == beginning and entry.is_file(follow_symlinks=False)
        }
    for entry in entries(Folder(root, inner, files)):
        if entry.member == member:
            kernel = entry.captured()
            source = _python(root, entry, written)
            return replace(kernel, representations=(*source, *kernel.representations))
    return None


def _python(root: Path, entry: CacheEntry, written: bytes) -> Iterator[Representation]:
    """Yields the file that a kernel was written in, if the kernel still is where the cache says.

    TorchInductor keeps it, too, and a cache may have been moved: the folder that was opened comes
    first.
    """
    match = _PLACE.fullmatch(entry.source)
    if match is None or not entry.function:
        return
    path, line = match[1], int(match[2])
    try:
        kept = read_below(root, *PurePosixPath(path).parts[-2:], limit=LARGEST_SOURCE)
    except OSError:
        kept = b""
    for content in (kept, written):
        near = b"\n".join(content.split(b"\n")[max(line - 1, 0) : line + _NEAR])
        if re.search(rb"\bdef\s+%s\b" % re.escape(entry.function.encode()), near):
            yield Representation(KernelLanguage.PYTHON, content, path)
            return
