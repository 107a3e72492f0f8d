import tracemalloc

import numpy as np
import pytest

from jitstudio.core.launch.request import Expectation
from jitstudio.core.launch.result import CheckResult, Mismatch
from jitstudio.numerics.compare import Tolerance, compare
from jitstudio.numerics.dtypes import numpy_dtype
from tests.numerics.kinds import (
    BFLOAT,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT4,
    HALF,
    INT,
    LONG,
    PAIR,
    PARTICLE,
    UCHAR,
    ULONG,
)

EXACT = Tolerance()
USUAL = Tolerance(1e-5, 1e-8)
NAN, INF = float("nan"), float("inf")
MOST = 2**64 - 1


def compared(element, got, expected, tolerance=EXACT):
    array = np.array(got, numpy_dtype(element).base)
    return compare(array, expected, Expectation("out", "e"), element, tolerance)


def test_what_is_equal_is_well():
    assert compared(FLOAT, [1, 2], np.array([1.0, 2.0])) == CheckResult("out", "e", True, 2)


def test_what_differs_is_told():
    result = compared(FLOAT, [1, 2.5, 0.1], np.array([1, 2, 0.1]))
    assert (result.ok, result.count, result.wrong) == (False, 3, 1)
    assert (result.largest_absolute, result.largest_relative) == (0.5, 0.25)
    assert result.mismatches == (Mismatch((1,), "2.5", "2.0"),)


@pytest.mark.parametrize(
    ("got", "expected", "ok"),
    [
        (1.000009, 1, True),
        (1.00002, 1, False),
        (1e-9, 0, True),
        (1e-7, 0, False),
        (NAN, NAN, True),
        (NAN, 1, False),
        (1, NAN, False),
        (INF, INF, True),
        (INF, -INF, False),
        (1e300, INF, False),
        (INF, 1e300, False),
        (-0.0, 0.0, True),
    ],
)
def test_the_tolerance_is_that_of_isclose(got, expected, ok):
    assert compared(DOUBLE, [got], expected, USUAL).ok is ok
    assert np.isclose(got, expected, 1e-5, 1e-8, equal_nan=True) == ok


def test_a_nan_stays_the_largest_difference():
    result = compared(FLOAT, [1, NAN, 3], 1.0)
    assert np.isnan(result.largest_absolute)
    assert result.largest_relative == 2
    assert [wrong.got for wrong in result.mismatches] == ["nan", "3.0"]


@pytest.mark.parametrize(
    ("element", "value", "texts"),
    [
        (FLOAT, 0.1, ("0.0", "0.1")),
        (HALF, 0.1, ("0.0", "0.1")),
        (BFLOAT, 0.1, ("0", "0.100098")),
        (DOUBLE, 0.1, ("0.0", "0.1")),
        (INT, 7, ("0", "7")),
        (BOOL, True, ("False", "True")),
    ],
)
def test_numbers_are_shown_in_the_precision_of_their_type(element, value, texts):
    (wrong,) = compared(element, [0], value).mismatches
    assert (wrong.got, wrong.expected) == texts


@pytest.mark.parametrize("element", [HALF, BFLOAT, FLOAT])
def test_what_is_expected_is_rounded_to_what_the_buffer_can_hold(element):
    values = np.random.default_rng(1).random(100)
    got = values.astype(numpy_dtype(element))
    assert compared(element, got, values).ok
    assert compared(element, [INF], 1e39).ok


@pytest.mark.parametrize(
    ("element", "got", "expected", "difference"),
    [
        (INT, -(2**31), 2**31 - 1, 2.0**32 - 1),
        (LONG, -(2**63), 2**63 - 1, 2.0**64),
        (ULONG, MOST, np.uint64(MOST - 1), 1),
        (ULONG, 0, np.uint64(MOST), 2.0**64),
        (ULONG, MOST, -5, 2.0**64),
        (ULONG, 3, -1, 4),
        (LONG, -1, np.uint64(MOST), 2.0**64),
        (LONG, 2**62 + 1, 2**62, 1),
        (UCHAR, 0, 255, 255),
        (UCHAR, 3, 2.5, 0.5),
        (BOOL, True, 0, 1),
    ],
)
def test_integers_are_compared_without_overflow_or_rounding(element, got, expected, difference):
    result = compared(element, [got], np.asarray(expected))
    assert (result.ok, result.largest_absolute) == (False, difference)


def test_integers_have_a_tolerance_of_their_own_only():
    assert compared(INT, [100, 7], np.array([101, 7]), Tolerance(0, 1)).wrong == 1
    assert compared(INT, [100, 7], np.array([101, 7]), Tolerance(0.01, 0)).wrong == 1
    assert compared(INT, [100, 7], np.array([101.0, 7]), Tolerance(0.01, 1)).wrong == 1
    assert compared(INT, [100, 7], np.array([101, 7]), Tolerance(integer=1)).ok
    assert compared(INT, [100, 7], np.array([101.0, 7.5]), Tolerance(integer=1)).ok
    assert compared(INT, [100, 7], np.array([102, 7]), Tolerance(1, 1, integer=1)).wrong == 1
    assert compared(ULONG, [MOST, 0], np.uint64(MOST - 1), Tolerance(integer=1)).wrong == 1


def test_a_large_index_that_is_one_too_low_is_wrong():
    expected = np.arange(300_000)
    result = compared(INT, expected - (expected > 200_000), expected, USUAL)
    assert (result.ok, result.wrong) == (False, 99_999)
    assert result.mismatches[0] == Mismatch((200_001,), "200000", "200001")


@pytest.mark.parametrize("digits", [1, 8, 24, 31, 53, 63])
@pytest.mark.parametrize("element", [UCHAR, INT, LONG, ULONG, BOOL])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.uint64, np.float32, np.float64])
def test_each_kind_is_compared_with_integers_as_python_compares_them(element, digits, dtype):
    rng = np.random.default_rng(digits)
    info = np.iinfo(numpy_dtype(element)) if element is not BOOL else np.iinfo("u1")
    most = min(info.max, 2**digits)
    got = rng.integers(0, most, 200, np.uint64, endpoint=True).astype(numpy_dtype(element))
    expected = got.astype(dtype)
    expected[::3] += (
        rng.random(len(expected[::3])).astype(dtype)
        if dtype in (np.float32, np.float64)
        else np.ones(len(expected[::3]), dtype)
    )
    result = compared(element, got, expected, USUAL)
    pairs = zip(got.tolist(), expected.tolist(), strict=True)
    wrong = [index for index, (a, b) in enumerate(pairs) if a != b]
    if result.problem:
        assert expected.max() >= 2.0 ** (np.finfo(dtype).nmant + 1)
        return
    assert result.wrong == len(wrong)
    assert [each.index[0] for each in result.mismatches] == wrong[:20]


@pytest.mark.parametrize("value", [2.0**53, -(2.0**60), 1e300])
def test_floats_that_cannot_tell_integers_apart_are_refused(value):
    result = compared(LONG, [0], np.array(value), Tolerance(1, 1))
    assert not result.ok
    assert "float64 beyond 9,007,199,254,740,992" in result.problem
    assert compared(LONG, [2**60], np.array(2.0**60).astype(np.int64)).ok
    assert "float32 beyond 16,777,216" in compared(INT, [2**24], np.float32(2**24)).problem


@pytest.mark.parametrize("value", [NAN, INF, -INF, 0.5])
def test_what_no_integer_is_equals_none(value):
    assert compared(INT, [0], np.array(value), USUAL).wrong == 1
    assert compared(BOOL, [1], np.array(value), USUAL).wrong == 1


def test_what_was_nan_and_should_be_is_counted():
    result = compared(FLOAT, [1, NAN, NAN, 4], np.array([NAN, NAN, NAN, 4]))
    assert (result.wrong, result.nans) == (1, 2)
    result = compared(FLOAT, [NAN, 4], np.array([NAN, 4]))
    assert result.verdict == "All 2 elements of 'out' are as expected, 1 of them NaN."


@pytest.mark.parametrize(
    "expected",
    [
        np.array([[0, 1, 2, 3], [4, 5, 6, 7]]),
        np.arange(8),
        [[0, 1, 2, 3], [4, 5, 6, 7]],
        np.arange(8).reshape(4, 2),
    ],
    ids=["same", "flat", "list", "other axes"],
)
def test_as_many_numbers_are_taken_in_their_order(expected):
    assert compared(FLOAT4, [[0, 1, 2, 3], [4, 5, 6, 7]], expected).ok


def test_one_number_for_each_element_or_lane_is_repeated():
    assert compared(FLOAT4, [[1] * 4, [2] * 4], np.array([1, 2])).ok
    assert compared(FLOAT4, [[1, 2, 3, 4]] * 2, np.array([1, 2, 3, 4])).ok
    assert compared(FLOAT4, [[1] * 4, [1] * 4], 1).ok


@pytest.mark.parametrize(
    ("element", "expected", "words"),
    [
        (FLOAT, np.zeros(3), "There are 3 numbers, not 2 elements of float."),
        (FLOAT, np.zeros(1), "There is 1 number, not 2 elements of float."),
        (FLOAT, [5], "There is 1 number, not 2 elements of float."),
        (FLOAT, np.zeros((3, 4)), "There are 12 numbers (3 x 4), not 2 elements of float."),
        (FLOAT, [[1], [1, 2]], "The parts of the list have different lengths."),
        (
            FLOAT,
            np.zeros(2, complex),
            "These are complex numbers; its elements have no two lanes.",
        ),
        (PAIR, np.zeros(2), "A struct takes a struct of the same fields or a list [a, b] of them."),
        (PAIR, [1, np.zeros(3)], "There are 3 numbers, not 2 elements of Pair, field b."),
    ],
)
def test_what_cannot_be_compared_is_told(element, expected, words):
    result = compare(
        np.zeros(2, numpy_dtype(element)), expected, Expectation("out", "e"), element, EXACT
    )
    assert (result.ok, result.problem, result.count) == (False, words, 0)


def test_structs_are_compared_field_by_field():
    got = np.zeros(2, numpy_dtype(PARTICLE))
    got["at"][1, 2] = 4
    result = compared_structs(got, np.zeros(2, numpy_dtype(PARTICLE)))
    assert (result.count, result.wrong) == (10, 1)
    assert result.mismatches == (Mismatch((1,), "at[2]: 4.0", "at[2]: 0.0"),)
    assert compared_structs(got, [0, got["at"], np.zeros(2)]).ok
    assert compared_structs(got, 0).wrong == 1


def compared_structs(got, expected):
    return compare(got, expected, Expectation("out", "e"), PARTICLE, EXACT)


def test_the_first_mismatches_are_told_with_their_places():
    got = np.zeros((600_000, 4), np.float32)
    got[299_999, 3] = got[300_000:, 1] = 1
    result = compare(got, 0, Expectation("out", "e"), FLOAT4, Tolerance(most=3))
    assert result.wrong == 300_001
    assert [m.index for m in result.mismatches] == [(299_999, 3), (300_000, 1), (300_001, 1)]


def test_nothing_is_as_expected():
    assert compared(FLOAT, [], 1.0) == CheckResult("out", "e", True)


def test_large_buffers_are_compared_in_pieces():
    got = np.zeros(16 << 20, np.float32)
    tracemalloc.start()
    try:
        assert compare(got, 0.0, Expectation("out", "e"), FLOAT, USUAL).ok
        assert tracemalloc.get_traced_memory()[1] < got.nbytes / 2
    finally:
        tracemalloc.stop()
