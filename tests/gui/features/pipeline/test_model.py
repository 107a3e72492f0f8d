from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.tools import Tool
from jitstudio.gui.features.pipeline.graph import Node, Pipeline, Role, State
from jitstudio.gui.features.pipeline.model import description, facts, summary

SOURCE = Node("s", Role.SOURCE, "k.cu", "k.cu", CodeKind.CUDA, state=State.GIVEN, size=64)
RUN = Node("r", Role.TOOL, "k.cu", "NVRTC", tool=Tool.NVRTC, step=1)
PTX = Node("p", Role.ARTIFACT, "k.cu", "k.ptx", CodeKind.PTX, Tool.NVRTC, 1)
LAUNCH = Node("l", Role.LAUNCH, "", "Launch")


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (SOURCE, "CUDA C++ · 64 B"),
        (RUN, "waiting"),
        (replace(RUN, state=State.RUNNING, since=98.5), "1.5 s"),
        (replace(RUN, state=State.DONE, ms=34.2), "34 ms"),
        (replace(RUN, state=State.CACHED), "from the cache"),
        (replace(RUN, state=State.FAILED, ms=8.6), "failed · 8.6 ms"),
        (replace(RUN, state=State.FAILED, note="SIGILL", ms=0.0), "SIGILL"),
        (replace(RUN, state=State.STALE, ms=34.2), "out of date"),
        (PTX, "PTX"),
        (replace(PTX, state=State.CACHED, size=12_345), "PTX · 12.3 KB"),
        (replace(PTX, state=State.STALE, size=12_345), "out of date · 12.3 KB"),
        (replace(PTX, state=State.SKIPPED), "not reached"),
        (LAUNCH, "not launched"),
        (replace(LAUNCH, state=State.RUNNING, since=98.0, note="waiting"), "2.0 s · waiting"),
        (replace(LAUNCH, state=State.DONE, ms=0.021), "0.021 ms"),
        (replace(LAUNCH, state=State.SKIPPED, note="no GPU"), "no GPU"),
    ],
)
def test_the_second_line(qapp, node, words):
    assert facts(node, 100.0) == words


def test_the_description_says_what_it_is_how_it_went_and_what_a_click_does(qapp):
    failed = replace(RUN, state=State.FAILED, ms=8.6, message='expected a ";"')
    assert description(failed, 0).split("\n") == [
        "NVRTC",
        "NVRTC works on k.cu",
        "failed · 8.6 ms",
        "failed",
        'expected a ";"',
        "Click to go to the first problem.",
    ]
    assert "PTX of k.cu, made by NVRTC" in description(PTX, 0)
    linked = replace(RUN, role=Role.LINK, name="linked", title="nvJitLink", tool=Tool.NVJITLINK)
    assert "nvJitLink links the modules" in description(linked, 0)


def done(*nodes, **words):
    return Pipeline(tuple(replace(node, state=State.DONE) for node in nodes), **words)


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        (Pipeline(), (State.GIVEN, "")),
        (done(SOURCE, RUN), (State.RUNNING, "Building")),
        (done(RUN, PTX, ms=231.0), (State.DONE, "Built in 231 ms")),
        (done(RUN, problem="Build failed."), (State.FAILED, "Build failed.")),
        (Pipeline((replace(RUN, state=State.STOPPED),)), (State.STOPPED, "Build stopped")),
        (
            Pipeline((replace(PTX, state=State.STALE),), ms=3.0),
            (State.STALE, "The text has changed since this build"),
        ),
    ],
)
def test_the_whole_build_in_one_line(qapp, pipeline, expected):
    assert summary(pipeline) == expected


def test_a_launch_of_older_code_does_not_make_the_build_old(qapp):
    nodes = (replace(RUN, state=State.DONE), replace(LAUNCH, state=State.STALE))
    assert summary(Pipeline(nodes, ms=5.0)) == (State.DONE, "Built in 5.0 ms")
