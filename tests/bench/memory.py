"""Builds and reads a kernel again and again, and prints what memory is in use meanwhile.

`python3 tests/bench/memory.py [BUILDS]`
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
_ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(_ROOT)]

from jitstudio.gui.state.build_settings import Switch  # noqa: E402
from jitstudio.gui.window.application import make_application  # noqa: E402
from tests.gui.driver import Driver  # noqa: E402

# Each of them is looked at in turn.
_PANES = ("Report", "Graph", "Compare", "SASS")


def resident(pid: int | str = "self") -> int:
    """Bytes of a process that are in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def build_again(driver: Driver, number: int) -> None:
    """Change the sample, and build it."""
    change = f"n + {number})"
    before = f"n + {number - 1})" if number > 1 else "n)"
    driver.replace(f"i < {before}", f"i < {change}")
    assert driver.next_result(lambda: driver.trigger("buildAction")).ok
    # The driver would keep them all.
    driver.results.clear()
    driver.show_output(_PANES[number % len(_PANES)])
    disassembly = driver.state.disassembly
    driver.wait(lambda: disassembly.current or disassembly.problem)


def start(driver: Driver) -> None:
    """Open the sample, with each build a real one."""
    driver.start()
    settings = driver.state.settings
    for switch in Switch:
        settings.turn(switch, False)
    settings.auto_build = False
    driver.trigger("pinBaselineAction")


def main() -> None:
    """Build, and print a line every tenth of the way."""
    builds = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    app = make_application()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JITSTUDIO_CACHE_DIR"] = folder
        driver = Driver(app, Path(folder))
        start(driver)
        for number in range(1, builds + 1):
            build_again(driver, number)
            if number % max(1, builds // 10) == 0:
                gc.collect()
                worker = driver.state.service.worker_pid
                assert worker is not None
                sizes = resident() / 2**20, resident(worker) / 2**20 if worker else 0.0
                print(
                    "after {} builds: window {:.1f} MiB, worker {:.1f} MiB".format(number, *sizes)
                )
                sys.stdout.flush()
        driver.close()


if __name__ == "__main__":
    main()
