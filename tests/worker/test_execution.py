"""Plans over several real workers: order, crashes, cancels."""

import threading
import time

import pytest

from jitstudio.core.events import StageFinished, StageStarted
from jitstudio.core.result import Outcome
from jitstudio.core.tools import Tool
from jitstudio.worker.builder import Builder
from tests.support import CRASHING, GOOD, KERNEL, SLOW, SLOW_CUDA, cuda, ptx, request, sample

pytestmark = pytest.mark.tools

QUICK = 30.0
"""Seconds within which a kill must be over; far less than the slow code takes."""


@pytest.fixture
def pair():
    """Two workers."""
    builder = Builder(workers=2)
    yield builder
    builder.close()


@pytest.fixture
def alone():
    """One worker."""
    builder = Builder(workers=1)
    yield builder
    builder.close()


def kernel(number, lines=0):
    """A kernel that takes the longer the more lines it has."""
    body = "".join(f"p[{i}] = p[{i * 7 % 97}] * {i};\n" for i in range(lines))
    return cuda(f'extern "C" __global__ void k{number}(int* p) {{\n{body}}}\n', f"m{number}.cu")


def workers(builder):
    return [host.pid for host in builder._pool._hosts if host.pid is not None]


def test_independent_modules_run_side_by_side(pair):
    running, most = 0, 0

    def heard(event):
        nonlocal running, most
        running += 1 if isinstance(event, StageStarted) else -1
        most = max(most, running)

    # Both workers are there.
    assert pair.build(request(kernel(0), kernel(1))).ok
    result = pair.build(request(*(kernel(n, 200) for n in range(4))), on_event=heard)
    assert result.outcome is Outcome.BUILT
    assert most == 2
    assert len(workers(pair)) == 2


def test_one_module_needs_one_worker(pair):
    assert pair.build(request(kernel(0), emit="ptx,sass")).ok
    assert len(workers(pair)) == 1


def test_the_result_is_in_the_order_of_the_plan_and_not_of_the_finish(pair):
    finished = []

    def heard(event):
        if isinstance(event, StageFinished):
            finished.append(event.stage.source)

    result = pair.build(request(kernel(0, 400), kernel(1), kernel(2)), on_event=heard)
    assert finished[-1] == "m0.cu"
    names = ["m0.cu", "m1.cu", "m2.cu"]
    assert [stage.source for stage in result.stages] == names
    assert [artifact.name for artifact in result.artifacts] == names
    assert [one.name for one in result.kernels] == ["k0", "k1", "k2"]


def test_steps_are_numbered_as_in_the_plan(pair):
    numbers = {}

    def heard(event):
        if isinstance(event, StageStarted):
            numbers[event.source, event.tool] = (event.step, event.steps)

    pair.build(request(kernel(0), kernel(1), emit="sass"), on_event=heard)
    assert numbers == {
        ("m0.cu", Tool.NVRTC): (1, 4),
        ("m0.cu", Tool.NVDISASM): (2, 4),
        ("m1.cu", Tool.NVRTC): (3, 4),
        ("m1.cu", Tool.NVDISASM): (4, 4),
    }


@pytest.mark.bench
def test_one_worker_does_the_same_as_two(alone, pair):
    sources = (sample("apply_transform.cu"), sample("user_transform.cu"))
    wanted = request(*sources, link="lto", emit="ptx,sass,cubin")
    one, two = alone.build(wanted), pair.build(wanted)
    assert one.artifacts == two.artifacts
    assert one.kernels == two.kernels
    assert [s.options for s in one.stages] == [s.options for s in two.stages]
    assert len(workers(alone)) == 1


def test_a_crash_leaves_the_other_modules_alone(pair):
    sources = (kernel(0), CRASHING.sources[0], kernel(1), kernel(2))
    result = pair.build(request(*sources, arch="sm_100"))
    assert result.outcome is Outcome.CRASHED
    assert (result.crash.tool, result.crash.signal) == (Tool.NVVM, "SIGILL")
    assert [(stage.source, stage.ok) for stage in result.stages] == [
        ("m0.cu", True),
        ("crash.ll", False),
        ("m1.cu", True),
        ("m2.cu", True),
    ]
    assert [artifact.name for artifact in result.artifacts] == ["m0.cu", "m1.cu", "m2.cu"]
    assert [d.file for d in result.diagnostics] == ["crash.ll"]


def test_two_crashes_are_both_told(pair):
    twin = CRASHING.sources[0]
    sources = (twin, kernel(0), cuda(KERNEL), twin.__class__("b.ll", twin.kind, twin.content))
    result = pair.build(request(*sources, arch="sm_100"))
    assert [bool(stage.crash) for stage in result.stages] == [True, False, False, True]
    assert [d.file for d in result.diagnostics] == ["crash.ll", "b.ll"]


def test_what_needs_a_failed_step_is_left_out(pair):
    sources = (kernel(0), cuda("oops", "bad.cu"), kernel(1))
    result = pair.build(request(*sources, link="ptx", emit="sass"))
    assert result.outcome is Outcome.FAILED
    assert [(stage.source, stage.ok) for stage in result.stages] == [
        ("m0.cu", True),
        ("bad.cu", False),
        ("m1.cu", True),
    ]


def cancel_once_both_run(builder, wanted, **words):
    """Build, and cancel when two tools are running; the result."""
    running = threading.Semaphore(0)

    def heard(event):
        if isinstance(event, StageStarted):
            running.release()

    results = []
    build = threading.Thread(
        target=lambda: results.append(builder.build(wanted, ticket=7, on_event=heard, **words))
    )
    build.start()
    assert running.acquire(timeout=QUICK)
    assert running.acquire(timeout=QUICK)
    builder.cancel(7)
    start = time.monotonic()
    build.join(QUICK)
    assert not build.is_alive()
    assert time.monotonic() - start < QUICK
    return results[0]


TWO_SLOW = request(*(cuda(SLOW_CUDA, f"slow{n}.cu") for n in range(3)))


def test_cancel_ends_all_that_runs_and_begins_nothing_more(pair):
    result = cancel_once_both_run(pair, TWO_SLOW)
    assert result.outcome is Outcome.CANCELLED
    assert (result.crash, result.diagnostics) == (None, ())
    assert [stage.source for stage in result.stages] == ["slow0.cu", "slow1.cu"]
    assert pair.build(request(kernel(0), kernel(1))).ok


def test_the_time_limit_is_one_for_the_whole_build(pair):
    # The tools are there: within the limit both compilers run.
    assert pair.build(request(kernel(0), kernel(1))).ok
    start = time.monotonic()
    result = pair.build(TWO_SLOW, timeout=2.0)
    assert time.monotonic() - start < QUICK
    assert result.outcome is Outcome.TIMED_OUT
    assert [(s.source, s.crash.signal) for s in result.stages] == [
        ("slow0.cu", "time limit"),
        ("slow1.cu", "time limit"),
    ]
    assert len(result.diagnostics) == 2
    assert pair.build(request(kernel(0), kernel(1))).ok


def test_what_was_done_before_the_time_limit_is_kept(pair):
    start = time.monotonic()
    assert pair.build(request(kernel(0), kernel(1))).ok
    enough = max(1.5, 5 * (time.monotonic() - start))
    result = pair.build(request(SLOW.sources[0], kernel(0), kernel(1)), timeout=enough)
    assert result.outcome is Outcome.TIMED_OUT
    assert [artifact.name for artifact in result.artifacts] == ["m0.cu", "m1.cu"]


def test_close_ends_all_that_runs():
    builder = Builder(workers=2)
    running = threading.Semaphore(0)

    def heard(event):
        if isinstance(event, StageStarted):
            running.release()

    results = []
    build = threading.Thread(target=lambda: results.append(builder.build(TWO_SLOW, on_event=heard)))
    build.start()
    assert running.acquire(timeout=QUICK)
    assert running.acquire(timeout=QUICK)
    builder.close()
    build.join(QUICK)
    assert results[0].outcome is Outcome.CANCELLED
    assert workers(builder) == []


def test_a_listener_that_fails_ends_all_that_runs(pair):
    def fail(event):
        if event.source == "slow1.cu":
            raise LookupError

    start = time.monotonic()
    with pytest.raises(LookupError):
        pair.build(TWO_SLOW, on_event=fail)
    assert time.monotonic() - start < QUICK
    assert pair.build(request(kernel(0), kernel(1), kernel(2))).ok


def test_a_module_comes_back_to_the_worker_that_knows_it(pair):
    wanted = request(kernel(0, 100), kernel(1, 100))
    pair.build(wanted)
    homes = dict(pair._pool._homes)
    assert len(set(homes.values())) == 2
    for _ in range(3):
        asked = []
        take = pair._pool.take

        def taken(module, need, take=take, asked=asked):
            host = take(module, need)
            asked.append((module, host.pid if host else None))
            return host

        pair._pool.take = taken
        pair.build(wanted)
        pair._pool.take = take
        assert dict(pair for pair in asked if pair[1]) == homes


def test_a_worn_worker_gets_a_second_try_among_others(pair):
    sources = (sample("apply_transform.cu"), sample("user_transform.cu"))
    assert pair.build(request(*sources, link="lto", emit="cubin")).ok
    body = ".visible .func f() { ret; }"
    twice = request(ptx("a.ptx", body), ptx("b.ptx", body), link="ptx", emit="cubin")
    for _ in range(2):
        result = pair.build(twice)
        assert result.outcome is Outcome.BUILT
        assert "Multiple definition of 'f'" in result.stages[0].stderr


def test_a_second_try_is_no_second_start(alone):
    told = []
    assert alone.build(GOOD).ok
    result = alone.build(CRASHING, on_event=told.append)
    assert result.outcome is Outcome.CRASHED
    assert [event.source for event in told if isinstance(event, StageStarted)] == ["crash.ll"]
