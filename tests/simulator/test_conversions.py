"""Conversions against fractions and `ml_dtypes`, exhaustively where a format has 8 or 16 bits."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from jitstudio.simulator.arithmetic.conversions import convert, convert_packed, convert_pair
from jitstudio.simulator.arithmetic.rounding import to_doubles, to_elements
from tests.simulator.exact import DTYPES, differences, fractions, hard_floats

INTEGERS = {f"{k}{w}": np.dtype(f"{c}{w // 8}") for k, c in ("uu", "si") for w in (8, 16, 32, 64)}
MODES = ("rn", "rz", "rp", "rm")


@pytest.mark.parametrize("source", INTEGERS)
def test_integers_to_floats(source):
    info = np.iinfo(INTEGERS[source])
    rng = np.random.default_rng(1)
    a = rng.integers(info.min, info.max, 120, info.dtype, endpoint=True)
    a >>= rng.integers(0, info.bits, 120).astype(info.dtype)
    # Close to halfway between floats of each precision.
    near = [1 << min(p + k, info.bits - 2) | 1 << k for p in (8, 11, 24, 53) for k in (1, 2, 8)]
    near = [x + d for x in near for d in (-1, 0, 1) if x + d <= info.max]
    a = np.concatenate([a, np.array([*near, info.min, info.max, 0], info.dtype)])
    exact = [Fraction(int(x)) for x in a]
    for target in ("f16", "bf16", "f32", "f64"):
        for mode in MODES:
            got = to_doubles(convert(a, source, target, mode), target)
            assert not differences(exact, got, target, mode), (target, mode)


@pytest.mark.parametrize("source", ["f16", "f32", "f64"])
@np.errstate(all="ignore")
def test_floats_to_integers(source):
    rng = np.random.default_rng(2)
    ends = [s * 2.0**k for k in (7, 8, 15, 16, 31, 32, 63, 64) for s in (1, -1)]
    ends += [x / 2 for x in range(-5, 6)] + [math.inf, -math.inf]
    usual = rng.standard_normal(80) * 2.0 ** rng.integers(0, 66, 80)
    a = np.concatenate([hard_floats(source, 10, 3), np.array(ends), usual]).astype(DTYPES[source])
    whole = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}
    for target, dtype in INTEGERS.items():
        info = np.iinfo(dtype)
        for mode, function in whole.items():
            want = [
                (info.max if x > 0 else info.min)
                if math.isinf(x)
                else min(max(function(Fraction(x)), info.min), info.max)
                for x in a.tolist()
            ]
            assert convert(a, source, target, mode).tolist() == want, (target, mode)
        (nan,) = convert(np.array([np.nan], a.dtype), source, target, "rni")
        top = source == "f64" or dtype.itemsize == 8
        assert int(nan) & (1 << info.bits) - 1 == (1 << info.bits - 1 if top else 0)


@pytest.mark.parametrize("target", ["f16", "bf16", "tf32", "e5m2", "f32"])
@np.errstate(all="ignore")
def test_floats_to_narrower_floats(target):
    rng = np.random.default_rng(4)
    narrow = to_doubles(some_bits(target, 60), target)
    narrow = np.where(np.isfinite(narrow), narrow, 1.0)
    # On a float, between two, and just off: where rounding twice goes wrong.
    between = narrow * (1 + 2.0 ** -rng.integers(2, 30, narrow.size))
    a = np.concatenate([narrow, between, np.nextafter(between, 0), hard_floats("f64", 10, 5)])
    exact = fractions(a)
    for mode in MODES:
        got = to_doubles(convert(a, "f64", target, mode), target)
        assert not differences(exact, got, target, mode), mode


def some_bits(name, count):
    """Returns elements of a format of random bits."""
    size = {"e5m2": 1, "f16": 2, "bf16": 2}.get(name, 4)
    bits = np.random.default_rng(6).integers(0, 256**size, count).astype(f"u{size}")
    return bits.view({"f16": np.float16, "f32": np.float32}.get(name, bits.dtype))


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("bf16", ml_dtypes.bfloat16),
        ("e5m2", ml_dtypes.float8_e5m2),
        ("e4m3", ml_dtypes.float8_e4m3fn),
        ("f16", np.float16),
    ],
)
@np.errstate(all="ignore")
def test_all_values_of_narrow_formats(name, dtype):
    size = np.dtype(dtype).itemsize
    every = np.arange(256**size).astype(f"u{size}")
    elements = every.view(np.float16) if name == "f16" else every
    values = to_doubles(elements, name)
    np.testing.assert_array_equal(values, every.view(dtype).astype(float))
    back = to_elements(values, name).view(every.dtype)
    numbers = ~np.isnan(values)
    assert np.array_equal(back[numbers], every[numbers])
    x = np.random.default_rng(8).standard_normal(2000).astype(np.float32) * 8
    got = convert(x, "f32", name, "rn", satfinite=True).view(every.dtype)
    assert np.array_equal(got, x.astype(dtype).view(every.dtype))


def test_saturation_relu_and_nan():
    x = np.array([1e30, -1e30, -2.5, np.nan, -0.0, 0.25, np.inf], np.float32)
    assert convert(x, "f32", "f32", sat=True).tolist() == [1, 0, 0, 0, 0, 0.25, 1]
    assert not np.signbit(convert(x, "f32", "f32", sat=True)).any()
    relu = convert(x, "f32", "f16", "rn", relu=True).view(np.uint16).tolist()
    assert relu == [0x7C00, 0, 0, 0x7FFF, 0, 0x3400, 0x7C00]
    finite = convert(x, "f32", "e4m3", "rn", satfinite=True).tolist()
    assert finite == [0x7E, 0xFE, 0xC2, 0x7F, 0x80, 0x28, 0x7E]
    tiny = np.array([1e-40, -1e-40], np.float32)
    assert convert(tiny, "f32", "f64", ftz=True).tolist() == [0, 0]
    assert convert(tiny, "f32", "s32", "rpi").tolist() == [1, 0]
    assert convert(tiny, "f32", "s32", "rpi", ftz=True).tolist() == [0, 0]
    wide = np.array([300, -300, 5], np.int32)
    assert convert(wide, "s32", "u8", sat=True).tolist() == [255, 0, 5]
    assert convert(wide, "s32", "s8", sat=True).tolist() == [127, -128, 5]
    assert convert(wide, "s32", "u8").tolist() == [44, 212, 5]


def test_pairs_have_the_first_operand_in_the_upper_half():
    one, two = np.array([1], np.float32), np.array([2], np.float32)
    assert convert_pair(one, two, "f16x2").tolist() == [0x3C004000]
    assert convert_pair(one, two, "bf16x2").tolist() == [0x3F804000]
    pair = convert_pair(one, two, "e4m3x2", satfinite=True)
    assert pair.tolist() == [0x3840]
    assert convert_packed(pair, "e4m3x2", "f16x2").tolist() == [0x3C004000]


@pytest.mark.parametrize(
    ("source", "target", "mode", "options", "given", "want"),
    [
        ("f64", "f32", "rn", {}, 0xFFFABCDE12345678, 0xFFD5E6F0),
        ("f64", "f32", "rz", {}, 0x7FF0000000000001, 0x7FC00000),
        ("f64", "f16", "rm", {}, 0xFFFABCDE12345678, 0xFEAF),
        ("f32", "f64", "", {}, 0xFFC12345, 0xFFF82468A0000000),
        ("f32", "f64", "", {"ftz": True}, 0xFFC12345, 0x7FFFFFFFE0000000),
        ("f32", "f16", "rp", {"ftz": True}, 0x00300000, 0x0001),
        ("f16", "f16", "rni", {}, 0x7C01, 0x7FFF),
        ("bf16", "f32", "", {}, 0xFFD5, 0xFFD50000),
        ("f32", "tf32", "rn", {}, 0xFFC12345, 0x7FFFE000),
        ("f32", "tf32", "rna", {}, 0xFFC12345, 0xFFC12000),
    ],
)
def test_nan_and_subnormal_numbers_as_an_h100_has_them(source, target, mode, options, given, want):
    size = {"f64": 8, "f32": 4}.get(source, 2)
    a = np.array([given], f"u{size}")
    got = convert(a if source == "bf16" else a.view(f"f{size}"), source, target, mode, **options)
    assert hex(got.view(f"u{got.itemsize}")[0]) == hex(want)
