"""The application: from nothing to a window with a built sample, and back to nothing."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import PySide6
from PySide6.QtCore import QSettings, QStandardPaths
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from jitstudio.gui.fonts import load_fonts
from jitstudio.gui.main_window import MainWindow
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.theme import ThemeKeeper, ThemeMode
from jitstudio.gui.workspace import Workspace
from jitstudio.paths import resource

_NAME = "jitstudio"
# The name of the .desktop file: how a desktop finds the icon of a window.
DESKTOP_ID = "io.github.jitstudio.jitstudio"
_BUG = (
    "jitstudio has met an error of its own. What you typed is kept; save it and go on. "
    "Please report this with the text in the terminal: "
)
_log = logging.getLogger(__name__)


def run(files: Sequence[str]) -> int:
    """Open a window on these files, besides those of the last session.

    Returns:
        The exit status.
    """
    logging.basicConfig(format="jitstudio: %(message)s", level=logging.WARNING)
    _warn_of_unsafe_qt()
    app = make_application()
    store = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, _NAME, _NAME)
    location = QStandardPaths.StandardLocation.AppLocalDataLocation
    folder = Path(QStandardPaths.writableLocation(location), "sessions")
    window, _keeper = make_window(app, store, folder)
    sys.excepthook = _teller(window.panes.notice.tell)
    window.show()
    window.open([Path(name) for name in files])
    return app.exec()


def make_application() -> QApplication:
    """The application object with jitstudio's name, icon and fonts."""
    app = QApplication(sys.argv[:1])
    app.setApplicationName(_NAME)
    app.setApplicationDisplayName(_NAME)
    app.setDesktopFileName(DESKTOP_ID)
    app.setWindowIcon(QIcon(str(resource("icons/jitstudio.svg"))))
    load_fonts(app)
    return app


def make_window(
    app: QApplication, store: QSettings, session_folder: Path
) -> tuple[MainWindow, ThemeKeeper]:
    """A window that is not shown yet, with its own workspace and worker."""
    keeper = ThemeKeeper(app, _mode(Preferences(store).theme))
    workspace = Workspace(store, session_folder)
    window = MainWindow(workspace, keeper)
    workspace.setParent(window)
    keeper.setParent(window)
    return window, keeper


def _mode(word: str) -> ThemeMode:
    return ThemeMode(word) if word in {mode.value for mode in ThemeMode} else ThemeMode.SYSTEM


def _teller(
    tell: Callable[[str], None],
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """An exception hook: a bug shall be seen, and shall not end the program."""

    def told(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        traceback.print_exception(kind, error, trace)
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        tell(f"{_BUG}{kind.__name__}: {error}")

    return told


def _warn_of_unsafe_qt() -> None:
    """PySide6 6.12 aborts on Python 3.11 after some thousand calls; pip's markers avoid it."""
    version = tuple(int(part) for part in PySide6.__version__.split(".")[:2])
    if sys.version_info < (3, 12) and version >= (6, 12):
        _log.warning(
            "PySide6 %s ends the program by itself on Python %s.%s. "
            "Install 'PySide6-Essentials<6.12' or use Python 3.12.",
            PySide6.__version__,
            *sys.version_info[:2],
        )
