"""Reads files in threads: a slow disk, or a network that is gone, keeps no window waiting."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from time import monotonic
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, Signal

from jitstudio.gui.kit.background import reports_to
from jitstudio.gui.state.document_files import DocumentError

_Result = TypeVar("_Result")
MOMENT = 0.05
"""Seconds that are not noticed, and in which a disk of this machine has answered."""


class _Reading(Generic[_Result]):
    """Something that a thread finds out about a file.

    Attributes:
        ended: Set once `result` is there.
        result: The result of the work, or the reason of the failure.
    """

    def __init__(self, work: Callable[[], _Result]) -> None:
        self.ended = Event()
        self.result: _Result | DocumentError = DocumentError()
        self._work = work

    def run(self) -> None:
        """Runs the work and stores the result; the wait ends in case of an exception, too."""
        try:
            self.result = self._work()
        except DocumentError as error:
            self.result = error
        except Exception as error:
            self.result = DocumentError(str(error) or type(error).__name__)
        self.ended.set()


class FileReader(QObject):
    """Has threads find out about files, of which none waits for another.

    The threads end with the program, whatever they wait for: nothing else can end one that waits
    for a network.

    Signals:
        waits: The disk has not answered `outcome` within a moment; the window goes on meanwhile.
    """

    waits = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # What goes on with each. No thread holds it: the last to let go of a Qt object destroys it.
        self._new: dict[_Reading[Any], Callable[[Any], object]] = {}
        self._late: dict[_Reading[Any], Callable[[Any], object]] = {}
        self._loop: QEventLoop | None = None

    def start(
        self, work: Callable[[], _Result], then: Callable[[_Result | DocumentError], object]
    ) -> None:
        """Runs `work` in a thread; `then` receives the result, or the `DocumentError`.

        That happens in the thread of the window, by `settle` or else by the event loop after it.
        """
        reading = _Reading(work)
        self._new[reading] = then
        report = reports_to(self, FileReader._on_ended)

        def run() -> None:
            reading.run()
            report(reading)

        Thread(target=run, name="jitstudio-file", daemon=True).start()

    def outcome(self, work: Callable[[], _Result]) -> _Result:
        """Returns the result of `work`, run in a thread; events are handled while the disk is slow.

        For work that a user has asked for and waits for, such as saving before a tab is closed.
        Much may have changed by then, as below a dialog.

        Raises:
            DocumentError: Why it gave nothing back; also where the one before still waits.
        """
        if self._loop is not None:
            message = QCoreApplication.translate(
                "Files", "The disk has not answered yet. Try again once it has."
            )
            raise DocumentError(message)
        came: list[_Result | DocumentError] = []
        self._loop = loop = QEventLoop()

        def go_on(result: _Result | DocumentError) -> None:
            came.append(result)
            loop.quit()

        try:
            self.start(work, go_on)
            if not self.settle() and not came:
                self.waits.emit()
                loop.exec()
        finally:
            self._loop = None
        if not came:
            raise DocumentError(
                QCoreApplication.translate("Files", "The program ends before the disk answers.")
            )
        if isinstance(came[0], DocumentError):
            raise came[0]
        return came[0]

    def settle(self, moment: float | None = None) -> bool:
        """Calls the `then` of all started work that ends within `moment`, in the order of starting.

        Args:
            moment: Seconds; `MOMENT` where not given.

        Returns:
            Whether that was all; the event loop goes on with the rest.
        """
        deadline = monotonic() + (MOMENT if moment is None else moment)
        new, self._new = self._new, {}
        late = {
            reading: then
            for reading, then in new.items()
            if not reading.ended.wait(max(0.0, deadline - monotonic()))
        }
        self._late.update(late)
        for reading, then in new.items():
            if reading not in late:
                then(reading.result)
        return not late

    def _on_ended(self, reading: _Reading[Any]) -> None:
        if (then := self._late.pop(reading, None)) is not None:
            then(reading.result)
