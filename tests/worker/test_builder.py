"""The worker against the real libraries: crashes, hangs, cancels, and life afterwards."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.events import StageFinished, StageStarted
from jitstudio.core.request import DemangleRequest, ProbeRequest
from jitstudio.core.result import Outcome
from jitstudio.core.tools import NO_COMPILERS, Tool
from jitstudio.worker import process
from jitstudio.worker.builder import Builder
from jitstudio.worker.host import WorkerError
from tests.support import (
    CRASHING,
    GOOD,
    HUNGRY_CUDA,
    HUNGRY_LIMIT,
    KERNEL,
    SLOW,
    cuda,
    one_in,
    ptx,
    request,
    sample,
)

pytestmark = pytest.mark.tools

QUICK = 30.0
"""Seconds within which a kill must be over; far less than the slow code takes."""


def assert_next_build_works(host):
    result = host.build(GOOD, timeout=30)
    assert result.outcome is Outcome.BUILT
    assert b".entry fine(" in result.artifacts[0].content


def is_gone(pid):
    """Whether no process has this number any more, not even a zombie of ours."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def wait_until(condition, seconds=QUICK):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


class Build(threading.Thread):
    """A build in a thread of its own, which tells when its first tool is running."""

    def __init__(self, host, wanted=SLOW, **words):
        super().__init__()
        self.running = threading.Event()
        self.result = None
        self._call = lambda: host.build(wanted, on_event=self._heard, **words)
        self.start()

    def run(self):
        self.result = self._call()

    def _heard(self, event):
        if isinstance(event, StageStarted):
            self.running.set()

    def outcome(self):
        self.join(QUICK)
        assert not self.is_alive()
        return self.result


def test_a_build_comes_back_with_its_times(host):
    result = host.build(GOOD)
    assert result.outcome is Outcome.BUILT
    assert result.total_ms >= result.tool_ms > 0


def test_events_arrive_while_the_child_works(host):
    events = []
    host.build(GOOD, on_event=events.append)
    assert [type(event) for event in events] == [StageStarted, StageFinished]


def test_one_child_serves_many_builds(host):
    host.start()
    first = host.pid
    assert_next_build_works(host)
    assert_next_build_works(host)
    assert host.pid == first


def test_a_crash_names_tool_and_signal_and_the_next_build_works(host):
    host.start()
    doomed = host.pid
    result = host.build(CRASHING)
    assert result.outcome is Outcome.CRASHED
    assert (result.crash.tool, result.crash.signal) == (Tool.NVVM, "SIGILL")
    assert result.stages[-1].crash == result.crash
    assert result.crash.message in result.diagnostics[-1].message
    assert is_gone(doomed)
    assert_next_build_works(host)


def test_a_crash_that_an_earlier_build_has_prepared_is_tried_afresh(host):
    sources = (sample("apply_transform.cu"), sample("user_transform.cu"))
    assert host.build(request(*sources, link="lto", emit="cubin")).ok
    body = ".visible .func f() { ret; }"
    twice = request(ptx("a.ptx", body), ptx("b.ptx", body), link="ptx", emit="cubin")
    result = host.build(twice)
    assert result.outcome is Outcome.BUILT
    assert "Multiple definition of 'f'" in result.stages[0].stderr


def test_a_crash_in_a_worn_child_is_a_crash_in_a_fresh_one_too(host):
    assert_next_build_works(host)
    result = host.build(CRASHING)
    assert result.outcome is Outcome.CRASHED
    assert len(result.stages) == 1
    assert_next_build_works(host)


def test_stages_before_a_crash_are_kept(host):
    result = host.build(request(GOOD.sources[0], CRASHING.sources[0], arch="sm_100"))
    assert result.outcome is Outcome.CRASHED
    assert [(stage.source, stage.ok) for stage in result.stages] == [
        ("good.cu", True),
        ("crash.ll", False),
    ]
    assert [artifact.name for artifact in result.artifacts] == ["good.cu"]


def test_a_hang_ends_at_the_time_limit_and_the_next_build_works(host):
    # The tools are there: within the limit it is the compiler that runs.
    assert host.build(GOOD).ok
    doomed = host.pid
    result = host.build(SLOW, timeout=1.5)
    assert result.outcome is Outcome.TIMED_OUT
    assert (result.crash.tool, result.crash.signal) == (Tool.NVRTC, "time limit")
    assert "stopped after 1.5 s" in result.diagnostics[-1].message
    assert 1500 <= result.total_ms < 1500 + QUICK * 1000
    assert is_gone(doomed)
    assert_next_build_works(host)


def test_a_time_limit_that_no_clock_can_count_is_no_limit(host):
    assert host.build(GOOD, timeout=1e30).ok


def test_a_memory_hog_is_stopped_in_words_and_the_next_build_works():
    host = Builder(memory_limit=HUNGRY_LIMIT)
    try:
        result = host.build(request(cuda(HUNGRY_CUDA)), timeout=60)
        assert result.outcome is Outcome.CRASHED
        assert (result.crash.tool, result.crash.signal) == (Tool.NVRTC, "out of memory")
        assert result.crash.message.startswith("NVRTC ran out ")
        assert_next_build_works(host)
    finally:
        host.close()


def test_cancel_ends_a_running_build_at_once(host):
    build = Build(host, ticket=7)
    assert build.running.wait(QUICK)
    doomed = host.pid
    host.cancel(7)
    result = build.outcome()
    assert result.outcome is Outcome.CANCELLED
    assert result.crash is None
    assert result.diagnostics == ()
    assert is_gone(doomed)
    assert_next_build_works(host)


def test_cancel_of_another_ticket_harms_nobody(host):
    host.start()
    child = host.pid
    host.cancel(99)
    assert host.build(GOOD, ticket=7).ok
    host.cancel(7)
    assert host.build(GOOD, ticket=8).ok
    assert host.pid == child


def test_a_cancel_that_comes_first_ends_the_build_before_it_begins(host):
    host.cancel(7)
    result = host.build(SLOW, ticket=7)
    assert result.outcome is Outcome.CANCELLED
    assert result.stages == ()
    assert_next_build_works(host)


def test_a_cancel_while_the_disassembler_runs_ends_it_too(host):
    finished = []

    def heard(event):
        finished.append(event)
        if isinstance(event, StageStarted) and event.tool is Tool.NVDISASM:
            time.sleep(0.05)
            host.cancel(1)

    result = host.build(request(GOOD.sources[0], emit="sass"), ticket=1, on_event=heard)
    assert result.outcome is Outcome.CANCELLED
    assert_next_build_works(host)


@pytest.mark.parametrize("number", one_in(3, [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT]))
def test_a_child_killed_from_outside_is_a_crash_and_the_next_build_works(host, number):
    build = Build(host)
    assert build.running.wait(QUICK)
    os.kill(host.pid, number)
    result = build.outcome()
    assert result.outcome is Outcome.CRASHED
    assert result.crash.signal == number.name
    assert_next_build_works(host)


def test_a_child_that_died_between_two_builds_is_replaced(host):
    host.start()
    os.kill(host.pid, signal.SIGKILL)
    wait_until(lambda: host.pid is None)
    assert_next_build_works(host)


def test_a_stopped_child_is_killed_at_the_time_limit(host):
    host.start()
    os.kill(host.pid, signal.SIGSTOP)
    assert host.build(GOOD, timeout=0.5).outcome is Outcome.TIMED_OUT
    assert_next_build_works(host)


def test_a_child_that_does_not_die_of_its_kill_is_left_alone(host, monkeypatch):
    host.start()
    pid = host.pid
    os.kill(pid, signal.SIGSTOP)
    monkeypatch.setattr(process, "_PATIENCE", 0.2)
    with monkeypatch.context() as patch:
        patch.setattr(os, "killpg", lambda group, number: None)
        result = host.build(GOOD, timeout=0.2)
    assert result.outcome is Outcome.TIMED_OUT
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert_next_build_works(host)


def test_a_listener_that_fails_does_not_shift_answers_to_the_next_build(host):
    def fail(event):
        raise LookupError(event)

    with pytest.raises(LookupError):
        host.build(SLOW, on_event=fail)
    assert_next_build_works(host)


def test_what_native_code_prints_is_told_with_its_stage(host):
    body = ".visible .func f() { ret; }"
    sources = (ptx("a.ptx", body), ptx("b.ptx", body))
    first = host.build(request(*sources, link="ptx", emit="cubin"))
    assert "Multiple definition of 'f'" in first.stages[0].stderr
    crash = host.build(CRASHING)
    assert "Multiple definition" not in crash.stages[0].stderr


def test_an_option_does_not_leak_into_the_next_build(host):
    text = "__device__ int f(int x) { return x; }\n" + KERNEL.replace("1;", "f(*p);")
    told = host.build(request(cuda(text), options=("--optimization-info=inline",)))
    assert "remark: " in told.stages[0].log
    assert host.build(request(cuda(text))).stages[0].log == ""


def test_a_probe_finds_every_tool(host):
    info = host.probe(ProbeRequest())
    assert [tool.tool for tool in info.tools] == [tool for tool in Tool if tool not in NO_COMPILERS]
    assert not any(tool.problem for tool in info.tools)


def test_names_are_told_in_words_of_cxx(host):
    told = host.demangle(DemangleRequest(("_Z5saxpyIfEvT_", "main", "_Znonsense")))
    assert told == {
        "_Z5saxpyIfEvT_": "void saxpy<float>(float)",
        "main": "main",
        "_Znonsense": "_Znonsense",
    }


def test_close_is_quick_and_final_and_leaves_no_process():
    host = Builder()
    host.start()
    child = host.pid
    start = time.monotonic()
    host.close()
    host.close()
    assert time.monotonic() - start < QUICK
    assert is_gone(child)
    assert host.pid is None
    with pytest.raises(WorkerError, match="closed"):
        host.build(GOOD)


def test_close_ends_a_running_build():
    host = Builder()
    build = Build(host)
    assert build.running.wait(QUICK)
    child = host.pid
    start = time.monotonic()
    host.close()
    assert time.monotonic() - start < QUICK
    assert build.outcome().outcome is Outcome.CANCELLED
    assert is_gone(child)


def test_a_host_that_was_never_started_closes():
    Builder().close()


def test_the_child_looks_for_no_module_in_the_working_directory(host, tmp_path, monkeypatch):
    for name in ("json.py", "queue.py", "jitstudio.py"):
        (tmp_path / name).write_text("raise SystemExit('imported by chance')\n")
    monkeypatch.chdir(tmp_path)
    assert_next_build_works(host)


def test_a_build_of_ten_megabytes_in_one_line(host):
    text = "//" + "x" * 10_000_000 + "\n" + GOOD.sources[0].content.decode()
    assert host.build(request(cuda(text))).ok


def test_nothing_is_left_in_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    host = Builder()
    try:
        assert host.build(request(GOOD.sources[0], emit="sass")).artifacts[0].kind is CodeKind.SASS
        host.build(CRASHING)
    finally:
        host.close()
    assert list(Path(tmp_path).iterdir()) == []
