"""The approximate functions of PTX on f32, f64, f16 and bf16.

The multifunction unit of the hardware (MUFU) reads a function off a table of segments, each with a
polynomial of the second degree in fixed point, whose square is truncated. The instructions of PTX
scale subnormal or large operands first, as the code does that ptxas generates for sm_90.

All forms but `tanh.approx.f32` give the bits of an H100; `APPROXIMATE` says how they were compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from jitstudio.simulator.arithmetic import floating
from jitstudio.simulator.arithmetic.mufu_tables import TABLES
from jitstudio.simulator.arithmetic.rounding import (
    Array,
    canonical32,
    in_pieces,
    round_to,
    to_doubles,
    to_elements,
)

_NAN = np.uint32(0x7FFFFFFF)
_INFINITY = np.uint32(0x7F800000)
_SIGN = np.uint32(0x80000000)
_FRACTION = np.uint32(0x7FFFFF)
_TINY = np.float32(2.0**-126)
_HUGE = np.float32(2.0**126)
# 1 / (2 pi): the unit takes angles in turns.
_TURN = np.array([0x3E22F983], np.uint32).view(np.float32)
_quiet = np.errstate(all="ignore")


@dataclass(frozen=True)
class Approximation:
    """The distance of the simulator from the hardware, and of the hardware from exact values.

    Attributes:
        exact: Whether simulator and hardware are equal for every operand.
        ulp: The largest difference in units of the last place, where they are not equal.
        source: The comparison that shows it.
        error: The largest error of the hardware.
    """

    exact: bool
    ulp: float
    source: str
    error: str


_ALL = "equal to an H100 for all operands (model: the repository ptx-math)"
_SOME = "equal to an H100 for 65,536 operands; it reads the table of an exact one"
_ISA = "(PTX ISA)"
_TANH = "rounded correctly; an H100 is at most 134 ulp off"
APPROXIMATE: dict[str, Approximation] = {
    "rcp.approx.f32": Approximation(True, 0, _ALL, "0.985 ulp"),
    "rsqrt.approx.f32": Approximation(True, 0, _ALL, "1.515 ulp"),
    "sqrt.approx.f32": Approximation(True, 0, _ALL, "0.944 ulp"),
    "ex2.approx.f32": Approximation(True, 0, _ALL, "2.384 ulp; with .ftz 2.055 ulp"),
    "lg2.approx.f32": Approximation(
        True, 0, _ALL, "2.2e-7 between 0.5 and 2, elsewhere 2.3e-7 of the value"
    ),
    "sin.approx.f32": Approximation(True, 0, _ALL, "6.6e-7 between -2 pi and 2 pi"),
    "cos.approx.f32": Approximation(True, 0, _ALL, "7.1e-7 between -2 pi and 2 pi"),
    "tanh.approx.f32": Approximation(False, 135, _TANH, "134 ulp; 1.2e-5 of the value"),
    "ex2.approx.f16": Approximation(True, 0, _ALL, "1 ulp"),
    "ex2.approx.bf16": Approximation(True, 0, _ALL, "1 ulp"),
    "tanh.approx.f16": Approximation(True, 0, _ALL, "1.009 ulp"),
    "tanh.approx.bf16": Approximation(True, 0, _ALL, "1.001 ulp"),
    "div.approx.f32": Approximation(True, 0, _SOME, f"2 ulp {_ISA}"),
    "div.full.f32": Approximation(True, 0, _SOME, f"2 ulp {_ISA}"),
    "rcp.approx.f64": Approximation(True, 0, _SOME, "1e-6 of the value"),
    "rsqrt.approx.f64": Approximation(True, 0, _SOME, "0.501 ulp; with .ftz 1e-6 of the value"),
}
"""By instruction and type; forms with `.ftz` are as exact as those without."""


@in_pieces
@_quiet
def rcp(name: str, a: Array, *, ftz: bool = False) -> Array:
    """Returns ``1 / a`` (`rcp.approx`, f32 and f64)."""
    if name == "f64":
        return _rcp64(a)
    if ftz:
        return _mufu_rcp(a)
    scale = _scale(a, large=True)
    return floating.mul("f32", _mufu_rcp(a * scale), scale)


@in_pieces
@_quiet
def rsqrt(name: str, a: Array, *, ftz: bool = False) -> Array:
    """Returns ``1 / sqrt(a)`` (`rsqrt.approx`, f32 and f64).

    For f64 without `.ftz` the result is refined by one step of the third order.
    """
    if name == "f64":
        return _rsqrt64(a) if ftz else _refined_rsqrt64(a)
    if ftz:
        return _mufu_rsqrt(a)
    scale = _scale(a)
    return canonical32(_mufu_rsqrt(a * scale) * np.sqrt(scale))


@in_pieces
@_quiet
def sqrt(a: Array, *, ftz: bool = False) -> Array:
    """Returns the square root (`sqrt.approx.f32`)."""
    if ftz:
        return _mufu_sqrt(a)
    scale = _scale(a)
    return canonical32(_mufu_sqrt(a * scale) / np.sqrt(scale))


@in_pieces
@_quiet
def ex2(name: str, a: Array, *, ftz: bool = False) -> Array:
    """Returns ``2 ** a`` (`ex2.approx`, f32, f16, bf16)."""
    if name != "f32":
        # The f32 result, cut off to 16 bits; beyond the range it is infinite.
        full = _mufu_ex2(to_doubles(a, name).astype(np.float32)).astype(np.float64)
        cut = round_to(full, name, "rz")
        return to_elements(np.where(full >= 65536, full, cut) if name == "f16" else cut, name)
    if ftz:
        return _mufu_ex2(a)
    # The unit gives no subnormal results: 2^a is (2^(a/2))^2.
    low = a < np.float32(-126)
    result = _mufu_ex2(np.where(low, a * np.float32(0.5), a))
    return canonical32(np.where(low, result * result, result))


@in_pieces
@_quiet
def lg2(a: Array, *, ftz: bool = False) -> Array:
    """Returns the binary logarithm (`lg2.approx.f32`)."""
    if ftz:
        return _mufu_lg2(a)
    scale = _scale(a)
    # log2(a * 2^24) is log2(a) + 24.
    result = _mufu_lg2(a * scale)
    return np.where(scale > 1, floating.add("f32", result, np.full(1, -24, np.float32)), result)


@in_pieces
def sin(a: Array, *, ftz: bool = False) -> Array:
    """Returns the sine (`sin.approx.f32`)."""
    return _mufu_sincos(floating.mul("f32", a, _TURN, "rz"), cosine=False)


@in_pieces
def cos(a: Array, *, ftz: bool = False) -> Array:
    """Returns the cosine (`cos.approx.f32`)."""
    return _mufu_sincos(floating.mul("f32", a, _TURN, "rz"), cosine=True)


_TANH_IS_OPERAND = 2.0**-8 * (1 + 2.0**-7)
"""Smaller operands are their own result; from 8 on the result is 1."""
# The unit's error shows in 16 bits for these operands, whose results are one digit up or down.
_TANH_UP = {
    "f16": (0x29C6, 0x2C95, 0x2C96, 0x2E39, 0x2E9D, 0x3064, 0x323F, 0x32FF, 0x355B, 0x372D, 0x3824,
            0x399A, 0x3CC9, 0x3DE3, 0x3ED6, 0x4080),
    "bf16": (),
}  # fmt: skip
_TANH_DOWN = {
    "f16": (0x2D3F, 0x39F8, 0x3C8E, 0x3C9D, 0x3DB8, 0x3E23, 0x3EAB, 0x4429),
    "bf16": (0x3F3F,),
}


@in_pieces
@_quiet
def tanh(name: str, a: Array) -> Array:
    """Returns the hyperbolic tangent (`tanh.approx`, f32, f16, bf16)."""
    values = to_doubles(a, name)
    size = np.abs(values)
    exact = np.where(size < _TANH_IS_OPERAND, values, np.tanh(values))
    exact = np.where(size >= 8, np.copysign(1.0, values), exact)
    if name == "f32":
        return to_elements(exact, name)
    result = to_elements(round_to(exact, name, "rz"), name)
    bits, positive = result.view(np.uint16), a.view(np.uint16) & 0x7FFF
    bits += np.isin(positive, _TANH_UP[name])
    bits -= np.isin(positive, _TANH_DOWN[name])
    return result


@in_pieces
@_quiet
def div(a: Array, b: Array, *, ftz: bool = False, full: bool = False) -> Array:
    """Returns ``a / b`` by the reciprocal (`div.approx.f32`, `div.full.f32`).

    Args:
        a: The dividends.
        b: The divisors.
        ftz: Whether subnormal operands and results are zeros.
        full: `.full`: for divisors above 2**126, too.
    """
    if ftz:
        scale = np.where(full & (np.abs(b) > _HUGE), np.float32(0.25), np.float32(1))
    else:
        scale = _scale(b, large=full)
    divisor, dividend = (floating.mul("f32", x, scale, ftz=ftz) for x in (b, a))
    # The unit itself takes and gives no subnormal number.
    return floating.mul("f32", dividend, _mufu_rcp(divisor), ftz=ftz)


def _scale(a: Array, *, large: bool = False) -> Array:
    """Returns factors that make subnormal values normal, and divide large ones by 4."""
    size = np.abs(a)
    scale = np.where(size < _TINY, np.float32(2.0**24), np.float32(1))
    return np.where(size > _HUGE, np.float32(0.25), scale) if large else scale


def _parts(a: Array) -> tuple[Array, Array, Array]:
    """Returns sign bits, exponents as stored, and fractions."""
    bits = np.ascontiguousarray(a).view(np.uint32)
    return bits & _SIGN, (bits >> 23 & 0xFF).astype(np.int64), bits & _FRACTION


def _packed(sign: Any, exponent: Array, fraction: Array) -> Array:
    """Returns the bits of floats; exponents out of range give zeros and infinities."""
    inside = (exponent > 0) & (exponent < 255)
    bits = np.where(inside, exponent << 23 | fraction.astype(np.int64), 0)
    bits = np.where(exponent >= 255, np.int64(_INFINITY), bits)
    return sign | bits.astype(np.uint32)


@cache
def _squares() -> Array:
    """Returns the squares of 17 bits, from partial products without the bits below bit 19."""
    # The multiplier array of the hardware leaves out the columns of the lowest bits.
    x = np.arange(1 << 17, dtype=np.int64)
    keep = ~np.int64((1 << 19) - 1)
    total = np.zeros_like(x)
    for i in range(17):
        row = (x >> i & 1) * ((x >> i + 1 << 2 * i + 2) | 1 << 2 * i)
        total += row & keep
    return total


@cache
def _table(function: str) -> tuple[Array, ...]:
    return tuple(np.array(TABLES[function].rows, np.int64).T)


def _interpolated(function: str, segment: Array | int, fraction: Array) -> Array:
    """Returns the polynomial for a fraction, by its segment, in fixed point.

    Args:
        function: A name of the tables.
        segment: Added to the number of the segment.
        fraction: 23 bits.
    """
    table = TABLES[function]
    low_bits = 23 - table.segment_bits
    c0, c1, c2 = _table(function)
    low = (fraction & np.uint32((1 << low_bits) - 1)).astype(np.int64)
    place = (fraction >> np.uint32(low_bits)).astype(np.int64) + segment
    # The table is of 17 bits: a number of 16 bits is squared with a 0 below, and shifted by two.
    square = _squares()[low << (17 - low_bits)] >> 2 * (17 - low_bits)
    total = (c0[place] << table.c0_shift) + (c1[place] * low << table.c1_shift) * table.c1_sign
    return total + c2[place] * square * table.c2_sign + table.bias


def _leading(x: Array) -> Array:
    """Returns the place of the highest bit of numbers from 2**10 on; a negative one for 0."""
    # The exponent field of a float64 has the bias 1023, of which the shift takes 10.
    return ((x >> 10).astype(np.float64).view(np.int64) >> 52) - 1013


def _fraction(total: Array, weight: int) -> Array:
    """Returns the 23 bits below a weight."""
    return total >> weight - 23 & 0x7FFFFF


def _mufu_rcp(a: Array) -> Array:
    sign, exponent, fraction = _parts(a)
    total = _interpolated("rcp", 0, fraction)
    # The reciprocal of a significand is in (0.5, 1]: below 1 the exponent is one less.
    below = (total >> 56 == 0).astype(np.int64)
    bits = _packed(sign, 254 - exponent - below, _fraction(total << below, 56))
    bits = np.where(exponent == 0, sign | _INFINITY, bits)
    return _special(bits, exponent, fraction, sign)


def _special(bits: Array, exponent: Array, fraction: Array, infinite: Any) -> Array:
    """Returns floats with the results for NaN and for infinite operands put in."""
    end = exponent == 255
    if end.any():
        bits = np.where(end, np.where(fraction != 0, _NAN, infinite), bits)
    return bits.view(np.float32)


def _mufu_rsqrt(a: Array) -> Array:
    sign, exponent, fraction = _parts(a)
    power = exponent - 127
    odd = power & 1
    # The table has 64 segments for even exponents, and 64 for odd ones.
    total = _interpolated("rsqrt", odd << 6, fraction) << 1
    is_power_of_4 = (odd == 0) & (fraction == 0)
    half = power - odd >> 1
    bits = _packed(
        np.uint32(0), 126 - half + is_power_of_4, np.where(is_power_of_4, 0, _fraction(total, 57))
    )
    bits = np.where(sign != 0, _NAN, bits)
    bits = np.where(exponent == 0, sign | _INFINITY, bits)
    return _special(bits, exponent, fraction, np.where(sign != 0, _NAN, np.uint32(0)))


def _mufu_sqrt(a: Array) -> Array:
    sign, exponent, fraction = _parts(a)
    power = exponent - 127
    odd = power & 1
    total = _interpolated("sqrt", odd << 6, fraction)
    bits = _packed(np.uint32(0), 127 + (power - odd >> 1), _fraction(total, 58))
    bits = np.where(sign != 0, _NAN, bits)
    bits = np.where(exponent == 0, sign, bits)
    return _special(bits, exponent, fraction, np.where(sign != 0, _NAN, _INFINITY))


def _mufu_lg2(a: Array) -> Array:
    sign, exponent, fraction = _parts(a)
    total = _interpolated("lg2", 0, fraction) + (exponent - 127 << 56)
    # The exponent is added in fixed point, and the sum normalized: near 1 it has few digits.
    total = np.abs(total) >> 20 << 20
    top = _leading(total)
    total = np.where(top > 56, total >> np.clip(top - 56, 0, 63), total << np.clip(56 - top, 0, 63))
    below_one = np.where(exponent < 127, _SIGN, np.uint32(0))
    bits = _packed(below_one, 71 + top, _fraction(total, 56))
    bits = np.where((exponent == 127) & (fraction == 0), np.uint32(0), bits)
    bits = np.where(sign != 0, _NAN, bits)
    bits = np.where(exponent == 0, _SIGN | _INFINITY, bits)
    return _special(bits, exponent, fraction, np.where(sign != 0, _NAN, _INFINITY))


def _mufu_ex2(a: Array) -> Array:
    sign, exponent, fraction = _parts(a)
    negative = sign != 0
    # The operand in fixed point with 23 binary digits, cut off.
    shift = exponent - 127
    digits = (fraction | np.uint32(1 << 23)).astype(np.int64)
    fixed = np.where(shift >= 0, digits << np.clip(shift, 0, 8), digits >> np.clip(-shift, 0, 24))
    fixed = np.where(exponent == 0, 0, fixed)
    whole, rest = fixed >> 23, fixed & 0x7FFFFF
    # -1.25 is -2 + 0.75: the table is of fractions from 0 on.
    borrow = negative & (rest != 0)
    whole = np.where(negative, -whole, whole) - borrow
    rest = np.where(borrow, 0x7FFFFF - rest, rest)
    total = _interpolated("ex2", 0, rest.astype(np.uint32))
    bits = _packed(np.uint32(0), np.clip(whole + 127, 0, 255), _fraction(total, 57))
    far = shift >= 7
    bits = np.where(far, np.where(negative, np.uint32(0), _INFINITY), bits)
    return _special(bits, exponent, fraction, np.where(negative, np.uint32(0), _INFINITY))


def _mufu_sincos(turns: Array, *, cosine: bool) -> Array:
    """Returns the sine or cosine of angles in turns."""
    sign, exponent, fraction = _parts(turns)
    # Turns with 25 binary digits, cut off: two for the quadrant, 23 for the place in it.
    shift = exponent - 127 + 2
    digits = (fraction | np.uint32(1 << 23)).astype(np.int64)
    fixed = np.where(shift >= 0, digits << np.clip(shift, 0, 30), digits >> np.clip(-shift, 0, 24))
    fixed = np.where(exponent == 0, 0, fixed)
    quadrant, rest = fixed >> 23 & 3, fixed & 0x7FFFFF
    # cos(x) = sin(x + 1/4 turn): the other quadrants are mirrored, with the sign of the next one.
    if cosine:
        mirrored, minus = quadrant & 1 == 0, (quadrant + 1) & 2 != 0
        sign = np.where(minus, _SIGN, np.uint32(0))
    else:
        mirrored, minus = quadrant & 1 != 0, quadrant & 2 != 0
        sign = np.where(minus, sign ^ _SIGN, sign)
    rest = np.where(mirrored, 0x7FFFFF - rest, rest)
    total = _interpolated("sin", 0, rest.astype(np.uint32))
    top = _leading(total)
    bits = _packed(sign, 71 + top, _fraction(total << np.clip(56 - top, 0, 63), 56))
    bits = np.where(total == 0, sign, bits)
    return _special(bits, exponent, fraction, _NAN)


def _high_word(a: Array) -> tuple[Array, Array, Array]:
    """Returns sign, exponent, and the upper 20 bits of the fraction of float64 as 23 bits."""
    high = (np.ascontiguousarray(a).view(np.uint64) >> np.uint64(32)).astype(np.uint32)
    return high & _SIGN, (high >> 20 & 0x7FF).astype(np.int64), (high & 0xFFFFF) << 3


def _from_high_word(x: Array) -> Array:
    return (x.astype(np.uint64) << np.uint64(32)).view(np.float64)


def _rcp64(a: Array) -> Array:
    """Returns results of `rcp.approx.ftz.f64`, whose lower 32 bits are 0 and do not count."""
    sign, exponent, fraction = _high_word(a)
    # PTX ISA, `rcp.approx.ftz.f64`: only the upper 32 bits of the operand are used.
    reciprocal = _mufu_rcp((np.uint32(127 << 23) | fraction).view(np.float32))
    _, part_exponent, part = _parts(reciprocal)
    power = part_exponent - 127 - (exponent - 1023) + 1023
    bits: Array = np.where(power > 0, power << 20 | (part >> 3).astype(np.int64), 0).astype(
        np.uint32
    )
    bits = sign | np.where(exponent == 0, np.uint32(0x7FF00000), bits)
    nan = (exponent == 2047) & (fraction != 0)
    bits = np.where(exponent == 2047, np.where(nan, _NAN, sign), bits)
    return _from_high_word(bits)


def _refined_rsqrt64(a: Array) -> Array:
    """Returns results of `rsqrt.approx.f64`, by the instructions that ptxas generates."""
    high = (a.view(np.uint64) >> np.uint64(32)).astype(np.uint32)
    usual = high - np.uint32(0x00100000) < np.uint32(0x7FE00000)
    x = np.where(usual, a, a * 2.0**54)
    y = _rsqrt64(x)
    rest = floating.fma("f64", x, -(y * y), np.ones(1))
    part = floating.fma("f64", rest, np.full(1, 0.375), np.full(1, 0.5))
    y = floating.fma("f64", part, y * rest, y)
    y = np.where(usual, y, y * 2.0**27)
    y = np.where(a < 0, np.array([0xFFF8 << 48], np.uint64).view(np.float64), y)
    y = np.where(np.isinf(a) & (a > 0), 0.0, np.where(a == 0, np.copysign(np.inf, a), y))
    return np.where(np.isnan(a), floating.add("f64", a, a), y)


def _rsqrt64(a: Array) -> Array:
    """Returns results of `rsqrt.approx.ftz.f64`; see `_rcp64`."""
    sign, exponent, fraction = _high_word(a)
    power = exponent - 1023
    odd = power & 1
    root = _mufu_rsqrt(((127 + odd).astype(np.uint32) << 23 | fraction).view(np.float32))
    _, part_exponent, part = _parts(root)
    result = part_exponent - 127 - (power - odd >> 1) + 1023
    bits = (result << 20 | (part >> 3).astype(np.int64)).astype(np.uint32)
    bits = np.where(sign != 0, _NAN, bits)
    bits = np.where(exponent == 0, sign | np.uint32(0x7FF00000), bits)
    nan = (exponent == 2047) & ((fraction != 0) | (sign != 0))
    bits = np.where(exponent == 2047, np.where(nan, _NAN, np.uint32(0)), bits)
    return _from_high_word(bits)
