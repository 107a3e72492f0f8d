"""Short functions in which a register is used for one thing after another."""

import re

import pytest

from jitstudio.analysis.diff.code import compare_programs
from jitstudio.analysis.diff.form import form_of
from jitstudio.analysis.diff.instructions import counted, named_places
from jitstudio.analysis.diff.webs import webs
from jitstudio.analysis.sass.operands import register_number
from tests.analysis.diff.functions import program, section

TWICE = (
    "MOV R4, c[0x0][0x160]",
    "STG.E [R2.64], R4",
    "MOV R5, c[0x0][0x164]",
    "STG.E [R2.64], R5",
    "EXIT",
)
LOOP = (
    "MOV R4, RZ",
    ".L_x_1:",
    "IADD3 R4, R4, 0x1, RZ",
    "ISETP.GE.AND P0, PT, R4, R9, PT",
    "@!P0 BRA `(.L_x_1)",
    "STG.E [R2.64], R4",
    "MOV R5, 0x7",
    "STG.E [R2.64], R5",
    "EXIT",
)
GUARDED = (
    "ISETP.NE.AND P0, PT, R8, RZ, PT",
    "@P0 MOV R4, 0x1",
    "@!P0 MOV R4, 0x2",
    "STG.E [R2.64], R4",
    "@P0 LDG.E R5, [R2.64]",
    "@P0 STG.E [R2.64+0x4], R5",
    "EXIT",
)


def equal(left, right, **more):
    one, other = (program(section("k", lines, **more)) for lines in (left, right))
    both = (
        compare_programs(one, other, normalised=True).equal,
        compare_programs(other, one, normalised=True).equal,
    )
    assert both[0] == both[1]
    return both[0]


def names(*lines, **more):
    """The webs of each instruction."""
    function = program(section("k", lines, **more)).code.functions[0]
    columns = zip(function.predicates, function.opcodes, function.operands, strict=True)
    forms = [form_of(*each) for each in columns][: len(counted(function))]
    return webs(function, forms, named_places(function))


def with_lines(lines, **changed):
    """Lines by their numbers, such as `_2`."""
    found = list(lines)
    for name, line in changed.items():
        assert found[int(name[1:])] != line
        found[int(name[1:])] = line
    return tuple(found)


def test_each_value_has_a_web():
    (one,), (*_, stored), (other,), (*_, again), _ = names(*TWICE)
    assert one == stored
    assert other == again
    assert one != other


@pytest.mark.parametrize(
    "changed",
    [
        # The second value in the register of the first one, which is free again.
        {"_2": "MOV R4, c[0x0][0x164]", "_3": "STG.E [R2.64], R4"},
        {"_0": "MOV R6, c[0x0][0x160]", "_1": "STG.E [R2.64], R6"},
    ],
)
def test_a_register_may_hold_one_value_after_another(changed):
    assert equal(TWICE, with_lines(TWICE, **changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"_3": "STG.E [R2.64], R4"},
        {"_1": "STG.E [R2.64], R5"},
        # What the address needs is gone.
        {"_0": "MOV R2, c[0x0][0x160]", "_1": "STG.E [R2.64], R2"},
        {"_0": "MOV R3, c[0x0][0x160]", "_1": "STG.E [R2.64], R3"},
        {"_2": "MOV R1, c[0x0][0x164]", "_3": "STG.E [R2.64], R1"},
    ],
)
def test_another_value_is_a_difference(changed):
    assert not equal(TWICE, with_lines(TWICE, **changed))


def test_a_value_goes_round_a_loop():
    assert equal(LOOP, with_lines(LOOP, _6="MOV R4, 0x7", _7="STG.E [R2.64], R4"))
    inside = with_lines(LOOP, _2="IADD3 R5, R4, 0x1, RZ", _3="ISETP.GE.AND P0, PT, R5, R9, PT")
    assert not equal(LOOP, inside)
    assert not equal(LOOP, with_lines(inside, _5="STG.E [R2.64], R5"))
    # What the loop ends at is gone with its first round.
    assert not equal(LOOP, with_lines(LOOP, _0="MOV R9, RZ", _2="IADD3 R4, R9, 0x1, RZ"))


def test_two_results_under_opposite_guards_are_one_value():
    both = with_lines(GUARDED, _1="@P0 MOV R5, 0x1", _2="@!P0 MOV R5, 0x2", _3="STG.E [R2.64], R5")
    assert equal(GUARDED, both)
    assert not equal(GUARDED, with_lines(both, _2="@!P0 MOV R4, 0x2"))
    assert not equal(GUARDED, with_lines(both, _3="STG.E [R2.64], R4"))


def test_a_guarded_result_leaves_the_old_value_to_the_others():
    lines = ("MOV R4, 0x1", "@P0 MOV R4, 0x2", "STG.E [R2.64], R4", "MOV R5, 0x3", *GUARDED[3:])
    assert not equal(lines, with_lines(lines, _0="MOV R5, 0x1"))
    (first,), (_, second), *_ = names(*lines)
    assert first == second


def test_a_predicate_that_has_changed_guards_no_longer():
    lines = (
        "MOV R4, 0x1",
        "@P0 MOV R4, 0x2",
        "ISETP.NE.AND P0, PT, R8, RZ, PT",
        "@P0 STG.E [R2.64], R4",
        "EXIT",
    )
    (first,), (_, second), *_ = names(*lines)
    assert first == second
    (first,), (_, second), *_ = names(*lines[:2], *lines[3:])
    assert first != second


def test_both_halves_of_a_pair_have_webs():
    lines = ("LDG.E.64 R4, [R2.64]", "MOV R5, 0x1", "STG.E.64 [R2.64], R4", "EXIT")
    (low, high, *_), (moved,), (*_, left, right), _ = names(*lines)
    assert (low, moved) == (left, right)
    assert high != moved


def test_an_unknown_instruction_keeps_all_its_registers():
    lines = ("MOV R4, 0x1", "STG.E [R2.64], R4", "MOV R4, 0x2", "NEWOP R4, R9", "EXIT")
    (first,), (*_, stored), (second,), *_ = names(*lines)
    assert first == stored == second == register_number("R4")


def test_registers_that_are_known_elsewhere_keep_their_names():
    moved = with_lines(TWICE, _2="MOV R4, c[0x0][0x164]", _3="STG.E [R2.64], R4")
    ended = (*TWICE[:-1], "RET.ABS.NODEC R20 0x0")
    assert equal(TWICE, moved, is_kernel=False)
    assert not equal(ended, (*moved[:-1], ended[-1]), is_kernel=False)
    call = "CALL.ABS.NOINC `(vprintf)"
    assert not equal((*TWICE[:-1], call, "EXIT"), (*moved[:-1], call, "EXIT"))
    # Here they are written again before anyone else sees them.
    again = ("MOV R4, 0x1", "MOV R5, 0x2", ended[-1])
    assert equal((*TWICE[:-1], *again), (*moved[:-1], *again), is_kernel=False)


@pytest.mark.parametrize("branch", ["@P0 BRA `(.L_x_1)", "BRA.DIV UR8, `(.L_x_1)"])
def test_what_a_warp_shares_has_one_web_where_its_threads_part(branch):
    shared = (
        "UMOV UR4, 0x1",
        "MOV R4, UR4",
        "UMOV UR4, 0x2",
        "MOV R5, UR4",
        "STG.E.64 [R2.64], R4",
        ".L_x_1:",
        "EXIT",
    )
    (first,), _, (second,), *_ = names(*shared)
    assert first != second
    (first,), _, (second,), *_ = names(branch, *shared)[1:]
    assert first == second == register_number("UR4")
    (first,), _, (second,), *_ = names("@UP0 BRA `(.L_x_1)", *shared)[1:]
    assert first != second


def test_labels_whose_address_is_taken_may_be_come_to_from_anywhere():
    taken = ("MOV R20, 32@lo((k + .L_x_1@srel))", *TWICE[:2], ".L_x_1:", *TWICE[2:])
    _, (first,), *_, (_, _, third), _ = names(*taken)
    assert first == register_number("R4")
    assert third != register_number("R5")


def test_a_place_between_the_labels_cannot_be_followed():
    assert names("BSSY B0, `(.L_x_1+0x10)", ".L_x_1:", *TWICE) is None
    assert names("BRA `(.L_x_1+0x10)", ".L_x_1:", *TWICE) is not None


def test_a_place_behind_a_label_is_one_behind_the_same_label():
    lines = (
        "@P0 BRA `(.L_x_1)",
        ".L_x_1:",
        "MOV R4, RZ",
        "@P0 BRA `(.L_x_2)",
        ".L_x_2:",
        "MOV R5, RZ",
        "@P1 BRA `(.L_x_1+0x10)",
        *TWICE,
    )
    swapped = {"1": "2", "2": "1"}
    renamed = [re.sub(r"(?<=\.L_x_)\d", lambda found: swapped[found[0]], line) for line in lines]
    assert equal(lines, renamed)
    assert not equal(lines, with_lines(renamed, _6=lines[6]))


def test_threads_wait_for_those_of_their_own_barrier():
    waiting = ("BSSY B0, `(.L_x_1)", *TWICE[:2], "BSYNC B0", ".L_x_1:", *TWICE[2:])
    _, (first,), *_ = names(*waiting)
    assert first != register_number("R4")
    _, (first,), *_ = names(*with_lines(waiting, _3="BSYNC B1"))
    assert first == register_number("R4")
