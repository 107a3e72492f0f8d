"""Short functions whose difference, or equality, can be seen by eye."""

from random import Random

import pytest

from jitstudio.analysis.diff.code import compare_programs
from jitstudio.analysis.diff.model import Change
from tests.analysis.diff.functions import program, section

LOOP = (
    "MOV R2, c[0x0][0x210]",
    ".L_x_1:",
    "IADD3 R2, R2, 0x1, RZ",
    "ISETP.GE.AND P0, PT, R2, R5, PT",
    "@!P0 BRA `(.L_x_1)",
    ".L_x_2:",
    "STG.E [R6.64], R2",
    "@P1 BRA `(.L_x_2)",
    "EXIT",
)


def equal(left, right, **more):
    one, other = (program(section("k", lines, **more)) for lines in (left, right))
    return compare_programs(one, other, normalised=True).equal


def replaced(old, new, count=-1):
    text = "\n".join(LOOP)
    assert old in text
    return tuple(text.replace(old, new, count).split("\n"))


@pytest.mark.parametrize(
    ("old", "new"),
    [("R2", "R4"), ("P0", "P3"), (".L_x_1", ".L_x_17"), ("R5", "R8.reuse"), ("P1", "P6")],
)
def test_one_name_for_another_is_no_difference(old, new):
    assert equal(LOOP, replaced(old, new))


def test_two_names_that_change_places_everywhere_are_no_difference():
    swapped = tuple(
        line.replace("P0", "P9").replace("P1", "P0").replace("P9", "P1") for line in LOOP
    )
    assert swapped != LOOP
    assert equal(LOOP, swapped)


def test_reuse_is_of_the_control_bits():
    assert equal(LOOP, replaced("R2, R5", "R2.reuse, R5"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0x1,", "0x2,"),
        ("c[0x0][0x210]", "c[0x0][0x218]"),
        ("c[0x0]", "c[0x3]"),
        (".GE", ".GT"),
        ("@!P0", "@P0"),
        ("@P1", "@P0"),
        ("R2, R5", "R5, R2"),
        ("[R6.64]", "[R6.64+0x4]"),
        ("[R6.64], R2", "[R6.64], RZ"),
        ("[R6.64], R2", "[R6.64], R6"),
        ("R2, 0x1", "R5, 0x1"),
        ("R2, 0x1", "-R2, 0x1"),
        ("STG.E", "STG.E.64"),
        ("@!P0 BRA `(.L_x_1)", "@!P0 BRA `(.L_x_2)"),
        ("R2, R2, 0x1, RZ", "R2, R2, 0x1, R2"),
        ("ISETP.GE.AND P0, PT", "ISETP.GE.AND P0, P1"),
    ],
)
def test_anything_else_is_a_difference(old, new):
    assert not equal(LOOP, replaced(old, new, 1))
    assert not equal(replaced(old, new, 1), LOOP)


def test_both_halves_of_a_pair_go_together():
    left = ("LDG.E.64 R4, [R2.64]", "FADD R7, R5, R4", "STG.E [R2.64], R7")
    moved = ("LDG.E.64 R8, [R2.64]", "FADD R7, R9, R8", "STG.E [R2.64], R7")
    apart = ("LDG.E.64 R8, [R2.64]", "FADD R7, R11, R8", "STG.E [R2.64], R7")
    assert equal(left, moved)
    assert not equal(left, apart)


def test_two_registers_never_become_one():
    left = ("MOV R4, 0x1", "MOV R5, 0x1", "FADD R6, R4, R5")
    assert not equal(left, ("MOV R4, 0x1", "MOV R4, 0x1", "FADD R6, R4, R4"))
    assert not equal(("MOV R4, 0x1", "MOV R4, 0x1", "FADD R6, R4, R4"), left)


def test_a_function_that_others_call_keeps_its_registers():
    assert equal(("FADD R4, R4, R5",), ("FADD R6, R6, R7",))
    assert not equal(("FADD R4, R4, R5",), ("FADD R6, R6, R7",), is_kernel=False)
    called = ("CALL.ABS.NOINC `(vprintf)", "FADD R4, R4, R5")
    assert not equal(called, ("CALL.ABS.NOINC `(vprintf)", "FADD R6, R6, R7"))
    assert not equal(called, ("CALL.ABS.NOINC `(free)", "FADD R4, R4, R5"))


def test_the_order_of_instructions_counts():
    left = ("MOV R2, 0x1", "MOV R3, 0x2", "FADD R4, R2, R3")
    assert not equal(left, ("MOV R3, 0x2", "MOV R2, 0x1", "FADD R4, R2, R3"))


def test_the_stack_pointer_is_no_other_register():
    assert not equal(("MOV R1, 0x1",), ("MOV R4, 0x1",))


def test_an_instruction_more_is_the_only_difference():
    more = (*LOOP[:3], "FMUL R9, R9, R9", *LOOP[3:])
    compared = compare_programs(
        program(section("k", LOOP)), program(section("k", more)), normalised=True
    )
    ((start, end),) = compared.hunks
    assert [row.change for row in compared.rows[start:end]] == [Change.ADDED]
    assert "FMUL" in compared.right[compared.rows[start].right]


_FORMS = (
    *("MOV {0}, 0x1", "MOV {0}, {1}", "FADD {0}, {1}, {2}"),
    *("LDG.E {0}, [{1}.64]", "STG.E [{0}.64], {1}"),
)


@pytest.mark.parametrize("seed", range(300))
def test_functions_that_differ_in_registers_alone_are_paired_line_by_line(seed):
    chance = Random(seed)
    forms = chance.choices(_FORMS, k=chance.randrange(2, 7))
    ours, theirs = (
        [form.format(*chance.choices(("R2", "R3", "R4", "R5", "R6"), k=3)) for form in forms]
        for _ in range(2)
    )
    if seed % 2:
        changed = chance.randrange(len(forms))
        theirs = [*ours[:changed], theirs[changed], *ours[changed + 1 :]]
    compared = compare_programs(
        program(section("k", ours)), program(section("k", theirs)), normalised=True
    )
    assert all(row.left == row.right for row in compared.rows)


def test_as_written_all_names_count():
    one, other = program(section("k", LOOP)), program(section("k", replaced("R2", "R4")))
    assert not compare_programs(one, other).equal
    assert compare_programs(one, program(section("k", LOOP))).equal
