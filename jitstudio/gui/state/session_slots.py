"""Which file a running jitstudio keeps its session in, so that no two write the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLockFile

from jitstudio.private import make_private

_SLOTS = 16


@dataclass(frozen=True)
class Slot:
    """A session file, and the lock that keeps other processes from it."""

    lock: QLockFile
    path: Path


def take_slot(folder: Path) -> tuple[Slot | None, str]:
    """The first session file that no running jitstudio holds, or why there is none."""
    try:
        make_private(folder)
    except OSError as error:
        told = QCoreApplication.translate("Session", "'{folder}' cannot be used: {error}")
        return None, told.format(folder=folder, error=error.strerror)
    for number in range(1, _SLOTS + 1):
        path = folder / f"session-{number}.json"
        lock = lock_of(path)
        if lock.tryLock(0):
            return Slot(lock, path), ""
        if lock.error() is not QLockFile.LockError.LockFailedError:
            told = QCoreApplication.translate("Session", "'{folder}' cannot be written to")
            return None, told.format(folder=folder)
    told = QCoreApplication.translate(
        "Session", "{count} windows keep their text in '{folder}' already"
    )
    return None, told.format(count=_SLOTS, folder=folder)


def lock_of(path: Path) -> QLockFile:
    """The lock that whoever uses this session file holds, not taken yet."""
    lock = QLockFile(str(path.with_suffix(".lock")))
    # Held for as long as the process lives: its age says nothing.
    lock.setStaleLockTime(0)
    return lock


def set_aside(path: Path) -> str:
    """Rename a session that cannot be read, so that no later one takes its place; what became."""
    number = 1
    while (aside := path.with_name(f"{path.stem}-unread-{number}.json")).exists():
        number += 1
    try:
        path.replace(aside)
    except OSError as error:
        told = QCoreApplication.translate(
            "Session", "'{path}' cannot be set aside either: {error}."
        )
        return told.format(path=path, error=error.strerror)
    return QCoreApplication.translate("Session", "It is kept as '{path}'.").format(path=aside)
