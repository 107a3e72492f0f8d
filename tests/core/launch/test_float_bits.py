import math
import random

import ml_dtypes
import numpy as np
import pytest

from jitstudio.core.launch.values import FORMATS, rounded

DTYPES = {
    "float64": np.float64,
    "float32": np.float32,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
}


def reference(value, name):
    array = np.array([value], np.float64).astype(DTYPES[name])
    return int(array.view(f"u{array.itemsize}")[0]), float(array[0])


def numbers(name):
    """Of all magnitudes the type has, its own numbers and what lies half-way between them."""
    rng = random.Random(5)
    form = FORMATS[name]
    lowest = 1 - form.bias - form.fraction
    highest = math.frexp(form.largest)[1]
    for _ in range(400):
        magnitude = rng.uniform(0.5, 1) * 2.0 ** rng.uniform(lowest - 1, highest - 1)
        yield magnitude
        step = 2.0 ** max(lowest, math.frexp(magnitude)[1] - 1 - form.fraction)
        yield round(magnitude / step) * step
        if name != "float64":
            yield (math.floor(magnitude / step) + 0.5) * step


@pytest.mark.parametrize("name", DTYPES)
def test_numbers_are_rounded_as_numpy_does(name):
    checked = 0
    for value in numbers(name):
        if abs(value) > FORMATS[name].largest:
            continue
        for signed in (value, -value):
            assert rounded(signed, FORMATS[name]) == reference(signed, name)
            checked += 1
    assert checked > 1500


@pytest.mark.parametrize("name", DTYPES)
def test_the_numbers_that_are_none_have_their_bits(name):
    form = FORMATS[name]
    for value in (0.0, -0.0, form.largest, -form.largest):
        assert rounded(value, form)[0] == reference(value, name)[0]
    assert math.isnan(rounded(math.nan, form)[1])
    bits = np.array([rounded(math.nan, form)[0]]).astype(f"u{np.dtype(DTYPES[name]).itemsize}")
    assert np.isnan(bits.view(DTYPES[name]).astype(float)[0])


@pytest.mark.parametrize("name", [name for name in DTYPES if name != "float8_e4m3fn"])
def test_infinity_has_its_bits(name):
    for value in (math.inf, -math.inf):
        assert rounded(value, FORMATS[name]) == reference(value, name)


@pytest.mark.parametrize(
    ("name", "fits", "too_large"),
    [
        ("float16", 65519.0, 65520.0),
        ("float8_e4m3fn", 448.0, 480.0),
        ("float8_e4m3fn", 448.0, math.inf),
        ("float8_e5m2", 61439.0, 61440.0),
        ("float32", 3.4028235e38, 3.5e38),
    ],
)
def test_what_rounds_beyond_the_largest_number_is_refused(name, fits, too_large):
    assert rounded(fits, FORMATS[name])[1] == FORMATS[name].largest
    with pytest.raises(OverflowError):
        rounded(too_large, FORMATS[name])
    with pytest.raises(OverflowError):
        rounded(-too_large, FORMATS[name])
