"""The thread that a dispatcher works in."""

from __future__ import annotations

from PySide6.QtCore import QThread

from jitstudio.worker.dispatcher import Dispatcher

# A killed worker is dead within milliseconds; only a hung driver takes longer.
_LAST_WAIT_MS = 12_000


class ServingThread(QThread):
    """Runs a dispatcher's loop until it is closed."""

    def __init__(self, dispatcher: Dispatcher, name: str) -> None:
        super().__init__()
        self._dispatcher = dispatcher
        self.setObjectName(name)
        self.start()

    def run(self) -> None:
        """Serve until the dispatcher is closed."""
        self._dispatcher.serve()

    def close(self) -> None:
        """Close the dispatcher, which kills its workers, and end."""
        self._dispatcher.close()
        self.wait(_LAST_WAIT_MS)
