"""One run of the whole program on a real display, from start to end: `.ci/run` does it under Xvfb.

Writes into the settings of whoever runs it, so give it a HOME of its own.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT)]

from PySide6.QtCore import QObject, QTimer, Slot  # noqa: E402
from PySide6.QtGui import QGuiApplication  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from jitstudio.gui import app  # noqa: E402
from jitstudio.gui.main_window import MainWindow  # noqa: E402
from jitstudio.gui.viewer.listing_view import ListingView  # noqa: E402

_PATIENCE = 60.0


class Watcher(QObject):
    """Looks at the window every now and then, and closes it when the sample is built."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = ""
        self._deadline = time.monotonic() + _PATIENCE
        self._timer = QTimer(self, interval=100)
        self._timer.timeout.connect(self._on_tick)
        self._timer.start()

    @Slot()
    def _on_tick(self) -> None:
        if time.monotonic() > self._deadline:
            QApplication.exit(3)
            return
        for window in QApplication.topLevelWidgets():
            if isinstance(window, MainWindow):
                sass = window.findChild(ListingView, "sassView")
                if "EXIT" in sass.toPlainText() and window.isVisible():
                    self.seen = QGuiApplication.platformName()
                    if len(sys.argv) > 1:
                        window.screen().grabWindow(0).save(sys.argv[1])
                    self._timer.stop()
                    window.close()


def main() -> int:
    """Run the program; its exit status, or 3 if it never built the sample."""
    watchers: list[Watcher] = []
    make_application = app.make_application

    def make_and_watch() -> QApplication:
        application = make_application()
        watchers.append(Watcher())
        return application

    app.make_application = make_and_watch
    status = app.run([])
    print(f"platform {watchers[0].seen or 'unknown'}, exit status {status}")
    return status or (0 if watchers[0].seen == "xcb" else 4)


if __name__ == "__main__":
    sys.exit(main())
