"""Folders and files that no other user can change, made and checked here only.

What another user could put into a folder, we would later read as our own: results of builds,
headers that are compiled, texts. So each such folder is made with mode 0700, and one that is there
already is taken only if nobody else could have prepared it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections import deque
from errno import ELOOP, EPERM
from pathlib import Path

_MODE = 0o700
_FILE_MODE = 0o600
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS = 40
# Linux: a folder can be passed through that may not be listed.
_PASSING = getattr(os, "O_PATH", os.O_RDONLY)


class NotPrivate(PermissionError):
    """Another user could change the content of a folder; `strerror` says why and the remedy."""


def make_private(folder: Path) -> None:
    """Makes a folder and the missing folders above, or checks the existing folder.

    Symbolic links are followed, one name at a time. In a folder that everybody may write to, such
    as the one for temporary files, only what belongs to this user or to root is entered (the rule
    of Linux's `fs.protected_symlinks`, for folders too). The folder itself has to belong to one of
    them, and others lose the permission to write into it.

    Raises:
        NotPrivate: Another user could change what lies there.
        OSError: It cannot be made, or is no folder.
    """
    if os.name != "posix":
        # There, a user's folders are private by their access lists.
        folder.mkdir(parents=True, exist_ok=True)
        return
    descriptor = _enter(folder.absolute())
    try:
        _check(folder, descriptor)
    finally:
        os.close(descriptor)


def is_own(status: os.stat_result) -> bool:
    """Returns whether a file belongs to this user."""
    return os.name != "posix" or status.st_uid == os.getuid()


def read_private(path: Path, largest: int) -> bytes | None:
    """Returns a file of this user's own; None if missing, or others may have written the file.

    Args:
        path: The file; no symbolic link.
        largest: So many bytes are read at most.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, "rb") as file:
            return file.read(largest) if _is_private(os.fstat(handle)) else None
    except OSError:
        return None


def write_private(path: Path, text: str) -> None:
    """Writes a file that this user alone can read and write; the file is whole or unchanged.

    Raises:
        NotPrivate: Another user could change what lies in its folder.
        OSError: It cannot be written.
    """
    fresh = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    try:
        make_private(path.parent)
        with os.fdopen(
            os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE_MODE), "w"
        ) as file:
            file.write(text)
        fresh.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def _is_private(status: os.stat_result) -> bool:
    if os.name != "posix":
        return True
    return stat.S_ISREG(status.st_mode) and is_own(status) and not status.st_mode & _OTHERS_WRITE


def _enter(folder: Path) -> int:
    """Opens the folder from the root on, making missing folders; the descriptor."""
    names = deque(folder.parts[1:])
    here = _open("/")
    links = 0
    try:
        while names:
            name = names.popleft()
            status = _status_of(name, here)
            if os.fstat(here).st_mode & stat.S_IWOTH and not _is_trusted(status):
                raise _refusal(folder, f"'{name}' in a folder of all users {_owner(status)}")
            if stat.S_ISLNK(status.st_mode):
                links += 1
                if links > _MOST_LINKS:
                    raise OSError(ELOOP, os.strerror(ELOOP), str(folder))
                target = Path(os.readlink(name, dir_fd=here))
                names.extendleft(reversed(target.parts))
                continue
            there = _open(name, here)
            os.close(here)
            here = there
    except BaseException:
        os.close(here)
        raise
    return here


def _open(name: str, folder: int | None = None) -> int:
    flags = _PASSING | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(name, flags, dir_fd=folder)


def _status_of(name: str, folder: int) -> os.stat_result:
    """Returns the status of the entry of this name, made as a folder if missing."""
    if name == "/":  # a symbolic link leads to the root
        return os.stat("/")
    try:
        return os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):  # another process was quicker
            os.mkdir(name, _MODE, dir_fd=folder)
        return os.lstat(name, dir_fd=folder)


def _is_trusted(status: os.stat_result) -> bool:
    return status.st_uid in (0, os.getuid())


def _check(folder: Path, descriptor: int) -> None:
    status = os.fstat(descriptor)
    if not _is_trusted(status):
        raise _refusal(folder, f"it {_owner(status)}")
    if not status.st_mode & _OTHERS_WRITE:
        return
    if status.st_uid != os.getuid() or status.st_mode & stat.S_ISVTX:
        raise _refusal(folder, "other users may write to it")
    # What was opened for passing through only cannot be changed by its descriptor.
    opened = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=descriptor)
    try:
        os.fchmod(opened, stat.S_IMODE(status.st_mode) & ~_OTHERS_WRITE)
        if os.fstat(opened).st_mode & _OTHERS_WRITE:
            raise _refusal(folder, "other users may write to it, as its file system has no modes")
    finally:
        os.close(opened)


def _owner(status: os.stat_result) -> str:
    return f"belongs to another user (number {status.st_uid})"


def _refusal(folder: Path, reason: str) -> NotPrivate:
    message = f"{reason}, so that others could change what is kept there; use another folder"
    return NotPrivate(EPERM, message, str(folder))
