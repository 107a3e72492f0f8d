"""Parts of a buffer that an expectation is about: NumPy itself says which these are."""

import numpy as np
import pytest

from jitstudio.core.launch.request import EvaluationContext, Expectation
from jitstudio.core.launch.result import Mismatch
from jitstudio.numerics.compare import Tolerance, compare
from jitstudio.numerics.dtypes import NumericsError, numpy_dtype
from jitstudio.numerics.evaluation import ExpressionScope
from jitstudio.numerics.parts import part_of
from tests.numerics.kinds import FLOAT, FLOAT4, PARTICLE

VALUES = {"n": 12, "a.n": 3}


def part(out, index):
    scope = ExpressionScope(EvaluationContext(tuple(VALUES.items())), np.arange(len(out)))
    return part_of(out, Expectation("out", "e", index), scope)


@pytest.mark.parametrize(
    ("index", "python"),
    [
        ("[1:-1]", "out[1:-1]"),
        ("[::-2]", "out[::-2]"),
        ("[5]", "out[5:6]"),
        ("[n // 2 :][1]", "out[7:8]"),
        ("[i % a.n == 0]", "out[np.arange(12) % 3 == 0]"),
        ("[[3, 1, 1]]", "out[[3, 1, 1]]"),
        ("[...]", "out"),
        (".reshape(3, 4)[1:, 0]", "out.reshape(3, 4)[1:, 0]"),
        (".reshape(3, n // 3).T[-1]", "out.reshape(3, 4).T[-1]"),
    ],
)
def test_a_part_is_what_numpy_gives(index, python):
    out = np.arange(100, 112, dtype=np.float32)
    chosen, wanted = part(out, index), eval(python, {"out": out, "np": np})
    assert chosen.numbers.tolist() == wanted.tolist()
    assert out[chosen.places].tolist() == wanted.tolist()


def test_lanes_and_fields_may_be_chosen():
    quads = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert part(quads, "[1:, 0]").numbers.tolist() == [4, 8]
    structs = np.zeros(3, numpy_dtype(PARTICLE))
    name = structs.dtype.names[0]
    structs[name][2] = 7
    chosen = part(structs, f"['{name}'][1:]")
    assert chosen.numbers.tolist() == structs[name][1:].tolist()
    assert chosen.field == name
    assert part(structs, "[1:]").numbers.dtype.names == structs.dtype.names


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ("[5:2]", r"^out\[5:2\] has no elements, so that nothing is compared\.$"),
        (" * 2", r"'out \* 2' is not part of out; write an index such as out\[1:-1\]"),
        (".sum()", r"'out\.sum\(\)' is not part"),
        ("[99]", "out of bounds"),
        ("[nope]", "nope is not known"),
        (".astype(int8)[0]", r"'out\.astype\(int8\)\[0\]' is not part"),
        ("['x']", "out has no field 'x'"),
        ("[", "not a NumPy expression"),
    ],
)
def test_what_is_no_part_is_told(index, message):
    with pytest.raises(NumericsError, match=message):
        part(np.zeros(12, np.float32), index)


def test_the_index_may_be_about_what_the_buffer_held_before():
    out = np.arange(4, dtype=np.float32)
    before = {"out": np.array([0, 5, 0, 5]), "i": np.arange(4)}
    chosen = part_of(out, Expectation("out", "e", "[out > 0]"), before)
    assert chosen.numbers.tolist() == [1, 3]


def test_a_mismatch_is_told_with_its_place_in_the_buffer():
    quads = np.zeros((3, 4), np.float32)
    quads[2, 1] = 5
    expectation = Expectation("out", "0", "[1:, 1]")
    result = compare(quads, 0, expectation, FLOAT4, Tolerance(), part(quads, "[1:, 1]"))
    assert result.mismatches == (Mismatch((2, 1), "5.0", "0.0"),)
    assert (result.count, result.wrong, result.left_out) == (2, 1, 10)
    assert result.verdict == (
        "1 of 2 elements of 'out[1:, 1]' are wrong; 10 others were not compared."
    )


def test_a_part_of_another_size_than_expected_is_told():
    got = np.zeros(4, np.float32)
    expectation = Expectation("out", "e", "[1:]")
    result = compare(got, [1, 2], expectation, FLOAT, Tolerance(), part(got, "[1:]"))
    assert "'out[1:]'" in result.verdict
    assert result.verdict.endswith(": There are 2 numbers, not 3, as out[1:] has.")
