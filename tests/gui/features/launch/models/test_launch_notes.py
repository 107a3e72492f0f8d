from dataclasses import replace

import pytest

from jitstudio.core.launch.request import Direction
from jitstudio.core.launch.result import BufferResult, CheckResult, LaunchOutcome
from jitstudio.gui.features.launch.models.launch_text import (
    check_figures,
    headline,
    headline_mark,
    notes_of,
)
from tests.gui.launches import FAILED, FLOAT, RAN, WRONG, as_judged

OUT = BufferResult("out", FLOAT, 2048, Direction.OUT)
HALF = replace(OUT, unwritten=1024, first_unwritten=1024)


def test_the_gravest_comes_first():
    marks = [note.mark for note in notes_of(as_judged(WRONG, buffers=(HALF,), diagnostics=()))]
    assert marks == ["error"] * 4 + ["warning", "info", "success"]


def test_findings_lead_to_their_line():
    found = next(note for note in notes_of(WRONG) if note.file)
    assert (found.place, found.text) == (
        "saxpy.cu:12",
        "Invalid __global__ read of size 4 bytes in saxpy<float> (32 times).",
    )
    placeless = next(note for note in notes_of(WRONG) if note.text.startswith("Race"))
    assert "-lineinfo" in placeless.explanation


@pytest.mark.parametrize(
    ("result", "mark", "text"),
    [
        (RAN, "success", "Ran. The check passed."),
        (replace(RAN, checks=()), "success", "Ran. Nothing was checked."),
        (as_judged(RAN, buffers=(HALF,)), "warning", "Ran. One thing below needs a look."),
        (WRONG, "error", WRONG.reason),
        (
            as_judged(RAN, checks=WRONG.checks[:1]),
            "error",
            "Ran, but something is wrong: 12 of 4,096 elements of 'out' are wrong.",
        ),
        (FAILED, "error", FAILED.reason),
        (replace(RAN, outcome=LaunchOutcome.CANCELLED), "info", "Launch cancelled."),
        (replace(RAN, outcome=LaunchOutcome.MISSING), "info", "There is no GPU to launch on."),
    ],
)
def test_the_headline_says_how_it_ended(result, mark, text):
    assert (headline_mark(result), headline(result)) == (mark, text)


def test_a_check_says_how_far_off_it_is():
    assert check_figures(CheckResult("out", "x", False, 4096, 12, 1.0, 0.25)) == (
        "12 of 4,096 elements are wrong (0.29 %). Largest difference 1, relative 0.25."
    )
    assert check_figures(CheckResult("out", "x", False, problem="No.")) == "No."
