from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, Qt

from jitstudio.core.tools import Tool
from jitstudio.gui.features.log.model import (
    LONGEST_LINE,
    LONGEST_TEXT,
    MOST_LINES,
    LogModel,
    capped,
    errors_text,
    info_text,
    options_line,
    verdict,
    whole_log,
)
from jitstudio.gui.kit.presentation import MARK_ROLE
from tests.gui.results import COMPILED, CRASHED, DISASSEMBLED, FAILED, LINKED_STAGE, WARNED

STOPPED = replace(COMPILED, ok=False, ms=0.0)


@pytest.fixture
def model():
    model = LogModel()
    model.set_rows((COMPILED, WARNED, LINKED_STAGE, DISASSEMBLED))
    return model


def row(model, number):
    return [model.index(number, column).data() for column in range(model.columnCount())]


def test_is_a_sound_model(model, qtmodeltester):
    qtmodeltester.check(model)
    model.set_rows((CRASHED,))
    model.set_rows(())


def test_shows_result_tool_module_and_time(model):
    titles = [
        model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())
    ]
    assert titles == ["Result", "Tool", "Module", "Time"]
    assert row(model, 0) == ["ok", "NVRTC", "saxpy.cu", "182.4 ms"]
    assert row(model, 2) == ["see Errors", "nvJitLink", "linked", "1,012.4 ms"]


@pytest.mark.parametrize(
    ("stage", "words", "mark"),
    [
        (COMPILED, "ok", "success"),
        (LINKED_STAGE, "see Errors", "warning"),
        (FAILED, "failed", "error"),
        (CRASHED, "SIGILL", "error"),
        (STOPPED, "stopped", "error"),
    ],
)
def test_says_how_a_stage_ended(model, stage, words, mark):
    model.set_rows((stage,))
    assert verdict(stage) == words
    assert model.index(0, 0).data(MARK_ROLE) == mark
    assert model.index(0, 1).data(MARK_ROLE) is None


def test_a_stage_that_never_ended_has_no_time(model):
    model.set_rows((CRASHED,))
    assert row(model, 0)[3] == ""


def test_options_are_quoted_as_a_shell_needs_them():
    assert options_line(COMPILED) == (
        "-arch=sm_90 '--include-path=/home/me/my project' '-DNAME=\"value\"'"
    )


def test_a_stage_is_known_again_in_the_next_build(model):
    key = model.key_of(2)
    assert key == (Tool.NVJITLINK, "linked", 0)
    model.set_rows((LINKED_STAGE, COMPILED, LINKED_STAGE))
    assert model.row_of(key) == 0
    assert model.key_of(2) == (Tool.NVJITLINK, "linked", 1)
    assert model.row_of((Tool.NVVM, "a.ll", 0)) is None
    assert model.row_of(None) is None


def test_a_stage_is_found_by_looking_at_each_once(model):
    class Name(str):
        compared = 0
        __hash__ = str.__hash__

        def __eq__(self, other):
            Name.compared += 1
            return str.__eq__(self, other)

    model.set_rows(tuple(replace(COMPILED, source=Name("a.cu")) for _ in range(500)))
    tool = COMPILED.tool
    assert model.row_of((tool, "a.cu", 499)) == 499
    assert [*model.keys()] == [(tool, "a.cu", number) for number in range(500)]
    assert Name.compared < 20 * 500


@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        ((), None),
        ((COMPILED, FAILED, CRASHED), 1),
        ((COMPILED, LINKED_STAGE, DISASSEMBLED), 1),
        ((COMPILED, DISASSEMBLED), 1),
    ],
)
def test_the_telling_stage_failed_first_or_spoke_last(model, stages, expected):
    model.set_rows(stages)
    assert model.most_relevant_row() == expected


def test_finds_the_stage_of_a_row(model):
    assert model.stage_at(model.index(1, 0)) is WARNED
    assert model.stage_at(QModelIndex()) is None


def test_info_and_errors_are_apart():
    assert info_text(LINKED_STAGE) == "ptxas info    : 0 bytes gmem"
    assert errors_text(LINKED_STAGE) == (
        "Written to stderr by native code:\nwarning: two definitions of twice"
    )
    assert errors_text(WARNED) == ""


def test_the_errors_of_a_crash_name_the_signal_and_what_native_code_wrote():
    died, written = errors_text(CRASHED).split("\n\n")
    assert died == "The worker process died (SIGILL):\nlibNVVM executed an illegal instruction."
    assert written.endswith(":\nLLVM ERROR: Cannot select")


def test_the_whole_log_holds_every_part_uncut():
    long = "y" * (LONGEST_LINE + 10)
    text = whole_log(replace(FAILED, log=long, stdout="told by printf\n"))
    assert text.startswith("NVRTC 13.4, saxpy.cu: failed\n\nOptions:\n-arch=sm_90\n\nInfo:\n")
    assert long in text
    assert text.endswith("Written to stdout by native code:\ntold by printf\n")


def test_a_line_of_megabytes_is_cut_with_a_note():
    shown = capped("a\n" + "x" * 10_000_000 + "\nb")
    assert shown.splitlines() == [
        "a",
        "x" * LONGEST_LINE + " … [9,998,000 more characters in this line]",
        "b",
    ]


def test_very_many_lines_are_cut_with_a_note():
    lines = capped("line\n" * 300_000).splitlines()
    assert len(lines) == MOST_LINES + 1
    assert lines[-1].startswith("[Cut here, 1,400,000 more characters follow.")


def test_a_text_that_is_long_in_all_is_cut():
    assert len(capped(("x" * 1000 + "\n") * 5000)) < LONGEST_TEXT + 2 * LONGEST_LINE


@pytest.mark.parametrize("text", ["", "one", "one\n\ntwo"])
def test_a_short_text_is_left_alone(text):
    assert capped(text) == text
