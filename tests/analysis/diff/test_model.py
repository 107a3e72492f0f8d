from random import Random

import pytest

from jitstudio.analysis.diff.model import (
    ASIDE,
    Change,
    Hunk,
    bare_lines,
    compare_lines,
    line_marks,
    ptx_lines,
)
from jitstudio.listing.lines import NOWHERE


def marked(line, marks):
    return [line[start:end] for start, end in marks]


@pytest.mark.parametrize(
    ("left", "right", "old", "new"),
    [
        ("a = b + 1;", "a = b + 2;", ["1"], ["2"]),
        ("FADD R1, R2, R3", "FADD R1, -R2, R3", [], ["-"]),
        ("LDG.E R4, [R2]", "LDG.E.64 R4, [R2]", [], [".64"]),
        ("f(x, y)", "g(x, z)", ["f", "y"], ["g", "z"]),
        ("mov.u32 %r1, 5;", "mov.u32 %r1, 5 + 6;", [], ["+ 6"]),
    ],
)
def test_only_what_differs_is_marked(left, right, old, new):
    marks, others = line_marks(left, right)
    assert marked(left, marks) == old
    assert marked(right, others) == new


def test_tokens_are_compared_as_they_are_told():
    left, right = "FADD R1, R2", "FADD R7, R9"
    marks, others = line_marks(left, right, None, ["FADD", "R1", ",", "R3"])
    assert marked(left, marks) == ["R2"]
    assert marked(right, others) == ["R9"]


def test_what_is_aside_is_never_marked():
    marks, others = line_marks("10 a", "20 b", [ASIDE, "a"], [ASIDE, "b"])
    assert (marks, others) == (((3, 4),), ((3, 4),))


def test_where_no_token_differs_all_are_marked():
    marks, others = line_marks("FADD R3", "FADD R9", None, ["FADD", "R3"])
    assert (marks, others) == (((0, 7),), ((0, 7),))


PTX = """\
.visible .entry k()
{
\t.loc 1 3 5
\tret;
}
\t.file 1 "/tmp/k.cu"
\t.section .debug_str
\t{
info_string0:
.b8 95,90
\t}
"""


def test_equal_texts_have_no_differences():
    compared = compare_lines(["a", "b"], ["a", "b"])
    assert compared.equal
    assert compared.hunks == ()
    assert [row.change for row in compared.rows] == [Change.EQUAL] * 2


def test_changed_removed_and_added_lines_are_told_apart():
    compared = compare_lines(["a", "int x = 1;", "b", "c"], ["a", "int x = 2;", "b", "c", "d"])
    assert [row.change for row in compared.rows] == [
        Change.EQUAL,
        Change.CHANGED,
        Change.EQUAL,
        Change.EQUAL,
        Change.ADDED,
    ]
    assert compared.hunks == (Hunk(1, 2), Hunk(4, 5))
    assert compared.marks(1) == (((8, 9),), ((8, 9),))
    assert compared.marks(0) == ((), ())


def test_a_line_that_was_rewritten_stands_beside_what_it_became():
    left = ["\tadd.f32 %f1, %f2, %f3;", "\tret;"]
    right = ["\tmov.u32 %r1, 4;", "\tadd.f32 %f1, %f2, %f4;", "\tret;"]
    rows = compare_lines(left, right).rows
    assert [(row.left, row.right) for row in rows] == [(NOWHERE, 0), (0, 1), (1, 2)]


@pytest.mark.parametrize("seed", range(30))
def test_both_texts_can_be_read_off_the_rows(seed):
    random = Random(seed)
    left, right = (
        [random.choice(["{", "}", "x = 1;", "x = 2;", "y();", " y();"]) for _ in range(size)]
        for size in (random.randrange(40), random.randrange(40))
    )
    compared = compare_lines(left, right)
    rows = compared.rows
    assert [row.left for row in rows if row.left != NOWHERE] == [*range(len(left))]
    assert [row.right for row in rows if row.right != NOWHERE] == [*range(len(right))]
    assert compared.equal == (left == right)
    for row in rows:
        if row.change is Change.EQUAL:
            assert left[row.left] == right[row.right]


def test_line_tables_are_no_part_of_a_program():
    assert ptx_lines(PTX) == [".visible .entry k()", "{", "\tret;", "}"]


def test_comments_indentation_and_blank_lines_can_be_left_out():
    written = ["//", "// .globl k", "\t.reg .b32 %r<2>; // one", "", "/* a", "b */ ret;", "  "]
    assert bare_lines(written) == [".reg .b32 %r<2>;", "ret;"]
    assert bare_lines(["", "\tmov.u32 \t%r1, 5;"]) == ["mov.u32 \t%r1, 5;"]
