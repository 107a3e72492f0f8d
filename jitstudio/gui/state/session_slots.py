"""Which file a running jitstudio keeps its session in, so that no two write the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QLockFile

from jitstudio.private import make_private

_SLOTS = 16
_UNREAD = "-unread-"


class SessionSlot(NamedTuple):
    """A session file, and the lock that keeps other processes from it.

    Attributes:
        path: The session file; it need not be there yet.
        lock: Its lock; not locked where no file can be written.
        was_killed: Whether the process that used it before ended without unlocking it.
    """

    path: Path
    lock: QLockFile
    was_killed: bool

    @property
    def is_writable(self) -> bool:
        """Whether it may be written, as this process holds the lock."""
        return self.lock.isLocked()


def take_slot(
    folder: Path, suits: Callable[[Path], bool] = lambda _path: True
) -> tuple[SessionSlot | None, str]:
    """The first session file that no running jitstudio holds, and why nothing can be kept in it.

    Where the folder cannot be written to, it is the first one there is, only to be read.

    Args:
        folder: Where they are; it is made.
        suits: Whether a session may be the one; it need not be there yet.
    """
    try:
        make_private(folder)
    except OSError as error:
        message = QCoreApplication.translate("Session", "'{folder}' cannot be used: {error}")
        return None, message.format(folder=folder, error=error.strerror)
    paths = (folder / f"session-{number}.json" for number in range(1, _SLOTS + 1))
    for slot in map(_try, filter(suits, paths)):
        if slot is not None and slot.is_writable:
            return slot, ""
        if slot is not None:
            message = QCoreApplication.translate("Session", "'{folder}' cannot be written to")
            there = (slot for slot in slots_in(folder) if suits(slot.path))
            return next(there, None), message.format(folder=folder)
    message = QCoreApplication.translate(
        "Session", "{count} windows keep their text in '{folder}' already"
    )
    return None, message.format(count=_SLOTS, folder=folder)


def slots_in(folder: Path) -> Iterator[SessionSlot]:
    """The session files in a folder that no running jitstudio holds; the caller unlocks them."""
    paths = (path for path in sorted(folder.glob("session-*.json")) if _UNREAD not in path.name)
    return (slot for slot in map(_try, paths) if slot is not None)


def _try(path: Path) -> SessionSlot | None:
    """A session file and its lock, taken where that can be; None if another process has it."""
    lock_path = path.with_suffix(".lock")
    was_killed = lock_path.exists()
    lock = QLockFile(str(lock_path))
    # Held for as long as the process lives: its age says nothing.
    lock.setStaleLockTime(0)
    if lock.tryLock(0) or lock.error() is not QLockFile.LockError.LockFailedError:
        return SessionSlot(path, lock, was_killed)
    return None


def set_aside(path: Path) -> str:
    """Renames a session that cannot be read, so that no later one takes its place; what became."""
    number = 1
    while (aside := path.with_name(f"{path.stem}{_UNREAD}{number}.json")).exists():
        number += 1
    try:
        path.replace(aside)
    except OSError as error:
        message = QCoreApplication.translate(
            "Session", "'{path}' cannot be set aside either: {error}."
        )
        return message.format(path=path, error=error.strerror)
    return QCoreApplication.translate("Session", "It is kept as '{path}'.").format(path=aside)
