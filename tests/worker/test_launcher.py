"""Launches where there is no driver; tests/worker/gpu has those on a GPU."""

import tempfile
import threading
from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.c_types import FLOAT, INT
from jitstudio.core.launch.request import (
    Buffer,
    Direction,
    Fill,
    FillKind,
    InspectRequest,
    LaunchConfig,
    LaunchRequest,
    ValueArgument,
)
from jitstudio.core.launch.result import LaunchOutcome, LaunchProgress
from jitstudio.core.launch.spec import Sanitizer
from jitstudio.toolchain.driver import describe
from jitstudio.worker import scratch
from jitstudio.worker.host import WorkerError
from jitstudio.worker.launcher import Launcher

pytestmark = pytest.mark.tools

WITHOUT_DRIVER = pytest.mark.skipif(not describe().problem, reason="there is a driver")


@pytest.fixture
def launcher():
    made = Launcher()
    yield made
    made.close()


NOTHING = Fill()


def launch_request(fill=NOTHING, **fields):
    fields = {
        "code": b"",
        "code_kind": CodeKind.CUBIN,
        "kernel": "k",
        "title": "k",
        "device": 0,
        "arguments": (
            Buffer("x", FLOAT, 0, 16, fill, Direction.IN),
            ValueArgument("n", INT, 8, (16).to_bytes(4, "little"), 16),
        ),
        "parameter_bytes": 12,
        "config": LaunchConfig((1, 1, 1), (32, 1, 1)),
        **fields,
    }
    return LaunchRequest(**fields)


@WITHOUT_DRIVER
def test_without_a_driver_it_says_what_works_without_one(launcher):
    result = launcher.launch(launch_request())
    assert result.outcome is LaunchOutcome.MISSING
    assert "No NVIDIA driver is installed" in result.reason
    assert "Compiling, linking and reading PTX and SASS work without one" in result.reason
    assert result.total_ms > 0


@WITHOUT_DRIVER
def test_without_a_driver_there_are_no_devices(launcher):
    found = launcher.devices()
    assert found.devices == ()
    assert "No NVIDIA driver" in found.problem


@WITHOUT_DRIVER
def test_without_a_driver_a_kernel_cannot_be_inspected(launcher):
    told = launcher.inspect(InspectRequest(b"", CodeKind.CUBIN, "k", 0))
    assert "No NVIDIA driver" in told.message


def test_an_expression_that_is_wrong_is_told_before_anything_is_launched(launcher):
    heard = []
    fill = Fill(FillKind.EXPRESSION, text="sqrt(m)")
    result = launcher.launch(launch_request(fill), on_event=heard.append)
    assert result.outcome is LaunchOutcome.REFUSED
    assert "m is not known" in result.reason
    assert heard == [LaunchProgress("calculating 'x'")]


def test_what_an_expression_gave_is_not_calculated_again(launcher):
    request = launch_request(Fill(FillKind.EXPRESSION, text="sqrt(i + n)"))
    launcher.launch(request)
    heard = []
    launcher.launch(request, on_event=heard.append)
    assert LaunchProgress("calculating 'x'") not in heard


def test_launches_that_nobody_trusts_have_processes_and_files_of_their_own(launcher):
    own = launch_request(Fill(FillKind.EXPRESSION, text="sqrt(i + n)"))
    theirs = replace(own, confined_to=("/theirs",))
    used, folders, calculated = [], [], []
    for request in (own, own, theirs, theirs, own):
        heard = []
        launcher.launch(request, on_event=heard.append)
        used.append((launcher.pid, launcher._evaluator.pid))
        folders.append(launcher._files.folder)
        calculated.append(LaunchProgress("calculating 'x'") in heard)
    assert calculated == [True, False, True, False, False]
    assert used[0] == used[1]
    assert used[2] == used[3]
    assert set(used[0]).isdisjoint(used[2])
    assert used[4][0] not in (used[0][0], used[2][0])
    assert folders[0] == folders[1] == folders[4] != folders[2] == folders[3]
    launcher.launch(replace(own, confined_to=("/others",)))
    assert [folder.exists() for folder in (folders[0], folders[2])] == [True, False]
    launcher.inspect(InspectRequest(b"", CodeKind.CUBIN, "k", 0))
    assert launcher._confined_to is None


def test_a_file_that_has_changed_is_read_again(launcher, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("\n".join(["1"] * 16))
    request = launch_request(Fill(FillKind.FILE, text=str(path)))
    for words in (None, "\n".join(["2.5"] * 16)):
        if words:
            path.write_text(words)
        heard = []
        launcher.launch(request, on_event=heard.append)
        assert LaunchProgress("calculating 'x'") in heard


def test_a_killed_process_is_replaced(launcher):
    launcher.launch(launch_request())
    first = launcher.pid
    launcher._gpu._child.kill()
    launcher.launch(launch_request())
    assert launcher.pid not in (None, first)


def test_a_launch_can_be_cancelled_before_it_begins(launcher):
    launcher.cancel(5)
    result = launcher.launch(launch_request(), ticket=5)
    assert result.outcome is LaunchOutcome.CANCELLED
    assert launcher.launch(launch_request(), ticket=6).outcome is not LaunchOutcome.CANCELLED


def test_nothing_more_is_calculated_for_a_launch_that_was_cancelled(launcher):
    fills = (Fill(FillKind.EXPRESSION, text=f"sqrt(i + {number})") for number in range(3))
    buffers = (Buffer(f"x{n}", FLOAT, 0, 16, fill, Direction.IN) for n, fill in enumerate(fills))
    heard = []

    def cancel(event):
        heard.append(event)
        launcher.cancel(5)

    request = launch_request(arguments=tuple(buffers), parameter_bytes=24)
    assert launcher.launch(request, ticket=5, on_event=cancel).outcome is LaunchOutcome.CANCELLED
    assert len(heard) == 1


def test_a_sanitizer_that_is_missing_is_named(launcher, monkeypatch):
    monkeypatch.setattr("jitstudio.worker.compute_sanitizer.find_sanitizer", lambda: None)
    result = launcher.launch(launch_request(sanitizer=Sanitizer.MEMCHECK))
    assert result.outcome is LaunchOutcome.MISSING
    assert "compute-sanitizer is not" in result.reason


def test_close_ends_everything_and_removes_the_files(launcher):
    launcher.launch(launch_request(Fill(FillKind.EXPRESSION, text="i")))
    folder = launcher._files._folder
    assert any(folder.iterdir())
    closing = threading.Thread(target=launcher.close)
    closing.start()
    closing.join(15)
    assert not folder.exists()
    assert launcher.pid is None
    with pytest.raises(WorkerError):
        launcher.launch(launch_request())


def test_what_a_killed_program_left_is_removed(launcher, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    orphan = tmp_path / "jitstudio-launch-abcdefgh"
    orphan.mkdir()
    alive = scratch.make("launch")
    scratch._remove_orphans.cache_clear()
    launcher.launch(launch_request())
    assert not orphan.exists()
    assert alive.exists()


def test_a_late_cancel_does_not_reach_the_next_launch(launcher):
    request = launch_request(Fill(FillKind.EXPRESSION, text="sum(sin(zeros(5000000))) + i"))
    alarm = threading.Timer(0.1, launcher.cancel, (5,))
    alarm.start()
    result = launcher.launch(request, ticket=6)
    alarm.join()
    assert result.outcome not in (LaunchOutcome.CANCELLED, LaunchOutcome.REFUSED)


def test_files_that_cannot_be_kept_are_told(launcher, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    result = launcher.launch(launch_request())
    assert result.outcome is LaunchOutcome.FAILED
    assert "cannot be kept" in result.reason
    assert "TMPDIR" in result.diagnostics[0].explanation


def test_what_an_expression_reads_from_a_changed_file_is_read_again(launcher, tmp_path):
    path = tmp_path / "x.csv"
    request = launch_request()
    x = Buffer("x", FLOAT, 0, 4, Fill(FillKind.FILE, text=str(path)), Direction.IN)
    y = Buffer("y", FLOAT, 8, 4, Fill(FillKind.EXPRESSION, text="x * 2"), Direction.IN)
    for number in (1, 25):
        path.write_text("\n".join([str(number)] * 4))
        heard = []
        launcher.launch(replace(request, arguments=(x, y)), on_event=heard.append)
        assert LaunchProgress("calculating 'y'") in heard


def test_what_is_only_compared_is_not_sent_to_the_simulator():
    """Nor kept in a recording: the cubin, and the texts of the user's."""
    source = Source("k.cu", CodeKind.CUDA, b"// mine")
    asked = launch_request(code=b"ptx", counterpart=b"cubin", sources=(source,))
    assert asked.alone == launch_request(code=b"ptx")
