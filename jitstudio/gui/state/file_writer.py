"""Writes a file in a thread, so that the window never waits for a disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal, Slot

from jitstudio.gui.state.document_files import replace_file


class FileWriter(QObject):
    """Replaces what a file holds, again and again: what was asked for last is written last.

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
        self._held: bytes | None = None
        # It comes from the thread, and is reported in the window's.
        self._write_ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)
        # One thread keeps the order.
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)

    def write(self, make: Callable[[], bytes]) -> int:
        """Has the thread make a content and writes it; gives back the number of this one."""
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
                is_there = content == self._held and self._path.exists()
                self._problem = "" if is_there else replace_file(self._path, content)
                self._held = None if self._problem else content
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
