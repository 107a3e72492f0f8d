from dataclasses import replace

import pytest

from jitstudio.analysis.diff.code import compare_programs
from jitstudio.analysis.diff.data import DataSection
from jitstudio.analysis.diff.model import Change
from jitstudio.analysis.diff.names import PublicNames
from jitstudio.analysis.diff.program import (
    CubinProgram,
    FigureDelta,
    changed,
    data_comparable,
    partners,
    report_deltas,
)
from jitstudio.core.result import Resources
from tests.analysis.diff.functions import program, section

EXIT = ("EXIT",)


def names(left, right):
    return [(a.name if a else None, b.name if b else None) for a, b in partners(left, right)]


def test_functions_of_one_name_belong_together():
    left = program(section("a", EXIT), section("b", EXIT))
    right = program(section("b", EXIT), section("a", EXIT), section("c", EXIT))
    assert names(left, right) == [("a", "a"), ("b", "b"), (None, "c")]


def test_then_those_that_only_take_something_else():
    demangled = {"_Z1fPf": "f(float*)", "_Z1fPd": "f(double*)", "_Z1gi": "void g<int>(int)"}
    left = program(section("_Z1fPf", EXIT), section("x", EXIT), demangled=demangled)
    right = program(section("_Z1gi", EXIT), section("_Z1fPd", EXIT), demangled=demangled)
    assert ("_Z1fPf", "_Z1fPd") in names(left, right)


def test_a_kernel_that_was_renamed_stands_beside_itself_and_differs():
    left, right = program(section("old", EXIT)), program(section("new", EXIT))
    assert names(left, right) == [("old", "new")]
    compared = compare_programs(left, right, normalised=True)
    ((start, end),) = compared.hunks
    assert end - start == 1
    assert compared.left[compared.rows[start].left].endswith("old")


def test_a_function_that_only_one_has_is_a_difference():
    left = program(section("a", EXIT), section("b", EXIT))
    compared = compare_programs(left, program(section("a", EXIT)), normalised=True)
    assert len(compared.hunks) == 1
    assert not compared.equal


def test_functions_of_one_name_are_told_apart():
    twice = program(section("a", EXIT), section("a", ("MOV R2, 0x1", *EXIT)))
    once = program(section("a", EXIT))
    assert names(twice, once) == [("a", "a"), ("a", None)]
    assert names(once, twice) == [("a", "a"), (None, "a")]
    assert not compare_programs(once, twice, normalised=True).equal


@pytest.mark.parametrize("normalised", [False, True])
def test_the_same_code_for_another_target_is_another_program(normalised):
    left = program(section("a", EXIT))
    right = replace(left, code=replace(left.code, target="sm_90a"))
    compared = compare_programs(left, right, normalised=normalised)
    assert compared.hunks == ((0, 1),)
    assert compared.rows[0].change is Change.CHANGED
    assert (compared.left[0], compared.right[0]) == (".target sm_90", ".target sm_90a")


def test_a_listing_without_its_head_is_for_any_target():
    left = program(section("a", EXIT))
    right = replace(left, code=replace(left.code, target=""))
    assert compare_programs(left, right).equal


def test_data_that_only_one_program_has_are_a_difference():
    code = program(section("a", EXIT)).code
    data = (DataSection(".nv.global", ("4 bytes",)),)
    assert not compare_programs(CubinProgram(code, ()), CubinProgram(code, data)).equal


def test_data_are_compared_where_both_tell_them_in_the_same_words():
    code = program(section("a", EXIT)).code
    cubin, other = (CubinProgram(code, (DataSection(".nv.global", (n,)),)) for n in ("4", "8"))
    listing, short = replace(cubin, is_listed=True), CubinProgram(code, None, is_listed=True)
    for left, right in ((cubin, other), (listing, replace(other, is_listed=True))):
        assert data_comparable(left, right)
        assert not compare_programs(left, right).equal
    for left, right in ((cubin, listing), (cubin, short), (listing, short), (short, short)):
        assert not data_comparable(left, right)
        assert compare_programs(left, right).equal


LEFT = program(section("k", ("MOV R2, 0x1", "FADD R4, R2, R2", "EXIT")))
RIGHT = program(section("k", ("FADD R4, R2, R2", "EXIT")), section("more", ("EXIT",)))


def told(needs_left=None, needs_right=None):
    found = report_deltas(LEFT, RIGHT, needs_left or {}, needs_right or {})
    return {(delta.name, delta.figure): delta for delta in found}


def test_figures_stand_side_by_side():
    needs = {"k": Resources(registers=24)}, {"k": Resources(registers=10)}
    found = told(*needs)
    assert found["k", "registers"] == FigureDelta("k", "registers", 24, 10)
    assert found["k", "registers"].difference == -14
    assert found["k", "instructions"] == FigureDelta("k", "instructions", 3, 2)


def test_what_is_known_of_one_only_is_left_out():
    assert ("k", "registers") not in told({"k": Resources(registers=24)})


def test_a_function_that_only_one_has_has_figures_of_one():
    assert told()["more", "instructions"] == FigureDelta("more", "instructions", None, 1)
    assert told()["more", "instructions"].difference is None


def test_what_is_the_same_can_be_left_out():
    figures = {(delta.name, delta.figure) for delta in changed(told().values())}
    assert ("k", "move_instructions") in figures
    assert ("k", "float_instructions") not in figures


# A function f and a variable v of a.cu, and the same of other.cu in a folder.
OURS = "_ZN27_INTERNAL_00000000_4_a_cu_k1fEi"
THEIRS = "_ZN31_INTERNAL_0f3a9c1e_8_other_cu_k1fEi"


def public(text, *more):
    return PublicNames([text, *more]).within(text)


def test_the_path_of_the_source_is_left_out():
    assert public(OURS) == public(THEIRS)
    assert "a_cu" not in public(OURS)
    assert public(OURS).endswith("1fEi")


def test_names_are_found_inside_of_operands_and_sections():
    for text in ("`({})", "R2, 32@lo({}) ;", ".nv.info.{}"):
        assert public(text.format(OURS)) == public(text.format(THEIRS))


@pytest.mark.parametrize("other", [THEIRS.replace("1fEi", "1gEi"), THEIRS.replace("_k1f", "_l1f")])
def test_other_names_stay_other_names(other):
    assert public(OURS) != public(other)


def test_names_that_only_their_paths_tell_apart_keep_them():
    assert public(OURS, THEIRS) == OURS
    assert public(THEIRS, OURS) == THEIRS


def test_a_digit_in_front_of_the_length_counts():
    ours, theirs = (name.replace("_ZN", "_ZN2a1") for name in (OURS, THEIRS))
    assert public(ours) == public(theirs)
    assert public(ours) != public(theirs.replace("2a1", "2a2"))


@pytest.mark.parametrize(
    "text", ["", "_Z1fi", "_INTERNAL_", "27_INTERNAL_00000000_4x", "_INTERNAL_00000000_99_a"]
)
def test_odd_names_are_no_error(text):
    assert public(text) in (text, "_INTERNAL_")
