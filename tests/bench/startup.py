"""From the start of a process until a key that is pressed stands in the text of its window.

`python3 tests/bench/startup.py` compares it with a bare window of PySide6 with one text widget. The
goal is a ratio of at most 1.6. Each start goes on from a session that was ended well: one after a
kill would show a notice, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNS = 5
GOAL = 1.6
_PATIENCE = 60

_BARE = """
window = QMainWindow()
window.setCentralWidget(QPlainTextEdit("text"))
window.resize(1440, 900)
window.show()
app.exec()
"""
_OURS = """
import sys
sys.argv = ["jitstudio"]
from jitstudio.__main__ import main
main()
"""
# The window is there, its text is painted, and it takes a key. What paints is asked first, so
# that no key goes to a text that is not in sight.
_PROBE = """
import os
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit

class Probe(QObject):
    def __init__(self):
        super().__init__()
        self.editor = None
        self.timer = QTimer(self)
        self.timer.timeout.connect(self.look)
        self.timer.start(0)

    def look(self):
        for window in QApplication.topLevelWidgets():
            if not isinstance(window, QMainWindow) or not window.isVisible():
                continue
            for editor in window.findChildren(QPlainTextEdit):
                if editor.isVisible() and editor.blockCount() and editor.toPlainText():
                    self.editor = editor
                    editor.viewport().installEventFilter(self)
                    editor.viewport().update()
                    self.timer.stop()
                    return

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.press)
        return False

    def press(self):
        before = self.editor.document().characterCount()
        key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_X, Qt.KeyboardModifier.NoModifier, "x")
        QApplication.sendEvent(self.editor, key)
        assert self.editor.document().characterCount() == before + 1
        print("usable", flush=True)
        if hasattr(window := self.editor.window(), "end"):
            window.end()
        os._exit(0)
"""
_BARE_HEAD = "app = QApplication([])\nprobe = Probe()\n"
# How the program imports PySide is a part of its start, and comes before the probe does so.
_OURS_FIRST = """
import gc
from jitstudio.start import import_pyside
gc.disable()
import_pyside()
"""
# The program makes its own application, and a timer needs one.
_OURS_HEAD = """
from PySide6 import QtWidgets

class Watched(QApplication):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.probe = Probe()

QtWidgets.QApplication = Watched
"""


def seconds_until_usable(script: str, home: Path) -> float:
    """Run one program up to that moment."""
    surroundings = os.environ | {"QT_QPA_PLATFORM": "offscreen", "HOME": str(home)}
    surroundings |= {
        "XDG_DATA_HOME": "",
        "XDG_CONFIG_HOME": "",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", "")))),
        # As it is where pip has installed the program: compiled once, before the first start.
        "PYTHONPYCACHEPREFIX": str(home / "bytecode"),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, env=surroundings, text=True
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        took = time.perf_counter() - start
        process.wait(timeout=_PATIENCE)
    assert line == "usable\n", line
    return took


def compare(runs: int = RUNS) -> tuple[float, float]:
    """The best times of a bare window and of ours, in seconds, taken by turns."""
    scripts = (_PROBE + _BARE_HEAD + _BARE, _OURS_FIRST + _PROBE + _OURS_HEAD + _OURS)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for script in scripts:
            seconds_until_usable(script, Path(folder))
        times = [[seconds_until_usable(s, Path(folder)) for s in scripts] for _ in range(runs)]
    bare, ours = (min(column) for column in zip(*times, strict=True))
    return bare, ours


if __name__ == "__main__":
    bare, ours = compare()
    print(
        f"bare {bare:.3f} s, jitstudio {ours:.3f} s, ratio {ours / bare:.2f} (goal: at most {GOAL})"
    )
    sys.exit(0 if ours / bare <= GOAL else 1)
