"""The table of targets agrees with ptxas, and errors name a target that has the instruction."""

from __future__ import annotations

from random import Random

import pytest

from jitstudio.core.ptx_targets import chips_with, nearest_target, targets_with
from tests.ptx.judge import Judge
from tests.ptx.targets import MEASURED, STATEMENTS, TARGETS, refusals, rows, text_for, written

pytestmark = [pytest.mark.tools, pytest.mark.slow]
MMA = "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4"
LACKS = "Instruction '{}' not supported on .target '{}'"


@pytest.fixture
def ptxas_of_the_table() -> None:
    from jitstudio.toolchain.nvjitlink import version

    if version() != written()[0]:
        pytest.skip("the table was measured with another version of ptxas")


@pytest.mark.bench
@pytest.mark.usefixtures("ptxas_of_the_table")
def test_the_table_is_that_of_ptxas():
    with Judge() as judge:
        measured = rows(judge, STATEMENTS)
    assert written()[1] == measured


def test_each_row_without_a_target_of_its_own_is_measured():
    assert written()[1][1].keys() == MEASURED


def test_the_target_that_an_error_names_has_the_instruction():
    random = Random(3)
    tried = 0
    with Judge() as judge:
        for statement in random.sample(STATEMENTS, 12):
            target = random.choice([t for t in TARGETS if t.isdigit()])
            said = judge.refusal(text_for(statement, target), f"sm_{target}")
            other = nearest_target(said, statement)
            if "not supported on" in said:
                assert other is not None, said
                again = judge.refusal(text_for(statement, other.removeprefix("sm_")), other)
                assert again == "", (statement, other)
                tried += 1
    assert tried > 4


@pytest.mark.bench
@pytest.mark.usefixtures("ptxas_of_the_table")
def test_all_targets_that_errors_name_have_the_instruction():
    with Judge() as judge:
        for statement in STATEMENTS:
            for target, said in refusals(judge, statement).items():
                if other := nearest_target(said, statement):
                    again = judge.refusal(text_for(statement, other.removeprefix("sm_")), other)
                    # sm_90a has tensormap.replace, and fewer of its values than sm_100a.
                    assert "not supported on" not in again, (statement, target, other)


@pytest.mark.parametrize(
    ("what", "target", "text", "nearest"),
    [
        ("tcgen05.mma", "sm_103", "tcgen05.mma.cta_group::1.kind::i8 [a], q, r, b, p;", "sm_100a"),
        ("wgmma.fence", "sm_100", "", "sm_90a"),
        ("tcgen05.fence", "sm_103", "", "sm_103a"),
        ("tcgen05.fence", "sm_120", "", "sm_100a"),
        ("mma with with FP6/FP4 floating point type", "sm_90", "", "sm_120a"),
        ("cvt.e2m1x2.f32", "sm_90", "", "sm_100a"),
        ("tcgen05.wait", "sm_90", "wgmma.fence.sync.aligned;", None),
        ("setmaxnreg.inc", "sm_100", "wgmma.fence.sync.aligned;", "sm_90a"),
        (".kind::f8f6f4", "sm_90", LACKS.format("mma with block scale", "sm_90"), "sm_120a"),
        (".kind::f8f6f4", "sm_90", f"{MMA}.f32.e4m3.e4m3.f32 {{a}};", "sm_100a"),
        (".kind::f8f6f4", "sm_90", f"{MMA}.f32.e4m3.e2m1.f32 {{a}};", "sm_120a"),
        (".kind::f8f6f4", "sm_90", "tcgen05.mma.cta_group::1.kind::f8f6f4 [a];", "sm_100a"),
        ("cvt.e3m2x2.f32", "sm_103", "cvt.rz.satfinite.e3m2x2.f32 h, f, g;", "sm_107a"),
        ("spdecompress", "sm_100", "", "sm_107a"),
        ("something new", "sm_90", "", None),
    ],
)
def test_the_same_chip_with_its_letter_or_the_lowest(what, target, text, nearest):
    assert nearest_target(LACKS.format(what, target), text) == nearest


def test_all_chips_are_named():
    lacks = LACKS.format("tcgen05.shift", "sm_90")
    assert chips_with(lacks, "") == "sm_100a, sm_103a, sm_107a and sm_110a"
    assert targets_with(LACKS.format("something new", "sm_90"), "") is None
