"""One long session: the window takes events all the while, and keeps no memory."""

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from tests.bench.memory import build_again, resident, start
from tests.gui.driver import pause
from tests.gui.watchdog import LONGEST_MS, Watchdog, slowness

LARGE = 300_000
MARGIN = 2.5
# `tests/bench/memory.py` goes on to hundreds.
BUILDS = 60
# Half of them would have to leave 100 KiB each to be noticed; a result and its listings are more.
MOST_GROWTH = 3 << 20


@pytest.fixture
def watchdog() -> Iterator[Watchdog]:
    dog = Watchdog()
    yield dog
    dog.stop()


def _large_ptx() -> str:
    """PTX of some 300,000 lines that the assembler takes at once: a long comment after a kernel."""
    head = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n"
    return head + "".join(f"// line {number} of many\n" for number in range(LARGE))


def _type(driver, text: str) -> None:
    """Type as fast as a person: each key is an event of its own."""
    for letter in text:
        key = QKeyEvent(QEvent.Type.KeyPress, 0, Qt.KeyboardModifier.NoModifier, letter)
        QApplication.postEvent(driver.editor, key)
        pause(15)


def test_no_event_waits_in_a_whole_session(started, watchdog, tmp_path):
    driver = started
    large = tmp_path / "large.ptx"
    large.write_text(_large_ptx())

    def do(what, act) -> None:
        watchdog.doing = what
        act()
        driver.settle()
        pause(100)
        watchdog.pause()
        paces.append(slowness())
        watchdog.resume()

    paces: list[float] = []
    pause(500)
    watchdog.reset()
    do("opening a sample", lambda: driver.open_sample("Link by PTX or LTO"))
    do("typing", lambda: _type(driver, "int value = 1;  "))
    do("undoing", driver.editor.undo)
    for action in (
        "focusPtxAction",
        "focusSassAction",
        "focusKernelsAction",
        "focusNamesAction",
        "focusLinkAction",
        "focusLaunchAction",
        "focusPipelineAction",
        "focusLogAction",
        "focusProblemsAction",
        "optionsAction",
    ):
        do(f"going to {action}", lambda action=action: driver.trigger(action))
    for action in ("compareLayoutAction", "launchLayoutAction", "teachLayoutAction"):
        do(f"wearing {action}", lambda action=action: driver.trigger(action))
    do("wearing the first layout", lambda: driver.trigger("editLayoutAction"))
    do("opening a broken sample", lambda: driver.open_sample("A broken kernel"))
    watchdog.doing = "opening 300,000 lines"
    driver.next_result(lambda: driver.files.open_paths([large]))
    watchdog.doing = "going through 300,000 lines"
    view = driver.listing("ptxView")
    for line in (LARGE // 2, 1, 1000):
        view.go_to(line)
        pause(50)
    watchdog.doing = "closing"
    # Other programs make this one slower, caches and all: the same for a stall and for the rounds.
    # Beside other tests it may be twice as much; alone (`-n0 -s`) it tells how it really is.
    limit = MARGIN * LONGEST_MS * max(paces, default=1.0)
    print(f"longest stall {watchdog.longest:.0f} ms, limit {limit:.0f} ms")
    stalls = [stall for stall in watchdog.stalls if stall.ms > limit]
    assert stalls == [], "\n".join(map(str, stalls))


def test_builds_leave_no_memory_behind(driver):
    start(driver)
    used = []
    for number in range(1, BUILDS + 1):
        build_again(driver, number)
        if number in (BUILDS // 2, BUILDS):
            gc.collect()
            used.append(resident())
    assert used[1] - used[0] < MOST_GROWTH, f"{(used[1] - used[0]) / 2**20:.1f} MiB more"
