"""Conversions between the types of PTX (`cvt`), bit for bit.

Types go by their names in PTX; arrays have one dimension and the dtypes that
`jitstudio.simulator.arithmetic.rounding` names (bf16, tf32, e4m3 and e5m2 are their bits).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jitstudio.simulator.arithmetic.floating import QUIET64
from jitstudio.simulator.arithmetic.rounding import (
    Array,
    Doubles,
    Rounding,
    canonical32,
    directed,
    flush32,
    in_pieces,
    round_to,
    rounded,
    saturate,
    sum32,
    to_doubles,
    to_elements,
    to_odd,
)

# Rounding to an integer: to nearest even, towards zero, down, up.
_TO_INTEGER = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
_INTEGERS = {f"{k}{w}": np.dtype(f"{c}{w // 8}") for k, c in (("u", "u"), ("s", "i"), ("b", "u"))
             for w in (8, 16, 32, 64)}  # fmt: skip
_quiet = np.errstate(all="ignore")


@in_pieces
@_quiet
def convert(
    a: Array, source: str, target: str, rounding: str = "", *,
    ftz: bool = False, sat: bool = False, relu: bool = False, satfinite: bool = False,
) -> Array:  # fmt: skip
    """Returns values of a scalar type converted to another type.

    Args:
        a: The values.
        source: Their type: an integer, ``f16 bf16 f32 f64 e4m3 e5m2 tf32``.
        target: The type of the result.
        rounding: ``rn rz rm rp rna`` to floats, ``rni rzi rmi rpi`` to integers or to floats that
            are integers; "" where the instruction has none.
        ftz: Whether subnormal f32 operands and results are zeros.
        sat: Whether floats are limited to 0 to 1, and integers to the range of the target.
        relu: Whether negative results are 0; NaN is the NaN of the target.
        satfinite: Whether too large values become the largest finite one.
    """
    if source in _INTEGERS and target in _INTEGERS:
        return _between_integers(a, _INTEGERS[target], sat)
    if source in _INTEGERS:
        result = from_integers(a, target, _mode(rounding))
        return saturate(result) if sat else result
    if ftz and source == "f32" and target != "f16":
        # The hardware has no flushing conversion to f16.
        a = canonical32(np.array(flush32(a)))
    if target in _INTEGERS:
        return to_integers(a, source, target, rounding or "rzi")
    return _between_floats(a, source, target, rounding, ftz, sat, relu, satfinite)


def to_integers(a: Array, source: str, target: str, rounding: str) -> Array:
    """Returns floats as integers, within the range of the target.

    NaN gives 0 where the source is not f64 and the target has not 64 bits, and the highest bit
    alone elsewhere (PTX ISA 9.0, `cvt`).
    """
    dtype = _INTEGERS[target]
    values: Doubles = _TO_INTEGER[rounding](to_doubles(a, source))
    limits = np.iinfo(dtype)
    nan = values != values
    # 2^63 - 1 is no float64, and 2^63 is: so 64 bits need no addition of 1.
    above = values >= float(limits.max) + (dtype.itemsize < 8)
    below = values <= float(limits.min)
    result = np.where(nan | above | below, 0, values).astype(dtype)
    result = np.where(above, dtype.type(limits.max), result)
    result = np.where(below, dtype.type(limits.min), result)
    if nan.any():
        top = 1 << (8 * dtype.itemsize - 1) if source == "f64" or dtype.itemsize == 8 else 0
        result[nan] = np.array([top], f"u{dtype.itemsize}").view(dtype)[0]
    return result


def from_integers(a: Array, target: str, rounding: Rounding) -> Array:
    """Returns integers as floats, rounded once."""
    if target in ("f32", "f64"):
        result: Array = a.astype(np.float32 if target == "f32" else np.float64)
        if rounding in ("rn", "rna"):
            return result
        # 64 bits in two parts that are exact in float64.
        low = (a & a.dtype.type(0xFFFFFFFF if a.itemsize == 8 else 0)).astype(np.float64)
        high = (a - (a & a.dtype.type(0xFFFFFFFF)) if a.itemsize == 8 else a).astype(np.float64)
        return directed(result, (high - result) + low, rounding)
    high = a.astype(np.float64)
    if a.itemsize == 8:
        back = (a >> 11 << 11).astype(np.float64)
        lost = (a & 0x7FF) != 0
        # Rounded to odd where lower digits are lost: see `rounding`.
        high = np.where(np.abs(high) >= 2.0**53, to_odd(back, lost.astype(np.float64)), high)
    return rounded(high, target, rounding)


@in_pieces
@_quiet
def convert_pair(
    a: Array, b: Array, target: str, rounding: str = "rn", *,
    relu: bool = False, satfinite: bool = False,
) -> Array:  # fmt: skip
    """Returns two f32 values in a register, `a` in the upper half (`cvt.f16x2.f32` and others).

    Args:
        a: float32.
        b: float32.
        target: ``f16x2 bf16x2`` (uint32) or ``e4m3x2 e5m2x2`` (uint16).
        rounding: As `convert`.
        relu: As `convert`.
        satfinite: As `convert`.
    """
    element = target.removesuffix("x2")
    high, low = (
        _bits(convert(x, "f32", element, rounding, relu=relu, satfinite=satfinite)) for x in (a, b)
    )
    return _joined(high, low)


@in_pieces
@_quiet
def convert_packed(
    a: Array, source: str, target: str, rounding: str = "rn", *,
    relu: bool = False, satfinite: bool = False,
) -> Array:  # fmt: skip
    """Returns packed values in another type, as e4m3x2 to f16x2 and back; see `convert_pair`."""
    from_, to = source.removesuffix("x2"), target.removesuffix("x2")
    half = 4 * a.itemsize
    # Upper and lower half of each register.
    parts = (a >> a.dtype.type(half), a & a.dtype.type((1 << half) - 1))
    dtype = np.dtype(f"u{half // 8}")
    high, low = (
        _bits(convert(x.astype(dtype).view(np.float16 if from_ == "f16" else dtype), from_, to,
                      rounding, relu=relu, satfinite=satfinite))
        for x in parts
    )  # fmt: skip
    return _joined(high, low)


def _between_integers(a: Array, dtype: np.dtype[Any], sat: bool) -> Array:
    if not sat:
        return a.astype(dtype)
    limits, source_limits = np.iinfo(dtype), np.iinfo(a.dtype)
    # The range of the target, as far as the source has it.
    low, high = max(limits.min, source_limits.min), min(limits.max, source_limits.max)
    return np.clip(a, a.dtype.type(low), a.dtype.type(high)).astype(dtype)


def _between_floats(
    a: Array, source: str, target: str, rounding: str,
    ftz: bool, sat: bool, relu: bool, satfinite: bool,
) -> Array:  # fmt: skip
    if rounding in _TO_INTEGER:
        a = _TO_INTEGER[rounding](a)
    mode = _mode(rounding)
    if source == target and not relu:
        if sat:
            return saturate(a)
        if target == "f64":
            return a
        return (
            canonical32(np.array(a))
            if target == "f32"
            else to_elements(a.astype(np.float64), target)
        )
    if target == "tf32" and rounding == "rna":
        # The code of ptxas for sm_90: half a digit is added to the bits, and the rest cut off. A
        # NaN with low digits only becomes infinite.
        bits = a.view(np.uint32)
        bits = np.where(np.isfinite(a), bits + np.uint32(0x1000), bits)
        return bits & np.uint32(0xFFFFE000)
    if (source, target) == ("bf16", "f32") and not (sat or ftz):
        # The hardware shifts the bits, so NaNs keep theirs.
        return (a.astype(np.uint32) << np.uint32(16)).view(np.float32)
    values = to_doubles(a, source)
    result: Array
    if target == "f64":
        result = saturate(values) if sat else values
        nan = result != result
        return np.where(nan, (result.view(np.uint64) | np.uint64(QUIET64)).view(np.float64), result)
    if target == "f32":
        if source == "f64":
            result = sum32(values, np.copysign(0.0, values), mode)
        else:
            result = values.astype(np.float32)
        result = flush32(result) if ftz else result
        if sat:
            return saturate(result)
        return _with_payload(result, a, target) if source == "f64" else canonical32(result)
    if source == "f64" and target in ("f16", "bf16") and not sat:
        return _with_payload(rounded(values, target, mode), a, target)
    if not (relu or sat or satfinite):
        return _truncated_nan(rounded(values, target, mode), target)
    values = round_to(values, target, mode, finite=satfinite)
    if relu:
        values = np.where(values <= 0, 0.0, values)
    if sat:
        values = saturate(values)
    return _truncated_nan(to_elements(values, target), target)


def _truncated_nan(result: Array, target: str) -> Array:
    """Returns results in which NaNs of tf32 have zeros below their digits."""
    return result & np.uint32(0xFFFFE000) if target == "tf32" else result


def _with_payload(result: Array, a: Doubles, target: str) -> Array:
    """Returns results with the payload of f64 NaNs, cut off and made quiet."""
    nan = a != a
    if nan.any():
        bits = a[nan].view(np.uint64) | np.uint64(QUIET64)
        width, digits = {"f32": (32, 23), "f16": (16, 10), "bf16": (16, 7)}[target]
        # Sign, all ones in the exponent, and the upper bits of the payload.
        sign = bits >> np.uint64(63) << np.uint64(width - 1)
        ones = np.uint64((1 << width - 1) - (1 << digits))
        payload = bits << np.uint64(12) >> np.uint64(64 - digits)
        unsigned = result.view(f"u{result.itemsize}")
        unsigned[nan] = (sign | ones | payload).astype(unsigned.dtype)
    return result


def _mode(rounding: str) -> Rounding:
    return rounding if rounding in ("rn", "rz", "rm", "rp", "rna") else "rn"  # type: ignore[return-value]


def _bits(x: Array) -> Array:
    return x.view(f"u{x.itemsize}")


def _joined(high: Array, low: Array) -> Array:
    width = 8 * high.itemsize
    wide = np.dtype(f"u{2 * high.itemsize}")
    joined: Array = high.astype(wide) << wide.type(width) | low
    return joined
