import re
import time

import pytest
from PySide6.QtWidgets import QLabel, QMainWindow, QProgressBar, QToolButton

from jitstudio.core.arch import Arch
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.core.toolchain_info import ToolchainInfo, ToolInfo
from jitstudio.core.tools import Tool
from jitstudio.gui.shell.status_line import StatusFacts, StatusLine
from tests.devices import H200
from tests.gui.driver import pause
from tests.gui.rich_text import plain

INFO = ToolchainInfo(
    tuple(ToolInfo(tool, "13.4" if tool is not Tool.NVVM else "") for tool in list(Tool)[:5]), ()
)


@pytest.fixture
def status(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    status = StatusLine()
    window.setStatusBar(status)
    window.resize(1400, 200)
    window.show()
    # Held here: it owns the status bar.
    status.host = window
    status.show_target(Arch.parse("sm_90"))
    status.show_position(12, 7)
    status.show_encoding("UTF-8", "LF")
    status.show_toolchain(INFO)
    return status


def shown(status):
    """The facts in sight, from left to right."""
    facts = [*status.findChildren(QLabel), status.findChild(QToolButton, "gpuButton")]
    seen = [fact for fact in facts if fact.isVisible() and fact.text()]
    return [fact.text() for fact in sorted(seen, key=lambda fact: fact.x())]


def test_it_says_where_the_cursor_is_what_is_written_and_which_compiler_is_missing(status):
    facts = ["Line 12, column 7", "UTF-8 · LF", "sm_90", "GPU: not checked yet"]
    assert shown(status) == [*facts, "libNVVM is missing"]
    assert plain(status.toolTip()) == shown(status)
    status.show_toolchain(ToolchainInfo(tuple(ToolInfo(tool, "13.4") for tool in Tool), ()))
    assert shown(status) == facts


def test_the_least_needed_yields_first_where_there_is_little_room(status):
    everything = shown(status)
    counts = []
    for width in range(1400, 200, -50):
        status.window().resize(width, 200)
        pause(0)
        counts.append(len(shown(status)))
        assert status.width() == width
        assert status.findChild(StatusFacts).geometry().right() < width
    assert counts == sorted(counts, reverse=True)
    status.window().resize(1400, 200)
    pause(0)
    while shown(status) == everything:
        status.window().resize(status.window().width() - 10, 200)
        pause(0)
    # What is missing is said by a notice, too.
    assert shown(status) == everything[:-1]
    status.window().resize(1400, 200)
    pause(0)
    assert shown(status) == everything


def test_facts_yield_to_what_is_told(status):
    everything = shown(status)
    status.show_message(
        "What is told is read in full, before it gives way to the facts again. Long. " * 2
    )
    assert shown(status) == everything[:-1]
    status.clearMessage()
    assert shown(status) == everything


def test_the_gpu_is_named_once_it_is_known(status):
    button = status.findChild(QToolButton, "gpuButton")
    asked = []
    status.gpus_requested.connect(lambda: asked.append(True))
    button.click()
    assert asked == [True]
    status.show_devices(DeviceList("13.0", (H200,)), H200)
    assert button.text() == H200.name
    status.show_devices(DeviceList(problem="No driver."))
    assert (button.text(), *plain(button.toolTip())) == ("No GPU", "No driver.")


def test_a_long_build_has_a_clock_and_can_be_cancelled_and_a_short_one_does_not_flicker(
    status, qtbot
):
    busy = status.findChild(QProgressBar, "buildProgress")
    cancel = status.findChild(QToolButton, "cancelBuild")
    cancelled = []
    status.cancel_requested.connect(lambda: cancelled.append(True))
    begun = time.monotonic()
    status.show_building("Building a.cu")
    assert not busy.isVisible()
    assert not cancel.isVisible()
    qtbot.waitUntil(busy.isVisible)
    assert time.monotonic() - begun >= 0.4
    assert re.fullmatch(r"Building a\.cu, \d+\.\d s", status.state)
    cancel.click()
    assert cancelled == [True]
    status.show_ended()
    result = BuildResult(Outcome.CANCELLED, Arch.parse("sm_90"))
    status.show_result(result)
    assert not busy.isVisible()
    assert not cancel.isVisible()


def test_it_tells_when_the_last_build_came_to_its_end(status):
    for outcome in (Outcome.CANCELLED, Outcome.REFUSED):
        status.show_built(None, BuildResult(outcome, Arch.parse("sm_90")))
        assert not any(text.startswith("Built at ") for text in shown(status))
    status.show_built(None, BuildResult(Outcome.FAILED, Arch.parse("sm_90")))
    assert any(text.startswith("Built at ") for text in shown(status))


def test_where_nothing_is_built_it_names_no_time_of_a_build(status):
    status.show_built(None, BuildResult(Outcome.BUILT, Arch.parse("sm_90")))
    assert any(text.startswith("Built at") for text in shown(status))
    status.show_result(None)
    assert not any(text.startswith("Built at") for text in shown(status))
    assert status.state == "Nothing built yet"
