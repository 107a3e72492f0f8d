from dataclasses import replace

import pytest

from jitstudio.analysis.diff.code import compare_programs
from jitstudio.analysis.diff.data import DataSection
from jitstudio.analysis.diff.model import Change
from jitstudio.analysis.diff.program import CubinProgram, data_comparable, partners
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
