"""Sessions: calls find the processes of earlier ones, in threads, after a fork and in asyncio."""

import asyncio
import os
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import jitstudio
from jitstudio.api import commands
from jitstudio.commands.sessions import default_session, session_of
from jitstudio.commands.workers import Workers
from jitstudio.worker import process
from jitstudio.worker.builder import Builder

SCALE = 'extern "C" __global__ void scale(float *x) { x[threadIdx.x] *= %s; }\n'
LAUNCH = {"arguments": {"x": "32:range"}, "grid": 1, "block": 32, "device": "sim"}

pytestmark = pytest.mark.tools


@pytest.fixture
def starts(monkeypatch):
    """The worker programs that are started from now on."""
    programs = []
    begin = process.ChildProcess.__init__

    def counted(self, memory_limit, program, wrapper=()):
        programs.append(program.rpartition(".")[2])
        begin(self, memory_limit, program, wrapper)

    monkeypatch.setattr(process.ChildProcess, "__init__", counted)
    return programs


def fresh():
    """A text that nobody has built before."""
    return SCALE % f"{time.time_ns()}.f"


def test_a_second_call_starts_no_process(starts):
    with jitstudio.Session():
        read = jitstudio.inspect(SCALE % 2)
        launched = jitstudio.run(SCALE % 2, expect="x = i * 2", **LAUNCH)
        assert (jitstudio.build(fresh()).ok, read.ok, launched.ok) == (True, True, True)
        begun = len(starts)
        assert begun >= 3
        for _ in range(2):
            assert jitstudio.build(fresh()).ok
            assert jitstudio.inspect(SCALE % 2).kernels == read.kernels
            assert jitstudio.diff(SCALE % 2, SCALE % 3).equal is False
            assert jitstudio.run(SCALE % 2, expect="x = i * 2", **LAUNCH).ok
        assert starts[begun:] == []


def test_a_session_ends_its_processes(starts):
    with jitstudio.Session() as session:
        assert jitstudio.build(fresh()).ok
        with session.workers() as workers:
            pid = workers.builder.pid
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    for call in (
        lambda: jitstudio.build(SCALE % 2, session=session),
        lambda: jitstudio.inspect(SCALE % 2, session=session),
        lambda: jitstudio.run(SCALE % 2, session=session, **LAUNCH),
        lambda: jitstudio.diff(SCALE % 2, SCALE % 3, session=session),
        session.__enter__,
    ):
        with pytest.raises(RuntimeError, match=r"^session: .*jitstudio\.Session"):
            call()
    # Without a session of its own, a call has that of the program again.
    assert jitstudio.build(fresh()).ok


def test_a_session_is_that_of_its_block_in_its_thread(starts):
    with jitstudio.Session() as outer:
        with jitstudio.Session():
            assert jitstudio.build(fresh()).ok
        assert jitstudio.build(fresh()).ok
        assert len(outer._all) == 1
        with ThreadPoolExecutor(1) as pool:
            pool.submit(jitstudio.build, fresh()).result()
            assert len(outer._all) == 1
            assert pool.submit(jitstudio.build, fresh(), session=outer).result().ok


def test_threads_share_a_session_side_by_side():
    with jitstudio.Session() as session, ThreadPoolExecutor(6) as pool:
        reports = pool.map(
            lambda number: jitstudio.inspect(SCALE % number, session=session), range(2, 8)
        )
        assert all(report.ok for report in reports)
        launches = [
            pool.submit(jitstudio.run, SCALE % n, expect=f"x = i * {n}", session=session, **LAUNCH)
            for n in range(2, 6)
        ]
        assert all(launch.result().ok for launch in launches)
        assert 1 <= len(session._all) <= len(os.sched_getaffinity(0))
        with session.workers() as workers:
            last = workers
        session.rest()
        assert session._all == {last}
        with session.workers() as workers:
            assert workers is last


def test_a_block_may_be_entered_in_several_threads():
    session, both = jitstudio.Session(), threading.Barrier(2)

    def work():
        with session:
            both.wait(60)
            inner = session_of(None)
            both.wait(60)
        return inner

    with ThreadPoolExecutor(2) as pool, jitstudio.Session() as other:
        inner = [pool.submit(work) for _ in range(2)]
        assert session_of(None) is other
        assert [work.result() for work in inner] == [session, session]
    assert session_of(None) is default_session()
    assert not session.is_open


def test_a_function_that_checks_a_launch_may_launch(monkeypatch):
    monkeypatch.setattr("jitstudio.commands.sessions.default_size", lambda: 1)

    def doubled(x):
        inner = jitstudio.run(SCALE % 2, **LAUNCH | {"arguments": {"x": x.copy()}})
        return inner.buffers["x"]

    with jitstudio.Session():
        report = jitstudio.run(SCALE % 2, expect=doubled, **LAUNCH)
        assert report.ok, report.messages
        with ThreadPoolExecutor(2) as pool:
            calls = [pool.submit(jitstudio.build, SCALE % n) for n in (2, 3)]
            assert all(call.result(120).ok for call in calls)


def test_a_function_that_checks_a_launch_may_launch_in_threads(monkeypatch):
    monkeypatch.setattr("jitstudio.commands.sessions.default_size", lambda: 1)
    with jitstudio.Session() as session, ThreadPoolExecutor(3) as pool:

        def doubled(x):
            more = LAUNCH | {"arguments": {"x": x.copy()}, "session": session}
            calls = [pool.submit(jitstudio.run, SCALE % 2, **more) for _ in range(2)]
            return calls[0].result(60).buffers["x"] + 0 * calls[1].result(60).buffers["x"]

        reports = [jitstudio.run(SCALE % 2, expect=doubled, session=session, **LAUNCH)]
        outer = pool.submit(jitstudio.run, SCALE % 2, expect=doubled, session=session, **LAUNCH)
        reports.append(outer.result(120))
        assert all(report.ok for report in reports), [report.messages for report in reports]


def test_a_gpu_is_free_while_the_function_of_a_launch_runs():
    with jitstudio.Session() as session, ThreadPoolExecutor(1) as pool:

        def launched():
            with session.gpu(0):
                return True

        with session.gpu(0):
            with session.asking(0):
                assert pool.submit(launched).result(60)
            waiting = pool.submit(launched)
            with pytest.raises(TimeoutError):
                waiting.result(0.2)
        assert waiting.result(60)


@pytest.mark.parametrize(("device", "most"), [(0, 1), ("sim", 2)])
def test_one_launch_at_a_time_is_on_a_gpu(monkeypatch, device, most):
    """The times of two would be those of both; where there is no GPU, the calls are the same."""
    monkeypatch.setattr("jitstudio.commands.sessions.default_size", lambda: 2)
    really, running, counts = commands.launch, [], []

    def launch(*arguments, **more):
        running.append(1)
        counts.append(len(running))
        if device == "sim" and len(counts) < 2:
            time.sleep(2)
        try:
            return really(*arguments, **more)
        finally:
            running.pop()

    monkeypatch.setattr(commands, "launch", launch)
    with jitstudio.Session() as session, ThreadPoolExecutor(2) as pool:
        asked = LAUNCH | {"device": device, "session": session}
        calls = [pool.submit(jitstudio.run, SCALE % 2, **asked) for _ in range(2)]
        assert all(call.result().outcome in ("ran", "missing") for call in calls)
    assert max(counts) == most


def test_asyncio_goes_on_meanwhile():
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.001)
                ticks += 1

        ticking = asyncio.create_task(tick())
        # A call may stand in a coroutine itself, where the others wait for it.
        reports = [jitstudio.build(fresh())]
        reports += await asyncio.gather(
            *(asyncio.to_thread(jitstudio.build, fresh()) for _ in range(3))
        )
        ticking.cancel()
        return ticks, reports

    with jitstudio.Session() as session:
        ticks, reports = asyncio.run(main())
        assert len(session._all) >= 1
    assert all(report.ok for report in reports)
    assert ticks > 0


def test_a_call_of_a_session_that_another_thread_closes_is_a_sentence():
    endless = 'extern "C" __global__ void k(volatile int *x) { while (!*x) ; }'
    session = jitstudio.Session()
    errors = []

    def launch():
        try:
            jitstudio.run(
                endless,
                arguments={"x": "1:zeros"},
                grid=1,
                block=1,
                device="sim",
                session=session,
                timeout=60,
            )
        except RuntimeError as error:
            errors.append(str(error))

    thread = threading.Thread(target=launch)
    thread.start()
    while not session._all:
        time.sleep(0.05)
    time.sleep(1)
    session.close()
    thread.join(30)
    assert not thread.is_alive()
    assert len(errors) == 1
    assert errors[0].startswith("session: it is closed")


def test_a_change_of_folder_or_environment_is_followed(tmp_path, monkeypatch):
    for name, number in (("a", 3), ("b", 5)):
        (tmp_path / name / "inc").mkdir(parents=True)
        (tmp_path / name / "inc/number.h").write_text(f"#define NUMBER {number}\n")
    code = f'#include "number.h"\n{SCALE % "NUMBER"}// {time.time_ns()}\n'
    with jitstudio.Session() as session:
        for name, number in (("a", 3), ("b", 5)):
            monkeypatch.chdir(tmp_path / name)
            report = jitstudio.run(code, options="-Iinc", expect=f"x = i * {number}", **LAUNCH)
            assert report.ok, report.messages
            assert len(session._all) == 1
        (before,) = session._all
        monkeypatch.setenv("PYTEST_CURRENT_TEST", "another test (call)")
        assert jitstudio.build(code, options="-Iinc").ok
        assert session._all == {before}
        monkeypatch.setenv("JITSTUDIO_CACHE_DIR", str(tmp_path / "cache"))
        assert jitstudio.build(code, options="-Iinc").ok
        (after,) = session._all
    assert after is not before
    assert (tmp_path / "cache").is_dir()


def test_a_wrong_session_is_named():
    with pytest.raises(ValueError, match=r"session='mine': a jitstudio\.Session belongs here"):
        jitstudio.build(SCALE % 2, session="mine")


def test_workers_that_are_closed_start_no_more():
    workers = Workers()
    workers.close()
    with pytest.raises(RuntimeError, match="have been closed"):
        assert isinstance(workers.builder, Builder)


def ran(code):
    """Runs a program; returns its output, which it has to end well with."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_forked_process_begins_anew_and_leaves_the_others_alone(tmp_path):
    out = ran(
        f"""
        import gc, os, sys, warnings
        import jitstudio
        warnings.simplefilter("ignore", DeprecationWarning)
        code = {SCALE!r}
        session = jitstudio.Session()
        with session:
            assert jitstudio.build(code % 2).ok
            with session.workers() as workers:
                pid = workers.builder.pid
            if not (child := os.fork()):
                assert jitstudio.build(code % 3).ok
                for call in (jitstudio.build, jitstudio.inspect):
                    try:
                        call(code % 2, session=session)
                    except RuntimeError as error:
                        assert str(error).startswith("session: it belongs to the process"), error
                del workers
                session.close()
                gc.collect()
                sys.exit(7)
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) == 7
            assert jitstudio.build(code % 4).ok
            with session.workers() as workers:
                assert workers.builder.pid == pid
        print("ended")
        """
    )
    assert out == "ended\n"


@pytest.mark.slow
def test_the_session_of_a_program_ends_with_it(tmp_path):
    out = ran(
        f"""
        import jitstudio
        from jitstudio.commands.sessions import default_session
        assert jitstudio.build({SCALE % 2!r}).ok
        with default_session().workers() as workers:
            print(workers.builder.pid)
        """
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(out), 0)


def test_the_session_of_the_program_is_one():
    assert default_session() is default_session()
