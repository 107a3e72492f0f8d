"""Walks through folders of others, and removes folders, whatever lies in there.

Folders in folders go deeper than a stack and than the 4,096 bytes of a path, and belong to whoever
has made them. Not `os.walk` and `shutil.rmtree`: they recurse up to Python 3.11 and 3.12.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

# Levels that a walk goes down, far below the 4,096 bytes of a path.
DEEPEST = 64
MOST_WALKED = 200_000
# So many files and folders are removed at once; the rest goes with the next removal.
_MOST_REMOVED = 200_000
# A folder itself, and nothing that a link leads to.
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def walk(
    folder: Path | str,
    enters: Callable[[str], bool] = lambda name: True,
    left_out: Callable[[str], object] = lambda folder: None,
) -> Iterator[tuple[str, list[str]]]:
    """Yields folders with the sorted names of their files, the outer folders first.

    Links to folders are not followed, folders that cannot be read are left out, and it ends after
    200,000 names or 64 levels.

    Args:
        folder: Where it begins.
        enters: Whether a folder of this name is looked into.
        left_out: Called with each folder of which something is left out for these reasons.
    """
    waiting, left = [(os.fspath(folder), 0)], MOST_WALKED
    while waiting and left > 0:
        parent, depth = waiting.pop()
        names: list[str] = []
        inner: list[str] = []
        try:
            with os.scandir(parent) as entries:
                for entry in islice(entries, left):
                    left -= 1
                    if not entry.is_dir(follow_symlinks=False):
                        names.append(entry.name)
                    elif enters(entry.name):
                        inner.append(entry.path)
                if not left and next(entries, None):
                    left_out(parent)
        except (FileNotFoundError, NotADirectoryError):
            pass  # it was removed meanwhile
        except OSError:
            left_out(parent)
        yield parent, sorted(names)
        if inner and depth >= DEEPEST:
            left_out(parent)
        else:
            waiting += [(path, depth + 1) for path in sorted(inner, reverse=True)]
    for parent, _ in waiting:
        left_out(parent)


def remove_tree(folder: Path | str) -> bool:
    """Removes a folder with all content, however deep; links are removed, not followed.

    Returns:
        Whether it is gone. What cannot be removed, or is beyond 200,000 files and folders, stays
        for another time: nothing that somebody left there is an error.
    """
    if os.name == "posix":
        empty_folder(folder)
        with contextlib.suppress(OSError):
            os.rmdir(folder)
    else:
        with contextlib.suppress(OSError, RecursionError):
            shutil.rmtree(folder)
    return not os.path.lexists(folder)


@contextlib.contextmanager
def temporary_folder(prefix: str, above: Path | None = None) -> Iterator[Path]:
    """Makes a folder for the block that nobody else can enter, in `above` or in the usual place.

    Raises:
        OSError: It cannot be made.
    """
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=above))
    try:
        yield folder
    finally:
        remove_tree(folder)


def empty_folder(folder: Path | str) -> None:
    """Removes the content of a folder, as `remove_tree` does; the folder itself stays."""
    with contextlib.suppress(OSError), _opened(os.fspath(folder)) as top:
        left, stuck = _MOST_REMOVED, set[str]()
        while names := [name for name in _names(top, left + len(stuck)) if name not in stuck]:
            for name in names:
                left -= 1
                if not _unlinked(name, top):
                    left -= _flatten(name, top)
                    if not _unlinked(name, top, os.rmdir):
                        stuck.add(name)


def _flatten(name: str, top: int) -> int:
    """Empties an inner folder, and moves the folders in there up, so that none is ever deep.

    Returns:
        How many files and folders it had.
    """
    count = 0
    with contextlib.suppress(OSError), _opened(name, top) as inner:
        for entry in _names(inner, _MOST_REMOVED):
            count += 1
            if not _unlinked(entry, inner):
                with contextlib.suppress(OSError):
                    _allow(entry, inner)  # to be moved, it has to be writable, too
                    os.rename(entry, os.urandom(16).hex(), src_dir_fd=inner, dst_dir_fd=top)
    return count


def _names(folder: int, most: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in islice(entries, max(most, 0))]


def _unlinked(name: str, folder: int, remove: Callable[..., None] = os.unlink) -> bool:
    try:
        remove(name, dir_fd=folder)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def _opened(name: str, above: int | None = None) -> Iterator[int]:
    """Opens a folder for the block, and gives us leave to change the content of our own folders."""
    with contextlib.suppress(OSError):
        _allow(name, above)
    descriptor = os.open(name, _FOLDER | os.O_RDONLY, dir_fd=above)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _allow(name: str, above: int | None) -> None:
    handle = os.open(name, _FOLDER | getattr(os, "O_PATH", os.O_RDONLY), dir_fd=above)
    try:
        if os.fstat(handle).st_mode & stat.S_IRWXU != stat.S_IRWXU:
            # What is opened by its path alone can be changed in this way only (open(2)).
            os.chmod(f"/proc/self/fd/{handle}", stat.S_IRWXU)
    finally:
        os.close(handle)
