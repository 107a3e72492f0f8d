import tracemalloc

import numpy as np
import pytest

from jitstudio.core.launch.request import Buffer, Fill, FillKind
from jitstudio.numerics.dtypes import NumericsError
from jitstudio.numerics.fills import generate
from tests.numerics.kinds import (
    BFLOAT,
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    FLOAT4,
    FP8,
    HALF,
    INT,
    PAIR,
    PARTICLE,
    UCHAR,
    ULONG,
    UNKNOWN,
)


def made(element, length, kind, *numbers):
    return generate(Buffer("x", element, 0, length, Fill(kind, numbers)))


@pytest.mark.parametrize("kind", [FillKind.ZEROS, FillKind.CONSTANT, FillKind.RANGE])
def test_a_null_pointer_has_nothing(kind):
    assert made(FLOAT4, 0, kind).shape == (0, 4)


def test_zeros_are_zeros():
    assert made(PARTICLE, 3, FillKind.ZEROS).tobytes() == bytes(60)


@pytest.mark.parametrize(
    ("element", "value", "expected"),
    [
        (FLOAT, 2.5, 2.5),
        (FLOAT, float("inf"), float("inf")),
        (BFLOAT, 1.5, 1.5),
        (FP8, 0.5, 0.5),
        (BOOL, 1, True),
        (INT, -7, -7),
        (INT, 2.9, 2),
        (UCHAR, -1, 255),
        (ULONG, 2**64 - 1, 2**64 - 1),
    ],
)
def test_a_constant_becomes_the_type_as_in_c(element, value, expected):
    assert made(element, 3, FillKind.CONSTANT, value).tolist() == [expected] * 3


def test_no_integer_is_infinite():
    with pytest.raises(NumericsError, match="An integer cannot be inf"):
        made(INT, 3, FillKind.CONSTANT, float("inf"))


@pytest.mark.parametrize(
    ("element", "numbers", "expected"),
    [
        (INT, (), [0, 1, 2, 3]),
        (INT, (5, -3), [5, 2, -1, -4]),
        (CHAR, (126,), [126, 127, -128, -127]),
        (UCHAR, (1, -1), [1, 0, 255, 254]),
        (ULONG, (2**64 - 2,), [2**64 - 2, 2**64 - 1, 0, 1]),
        (INT, (0, 0.5), [0, 0, 1, 1]),
        (UCHAR, (0, -0.5), [0, 0, 255, 255]),
        (FLOAT, (1, 0.5), [1, 1.5, 2, 2.5]),
        (HALF, (), [0, 1, 2, 3]),
        (BFLOAT, (), [0, 1, 2, 3]),
        (BOOL, (), [False, True, True, True]),
    ],
)
def test_a_range_counts_and_wraps_as_in_c(element, numbers, expected):
    assert made(element, 4, FillKind.RANGE, *numbers).tolist() == expected


def test_a_range_goes_on_from_piece_to_piece():
    length = 3_000_001
    assert np.array_equal(made(INT, length, FillKind.RANGE), np.arange(length))
    odd = made(DOUBLE, length, FillKind.RANGE, 1, 2)
    assert np.array_equal(odd, 1.0 + 2.0 * np.arange(length))


def test_a_range_counts_through_the_lanes():
    assert made(FLOAT4, 2, FillKind.RANGE).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_the_fields_of_structs_are_filled_each_by_itself():
    particles = made(PARTICLE, 2, FillKind.RANGE)
    assert particles["id"].tolist() == [0, 1]
    assert particles["at"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert particles["mass"].astype(float).tolist() == [0, 1]


@pytest.mark.parametrize("element", [FLOAT, DOUBLE, HALF, BFLOAT])
@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 5), (1000, 1001)])
def test_random_floats_spread_over_their_range_without_its_end(element, low, high):
    numbers = made(element, 500_000, FillKind.RANDOM, 7, low, high).astype(float)
    assert low <= numbers.min() <= numbers.max() < high
    if element is not BFLOAT and high < 1000:
        assert numbers.mean() == pytest.approx((low + high) / 2, abs=0.02)
        assert numbers.std() == pytest.approx((high - low) / 12**0.5, rel=0.01)


def test_random_floats_are_of_the_unit_interval_by_default():
    numbers = made(FP8, 100_000, FillKind.RANDOM, 7).astype(float)
    assert 0 <= numbers.min() < 0.1
    assert 0.9 < numbers.max() < 1


@pytest.mark.parametrize("element", [INT, CHAR, ULONG, UNKNOWN])
def test_random_integers_go_from_0_to_99(element):
    numbers = made(element, 10_000, FillKind.RANDOM, 7)
    assert (numbers.min(), numbers.max()) == (0, 99)


def test_random_integers_reach_both_ends():
    numbers = made(CHAR, 10_000, FillKind.RANDOM, 7, -128, 127)
    assert (numbers.min(), numbers.max()) == (-128, 127)


def test_random_booleans_are_both():
    assert 400 < made(BOOL, 1000, FillKind.RANDOM, 7).sum() < 600


@pytest.mark.parametrize(("element", "low", "high"), [(CHAR, 0, 200), (INT, 5, 4), (FLOAT, 1, 1)])
def test_a_range_that_holds_nothing_is_told(element, low, high):
    with pytest.raises(NumericsError, match="There is no random"):
        made(element, 4, FillKind.RANDOM, 0, low, high)


@pytest.mark.parametrize("element", [FLOAT, HALF, INT, BOOL, PAIR])
def test_the_seed_decides(element):
    first, again, other = (made(element, 999, FillKind.RANDOM, seed) for seed in (1, 1, 2))
    assert first.tobytes() == again.tobytes() != other.tobytes()


def test_large_buffers_need_little_more_than_themselves():
    size = 64 << 20
    tracemalloc.start()
    try:
        for kind in (FillKind.CONSTANT, FillKind.RANGE, FillKind.RANDOM):
            made(FLOAT, size // 4, kind, 1)
        assert tracemalloc.get_traced_memory()[1] < 1.3 * size
    finally:
        tracemalloc.stop()


def test_a_file_is_none_of_its_business():
    with pytest.raises(NumericsError, match="is not made from numbers"):
        made(FLOAT, 4, FillKind.FILE)
