from dataclasses import replace

import pytest

from jitstudio.core.launch.request import Direction, LaunchConfig
from jitstudio.core.launch.result import BufferResult, CheckResult, LaunchOutcome
from jitstudio.core.launch.spec import LoadMode, Sanitizer
from jitstudio.gui.features.launch.models.launch_text import (
    LOAD_MODES,
    SANITIZERS,
    LaunchNote,
    check_figures,
    config_text,
    device_text,
    headline,
    headline_mark,
    note_columns,
    notes_of,
)
from tests.devices import H200
from tests.gui.launches import FAILED, FLOAT, RAN, WRONG, as_judged


def test_a_device_is_told_with_its_memory():
    assert device_text(H200) == "0: NVIDIA H200, 9.0, 138.8 GiB free of 139.8 GiB"
    unseen = replace(H200, ordinal=1, memory_free=None)
    assert device_text(unseen) == "1: NVIDIA H200, 9.0, 139.8 GiB"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (
            LaunchConfig((4096, 1, 1), (256, 1, 1)),
            "4,096 blocks \N{MULTIPLICATION SIGN} 256 threads = 1,048,576 threads",
        ),
        (LaunchConfig(), "1 block \N{MULTIPLICATION SIGN} 1 thread = 1 thread"),
        (
            LaunchConfig((64, 1, 2), (16, 16, 1), (2, 1, 1), 65536),
            (
                "(64, 1, 2) blocks \N{MULTIPLICATION SIGN} (16, 16) threads = 32,768 threads, "
                "clusters of 2 blocks, 65,536 bytes of dynamic shared memory per block"
            ),
        ),
    ],
)
def test_a_configuration_is_told_in_threads(config, words):
    assert config_text(config) == words


def test_every_choice_has_words():
    assert set(LOAD_MODES) == set(LoadMode)
    assert set(SANITIZERS) == {None, *Sanitizer}


OUT = BufferResult("out", FLOAT, 2048, Direction.OUT)
HALF = replace(OUT, unwritten=1024, first_unwritten=1024)


@pytest.mark.parametrize(
    ("file", "line", "place"),
    [("/p/k.cu", 7, "k.cu:7"), ("/p/k.cu", 0, "k.cu"), ("", 7, ""), ("", 0, "")],
)
def test_a_place_is_a_file_with_the_line_that_is_known(file, line, place):
    note = LaunchNote("error", "Wrong.", file=file, line=line)
    column = note_columns()[2]
    assert column.text(note) == place
    assert column.tooltip(note) == (f"/p/{place}" if place else "")


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
            f"{WRONG.reason.partition(':')[0]}: 12 of 4,096 elements of 'out' are wrong.",
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
    part = CheckResult("out", "x", True, 254, part="[1:-1]", left_out=2)
    assert check_figures(part) == (
        "All 254 elements are as expected. 2 others of 'out' were not compared. "
        "Largest difference 0, relative 0."
    )
