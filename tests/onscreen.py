"""The whole program on a real display, from the first start to one after a kill.

Somebody with nothing but a keyboard works with it until it is killed, and then goes on with it.
`.ci/run` does it under Xvfb, where xdotool presses the keys; `.ci/run --bench` offscreen, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory

_ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT)]

from PySide6.QtCore import QSettings, QTimer  # noqa: E402
from PySide6.QtGui import QGuiApplication  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from jitstudio.gui.window import application as app  # noqa: E402
from jitstudio.gui.window.main_window import MainWindow  # noqa: E402
from tests.gui.keyboards import QtKeyboard, XKeyboard  # noqa: E402
from tests.gui.newcomer import Newcomer  # noqa: E402

_PLATFORM = os.environ.setdefault("QT_QPA_PLATFORM", "xcb")
# Two seconds until it is written, and some for a machine that is busy.
_LATE = 4.0
_PATIENCE = 120
_FIRST, _NEXT = "first", "next"


def main() -> int:
    """Start the program twice, with a home of its own; 0 if all went well."""
    with TemporaryDirectory() as folder:
        places = {f"XDG_{name}_HOME": folder for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        environment = os.environ | places | {"HOME": folder}
        command = [sys.executable, __file__, str(Path(folder, "day.jitproj"))]
        with subprocess.Popen(
            [*command, _FIRST], env=environment, stdout=subprocess.PIPE, text=True
        ) as killed:
            typed = _let_type(killed)
            killed.kill()
        if not typed:
            return killed.wait() or 1
        again = [*command, _NEXT, str(typed), *sys.argv[1:]]
        return subprocess.run(again, env=environment, timeout=_PATIENCE, check=False).returncode


def _let_type(program: subprocess.Popen[str]) -> int:
    """Wait until much has been typed; how much of it must have been kept by then."""
    assert program.stdout is not None
    typed: list[tuple[float, int]] = []
    for line in program.stdout:
        typed.append((time.monotonic(), int(line)))
        kept = [count for when, count in typed if when < typed[-1][0] - _LATE]
        if kept and kept[-1] > 10:
            return kept[-1]
    return 0


def _use(window: MainWindow, words: list[str]) -> None:
    """Be the newcomer, until the end of the program; a failure ends it, too."""
    try:
        assert QGuiApplication.platformName() == _PLATFORM
        # Where no window manager is, nobody else gives a window the keyboard.
        window.activateWindow()
        newcomer = Newcomer(window, XKeyboard() if _PLATFORM == "xcb" else QtKeyboard())
        project, part, *more = words
        if part == _FIRST:
            newcomer.spend_a_day(Path(project))
            for count in newcomer.typing():
                print(count, flush=True)
        else:
            newcomer.come_back(Path(project), int(more[0]))
            for picture in more[1:]:
                window.screen().grabWindow(0).save(picture)
            newcomer.leave()
            print(f"all is back, on {_PLATFORM}")
    except BaseException:
        traceback.print_exc()
        os._exit(3)


def _run(words: list[str]) -> int:
    make_window = app.make_window

    def make_and_use(application: QApplication, store: QSettings, *places: Path) -> MainWindow:
        window = make_window(application, store, *places)
        window.completed.connect(lambda: QTimer.singleShot(0, lambda: _use(window, words)))
        return window

    app.make_window = make_and_use
    return app.run([])


if __name__ == "__main__":
    is_program = {_FIRST, _NEXT} & set(sys.argv[2:3])
    sys.exit(_run(sys.argv[1:]) if is_program else main())
