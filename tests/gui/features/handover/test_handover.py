"""What a program hands over, and what the window makes of it."""

import os
import threading
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

import jitstudio
from jitstudio.commands.handover import windows
from jitstudio.core.captured import KernelLanguage as L
from jitstudio.core.captured import unpack
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.handover import HandoverError
from jitstudio.gui.features.handover.controller import HandoverController
from tests.gui.watchdog import Watchdog, slowness

RECORDED = Path(__file__).parents[3] / "data/captured/add_kernel.jitkernel"
KERNEL = unpack(RECORDED.read_bytes())
PTX = KERNEL.representation(L.PTX).text
# Programs find a window by a socket in the folder of the test.
pytestmark = pytest.mark.usefixtures("driver")
_SETTING = "python.take"
# The last of many tabs is shown with all that it has come to.
STALL_MS = 150.0


@pytest.fixture
def shown(started):
    """Return what shows something from a program: another thread, while the window goes on."""

    def show(thing, **words):
        ended = []

        def run():
            try:
                ended.append(jitstudio.show(thing, **words))
            except Exception as error:
                ended.append(error)

        threading.Thread(target=run, daemon=True).start()
        started.wait(lambda: ended)
        if isinstance(ended[0], Exception):
            raise ended[0]
        return ended[0]

    return show


def tabs(started):
    return [document.name for document in started.state.documents]


def test_kernels_open_in_tabs_that_are_built(started, shown):
    before = tabs(started)
    handle = shown([KERNEL, PTX])
    assert handle.tabs == ("add_kernel.jitkernel", "add_kernel.ptx")
    assert tabs(started) == [*before, *handle.tabs]
    assert started.state.documents.current.name == "add_kernel.ptx"
    assert started.state.settings.arch.sm == "sm_90a"
    assert handle.wait(1) is handle
    assert repr(handle).endswith(": add_kernel.jitkernel, add_kernel.ptx")
    captured = started.state.documents.named("add_kernel.jitkernel")
    assert unpack(captured.content) == KERNEL
    # It is in a file, as a start after this one has to find it.
    assert captured.path.read_bytes() == captured.content
    started.state.documents.current = captured
    started.wait(lambda: "add_kernel" in sass(started))
    assert "EXIT" in sass(started)

    # What is there already is turned to.
    count = len(tabs(started))
    assert shown(PTX, name="mine").tabs == ("add_kernel.ptx",)
    assert shown(KERNEL).tabs == ("add_kernel.jitkernel",)
    assert len(tabs(started)) == count
    assert shown(PTX.replace(" add_kernel(", " other("), name="add_kernel").tabs == (
        "add_kernel-2.ptx",
    )


def sass(started):
    output = started.state.outputs.output(CodeKind.SASS)
    return "\n".join(line for listing in output.listings for line in listing.lines)


def test_a_shown_script_is_not_run(started, shown, tmp_path):
    ran = tmp_path / "ran"
    script = Source("x.py", CodeKind.PYTHON, f"open({str(ran)!r}, 'w')\n".encode())
    began = []
    started.state.build_controller.began.connect(
        lambda _subject, request, _steps: began.append(request)
    )
    assert shown(script).tabs == ("x.py",)
    assert started.state.build_controller.module.name == "x.py"
    assert not started.state.build_controller.is_busy
    # Only edits have a pause behind them.
    started.state.build_controller.set_pause(3_600_000)
    assert shown(PTX).tabs == ("add_kernel.ptx",)
    started.wait(lambda: "add_kernel" in sass(started))
    assert all(each.kind is not CodeKind.PYTHON for request in began for each in request.sources)
    assert not ran.exists()


def test_files_windows_settings_and_full_disks(started, shown, tmp_path, monkeypatch):
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k() {}\n")
    started.window.setWindowState(Qt.WindowState.WindowMinimized)
    assert shown(path).tabs == ("k.cu",)
    assert not started.window.isMinimized()
    started.wait(lambda: started.state.documents.current.path == path)
    with pytest.raises(OSError, match="No such file"):
        shown(tmp_path / "absent.cu")
    (tmp_path / "a.weird").write_text("no code")
    os.mkfifo(tmp_path / "pipe.cu")
    for refused in (tmp_path / "a.weird", tmp_path / "pipe.cu", Path("/dev/zero")):
        with pytest.raises(HandoverError, match=refused.name):
            shown(refused)

    started.state.preferences.set_value(_SETTING, False)
    assert windows() == []
    with pytest.raises(HandoverError, match="takes nothing from"):
        shown(PTX)
    started.state.preferences.set_value(_SETTING, True)
    assert shown(PTX).tabs == ("add_kernel.ptx",)

    def full(_name, _content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("jitstudio.gui.features.handover.controller.kept_file", full)
    with pytest.raises(HandoverError, match=r"'add_kernel\.jitkernel' cannot be kept: No space"):
        shown(KERNEL)


def test_a_window_that_cannot_listen_says_so(driver, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("JITSTUDIO_RUNTIME_DIR", str(tmp_path / "file"))
    notices = driver.shell.notices
    assert "Programs cannot hand over kernels to this window" in "".join(notices._rows)
    assert windows() == []


def test_many_tabs_may_take_longer_than_a_tab(started, shown, monkeypatch):
    opened_tab = HandoverController._opened_tab

    def slowly_opened_tab(controller, tab):
        time.sleep(0.7)
        return opened_tab(controller, tab)

    monkeypatch.setattr(HandoverController, "_opened_tab", slowly_opened_tab)
    monkeypatch.setattr("jitstudio.gui.features.handover.controller._PATIENCE", 3.0)
    assert len(shown([PTX.replace(" add_kernel(", f" kernel_{n}(") for n in range(5)]).tabs) == 5


@pytest.mark.bench
def test_a_hundred_tabs_at_once_do_not_stall_the_window(started, shown, tmp_path):
    texts = [PTX.replace(" add_kernel(", f" kernel_{n}(") for n in range(100)]
    paths = [tmp_path / f"file_{n}.cu" for n in range(100)]
    for path in paths:
        path.write_text("__global__ void k() {}\n")
    started.settle()
    paces = [slowness()]
    watchdog = Watchdog()
    for doing, things in (("opening code", texts), ("opening files", paths)):
        watchdog.doing = doing
        assert len(shown(things).tabs) == 100
        watchdog.pause()
        paces.append(slowness())
        watchdog.resume()
    watchdog.stop()
    busy = [stall for stall in watchdog.stalls if stall.cpu_ms > STALL_MS * max(paces)]
    assert busy == [], "\n".join(map(str, busy))
