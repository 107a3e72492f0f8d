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


def bits(name, *numbers):
    """Returns elements of a type, of their bits."""
    size = {"f32": 4, "f64": 8}.get(name, 2)
    array = np.array(numbers, f"u{size}")
    return array if name == "bf16" else array.view(f"f{size}")


# NaN, quiet NaN of another payload, infinity, -0, +0, 1 and the largest subnormal number.
SOME = {
    "f16": (0x7FFF, 0xFE01, 0x7C00, 0x8000, 0, 0x3C00, 0x03FF),
    "bf16": (0x7FFF, 0xFFC1, 0x7F80, 0x8000, 0, 0x3F80, 0x007F),
    "f32": (0x7FFFFFFF, 0xFFC00001, 0x7F800000, 0x80000000, 0, 0x3F800000, 0x007FFFFF),
}


@pytest.mark.parametrize("name", SOME)
def test_nan_zero_and_subnormal_numbers(name):
    nan, other, infinity, minus, zero, one, tiny = (bits(name, x) for x in SOME[name])

    def same(got, want):
        assert got.view(f"u{got.itemsize}").tolist() == want.view(f"u{want.itemsize}").tolist()

    same(floating.add(name, other, one), nan)
    same(floating.sub(name, infinity, infinity), nan)
    same(floating.mul(name, infinity, zero), nan)
    same(floating.add(name, one, floating.negate(name, one)), zero)
    same(floating.add(name, one, floating.negate(name, one), "rm"), minus)
    same(floating.fma(name, one, minus, zero, "rm"), minus)
    same(floating.fma(name, one, minus, minus), minus)
    same(floating.minimum(name, zero, minus), minus)
    same(floating.maximum(name, minus, zero), zero)
    same(floating.minimum(name, other, one), one)
    same(floating.maximum(name, one, other), one)
    same(floating.minimum(name, other, other), nan)
    same(floating.minimum(name, one, other, nan=True), nan)
    same(floating.minimum(name, one, floating.negate(name, one), xorsign_abs=True), -one
         if name != "bf16" else bits(name, SOME[name][5] | 0x8000))  # fmt: skip
    same(floating.absolute(name, minus), zero)
    if name != "bf16":
        same(floating.add(name, tiny, zero, ftz=True), zero)
        same(floating.mul(name, floating.negate(name, tiny), one, ftz=True), minus)
        same(floating.fma(name, one, infinity, other, sat=True), zero)
        same(floating.sub(name, zero, one, sat=True), zero)
        same(floating.add(name, one, infinity, sat=True), one)
    if name != "f32":
        same(floating.fma(name, minus, one, minus, relu=True), zero)


def test_f64_keeps_the_payload_of_the_last_nan():
    first, second = bits("f64", 0x7FF0000000000123), bits("f64", 0xFFF8000000000456)
    one = bits("f64", 0x3FF0000000000000)
    quiet = 0x7FF8000000000123
    assert floating.add("f64", second, first).view(np.uint64).tolist() == [quiet]
    assert floating.fma("f64", second, first, one).view(np.uint64).tolist() == [quiet]
    for sign in (floating.absolute, floating.negate):
        assert sign("f64", second).view(np.uint64).tolist() == [0xFFF8000000000456]
    root = floating.sqrt("f64", -one).view(np.uint64).tolist()
    assert root == [0xFFF8000000000000]


@pytest.mark.parametrize("name", ["f16x2", "bf16x2"])
def test_packed_forms_work_on_each_half(name):
    a, b = np.array([0x3C003F80, 0x40004080], np.uint32), np.array([0x3F803C00], np.uint32)
    whole = floating.packed(floating.mul, name, a, b)
    dtype = np.float16 if name == "f16x2" else np.uint16
    low, high = (
        floating.mul(name[:-2], x.astype(np.uint16).view(dtype), y.astype(np.uint16).view(dtype))
        for x, y in ((a & 0xFFFF, b & 0xFFFF), (a >> 16, b >> 16))
    )
    halves = high.view(np.uint16).astype(np.uint32) << 16 | low.view(np.uint16)
    assert whole.tolist() == halves.tolist()


def test_testp_and_copysign():
    x = np.array([0.0, -1e-40, 1.5, np.inf, np.nan], F32)
    kinds = {
        "finite": [1, 1, 1, 0, 0],
        "infinite": [0, 0, 0, 1, 0],
        "number": [1, 1, 1, 1, 0],
        "notanumber": [0, 0, 0, 0, 1],
        "normal": [1, 0, 1, 0, 0],
        "subnormal": [0, 1, 0, 0, 0],
    }
    for kind, want in kinds.items():
        assert floating.testp(kind, x).tolist() == [bool(w) for w in want], kind
    assert floating.copysign(np.array([-1], F32), np.array([2], F32)).tolist() == [-2]


@pytest.mark.parametrize(
    ("name", "a", "b", "mode", "want"),
    [
        # What is less than the least normal number when rounded without a limit is flushed.
        ("f32", 0x00800000, 0x3F7FFFFF, "rn", 0),
        ("f32", 0x00FFFFFF, 0x3F000000, "rp", 0),
        ("f32", 0x80800000, 0x3F7FFFFF, "rm", 0x80000000),
        ("f32", 0x00800001, 0x3F7FFFFE, "rn", 0x00800000),
        ("f32", 0x00800001, 0x3F7FFFFE, "rz", 0),
        ("f16", 0x0400, 0x3BFF, "rn", 0),
        ("f16", 0x0401, 0x3BFE, "rn", 0x0400),
    ],
)
def test_flushing_is_decided_after_rounding(name, a, b, mode, want):
    a, b = bits(name, a), bits(name, b)
    got = [floating.mul(name, a, b, mode, ftz=True)]
    got.append(floating.fma(name, a, b, bits(name, 0), mode, ftz=True))
    assert [int(x.view(f"u{x.itemsize}")[0]) for x in got] == [want, want]
