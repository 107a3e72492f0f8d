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
KERNELS, INSTRUCTIONS = 20, 8_000
MARGIN = 2.5
# `tests/bench/memory.py` goes on to hundreds.
BUILDS = 30
# Half of them would have to leave 100 KiB each to be noticed; a result and its listings are more.
MOST_GROWTH = 3 << 19


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


class Session:
    """Does one thing after the other, and knows what made the window wait."""

    def __init__(self, driver, watchdog) -> None:
        self.driver = driver
        self._watchdog = watchdog
        self._paces: list[float] = []
        pause(500)
        watchdog.reset()

    def do(self, what, act, until=None) -> None:
        """Act, and watch until all that follows is done."""
        watchdog = self._watchdog
        watchdog.doing = what
        act()
        self.driver.settle()
        if until is not None:
            self.driver.wait(until)
        pause(100)
        watchdog.pause()
        self._paces.append(slowness())
        watchdog.resume()

    def trigger(self, *actions) -> None:
        """Choose commands of the menu."""
        for action in actions:
            self.do(f"choosing {action}", lambda action=action: self.driver.trigger(action))

    def end(self) -> None:
        """Nothing has made it wait too long."""
        # Other programs make this one slower, caches and all: the same for a stall and for the
        # rounds. Beside other tests it may be twice as much; alone (`-n0 -s`) it tells how it is.
        limit = MARGIN * LONGEST_MS * max(self._paces)
        print(f"longest stall {self._watchdog.longest:.0f} ms, limit {limit:.0f} ms")
        stalls = [stall for stall in self._watchdog.stalls if stall.ms > limit]
        assert stalls == [], "\n".join(map(str, stalls))


@pytest.fixture
def session(started, watchdog):
    # As the program does once all is there: what it consists of is no garbage.
    gc.freeze()
    yield Session(started, watchdog)
    gc.unfreeze()


def _large_kernels() -> str:
    """Some ten thousand instructions with a branch now and then."""
    kernels = (
        f'extern "C" __global__ void k{kernel}(float* p, int* q) {{\n'
        "  float a = p[threadIdx.x];\n  int b = q[threadIdx.x];\n"
        + "".join(
            f"  if (b & {1 << step % 20}) {{ a = a * {step}.5f + p[b]; b ^= q[{step}]; }}\n"
            for step in range(72)
        )
        + "  p[threadIdx.x] = a;\n  q[threadIdx.x] = b;\n}\n"
        for kernel in range(KERNELS)
    )
    return "".join(kernels)


@pytest.mark.bench
def test_no_event_waits_in_a_whole_session(session, tmp_path):
    driver, do = session.driver, session.do
    large = tmp_path / "large.ptx"
    large.write_text(_large_ptx())
    do("opening a sample", lambda: driver.open_sample("Link by PTX or LTO"))
    do("typing", lambda: _type(driver, "int value = 1;  "))
    do("undoing", driver.editor.undo)
    session.trigger(
        "focusPtxAction",
        "focusSassAction",
        "focusKernelsAction",
        "focusReportAction",
        "focusGraphAction",
        "focusCompareAction",
        "focusNamesAction",
        "focusLinkAction",
        "focusLaunchAction",
        "focusPipelineAction",
        "focusLogAction",
        "focusProblemsAction",
        "optionsAction",
    )
    session.trigger("compareLayoutAction", "launchLayoutAction", "teachLayoutAction")
    session.trigger("editLayoutAction")
    do("opening a broken sample", lambda: driver.open_sample("A broken kernel"))
    seen = len(driver.results)
    do(
        "opening 300,000 lines",
        lambda: driver.files.open_paths([large]),
        lambda: len(driver.results) > seen,
    )
    view = driver.listing("ptxView")
    for line in (LARGE // 2, 1, 1000):
        do("going through 300,000 lines", lambda line=line: view.go_to(line))
    session.end()


@pytest.mark.bench
def test_no_event_waits_where_large_kernels_are_read(session, tmp_path):
    driver, do = session.driver, session.do
    disassembly, panes = driver.state.disassembly, driver
    large, changed = tmp_path / "large.cu", tmp_path / "changed.cu"
    large.write_text(_large_kernels())
    changed.write_text(_large_kernels().replace("1.5f", "2.5f"))

    def is_read(name: str) -> bool:
        return disassembly.current is not None and disassembly.current.name == name

    for switch in ("listings.follow", "editor.pressure"):
        driver.state.preferences.set_value(switch, True)
    driver.show_output("Report")
    driver.show_output("SASS")
    do("opening it", lambda: driver.files.open_paths([large]), lambda: is_read("large.cu"))
    assert sum(map(len, disassembly.current.code.functions)) > INSTRUCTIONS
    driver.wait(lambda: driver.editor.pressure.bars)
    session.trigger("focusReportAction", "focusGraphAction", "pinBaselineAction")
    kernels = [kernel.name for kernel in disassembly.current.code.kernels]
    for pane, kernel in zip(("Report", "Graph", "SASS"), kernels, strict=False):
        driver.show_output(pane)
        do(f"another kernel in {pane}", lambda kernel=kernel: disassembly.set_kernel(kernel))
    session.trigger("focusSassAction", "nextPeakAction", "nextPeakAction", "previousPeakAction")
    sass = driver.listing("sassView")
    for line in range(100, 8000, 500):
        do("following the caret in SASS", lambda line=line: sass.go_to(line))
    session.trigger("correlateAction", "nextMatchAction", "previousMatchAction")
    do("scrolling", lambda: sass.verticalScrollBar().setValue(sass.verticalScrollBar().maximum()))
    do("changing it", lambda: driver.files.open_paths([changed]), lambda: is_read("changed.cu"))
    compared = panes.pane("compare")
    do("comparing", lambda: driver.trigger("focusCompareAction"), lambda: compared.compared)
    session.trigger("nextDifferenceAction", "nextDifferenceAction")
    for _ in range(3):
        do("going from tab to tab", lambda: driver.trigger("nextTabAction"))
    session.end()


@pytest.mark.bench
def test_builds_leave_no_memory_behind(driver):
    start(driver)
    used = []
    for number in range(1, BUILDS + 1):
        build_again(driver, number)
        if number in (BUILDS // 2, BUILDS):
            gc.collect()
            used.append(resident())
    assert used[1] - used[0] < MOST_GROWTH, f"{(used[1] - used[0]) / 2**20:.1f} MiB more"
