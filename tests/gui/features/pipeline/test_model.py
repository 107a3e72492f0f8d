from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.tools import Tool
from jitstudio.gui.features.pipeline.graph import Node, NodeRole, NodeState, Pipeline
from jitstudio.gui.features.pipeline.model import description, facts, summary

SOURCE = Node("s", NodeRole.SOURCE, "k.cu", "k.cu", CodeKind.CUDA, state=NodeState.GIVEN, size=64)
RUN = Node("r", NodeRole.TOOL, "k.cu", "NVRTC", tool=Tool.NVRTC, step=1)
PTX = Node("p", NodeRole.ARTIFACT, "k.cu", "k.ptx", CodeKind.PTX, Tool.NVRTC, 1)
LAUNCH = Node("l", NodeRole.LAUNCH, "", "Launch")


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (SOURCE, "CUDA C++ · 64 B"),
        (RUN, "waiting"),
        (replace(RUN, state=NodeState.RUNNING, since=98.5), "1.5 s"),
        (replace(RUN, state=NodeState.DONE, ms=34.2), "34 ms"),
        (replace(RUN, state=NodeState.CACHED), "from the cache"),
        (replace(RUN, state=NodeState.FAILED, ms=8.6), "failed · 8.6 ms"),
        (replace(RUN, state=NodeState.FAILED, note="SIGILL", ms=0.0), "SIGILL"),
        (replace(RUN, state=NodeState.STALE, ms=34.2), "out of date"),
        (PTX, "PTX"),
        (replace(PTX, state=NodeState.CACHED, size=12_345), "PTX · 12.3 KB"),
        (replace(PTX, state=NodeState.STALE, size=12_345), "out of date · 12.3 KB"),
        (replace(PTX, state=NodeState.SKIPPED), "not reached"),
        (LAUNCH, "not launched"),
        (replace(LAUNCH, state=NodeState.RUNNING, since=98.0, note="waiting"), "2.0 s · waiting"),
        (replace(LAUNCH, state=NodeState.DONE, ms=0.021), "0.021 ms"),
        (replace(LAUNCH, state=NodeState.SKIPPED, note="no GPU"), "no GPU"),
    ],
)
def test_the_second_line(qapp, node, words):
    assert facts(node, 100.0) == words


def test_the_description_says_what_it_is_how_it_went_and_what_a_click_does(qapp):
    failed = replace(RUN, state=NodeState.FAILED, ms=8.6, message='expected a ";"')
    assert description(failed, 0).split("\n") == [
        "NVRTC",
        "NVRTC works on k.cu",
        "failed · 8.6 ms",
        "failed",
        'expected a ";"',
        "Click to go to the first problem.",
    ]
    assert "PTX of k.cu, made by NVRTC" in description(PTX, 0)
    linked = replace(RUN, role=NodeRole.LINK, name="linked", title="nvJitLink", tool=Tool.NVJITLINK)
    assert "nvJitLink links the modules" in description(linked, 0)


def done(*nodes, **words):
    return Pipeline(tuple(replace(node, state=NodeState.DONE) for node in nodes), **words)


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        (Pipeline(), (NodeState.GIVEN, "")),
        (done(SOURCE, RUN), (NodeState.RUNNING, "Building")),
        (done(RUN, PTX, ms=231.0), (NodeState.DONE, "Built in 231 ms")),
        (done(RUN, problem="Build failed."), (NodeState.FAILED, "Build failed.")),
        (Pipeline((replace(RUN, state=NodeState.STOPPED),)), (NodeState.STOPPED, "Build stopped")),
        (
            Pipeline((replace(PTX, state=NodeState.STALE),), ms=3.0),
            (NodeState.STALE, "The text has changed since this build"),
        ),
    ],
)
def test_the_whole_build_in_one_line(qapp, pipeline, expected):
    assert summary(pipeline) == expected


def test_a_launch_of_older_code_does_not_make_the_build_old(qapp):
    nodes = (replace(RUN, state=NodeState.DONE), replace(LAUNCH, state=NodeState.STALE))
    assert summary(Pipeline(nodes, ms=5.0)) == (NodeState.DONE, "Built in 5.0 ms")
