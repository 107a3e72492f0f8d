"""The pictures per subject, as they are told to whoever shows them."""

import pytest

from jitstudio.core.arch import DEFAULT_ARCH
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.events import StageFinished, StageStarted
from jitstudio.core.launch.result import LaunchOutcome, LaunchResult, Timing
from jitstudio.core.result import BuildResult, Outcome, StageResult
from jitstudio.core.tools import Tool
from jitstudio.gui.features.pipeline.graph import LAUNCH, NodeState
from jitstudio.gui.features.pipeline.model import Pipelines
from tests.gui.driver import pause
from tests.support import cuda, request

ASKED = request(cuda("", "k.cu"), emit="ptx")
OTHER = request(cuda("", "other.cu"), emit="ptx")
NVRTC, PTX = "NVRTC:k.cu:ptx", "ptx:k.cu"
STARTED = StageStarted(Tool.NVRTC, "13.4", "k.cu", ())
STAGE = StageResult(Tool.NVRTC, "13.4", "k.cu", (), True, 5.0)
FINISHED = StageFinished(STAGE, (Artifact(CodeKind.PTX, "k.cu", b"12345"),))
BUILT = BuildResult(Outcome.BUILT, DEFAULT_ARCH, total_ms=9.0)
RAN = LaunchResult(LaunchOutcome.RAN, "k", timing=Timing((0.5,)))
CALM = 250


@pytest.fixture
def pipelines(qapp):
    pipelines = Pipelines()
    pipelines.show_subject("one")
    return pipelines


@pytest.fixture
def shown(pipelines):
    """What was told, one moment after the other."""
    moments = []
    pipelines.changed.connect(moments.append)
    return moments


def state(pipeline, key):
    return pipeline.node(key).state


def build(pipelines, subject="one", asked=ASKED):
    pipelines.begin(subject, asked)
    pipelines.take_event(STARTED)
    pipelines.take_event(FINISHED)
    pipelines.end(subject, BUILT)


def test_a_new_shape_is_told_at_once_and_steps_after_a_moment(pipelines, shown):
    pipelines.begin("one", ASKED)
    assert state(shown[-1], NVRTC) is NodeState.WAITING
    pipelines.take_event(STARTED)
    assert len(shown) == 1
    assert state(pipelines.shown, NVRTC) is NodeState.RUNNING
    pause(CALM)
    assert state(shown[-1], NVRTC) is NodeState.RUNNING
    assert shown[-1].node(NVRTC).since is not None


def test_a_quick_build_after_another_does_not_flicker(pipelines, shown):
    build(pipelines)
    before = len(shown)
    build(pipelines)
    pause(CALM)
    assert [state(moment, NVRTC) for moment in shown[before:]] in ([], [NodeState.DONE])
    assert shown[-1].node(PTX).size == 5


def test_each_subject_has_its_own_picture(pipelines, shown):
    build(pipelines)
    pipelines.show_subject("two")
    assert shown[-1].nodes == ()
    build(pipelines, "two", OTHER)
    assert shown[-1].nodes[0].title == "other.cu"
    pipelines.show_subject("one")
    assert state(shown[-1], NVRTC) is NodeState.DONE
    pipelines.forget("one")
    assert pipelines.shown.nodes == ()


def test_a_build_that_another_takes_the_place_of_is_stopped(pipelines):
    pipelines.begin("one", ASKED)
    pipelines.take_event(STARTED)
    pipelines.begin("two", OTHER)
    assert state(pipelines.shown, NVRTC) is NodeState.STOPPED
    pipelines.stop()
    pipelines.show_subject("two")
    assert state(pipelines.shown, "NVRTC:other.cu:ptx") is NodeState.SKIPPED


def test_a_refusal_that_no_build_began_with_is_told(pipelines):
    build(pipelines)
    pipelines.end("one", BuildResult(Outcome.REFUSED, DEFAULT_ARCH))
    assert pipelines.shown.problem == "This cannot be built."
    assert state(pipelines.shown, PTX) is NodeState.STALE


def test_an_edit_is_seen_in_every_picture_with_that_module(pipelines):
    build(pipelines)
    build(pipelines, "two", OTHER)
    pipelines.edit("k.cu")
    assert state(pipelines.shown, PTX) is NodeState.STALE
    pipelines.show_subject("two")
    assert state(pipelines.shown, "ptx:other.cu") is not NodeState.STALE


def test_a_launch_belongs_to_what_was_looked_at_when_it_began(pipelines):
    build(pipelines)
    pipelines.launch("")
    pipelines.show_subject("two")
    pipelines.launch("launching")
    pipelines.end_launch(RAN)
    pipelines.show_subject("one")
    assert state(pipelines.shown, LAUNCH) is NodeState.DONE
    assert pipelines.shown.node(LAUNCH).ms == 0.5
