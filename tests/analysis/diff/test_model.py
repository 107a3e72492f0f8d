import pytest

from jitstudio.analysis.diff.model import ASIDE, line_marks


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
