"""Complex numbers: two lanes in memory, one number in fills, expressions and checks."""

import numpy as np
import pytest

from jitstudio.core.launch.arguments import parse_fill
from jitstudio.core.launch.c_types import instance
from jitstudio.core.launch.problems import TextError
from jitstudio.core.launch.request import Buffer, EvaluationContext, Expectation
from jitstudio.core.launch.types import complex_name
from jitstudio.numerics.compare import Tolerance, compare
from jitstudio.numerics.dtypes import as_expressions_see, fill_from
from jitstudio.numerics.evaluation import evaluate_among
from jitstudio.numerics.fills import generate
from tests.numerics.kinds import COMPLEX, COMPLEX_FLOAT, FLOAT, FLOAT2, FLOAT4, HALF, PAIR

KINDS = {COMPLEX: "complex128", COMPLEX_FLOAT: "complex64"}


def buffer(element, fill, length=4, name="a"):
    return Buffer(name, element, 0, length, parse_fill(fill))


@pytest.mark.parametrize("element", KINDS)
@pytest.mark.parametrize(
    ("fill", "numbers"),
    [
        ("constant(1+2j)", [1 + 2j] * 4),
        ("constant( -1.5e1 - 2.j )", [-15 - 2j] * 4),
        ("constant(3j)", [3j] * 4),
        ("constant(2)", [2] * 4),
        ("range", [0, 1, 2, 3]),
        ("range(1,2)", [1, 3, 5, 7]),
        ("zeros", [0] * 4),
    ],
)
def test_a_fill_gives_complex_numbers(element, fill, numbers):
    made = generate(buffer(element, fill))
    assert as_expressions_see(made, element).tolist() == numbers
    assert as_expressions_see(made, element).dtype == KINDS[element]


def test_a_random_fill_has_both_parts():
    made = as_expressions_see(generate(buffer(COMPLEX, "random(3)", 50)), COMPLEX)
    assert len({*made.real, *made.imag}) == 100


def test_a_vector_of_two_takes_a_complex_constant_and_others_do_not():
    assert generate(buffer(FLOAT2, "constant(1+2j)")).tolist() == [[1, 2]] * 4
    for element in (FLOAT, FLOAT4, PAIR):
        with pytest.raises(ValueError, match="complex"):
            generate(buffer(element, "constant(1+2j)"))
    with pytest.raises(TextError, match="'1\\+j2j' is not a complex number"):
        parse_fill("constant(1+j2j)")


def test_complex_of_halves_are_two_lanes_as_numpy_has_no_such_numbers():
    halves = instance("complex", (HALF,))
    assert complex_name(halves) == ""
    assert generate(buffer(halves, "constant(1+2j)")).tolist() == [[1, 2]] * 4


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("a * b", [2 - 1j] * 4),
        ("a * conj(a)", [5] * 4),
        ("a.real + 1j * b.imag", [1 - 1j] * 4),
        ("abs(a) ** 2 + i", [5, 6, 7, 8]),
        ("exp(1j * pi) * real(a)", [-1] * 4),
        ("complex64(a).imag", [2] * 4),
    ],
)
def test_expressions_calculate_with_complex_numbers(expression, values):
    context = EvaluationContext(
        (), (buffer(COMPLEX, "constant(1+2j)"), buffer(COMPLEX, "constant(-1j)", name="b"))
    )
    np.testing.assert_allclose(evaluate_among(expression, context, 4), values, atol=1e-12)


def checked(got, expected, tolerance=Tolerance(), element=COMPLEX):  # noqa: B008
    array = np.array([[number.real, number.imag] for number in np.array(got, complex)])
    return compare(array, expected, Expectation("a", "e"), element, tolerance)


def test_complex_numbers_are_compared_by_their_distance():
    result = checked([1 + 2j, 3, 4j], np.array([1 + 2j, 3 + 4j, 4j]))
    assert (result.wrong, result.count, result.largest_absolute) == (1, 3, 4)
    assert result.largest_relative == 0.8
    (mismatch,) = result.mismatches
    assert (mismatch.index, mismatch.got, mismatch.expected) == ((1,), "(3+0j)", "(3+4j)")
    # A part that is zero but for rounding is near enough where the number is.
    assert checked([1000 + 1e-4j], 1000.0, Tolerance(1e-5)).ok
    assert not checked([1e-4j], 0.0, Tolerance(1e-5)).ok


def test_a_real_number_is_expected_to_have_no_imaginary_part():
    assert checked([0, 1, 2], np.arange(3)).ok
    assert checked([0, 1 + 1j, 2 + 2j], np.arange(3)).wrong == 2


def test_a_complex_nan_is_a_nan():
    nan = float("nan")
    result = checked([complex(nan, 1), complex(1, nan), 1], [complex(nan, 0), 1j, 1])
    assert (result.wrong, result.nans) == (1, 1)


def test_as_many_numbers_as_elements_are_needed():
    assert checked([1, 2, 3], np.arange(6)).problem.startswith("There are 6 numbers, not 3 elem")
    assert fill_from(np.arange(3) * 1j, COMPLEX, 3).tolist() == [[0, 0], [0, 1], [0, 2]]
