"""Temporary folders that belong to a process: private, and gone soon after the process.

The process that makes one holds a lock on it (flock(2)), which ends with the process, so that the
next program knows what was left behind by one that was killed. Not its process id: containers may
share the folder for temporary files and have ids of their own. Systemd's cleaner leaves locked
folders alone, too (tmpfiles.d(5)).
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from functools import cache
from itertools import islice
from pathlib import Path

from jitstudio.core.bounds.folders import empty_folder, remove_tree
from jitstudio.system.private import is_own

if sys.platform != "win32":
    import fcntl

_NAMES = re.compile(r"jitstudio-(?:child|launch|sanitizer)-\w{8}")
_MOST_LOOKED_AT = 100_000
_TRIES = 100

_locks: dict[Path, int] = {}
"""The descriptor of each folder of this process, which holds its lock."""


def make(kind: str) -> Path:
    """Returns a new folder that no other user can enter.

    Args:
        kind: The use of the folder, a word of `_NAMES`.

    Raises:
        OSError: It cannot be made.
    """
    # A cleaner may have removed one of the user's own.
    with contextlib.suppress(OSError):
        os.mkdir(tempfile.gettempdir(), 0o700)
    _remove_orphans(tempfile.gettempdir())
    for _ in range(_TRIES):
        folder = Path(tempfile.mkdtemp(prefix=f"jitstudio-{kind}-"))
        if sys.platform == "win32" or _hold(folder):
            return folder
    raise OSError(f"others remove each new folder in '{tempfile.gettempdir()}' at once")


def remove(folder: Path) -> None:
    """Removes a folder of this process with all content."""
    remove_tree(folder)
    if (lock := _locks.pop(folder, None)) is not None:
        os.close(lock)


def unkept(error: OSError) -> tuple[str, str]:
    """Returns the message that the files of a launch cannot be kept, and the advice."""
    return (
        f"The files of the launch cannot be kept: {error.strerror or error}.",
        "Make room in the folder for temporary files, or set TMPDIR to another one.",
    )


def own_folder() -> str:
    """Returns the folder for temporary files that the parent gave to this process.

    By the name from the parent, not by `tempfile.gettempdir`: where that folder is gone, as another
    program has removed it, that is `/tmp`, or the working directory, with all that is in there.
    """
    return os.environ.get("TMPDIR") or tempfile.gettempdir()


def empty_own() -> None:
    """Empties the folder that this process got from the parent, and no other."""
    folder = own_folder()
    if _NAMES.fullmatch(os.path.basename(folder)):
        empty_folder(folder)


def is_there(folder: Path) -> bool:
    """Returns whether a folder of this process is still at the path, not replaced."""
    lock = _locks.get(folder)
    return os.path.isdir(folder) if lock is None else _is_at(lock, folder)


def _hold(folder: Path) -> bool:
    """Locks a new folder; returns False if another program took the folder for an orphan before."""
    try:
        lock = _locked(folder)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # this file system has no locks, and nothing is removed from it
    if lock is None:
        return False
    if not _is_at(lock, folder):
        os.close(lock)
        return False
    _locks[folder] = lock
    return True


def _locked(folder: Path | str) -> int | None:
    """Opens a folder and locks the descriptor; None where somebody holds the lock already.

    Raises:
        OSError: It cannot be opened or locked.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError):
            return None
        raise
    return descriptor


def _is_at(descriptor: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(folder))
    except OSError:
        return False


@cache
def _remove_orphans(folder: str) -> None:
    """Removes, once, folders left by programs that were killed: buffers can be large.

    Folders of other users are theirs, whatever they are called.
    """
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in islice(entries, _MOST_LOOKED_AT):
            if _NAMES.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _remove_orphan(entry)


def _remove_orphan(entry: os.DirEntry[str]) -> None:
    if not is_own(entry.stat(follow_symlinks=False)):
        return
    lock = _locked(entry.path)
    if lock is not None:
        try:
            remove_tree(entry.path)
        finally:
            os.close(lock)
