"""The application: from nothing to a window with a built sample, and back to nothing."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType

import PySide6
from PySide6.QtCore import (
    QCoreApplication,
    QObject,
    QSettings,
    QSocketNotifier,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from jitstudio.gui.kit.fonts import load_fonts
from jitstudio.gui.kit.icons import forget_desktop_icons
from jitstudio.gui.kit.theme import STYLE, ThemeKeeper, ThemeMode
from jitstudio.gui.kit.translating import install
from jitstudio.gui.state.user_state import UserState
from jitstudio.gui.window.main_window import MainWindow
from jitstudio.system.paths import (
    data_folder,
    fallback_folder,
    passing_data_folder,
    resource,
    settings_folder,
)
from jitstudio.system.private import make_private

_NUMBERS = (signal.SIGTERM, signal.SIGINT, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))


class EndSignals(QObject):
    """Reports in the event loop the signals that ask for the end.

    Python runs its handlers between two lines of Python only, and a window that waits for events
    runs none: the window is woken up by a pipe that Python's part in C writes to at once.

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
        """Reports the next signal: the end that the last signal asked for does not come."""
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


_INTERVAL_MS = 250


class GarbageCollector(QObject):
    """Takes Python's collector over, for the rest of the program.

    By itself Python collects in whichever thread happens to allocate. Qt objects in a cycle would
    then be destroyed in a thread that is not theirs, which ends the program sooner or later.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=_INTERVAL_MS)
        self._timer.timeout.connect(self._on_tick)
        self._timer.start()

    @Slot()
    def _on_tick(self) -> None:
        """Collects the generations that Python would have collected by now."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        # An older generation is looked at only along with the younger ones.
        due = [count > most for count, most in zip(counts, thresholds, strict=True)]
        young = due.index(False) if False in due else len(due)
        if young:
            gc.collect(young - 1)


_NAME = "jitstudio"
# The name of the .desktop file: how a desktop finds the icon of a window.
DESKTOP_ID = "io.github.jitstudio.jitstudio"
# Each call of Qt gives the lock away, and would wait as long to have it back.
_TURN = 0.0001
_BUG = (
    "jitstudio has met an error of its own. What you typed is kept; save it and go on. "
    "Please report this with the text in the terminal: "
)


def run(files: Sequence[str]) -> int:
    """Opens a window on files, besides the files of the last session.

    Returns:
        The exit status; of an end by a signal that of a shell, 128 and its number.
    """
    _warn_of_unsafe_qt()
    let_threads_take_turns()
    app = make_application()
    store, problem = _settings()
    places = (folder() / "sessions" for folder in (data_folder, passing_data_folder))
    window = make_window(app, store, *places)
    sys.excepthook = _exception_hook(window.frame.notices.show_message)
    # What the program itself consists of is no garbage, and need not be looked through.
    window.completed.connect(gc.freeze)
    window.completed.connect(partial(GarbageCollector, window))
    _end_well(app, window)
    window.show()
    if problem:
        window.frame.notices.show_message(problem)
    window.open([Path(name) for name in files])
    status = app.exec()
    # Not before: what was typed until then is kept as well.
    window.end()
    # Of no use to the first picture.
    from jitstudio.gui.services.request_queue import leave  # noqa: PLC0415

    return leave(status)


def _settings() -> tuple[QSettings, str]:
    """Returns the user's settings, and a message where their folder is unusual."""
    folder, problem = settings_folder(), ""
    if fallback_folder() in folder.parents:
        problem = QCoreApplication.translate(
            "Application",
            "The home folder cannot be written to. Settings, unsaved text and what was built are "
            "kept in '{folder}', which may be emptied when the machine starts.",
        ).format(folder=fallback_folder())
    try:
        make_private(folder)
    except OSError as error:
        problem = QCoreApplication.translate(
            "Application", "Settings are not kept: '{folder}' cannot be used: {error}."
        ).format(folder=folder, error=error.strerror)
        # A file that cannot be made: neither read nor written.
        return QSettings(os.devnull + "/settings.ini", QSettings.Format.IniFormat), problem
    return QSettings(str(folder / f"{_NAME}.ini"), QSettings.Format.IniFormat), problem


def make_application() -> QApplication:
    """Returns the application object with jitstudio's name, icon and fonts."""
    app = QApplication([*sys.argv[:1], "-style", STYLE])
    app.setApplicationName(_NAME)
    app.setApplicationDisplayName(_NAME)
    app.setDesktopFileName(DESKTOP_ID)
    app.setWindowIcon(QIcon(str(resource("icons/jitstudio.svg"))))
    forget_desktop_icons()
    load_fonts(app)
    install(app)
    return app


def let_threads_take_turns() -> None:
    """Has Python's threads give way more often: the window waits for no thread for long."""
    sys.setswitchinterval(_TURN)


def make_window(
    app: QApplication, store: QSettings, session_folder: Path, elsewhere: Path | None = None
) -> MainWindow:
    """Returns a window that is not shown yet; see `UserState` for the folders."""
    user_state = UserState(store, session_folder, elsewhere=elsewhere)
    keeper = ThemeKeeper(app, _mode(user_state.preferences.theme))
    window = MainWindow(user_state, keeper)
    user_state.setParent(window)
    keeper.setParent(window)
    return window


def _end_well(app: QApplication, window: MainWindow) -> None:
    """Keeps everything at a logout, and at each signal that asks for the end."""
    signals, session = EndSignals(window), window.user_state.session

    def end(number: int) -> None:
        if window.may_end():
            app.exit(128 + number)
        else:
            signals.start()

    signals.wanted.connect(end)
    # The desktop waits for as long as this takes; the windows are closed next.
    at_once = Qt.ConnectionType.DirectConnection
    app.commitDataRequest.connect(lambda _manager: (session.save(), session.flush()), at_once)


def _mode(word: str) -> ThemeMode:
    return ThemeMode(word) if word in {mode.value for mode in ThemeMode} else ThemeMode.SYSTEM


def _exception_hook(
    tell: Callable[[str], None],
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """Returns an exception hook: a bug shall be seen, and shall not end the program."""

    def told(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, error, trace)
        tell(f"{_BUG}{kind.__name__}: {error}")

    return told


def _warn_of_unsafe_qt() -> None:
    """Warns of PySide6 6.12, which aborts on Python 3.11; pip's markers avoid the version."""
    version = tuple(int(part) for part in PySide6.__version__.split(".")[:2])
    if sys.version_info < (3, 12) and version >= (6, 12):
        python = ".".join(map(str, sys.version_info[:2]))
        sys.stderr.write(
            f"jitstudio: PySide6 {PySide6.__version__} ends the program by itself on Python "
            f"{python}. Install 'PySide6-Essentials<6.12' or use Python 3.12.\n"
        )
