"""The approximate functions against float64: errors that the PTX ISA allows, and special values."""

import zlib

import numpy as np
import pytest

from jitstudio.simulator.arithmetic import approximate
from jitstudio.simulator.arithmetic.approximate import APPROXIMATE

F32 = np.float32
INF, NAN = np.inf, np.nan


def some_floats(count=20_000):
    """Returns floats of all exponents, and of the usual ones."""
    rng = np.random.default_rng(7)
    bits = rng.integers(0, 1 << 32, count, np.uint64).astype(np.uint32).view(F32)
    return np.concatenate([bits, rng.uniform(-20, 20, count).astype(F32)])


def ulps(got, exact):
    """Returns how many units of the last place results are from exact values."""
    finite = np.isfinite(exact) & (np.abs(exact) < 2.0**128) & np.isfinite(got)
    assert np.array_equal(np.isnan(got), np.isnan(exact))
    got, exact = got[finite].astype(float), exact[finite]
    return np.abs(got - exact) / np.spacing(np.abs(exact).astype(F32))


@pytest.mark.parametrize(
    ("name", "function", "exact", "limit"),
    [
        ("rcp", approximate.rcp, lambda x: 1 / x, 1),
        ("rsqrt", approximate.rsqrt, lambda x: 1 / np.sqrt(x), 2**0.1 + 1),
        ("ex2", approximate.ex2, np.exp2, 2.5),
    ],
)
@np.errstate(all="ignore")
def test_errors_are_within_those_of_the_isa(name, function, exact, limit):
    x = some_floats()
    assert ulps(function("f32", x), exact(x.astype(float))).max() < limit
    assert f"{name}.approx.f32" in APPROXIMATE


@np.errstate(all="ignore")
def test_roots_logarithms_and_quotients():
    x = some_floats()
    wide = x.astype(float)
    assert ulps(approximate.sqrt(x), np.sqrt(wide)).max() < 1
    near_one = (x > 0.5) & (x < 2)
    logarithms = approximate.lg2(x).astype(float)
    assert np.abs(logarithms - np.log2(wide))[near_one].max() < 2.0**-22
    rest = np.isfinite(logarithms) & ~near_one & (x > 0)
    assert np.abs(logarithms / np.log2(wide) - 1)[rest].max() < 2.0**-22
    y = x[::-1].copy()
    assert ulps(approximate.div(x, y, full=True), wide / y).max() <= 2.5


def test_sine_and_cosine():
    x = np.random.default_rng(3).uniform(-np.pi, np.pi, 20_000).astype(F32)
    assert np.abs(approximate.sin(x) - np.sin(x.astype(float))).max() < 2.0**-20.4
    assert np.abs(approximate.cos(x) - np.cos(x.astype(float))).max() < 2.0**-20.4


def test_double_reciprocals_are_good_to_20_bits():
    x = np.random.default_rng(3).uniform(0.1, 1e300, 5_000)
    assert np.abs(approximate.rcp("f64", x) * x - 1).max() < 2.0**-19.5
    assert np.abs(approximate.rsqrt("f64", x, ftz=True) * np.sqrt(x) - 1).max() < 2.0**-19.5
    assert not (approximate.rcp("f64", x).view(np.uint64) & 0xFFFFFFFF).any()


def test_the_reciprocal_root_of_a_double_is_refined_without_ftz():
    """As an H100 gives it, and of the smallest and largest numbers likewise."""
    answers = {
        "0x1.3e87b144276c1p+1": "0x1.449044a978599p-1",
        "0x1.1b1ce278a4947p+3": "0x1.58444e68d441bp-2",
        "0x1.d0a1b4f328edep+2": "0x1.7c0ba2ca9cb3cp-2",
        "0x1.f264ca2db8128p-4": "0x1.6ef280a2c58c0p+1",
    }
    x = np.array([float.fromhex(word) for word in answers])
    assert [value.hex() for value in approximate.rsqrt("f64", x)] == list(answers.values())
    edges = np.array([5e-324, 2.0**-1022, 2.0**1023, 0, INF, 4])
    assert approximate.rsqrt("f64", edges).tolist() == [
        2.0**537,
        2.0**511,
        2.0**-511.5,
        INF,
        0,
        0.5,
    ]
    # By the machine code: a NaN is kept, that of a negative number is ptxas' own.
    given = np.array([0x7FF8000000000123, 0xBFF0000000000000], np.uint64).view(np.float64)
    got = approximate.rsqrt("f64", given).view(np.uint64).tolist()
    assert got == [0x7FF8000000000123, 0xFFF8000000000000]


@pytest.mark.parametrize(
    ("function", "want"),
    [
        (lambda x: approximate.rcp("f32", x), [INF, -INF, 0, -0.0, NAN, 1, 0.25]),
        (lambda x: approximate.rsqrt("f32", x), [INF, -INF, 0, NAN, NAN, 1, 0.5]),
        (approximate.sqrt, [0, -0.0, INF, NAN, NAN, 1, 2]),
        (lambda x: approximate.ex2("f32", x), [1, 1, INF, 0, NAN, 2, 16]),
        (approximate.lg2, [-INF, -INF, INF, NAN, NAN, 0, 2]),
        (approximate.sin, [0, -0.0, NAN, NAN, NAN, F32(0.8414709), F32(-0.7568024)]),
        (lambda x: approximate.tanh("f32", x), [0, -0.0, 1, -1, NAN, F32(np.tanh(1)), None]),
    ],
)
def test_special_values(function, want):
    x = np.array([0, -0.0, INF, -INF, NAN, 1, 4], F32)
    got = function(x)
    wanted = np.array([g if w is None else w for g, w in zip(got, want, strict=True)], F32)
    wanted.view(np.uint32)[np.isnan(wanted)] = 0x7FFFFFFF
    assert got.view(np.uint32).tolist() == wanted.view(np.uint32).tolist()


@pytest.mark.parametrize(
    ("name", "function", "answers"),
    [
        ("f16", approximate.ex2, 0xD5350E3B),
        ("f16", approximate.tanh, 0x4FDBEBF7),
        ("bf16", approximate.ex2, 0xEAB02565),
        ("bf16", approximate.tanh, 0xA1373044),
    ],
)
def test_all_operands_of_16_bits_give_what_an_h100_gives(name, function, answers):
    """The answers are the CRC-32 of all 65,536 results of the GPU, by rising operands."""
    every = np.arange(1 << 16, dtype=np.uint16)
    results = function(name, every.view(np.float16) if name == "f16" else every)
    assert zlib.crc32(np.ascontiguousarray(results).tobytes()) == answers


def test_tanh_of_f32_is_within_what_the_table_says():
    # Close to where an H100 is furthest from the exact value.
    worst, answer = np.array([0x3F9BFE00], np.uint32), 0x3F56DAB0
    got = approximate.tanh("f32", worst.view(F32)).view(np.uint32)
    assert abs(int(got[0]) - answer) <= APPROXIMATE["tanh.approx.f32"].ulp
    assert not APPROXIMATE["tanh.approx.f32"].exact
