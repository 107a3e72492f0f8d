"""The picture folded over what real builds tell, and over what launches come to."""

from dataclasses import replace

import pytest

from jitstudio.cache.store import Store
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.events import Problem
from jitstudio.core.launch.result import LaunchOutcome, LaunchResult, Timing
from jitstudio.core.result import Outcome
from jitstudio.core.tools import Tool
from jitstudio.gui.features.pipeline.graph import (
    LAUNCH,
    NodeState,
    after_event,
    edited,
    ended,
    following,
    launched,
    launching,
    pipeline_of,
    refused,
    stopped,
)
from jitstudio.worker.builder import Builder
from tests.support import CRASHING, KERNEL, cuda, request
from tests.toolchain.opened_files import packed

CODE = "ptx,sass,cubin"
ONE = request(cuda(KERNEL, "k.cu"), emit=CODE)
CALLER = "extern __device__ int f(); __global__ void k(int* p) { *p = f(); }"
BROKEN = "__device__ int f() { return 1 }"
CALLED = "__device__ int f() { return 1; }"


@pytest.fixture(scope="module")
def builder(tmp_path_factory):
    builder = Builder(store=Store(tmp_path_factory.mktemp("cache")))
    yield builder
    builder.close()


def followed(builder, asked, before=None):
    """The picture at each moment of a build."""
    moments = [following(pipeline_of(asked, launch=True), before)]
    result = builder.build(
        asked, on_event=lambda event: moments.append(after_event(moments[-1], event, now=7.0))
    )
    builder.settle()
    return [*moments, ended(moments[-1], result, before)]


def states(pipeline):
    return {node.title: node.state for node in pipeline.nodes}


def test_one_module_runs_is_made_and_the_next_time_comes_from_the_cache(builder):
    moments = followed(builder, ONE)
    running = next(p for p in moments if states(p)["NVRTC"] is NodeState.RUNNING)
    nvrtc = running.node("NVRTC:k.cu:ptx+cubin")
    assert nvrtc.since == 7.0
    assert states(running)["k.ptx"] is NodeState.WAITING
    last = moments[-1]
    assert states(last) == {
        "k.cu": NodeState.GIVEN,
        "NVRTC": NodeState.DONE,
        "k.ptx": NodeState.DONE,
        "k.cubin": NodeState.DONE,
        "nvdisasm": NodeState.DONE,
        "k.sass": NodeState.DONE,
        "Launch": NodeState.WAITING,
    }
    assert last.node("NVRTC:k.cu:ptx+cubin").ms > 0
    assert last.node("NVRTC:k.cu:ptx+cubin").since is None
    assert last.node("ptx:k.cu").size > 100
    assert last.ms > 0
    assert last.problem == ""

    again = followed(builder, ONE, last)[-1]
    assert again.shape == last.shape
    assert {states(again)[name] for name in ("NVRTC", "k.ptx", "nvdisasm")} == {NodeState.CACHED}
    assert again.node("ptx:k.cu").size == last.node("ptx:k.cu").size


@pytest.mark.parametrize("mode", ["ptx", "lto"])
def test_a_link_waits_for_all_its_modules(builder, mode):
    asked = request(cuda(CALLER, "a.cu"), cuda(CALLED, "b.cu"), emit=CODE, link=mode)
    moments = followed(builder, asked)
    kind = "ptx" if mode == "ptx" else "ltoir"
    for moment in moments:
        if states(moment)["nvJitLink"] is NodeState.RUNNING:
            assert moment.node(f"{kind}:a.cu").state is NodeState.DONE
            assert moment.node(f"{kind}:b.cu").state is NodeState.DONE
    assert states(moments[-1])["linked.sass"] is NodeState.DONE


def test_an_error_is_where_it_happened_and_says_the_first_message(builder):
    asked = request(cuda(CALLER, "a.cu"), cuda(BROKEN, "b.cu"), emit=CODE, link="lto")
    last = followed(builder, asked)[-1]
    failed = [node for node in last.nodes if node.state is NodeState.FAILED]
    assert [node.key for node in failed] == ["NVRTC:b.cu:ltoir"]
    assert failed[0].message == 'expected a ";"'
    assert last.node("ltoir:a.cu").state in (NodeState.DONE, NodeState.CACHED)
    assert last.node("ltoir:b.cu").state is NodeState.SKIPPED
    assert last.node(LAUNCH).state is NodeState.SKIPPED
    assert last.problem.startswith("Build failed in b.cu, line 1")


def test_what_an_earlier_build_has_made_is_stale_after_one_that_fails(builder):
    good = followed(builder, ONE)[-1]
    bad = followed(builder, request(cuda("int broken", "k.cu"), emit=CODE), good)[-1]
    assert states(bad)["NVRTC"] is NodeState.FAILED
    assert states(bad)["k.sass"] is NodeState.STALE
    assert bad.node("sass:k.cu").size == good.node("sass:k.cu").size
    assert states(bad)["nvdisasm"] is NodeState.SKIPPED
    worse = followed(builder, request(cuda("int worse", "k.cu"), emit=CODE), bad)[-1]
    assert states(worse)["k.sass"] is NodeState.STALE


def test_a_crash_is_told_with_its_signal(builder):
    asked = replace(CRASHING, emit=ONE.emit)
    last = followed(builder, asked)[-1]
    (failed,) = [node for node in last.nodes if node.state is NodeState.FAILED]
    assert failed.title == "libNVVM"
    assert failed.note == "SIGILL"
    assert failed.message


def test_an_empty_module_is_the_failure_itself(builder):
    last = followed(builder, request(cuda("  ", "k.cu"), emit=CODE))[-1]
    assert states(last)["k.cu"] is NodeState.FAILED
    assert last.node("cuda:k.cu").message.startswith("'k.cu' is empty")
    assert states(last)["NVRTC"] is NodeState.SKIPPED


def test_a_missing_tool_is_told_at_the_step_that_needs_it():
    missing = Diagnostic(Severity.ERROR, "", None, None, "NVRTC is not installed.", Tool.NVRTC)
    after = after_event(pipeline_of(ONE), Problem(Outcome.MISSING, missing, step=1))
    assert states(after)["NVRTC"] is NodeState.FAILED
    assert after.node("NVRTC:k.cu:ptx+cubin").message == "NVRTC is not installed."
    assert states(after)["nvdisasm"] is NodeState.WAITING


def test_a_build_that_is_ended_stops_what_ran():
    pipeline = pipeline_of(ONE, launch=True)
    running = pipeline.changed(
        lambda node: replace(node, state=NodeState.RUNNING) if node.title == "NVRTC" else node
    )
    closed = states(stopped(running))
    assert closed["NVRTC"] is NodeState.STOPPED
    assert closed["k.sass"] is NodeState.SKIPPED
    assert closed["k.cu"] is NodeState.GIVEN


def done(pipeline):
    return pipeline.changed(
        lambda node: (
            replace(node, state=NodeState.DONE) if node.state is NodeState.WAITING else node
        )
    )


def test_an_edit_puts_all_that_depends_on_it_out_of_date():
    sources = (cuda("", "a.cu"), cuda("", "b.cu"))
    linked = done(pipeline_of(request(*sources, emit="cubin", link="ptx"), launch=True))
    after = edited(linked, "a.cu")
    assert {n.key for n in after.nodes if n.state is NodeState.STALE} == {
        "NVRTC:a.cu:ptx",
        "ptx:a.cu",
        "nvJitLink:linked:cubin",
        "cubin:linked",
        LAUNCH,
    }
    assert edited(linked, "unknown.cu") == linked
    assert NodeState.DONE not in states(edited(linked)).values()


def test_a_wish_that_is_refused_leaves_the_last_picture_out_of_date():
    after = refused(done(pipeline_of(ONE)), "No closing quotation.")
    assert after.problem == "No closing quotation."
    assert states(after)["k.ptx"] is NodeState.STALE


RAN = LaunchResult(LaunchOutcome.RAN, "k", timing=Timing((0.5, 0.25, 0.75)))


def test_a_launch_runs_and_tells_its_time():
    waiting = pipeline_of(ONE, launch=True)
    running = launching(launching(waiting, "filling buffers", 3.0), "launching", 4.0)
    node = running.node(LAUNCH)
    assert (node.state, node.note, node.since) == (NodeState.RUNNING, "launching", 3.0)
    after = launched(running, RAN).node(LAUNCH)
    assert (after.state, after.ms, after.note, after.since) == (NodeState.DONE, 0.5, "", None)


@pytest.mark.parametrize(
    ("outcome", "state", "note"),
    [
        (LaunchOutcome.WRONG, NodeState.FAILED, "wrong result"),
        (LaunchOutcome.FAILED, NodeState.FAILED, ""),
        (LaunchOutcome.MISSING, NodeState.SKIPPED, "no GPU"),
        (LaunchOutcome.TIMED_OUT, NodeState.FAILED, "time limit"),
        (LaunchOutcome.CANCELLED, NodeState.STOPPED, ""),
    ],
)
def test_a_launch_that_did_not_go_well_says_why(outcome, state, note):
    why = Diagnostic(Severity.ERROR, "", None, None, "It is so.")
    result = LaunchResult(outcome, "k", diagnostics=(why,))
    node = launched(pipeline_of(ONE, launch=True), result).node(LAUNCH)
    assert (node.state, node.note) == (state, note)
    assert node.message.endswith("It is so.")


def test_a_new_build_makes_the_launch_one_of_older_code():
    before = launched(pipeline_of(ONE, launch=True), RAN)
    node = following(pipeline_of(ONE, launch=True), before).node(LAUNCH)
    assert (node.state, node.ms) == (NodeState.STALE, 0.5)


def test_a_build_after_one_that_failed_can_be_launched_again():
    failed = stopped(pipeline_of(ONE, launch=True))
    assert failed.node(LAUNCH).state is NodeState.SKIPPED
    after = following(pipeline_of(ONE, launch=True), failed)
    assert after.node(LAUNCH).state is NodeState.WAITING


def test_a_launch_that_waits_for_the_build_goes_on_through_it():
    before = launching(pipeline_of(ONE, launch=True), "waiting")
    during = following(pipeline_of(ONE, launch=True), before)
    assert during.node(LAUNCH).state is NodeState.RUNNING
    assert stopped(during).node(LAUNCH).state is NodeState.RUNNING


def test_ptx_that_a_file_does_not_hold_is_passed_over(builder):
    source = Source("k.fatbin", CodeKind.FATBIN, packed("sm_90"))
    found = states(followed(builder, request(source, emit=CODE))[-1])
    assert found["k.ptx"] is NodeState.SKIPPED
    assert found["k.cubin"] is found["k.sass"] is found["cuobjdump"] is NodeState.DONE
