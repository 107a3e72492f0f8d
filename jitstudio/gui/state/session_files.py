"""The session file of a running jitstudio, and writing without waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QLockFile, QObject, Qt, QThreadPool, Signal, Slot

from jitstudio.gui.state.document_files import replace_file
from jitstudio.system.private import make_private

_SLOTS = 16
_UNREAD = "-unread-"


class SessionSlot(NamedTuple):
    """A session file, and the lock that keeps other processes away.

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
        """Whether this process may write the session: it holds the lock."""
        return self.lock.isLocked()


def take_slot(
    folder: Path, suits: Callable[[Path], bool] = lambda _path: True
) -> tuple[SessionSlot | None, str]:
    """Returns the first session file that no running jitstudio holds, and any problem.

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
    """Returns the session files that no running jitstudio holds; the caller unlocks each."""
    paths = (path for path in sorted(folder.glob("session-*.json")) if _UNREAD not in path.name)
    return (slot for slot in map(_try, paths) if slot is not None)


def _try(path: Path) -> SessionSlot | None:
    """Returns a session file with lock, as far as locking works; None if another process has it."""
    lock_path = path.with_suffix(".lock")
    was_killed = lock_path.exists()
    lock = QLockFile(str(lock_path))
    # Held for as long as the process lives: its age says nothing.
    lock.setStaleLockTime(0)
    if lock.tryLock(0) or lock.error() is not QLockFile.LockError.LockFailedError:
        return SessionSlot(path, lock, was_killed)
    return None


def set_aside(path: Path) -> str:
    """Renames an unreadable session, so that no later session takes the name; returns a message."""
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


# ---- Writes a file in a thread, so that the window never waits for a disk


class FileWriter(QObject):
    """Replaces the content of a file repeatedly: the request made last is written last.

    A content that is already in the file is not written again, to spare the disk.

    Signals:
        written: This one is in the file, or one that came after it.
        failed: This one could not be written; why.
    """

    written = Signal(int)
    failed = Signal(int, str)
    _write_ended = Signal(int, str)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._newest = 0
        self._ended = 0
        self._problem = ""
        self._written: bytes | None = None
        # It comes from the thread, and is reported in the window's.
        self._write_ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)
        # One thread keeps the order.
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)

    def write(self, make: Callable[[], bytes]) -> int:
        """Has the thread make and write a content; returns the number of this request."""
        self._newest += 1
        self._pool.start(self._writing(make, self._newest))
        return self._newest

    def finish(self) -> str:
        """Waits until all is written; why the last could not be, or nothing."""
        self._pool.waitForDone()
        self._on_ended(self._newest, self._problem)
        return self._problem

    def _writing(self, make: Callable[[], bytes], number: int) -> Callable[[], None]:
        def write() -> None:
            if number < self._newest:
                return
            try:
                content = make()
                is_there = content == self._written and self._path.exists()
                self._problem = "" if is_there else replace_file(self._path, content)
                self._written = None if self._problem else content
            except Exception as error:
                # Whatever it was, the file must not count as written.
                self._problem = str(error) or type(error).__name__
            self._write_ended.emit(number, self._problem)

        return write

    @Slot(int, str)
    def _on_ended(self, number: int, problem: str) -> None:
        if number <= self._ended:
            return  # It was waited for, and reported then.
        self._ended = number
        if problem:
            self.failed.emit(number, problem)
        else:
            self.written.emit(number)
