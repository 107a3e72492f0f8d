"""What the window takes of the processor until its first PTX, and of memory at rest.

`python3 -m tests.bench.window [RUNS]` compares with a bare window of PySide6 with one text widget,
by turns. The window starts for the first time, with the sample, in the layout of a first start.
Counted is the window's own process, all threads, without children:

- the processor's time until the text is painted, and until PTX is in its pane, without the time of
  the looks for them;
- memory once nothing is left to do. PSS shares a library among the processes that have it in
  memory, so it falls while other windows run; what is in memory at all (RSS) does not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.bench.startup import ROOT

RUNS = 5
CPU_GOAL_S, PAINTED_GOAL, PSS_GOAL_MB = 1.2, 2.0, 170.0
_REST_MS = 4_000
_PATIENCE = 120

# Both report a line of JSON: seconds of the processor, and megabytes.
_PROBE = """
import json, os, sys, time
from pathlib import Path
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit

def memory():
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]
    kilobytes = {words[0]: int(words[1]) for words in map(str.split, lines)}
    return {name.lower(): kilobytes[f"{name}:"] / 1000 for name in ("Pss", "Rss")}

class Probe(QObject):
    def __init__(self, has_ptx, rest_ms):
        super().__init__()
        self.has_ptx, self.rest_ms = has_ptx, rest_ms
        self.told = {}
        self.looking = 0.0
        self.timer = QTimer(self)
        self.timer.timeout.connect(self.look)
        self.timer.start(5)

    def spent(self):
        return time.process_time() - self.looking

    def look(self):
        start = time.thread_time()
        editor = next(
            (
                editor
                for window in QApplication.topLevelWidgets()
                if isinstance(window, QMainWindow) and window.isVisible()
                for editor in window.findChildren(QPlainTextEdit)
                if editor.isVisible() and editor.toPlainText()
            ),
            None,
        )
        self.looking += time.thread_time() - start
        if editor is not None:
            self.timer.stop()
            editor.viewport().installEventFilter(self)
            editor.viewport().update()

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.painted)
        return False

    def painted(self):
        self.told["painted"] = self.spent()
        self.timer.timeout.disconnect()
        self.timer.timeout.connect(self.wait)
        self.timer.start(20)

    def wait(self):
        start = time.thread_time()
        has_ptx = self.has_ptx()
        self.looking += time.thread_time() - start
        if has_ptx:
            self.told["ptx"] = self.spent()
            self.timer.stop()
            QTimer.singleShot(self.rest_ms, self.rest)

    def rest(self):
        self.told |= memory()
        print(json.dumps(self.told), flush=True)
        for window in QApplication.topLevelWidgets():
            if hasattr(window, "end"):
                window.end()
        os._exit(0)
"""
_BARE = """
app = QApplication([])
probe = Probe(lambda: True, 500)
window = QMainWindow()
window.setCentralWidget(QPlainTextEdit("text"))
window.resize(1440, 900)
window.show()
app.exec()
"""
_OURS_FIRST = """
import gc
from jitstudio.start import import_pyside
gc.disable()
import_pyside()
"""
_OURS = f"""
from PySide6 import QtWidgets

class Watched(QApplication):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.probe = Probe(has_ptx, {_REST_MS})

def has_ptx():
    kind = sys.modules.get("jitstudio.gui.listing.listing_area")
    return kind is not None and any(
        area.isVisible() and area.line_count
        for window in QApplication.topLevelWidgets()
        if isinstance(window, QMainWindow)
        for area in window.findChildren(kind.ListingArea)
    )

QtWidgets.QApplication = Watched
sys.argv = ["jitstudio"]
from jitstudio.__main__ import main
main()
"""


class Cost(NamedTuple):
    """What one start took.

    Attributes:
        painted: Seconds of the processor until the text is painted.
        ptx: Until PTX is in its pane.
        pss, rss: Megabytes at rest.
    """

    painted: float
    ptx: float
    pss: float
    rss: float


def start(script: str, home: Path, common: Path) -> Cost:
    """Starts a program in a home folder of its own and returns its cost."""
    home.mkdir()
    surroundings = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        "HOME": str(home),
        "XDG_DATA_HOME": "",
        "XDG_CONFIG_HOME": "",
        "JITSTUDIO_CACHE_DIR": str(common / "cache"),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", "")))),
        # As it is where pip has installed the program: compiled once, before the first start.
        "PYTHONPYCACHEPREFIX": str(common / "bytecode"),
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONFAULTHANDLER": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=True,
    )
    return Cost(**json.loads(done.stdout))


def compare(runs: int = RUNS) -> tuple[Cost, Cost]:
    """Returns the least costs of a bare window and of ours, taken by turns."""
    scripts = (_PROBE + _BARE, _OURS_FIRST + _PROBE + _OURS)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        costs = [
            [start(script, folder / f"{run}-{at}", folder) for at, script in enumerate(scripts)]
            for run in range(runs + 1)
        ]
    # The first compiles Python.
    columns = zip(*costs[1:], strict=True)
    bare, ours = (Cost(*map(min, zip(*column, strict=True))) for column in columns)
    return bare, ours


def main(runs: int) -> int:
    """Measures and prints; 1 if a goal is missed."""
    bare, ours = compare(runs)
    rows = (
        ("text painted, s", bare.painted, ours.painted, f"goal: {PAINTED_GOAL:g} times"),
        ("PTX, s", bare.painted, ours.ptx, f"goal: {CPU_GOAL_S:g} s"),
        ("PSS at rest, MB", bare.pss, ours.pss, f"goal: {PSS_GOAL_MB:g} MB"),
        ("RSS at rest, MB", bare.rss, ours.rss, "no goal"),
    )
    for title, before, after, goal in rows:
        ratio = after / before
        print(f"{title:16} bare {before:7.2f}, jitstudio {after:7.2f}, ratio {ratio:5.2f} ({goal})")
    is_quick = ours.painted <= PAINTED_GOAL * bare.painted and ours.ptx <= CPU_GOAL_S
    return 0 if is_quick and ours.pss <= PSS_GOAL_MB else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS))
