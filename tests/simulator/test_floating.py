"""Floating-point arithmetic against fractions, rounded once; NaN and zeros by the ISA."""

import math
from fractions import Fraction

import numpy as np
import pytest

from jitstudio.simulator.arithmetic import floating
from tests.simulator.exact import differences, fractions, hard_floats

MODES = ("rn", "rz", "rp", "rm")
F32 = np.float32


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
@np.errstate(all="ignore")
def test_sums_and_products_are_rounded_once(name, mode):
    a, b, c = (hard_floats(name, 25, seed) for seed in (1, 2, 3))
    near = -(a * b)
    c = np.where((np.arange(a.size) % 3 == 0) & np.isfinite(near), near, c)
    x, y, z = map(fractions, (a, b, c))
    pairs = list(zip(x, y, strict=True))
    for function, exact in (
        (floating.add, [p + q for p, q in pairs]),
        (floating.sub, [p - q for p, q in pairs]),
        (floating.mul, [p * q for p, q in pairs]),
    ):
        assert not differences(exact, function(name, a, b, mode), name, mode), function
    exact = [p * q + r for (p, q), r in zip(pairs, z, strict=True)]
    assert not differences(exact, floating.fma(name, a, b, c, mode), name, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["f32", "f64"])
@np.errstate(all="ignore")
def test_quotients_and_roots_are_rounded_once(name, mode):
    a, b = (hard_floats(name, 25, seed) for seed in (4, 5))
    b = np.where(b == 0, b.dtype.type(3), b)
    exact = [p / q for p, q in zip(fractions(a), fractions(b), strict=True)]
    assert not differences(exact, floating.div(name, a, b, mode), name, mode)
    assert not differences([1 / q for q in fractions(b)], floating.rcp(name, b, mode), name, mode)
    a = np.abs(a)
    roots = [square_root(x) for x in fractions(a)]
    assert not differences(roots, floating.sqrt(name, a, mode), name, mode)


def square_root(x):
    """Returns a fraction that rounds to every format as the square root of a float does."""
    scale = 2**1200
    root = math.isqrt(x.numerator * scale**2 // x.denominator)
    exact = Fraction(root, scale)
    return exact if exact * exact == x else exact + Fraction(1, 3 * scale)
