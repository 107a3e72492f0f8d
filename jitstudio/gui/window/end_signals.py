"""What asks a program to end from outside: a signal, as at a logout, or the desktop."""

from __future__ import annotations

import os
import signal

from PySide6.QtCore import QObject, QSocketNotifier, Signal, Slot

_NUMBERS = (signal.SIGTERM, signal.SIGINT, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))


class EndSignals(QObject):
    """Reports in the event loop the signals that ask for the end.

    Python runs its handlers between two lines of Python only, and a window that waits for events
    runs none: what wakes it up is a pipe that Python's part in C writes to at once.

    Signals:
        wanted: The number of the signal that came; a second one ends the program as it is.
    """

    wanted = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source, sink = os.pipe()
        for end in (self._source, sink):
            os.set_blocking(end, False)
        self._notifier = QSocketNotifier(self._source, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_activated)
        self._sink = sink
        # What is ignored, as nohup has it, stays so.
        self._numbers = [n for n in _NUMBERS if signal.getsignal(n) is not signal.SIG_IGN]
        self.start()

    def start(self) -> None:
        """Reports the next signal: the end that the last one asked for does not come."""
        for number in self._numbers:
            signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(self._sink, warn_on_full_buffer=False)
        self._notifier.setEnabled(True)

    @Slot()
    def _on_activated(self) -> None:
        # Signals that others handle are reported here as well.
        came = [number for number in os.read(self._source, 64) if number in self._numbers]
        if came:
            self.stop()
            self.wanted.emit(came[0])

    def stop(self) -> None:
        """Lets signals end the program as they do by themselves."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(-1)
        for number in self._numbers:
            signal.signal(number, signal.SIG_DFL)
