"""How long a key takes to be on the screen while a build runs.

    python tests/bench/keys.py [SECONDS]

The window is the program's own. Two modules that include CUB are built again and again, which keeps
two cores busy, and what they come to is shown and read. Keys come from another thread at set times,
so a key that waits for the window takes longer. It is on the screen once the text with it has been
painted and flushed. The goal is a median of less than 16 ms, one picture of a screen.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer  # noqa: E402
from PySide6.QtGui import QKeyEvent  # noqa: E402

from jitstudio.core.request import LinkMode  # noqa: E402
from jitstudio.gui.state.build_settings import Switch  # noqa: E402
from jitstudio.gui.window.application import make_application  # noqa: E402
from tests.gui.driver import Driver  # noqa: E402

GOAL_MS = 16.0
SECONDS = 20.0
APART = 0.07
"""Seconds between two keys: of a fast writer."""

MODULE = """\
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void sum_NUMBER(const int* in, int* out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  int total = Reduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) *out = total;
}
"""
TYPED = "auto width = columns * size + offset; "


class Typist(QObject):
    """Presses keys, and notes how long each took to be painted.

    Attributes:
        taken: Milliseconds of each key that was painted while a build ran.
    """

    def __init__(self, driver: Driver, count: int) -> None:
        super().__init__()
        # Made here: the first one makes the keyboard it comes from, in the window's thread.
        self._keys = [_key(TYPED[number % len(TYPED)]) for number in range(count)]
        self._editor = driver.editor
        self._controller = driver.state.build_controller
        self._before = self._editor.document().characterCount()
        self._pressed: list[float] = []
        self._painted = 0
        self.taken: list[float] = []
        self._editor.viewport().installEventFilter(self)

    def press(self) -> None:
        """Press all keys; to be called in another thread."""
        first = time.perf_counter()
        for number, key in enumerate(self._keys):
            due = first + number * APART
            time.sleep(max(0.0, due - time.perf_counter()))
            self._pressed.append(due)
            QCoreApplication.postEvent(self._editor, key)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            typed = self._editor.document().characterCount() - self._before
            # Once the picture has been flushed, at the end of this turn of the loop.
            QTimer.singleShot(0, partial(self._note, typed))
        return False

    def _note(self, typed: int) -> None:
        now = time.perf_counter()
        if self._controller.is_building:
            self.taken += [(now - at) * 1000 for at in self._pressed[self._painted : typed]]
        self._painted = max(self._painted, typed)


def _key(text: str) -> QKeyEvent:
    key = Qt.Key(ord(text.upper()))
    return QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, text)


def measure(seconds: float) -> list[float]:
    """Milliseconds of each key."""
    app = make_application()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["JITSTUDIO_CACHE_DIR"] = str(folder / "cache")
        driver = Driver(app, folder)
        paths = [folder / f"sum_{number}.cu" for number in range(2)]
        for number, path in enumerate(paths):
            path.write_text(MODULE.replace("NUMBER", str(number)))
        driver.start(paths)
        settings, controller = driver.state.settings, driver.state.build_controller
        # No cache and no precompiled headers: each build is a whole one.
        for switch in Switch:
            settings.turn(switch, False)
        settings.auto_build = False
        driver.next_result(lambda: setattr(settings, "link", LinkMode.PTX) or controller.build())
        controller.build_ended.connect(controller.build, Qt.ConnectionType.QueuedConnection)
        controller.build()
        driver.editor.moveCursor(driver.editor.textCursor().MoveOperation.End)
        driver.editor.setFocus()
        count = int(seconds / APART)
        typist = Typist(driver, count)
        thread = threading.Thread(target=typist.press)
        thread.start()
        driver.wait(lambda: not thread.is_alive())
        controller.build_ended.disconnect(controller.build)
        controller.cancel()
        driver.settle()
        driver.close()
    assert len(typist.taken) > count / 2, "most keys were pressed while no build ran"
    return typist.taken


def main(seconds: float) -> int:
    """Measure and print; 1 if the goal is missed."""
    taken = measure(seconds)
    middle = statistics.median(taken)
    print(f"{len(taken)} keys while builds ran")
    print(f"on the screen after    {middle:8.2f} ms (median)    (goal: less than {GOAL_MS})")
    print(f"95 of 100 within       {statistics.quantiles(taken, n=20)[-1]:8.2f} ms")
    print(f"the slowest            {max(taken):8.2f} ms")
    return 0 if middle < GOAL_MS else 1


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS))
