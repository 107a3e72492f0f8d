"""Correct rounding: sums and products with their errors, and results in every format and mode.

A result is computed in float64 together with its error (an error-free transform), so its exact
value is known. A sum of more bits is rounded to odd, which leaves the final rounding
correct: S. Boldo, G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms
using rounding to odd", IEEE Transactions on Computers 57 (2008).

Arrays have one dimension and broadcast. f16 is `numpy.float16`; bf16, e4m3 and e5m2 are their bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, ParamSpec

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Doubles = NDArray[np.float64]
Rounding = Literal["rn", "rz", "rm", "rp", "rna"]
"""To nearest even, to zero, down, up, and to nearest with ties away from zero."""


@dataclass(frozen=True)
class Format:
    """A binary floating-point format of at most 24 bits of precision.

    Attributes:
        name: As in PTX.
        precision: Bits of the significand with the hidden one.
        emin: Exponent of the least normal number.
        largest: The largest finite value.
        nan: Bits of the NaN that arithmetic gives.
    """

    name: str
    precision: int
    emin: int
    largest: float
    nan: int


FORMATS = {
    row.name: row
    for row in (
        Format("f16", 11, -14, 65504.0, 0x7FFF),
        Format("bf16", 8, -126, float.fromhex("0x1.fep127"), 0x7FFF),
        # PTX ISA, "Alternate Floating-Point Data Formats": e4m3 has no infinity, and NaNs only of
        # all ones, so its largest exponent has numbers up to 448.
        Format("e4m3", 4, -6, 448.0, 0x7F),
        Format("e5m2", 3, -14, 57344.0, 0x7F),
        Format("tf32", 11, -126, float.fromhex("0x1.ffcp127"), 0x7FFFFFFF),
        Format("f32", 24, -126, float.fromhex("0x1.fffffep127"), 0x7FFFFFFF),
    )
}
_TINY32 = np.float32(2.0**-126)
# Veltkamp's constant: splits the 53 bits of a float64 into halves of 26 bits.
_SPLIT = 134217729.0  # 2**27 + 1


# 64 KiB of float64: a few arrays of that size fit the second-level cache of a core.
_PIECE = 8192
_Options = ParamSpec("_Options")


def in_pieces(function: Callable[_Options, Array]) -> Callable[_Options, Array]:
    """Makes a function of long arrays work on pieces that stay in the cache of a core.

    The arrays are positional arguments, of any shapes that broadcast; the function gets pieces of
    one axis, and arrays of one element with every piece. Its results must depend on each element
    alone.
    """

    @wraps(function)
    def piecewise(*args: _Options.args, **options: _Options.kwargs) -> Array:
        arrays = [x for x in args if isinstance(x, np.ndarray) and x.size > 1]
        if max((x.size for x in arrays), default=0) <= _PIECE:
            return function(*args, **options)
        shape = np.broadcast_shapes(*(x.shape for x in arrays))
        flat: list[Any] = list(args)
        if len(shape) > 1:
            for at, x in enumerate(args):
                if isinstance(x, np.ndarray):
                    flat[at] = np.broadcast_to(x, shape if x.size > 1 else 1).reshape(-1)
        size = math.prod(shape)
        result: Array | None = None
        for start in range(0, size, _PIECE):
            end = start + _PIECE
            parts: Any = (
                x[start:end] if isinstance(x, np.ndarray) and x.size > 1 else x for x in flat
            )
            piece = function(*parts, **options)
            if result is None:
                result = np.empty(size, piece.dtype)
            result[start:end] = piece
        assert result is not None
        return result.reshape(shape)

    return piecewise


def two_sum(a: Array, b: Array) -> tuple[Doubles, Doubles]:
    """Returns the rounded sum and its error; the error of an infinite sum is NaN (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a: Array, b: Array) -> tuple[Doubles, Doubles]:
    """Returns the rounded product and its error, where neither over- nor underflows (Dekker)."""
    p = a * b
    t = a * _SPLIT
    a_high = t - (t - a)
    a_low = a - a_high
    t = b * _SPLIT
    b_high = t - (t - b)
    b_low = b - b_high
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def to_odd(value: Doubles, error: Doubles) -> Doubles:
    """Returns the sum of a rounded value and its error, rounded to odd."""
    bits = value.view(np.int64)
    # An odd last bit stands for inexact values on both sides: no later rounding takes them for a
    # tie.
    even = ((bits & 1) == 0) & (np.abs(error) > 0)
    step = np.where((error > 0) == (value > 0), 1, -1)
    return (bits + step * even).view(np.float64)


def directed(result: Array, error: Array, rounding: Rounding) -> Array:
    """Returns results of rounding to nearest after rounding them in another mode instead.

    Args:
        result: float32 or float64; a zero that is not exact has the sign of the exact value.
        error: Values with the sign of the exact value less the result.
        rounding: The mode.
    """
    if rounding in ("rn", "rna"):
        return result
    bits = result.view(f"i{result.itemsize}")
    negative = bits < 0
    up, down = error > 0, error < 0
    if rounding == "rz":
        return (bits - np.where(negative, up, down)).view(result.dtype)
    step = np.where(negative, -1, 1)
    return (
        (bits + (step * up if rounding == "rp" else -step * down))
        .astype(bits.dtype)
        .view(result.dtype)
    )


def sum32(a: Array, b: Array, rounding: Rounding) -> NDArray[np.float32]:
    """Returns the sum of float64 values of at most 48 bits, rounded once to float32."""
    s: Doubles = a + b
    r: NDArray[np.float32] = s.astype(np.float32)
    if rounding == "rn":
        # Rounding twice is wrong only where the first result is halfway between two floats: the
        # lower 29 bits of the float64 are 1 and 28 zeros.
        hard = (s.view(np.int64) & 0x1FFFFFFF) == 0x10000000
        tiny = np.abs(r) <= _TINY32
        if tiny.any():
            hard |= tiny & (s != 0)
        if hard.any():
            a, b = np.broadcast_arrays(a, b)
            r[hard] = to_odd(*two_sum(a[hard], b[hard])).astype(np.float32)
        return r
    s, error = two_sum(a, b)
    first = s - r
    r = directed(r, np.where(first != 0, first, error), rounding)
    return signed_zero(r, s, a, b, rounding)


def signed_zero(result: Array, exact: Array, a: Array, b: Array, rounding: Rounding) -> Array:
    """Returns a sum whose exact zeros are -0 when rounding down (IEEE 754, "The sign bit").

    The result itself is changed.
    """
    if rounding == "rm":
        zero = (exact == 0) & (np.signbit(a) | np.signbit(b))
        result[zero] = -0.0
    return result


def flush32(x: Array) -> NDArray[np.float32]:
    """Returns float32 values with subnormal numbers replaced by zeros of their sign (`.ftz`)."""
    small = np.abs(x) < _TINY32
    if not small.any():
        return x
    return np.where(small, np.copysign(np.float32(0), x), x)


def flush_rounded(result: Array, exact: Array, name: str, rounding: Rounding) -> Array:
    """Returns results with subnormal numbers replaced by zeros of their sign (`.ftz`).

    The hardware decides after rounding without a limit to the exponent: a number that is then less
    than the least normal one becomes 0, even if rounding as a subnormal number would have given the
    least normal number (compared with an H100).

    Args:
        result: Rounded values.
        exact: float64 values that are on the right side of all floats of 26 bits.
        name: The type.
        rounding: As the results were rounded.
    """
    precision = FORMATS[name].precision
    least = 2.0 ** FORMATS[name].emin
    size = np.abs(result)
    small = size < least
    edge = size == least
    if edge.any():
        distance = np.abs(exact[edge])
        if rounding == "rn":
            small[edge] = distance < least * (1 - 2.0 ** -(precision + 1))
        else:
            small[edge] = distance <= least * (1 - 2.0**-precision)
    if not small.any():
        return result
    return np.where(small, np.copysign(result.dtype.type(0), result), result)


def saturate(x: Array) -> Array:
    """Returns values within 0 and 1; NaN and -0 give +0 (`.sat`)."""
    return np.where(x > 0, np.minimum(x, x.dtype.type(1)), x.dtype.type(0))


def canonical32(x: Array) -> Array:
    """Returns float32 results with the NaN of the hardware, 0x7fffffff, for all NaNs, in place."""
    nan = x != x
    if nan.any():
        x.view(np.uint32)[nan] = 0x7FFFFFFF
    return x


def to_doubles(x: Array, name: str) -> Doubles:
    """Returns the exact values of elements of a format."""
    if name == "bf16":
        x = (x.astype(np.uint32) << 16).view(np.float32)
    elif name == "tf32":
        x = x.view(np.float32)
    elif name == "e5m2":
        x = (x.astype(np.uint16) << 8).view(np.float16)
    elif name == "e4m3":
        # Shifted into the fields of an f16, whose bias is 15 and not 7, values are 2^8 too small.
        # Apart from the sign the only NaN is all ones, and there is no infinity.
        wide = x.astype(np.uint16)
        half = ((wide & 0x80) << 8 | (wide & 0x7F) << 7).view(np.float16)
        return np.where((wide & 0x7F) == 0x7F, np.nan, half.astype(np.float64) * 256)
    return x.astype(np.float64)


def round_to(x: Doubles, name: str, rounding: Rounding, *, finite: bool = False) -> Doubles:
    """Returns the values of a format to which float64 values round.

    Args:
        x: The values, rounded to odd if they are not exact.
        name: The format.
        rounding: The mode.
        finite: Whether too large values become the largest finite one (`.satfinite`).
    """
    format_ = FORMATS[name]
    bits = x.view(np.int64)
    exponent = (bits >> 52) & 0x7FF
    exponent = np.clip(exponent, 1023 + format_.emin, 1023 + 300) - (format_.precision - 1)
    quantum = (exponent << 52).view(np.float64)
    # Behind the sum with 1.5 * 2^52 quanta there are no digits below a quantum.
    magic = ((exponent + 52) << 52 | 1 << 51).view(np.float64)
    r: Doubles = (x + magic) - magic
    if rounding == "rna":
        away = (np.abs(x - r) * 2 == quantum) & (np.abs(r) < np.abs(x))
        r += np.where(away, np.copysign(quantum, x), 0)
    elif rounding == "rz":
        r -= np.where(np.abs(r) > np.abs(x), np.copysign(quantum, x), 0)
    elif rounding == "rp":
        r += np.where(r < x, quantum, 0)
    elif rounding == "rm":
        r -= np.where(r > x, quantum, 0)
    r = np.copysign(r, x)
    over = np.abs(r) > format_.largest
    if over.any():
        # IEEE 754, "Overflow": rounding towards zero gives the largest finite number.
        stays = {"rz": over, "rp": over & (x < 0), "rm": over & (x > 0)}.get(rounding, False)
        bound = np.where(stays | np.bool_(finite), format_.largest, np.inf)
        stays_infinite = np.isinf(x) & np.bool_(not finite)
        r = np.where(over & ~stays_infinite, np.copysign(bound, x), r)
    return r


def rounded(x: Doubles, name: str, rounding: Rounding) -> Array:
    """Returns the elements of a format for `round_to` of values, faster in the common case."""
    if rounding == "rn" and name == "f16":
        return to_elements(x, name)
    if rounding == "rn" and name == "bf16":
        single = x.astype(np.float32)
        if ((single == x) | (x != x)).all():
            bits = single.view(np.uint32)
            # Half of the last digit, less one where that digit is even: ties go to even.
            up = ((bits >> 16) & 1) + np.uint32(0x7FFF)
            result = (bits + up >> 16).astype(np.uint16)
            result[x != x] = FORMATS[name].nan
            return result
    return to_elements(round_to(x, name, rounding), name)


def to_elements(x: Doubles, name: str) -> Array:
    """Returns elements of a format for values that it has, with its NaN for all NaNs."""
    nan = x != x
    if name == "f16":
        half = x.astype(np.float16)
        half.view(np.uint16)[nan] = 0x7FFF
        return half
    if name == "f32":
        return canonical32(x.astype(np.float32))
    if name == "tf32":
        bits = x.astype(np.float32).view(np.uint32)
    elif name == "bf16":
        bits = (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    elif name == "e5m2":
        bits = (x.astype(np.float16).view(np.uint16) >> 8).astype(np.uint8)
    else:
        half_bits = (x / 256).astype(np.float16).view(np.uint16)
        bits = ((half_bits >> 8 & 0x80) | (half_bits >> 7 & 0x7F)).astype(np.uint8)
    bits[nan] = FORMATS[name].nan
    return bits
