"""The whole program is killed while somebody types, and started again."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.launch.spec import LaunchSpec
from tests.gui.driver import Driver
from tests.support import one_in

_PROGRAM = """
import ctypes
import os
import sys
import PySide6
import shiboken6
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from jitstudio.core.arch import Arch
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.gui.window import application as app

make = app.make_window
typing = QTimer(interval=20)
count = 0

def begin():
    builder = windows[0].builder
    state = builder.state
    state.settings.arch = Arch(100)
    state.launch_specs.edit(LaunchSpec(kernel="tick", grid="4711"))
    builder.context.files.new_ptx()
    state.documents.current.text.setPlainText("first line\\n")
    builder.context.files.new_cuda()
    state.documents.current.text.setPlainText("one\\ntwo\\n")
    builder.context.editors.page.editor.go_to(2, 1)
    typing.timeout.connect(type_one)
    typing.start()

def type_one():
    global count
    count += 1
    QTest.keyClicks(windows[0].frame.editors.page.editor, "x")
    print(count, flush=True)
    if sys.argv[1] != "go on" and count == 5:
        typing.stop()
        if sys.argv[1] == "close":
            windows[0].close()
        if sys.argv[1] == "logout":
            log_out()
            # Those whom the desktop asks at a logout are killed next.
            os._exit(9)

def log_out():
    # As a desktop asks for it, in Qt itself: Python can make no session manager. Whoever hears the
    # signal is handed one that must not be used.
    gui = ctypes.CDLL(os.path.join(os.path.dirname(PySide6.__file__), "Qt/lib/libQt6Gui.so.6"))
    signal = gui._ZN15QGuiApplication17commitDataRequestER15QSessionManager
    address = ctypes.c_void_p(shiboken6.getCppPointer(QApplication.instance())[0])
    signal(address, address)

windows = []
def make_window(*arguments):
    window = make(*arguments)
    windows.append(window)
    window.completed.connect(lambda: QTimer.singleShot(500, begin))
    return window

app.make_window = make_window
sys.exit(app.run([]))
"""


@pytest.fixture
def run(tmp_path):
    """Starts the program in a home of its own; what it does in the end is the argument."""
    places = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CONFIG", "DATA", "CACHE")}
    places["TMPDIR"] = str(tmp_path / "TMP")
    (tmp_path / "TMP").mkdir()
    environment = os.environ | places | {"HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}

    started = []

    def start(end):
        program = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, end],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            env=environment,
            text=True,
        )
        started.append(program)
        return program

    yield start
    for program in started:
        program.kill()
        program.wait()
        program.stdout.close()


def _kept(folder):
    """How many characters that were typed in a row are on the disk."""
    runs = (re.findall(r"x+", file.read_text()) for file in folder.glob("session-*.json"))
    return max((len(run) for found in runs for run in found), default=0)


def test_all_is_back_after_two_windows_one_of_which_was_killed(run, qapp, tmp_path):
    killed = run("go on")
    assert killed.stdout.readline() == "1\n"
    closed = run("close")
    closed.communicate(timeout=60)
    assert closed.returncode == 0
    (sessions,) = (tmp_path / "DATA").glob("**/sessions")
    # Though it is typed on and on.
    while (before := _kept(sessions)) <= 10:
        assert killed.stdout.readline()
    killed.kill()
    killed.wait()
    again = Driver(qapp, sessions.parent)
    try:
        again.start()
        documents = list(again.state.documents)
        texts = [document.held.text for document in documents if document.is_modified]
        assert texts[0] == "first line\n"
        assert texts[1].startswith("one\n" + "x" * before)
        assert texts[2:] == ["first line\n", "one\nxxxxxtwo\n"]
        assert again.document.held.text == texts[1]
        assert again.editor.position()[0] == 2
        assert again.state.settings.arch == Arch(100)
        assert LaunchSpec(kernel="tick", grid="4711") in again.state.launch_specs.specs
        assert again.shell.notices.text.startswith(
            "jitstudio was ended unexpectedly. 4 tabs with unsaved text are back"
        )
    finally:
        again.close()
    third = Driver(qapp, sessions.parent)
    try:
        third.start()
        assert [d.held.text for d in third.state.documents if d.is_modified] == texts
        assert third.shell.notices.text == ""
    finally:
        third.close()


def _session(tmp_path):
    (sessions,) = (tmp_path / "DATA").glob("**/sessions")
    return sessions, json.loads((sessions / "session-1.json").read_text())


def test_what_was_typed_a_second_before_a_kill_is_back(run, tmp_path):
    killed = run("stop")
    while killed.stdout.readline() != "5\n":
        assert killed.poll() is None
    time.sleep(1)
    killed.kill()
    killed.wait()
    sessions, _ = _session(tmp_path)
    assert _kept(sessions) == 5


@pytest.mark.skipif(sys.platform != "linux", reason="the signal is called by its name in ELF")
def test_a_logout_loses_nothing(run, tmp_path):
    asked = run("logout")
    typed = [*map(int, asked.communicate()[0].split())][-1]
    # Nobody had the time to write it a second after it was typed.
    assert (asked.returncode, typed) == (9, 5)
    _, saved = _session(tmp_path)
    assert "one\nxxxxxtwo\n" in [document["text"] for document in saved["documents"]]
    assert saved["closed"] is False


@pytest.mark.parametrize("number", one_in(2, [signal.SIGHUP, signal.SIGINT]))
def test_a_signal_that_asks_for_the_end_loses_nothing(run, tmp_path, number):
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the tests themselves were started to ignore it, as by nohup")
    asked = run("go on")
    while asked.stdout.readline() != "7\n":
        assert asked.poll() is None
    started = _children(asked.pid)
    asked.send_signal(number)
    typed = [7, *map(int, asked.stdout.read().split())][-1]
    asked.wait()
    assert asked.returncode == 128 + number
    assert started
    assert not any(_is_running(pid) for pid in started)
    sessions, saved = _session(tmp_path)
    assert _kept(sessions) == typed
    # So that the next start tells of no end that nobody wanted.
    assert saved["closed"] is True
    assert sorted(file.name for file in sessions.iterdir()) == ["session-1.json"]
    assert list((tmp_path / "TMP").iterdir()) == []


def test_a_signal_that_is_ignored_stays_so(run):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        asked = run("go on")
    finally:
        signal.signal(signal.SIGHUP, before)
    for count, number in ((3, signal.SIGHUP), (20, signal.SIGTERM)):
        while asked.stdout.readline() != f"{count}\n":
            assert asked.poll() is None
        asked.send_signal(number)
    asked.communicate()
    assert asked.returncode == 128 + signal.SIGTERM


def _children(pid):
    files = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in files for child in file.read_text().split()]


def _is_running(pid):
    return Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes()
