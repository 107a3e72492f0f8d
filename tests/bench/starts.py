"""Starts the window again and again under load: none may crash.

    python3 tests/bench/starts.py [COUNT] [--at-once N]

Python's threads give way after each of some times, down to 5 µs: the shorter it is, the more often
a thread is stopped in the midst of something. A start ends once the window is complete and plots
are imported. The goal is 1,000 starts without a crash; 100 are made unless told otherwise.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COUNT, AT_ONCE = 100, 4
# In seconds; the first is what the program sets.
INTERVALS = (1e-4, 2e-5, 5e-6)
_PATIENCE = 300
_START = """
import sys
from jitstudio.gui.kit.late_import import LateImport
from jitstudio.gui.window import application, main_window

application.let_threads_take_turns = lambda: sys.setswitchinterval(float(sys.argv[1]))
make_window = application.make_window

def made(app, *arguments):
    window = make_window(app, *arguments)
    window.completed.connect(lambda: look(app, window))
    return window

def look(app, window):
    plots = LateImport(window)
    plots.done.connect(lambda _kind: app.quit())
    plots.start(mix_plots)

def mix_plots():
    from jitstudio.gui.features.report.plots import MixPlots
    return MixPlots

application.make_window = made
status = application.run([])
print("complete", flush=True)
sys.exit(status)
"""


def start(home: Path, interval: float) -> str:
    """Start the window once in a folder of its own; returns how it has ended, empty for well."""
    home.mkdir()
    surroundings = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "JITSTUDIO_CACHE_DIR": str(home.parent / "cache"),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", "")))),
        "PYTHONFAULTHANDLER": "1",
    }
    try:
        done = subprocess.run(
            [sys.executable, "-c", _START, str(interval)],
            env=surroundings,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return f"no end within {_PATIENCE} s"
    if done.returncode == 0 and done.stdout == "complete\n":
        return ""
    return f"status {done.returncode}\n{done.stdout}{done.stderr}"


def endings(count: int = COUNT, at_once: int = AT_ONCE) -> Iterator[str]:
    """Start the window so often; yields how each start has ended, empty for well."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:

        def ending(number: int) -> str:
            return start(Path(folder) / str(number), INTERVALS[number % len(INTERVALS)])

        with ThreadPoolExecutor(at_once) as pool:
            yield from pool.map(ending, range(count))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=COUNT)
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help="how many at the same time")
    words = parser.parse_args()
    failed = 0
    for number, ended in enumerate(endings(words.count, words.at_once), 1):
        if ended:
            failed += 1
            print(f"start {number}: {ended}", flush=True)
    print(f"{words.count} starts, {failed} did not end well (goal: 0)")
    sys.exit(1 if failed else 0)
