"""Floating-point arithmetic of PTX, bit for bit: f16, bf16, f32, f64 and the packed forms.

Every function takes the name of the type first, and arrays of one dimension that broadcast, of the
dtypes that `jitstudio.simulator.arithmetic.rounding` names. All results are rounded once.

NaN: f32 arithmetic gives 0x7fffffff, f16 and bf16 give 0x7fff (PTX ISA, "Floating-Point
Instructions" and "Half Precision Floating-Point Instructions"). f64 arithmetic gives the last
operand that is a NaN, made quiet, and 0xfff8000000000000 where none is (compared with an H100; the
ISA says only that payloads are preserved).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.arithmetic.rounding import (
    FORMATS,
    Array,
    Doubles,
    Rounding,
    canonical32,
    directed,
    flush32,
    flush_rounded,
    in_pieces,
    round_to,
    rounded,
    saturate,
    signed_zero,
    sum32,
    to_doubles,
    to_elements,
    to_odd,
    two_product,
    two_sum,
)

# The highest bit of the fraction is 1 for quiet NaNs.
QUIET64 = 1 << 51
NAN64 = 0xFFF8000000000000
_LEAST32 = np.float32(2.0**-126)
_quiet = np.errstate(all="ignore")


@_quiet
def add(
    name: str, a: Array, b: Array, rounding: Rounding = "rn", *,
    ftz: bool = False, sat: bool = False,
) -> Array:  # fmt: skip
    """Returns ``a + b``."""
    if rounding == "rn" and name == "f64":
        return _finish64(a + b, a, b)
    if rounding == "rn" and name == "f32":
        if ftz:
            a, b = flush32(a), flush32(b)
        return _finish32(a + b, ftz, sat)
    return _sum(name, a, b, rounding, ftz, sat)


@in_pieces
def _sum(name: str, a: Array, b: Array, rounding: Rounding, ftz: bool, sat: bool) -> Array:
    if name == "f64":
        return _finish64(_add64(a, b, rounding), a, b)
    a, b = _flushed(a, name, ftz), _flushed(b, name, ftz)
    x, y = to_doubles(a, name), to_doubles(b, name)
    if name == "f32":
        return _finish32(sum32(x, y, rounding), ftz, sat)
    return _narrow_sum(name, x, y, rounding, ftz, sat, False)


@_quiet
def sub(
    name: str, a: Array, b: Array, rounding: Rounding = "rn", *,
    ftz: bool = False, sat: bool = False,
) -> Array:  # fmt: skip
    """Returns ``a - b``."""
    if name == "f64":
        return _finish64(a - b if rounding == "rn" else _add64(a, -b, rounding), a, b)
    return add(name, a, negate(name, b), rounding, ftz=ftz, sat=sat)


@_quiet
def mul(
    name: str, a: Array, b: Array, rounding: Rounding = "rn", *,
    ftz: bool = False, sat: bool = False,
) -> Array:  # fmt: skip
    """Returns ``a * b``."""
    if rounding == "rn" and name == "f64":
        return _finish64(a * b, a, b)
    if rounding == "rn" and name == "f32":
        if not ftz:
            return _finish32(a * b, False, sat)
        a, b = flush32(a), flush32(b)
        r = a * b
        if (np.abs(r) == _LEAST32).any():
            r = flush_rounded(r, a.astype(np.float64) * b, name, rounding)
        return _finish32(r, ftz, sat)
    return _product(name, a, b, rounding, ftz, sat)


@in_pieces
def _product(name: str, a: Array, b: Array, rounding: Rounding, ftz: bool, sat: bool) -> Array:
    if name == "f64":
        # As a * b + 0 with a zero of the sign of the product, which changes nothing.
        return _finish64(_fma64(a, b, np.copysign(0.0, a * b), rounding), a, b)
    a, b = _flushed(a, name, ftz), _flushed(b, name, ftz)
    product = to_doubles(a, name) * to_doubles(b, name)
    # Adding a zero of the sign of the product changes nothing.
    zero = np.copysign(0.0, product)
    if name == "f32":
        r = sum32(product, zero, rounding)
        return _finish32(flush_rounded(r, product, name, rounding) if ftz else r, ftz, sat)
    return _narrow_sum(name, product, zero, rounding, ftz, sat, False)


@in_pieces
@_quiet
def fma(
    name: str, a: Array, b: Array, c: Array, rounding: Rounding = "rn", *,
    ftz: bool = False, sat: bool = False, relu: bool = False,
) -> Array:  # fmt: skip
    """Returns ``a * b + c``, rounded once."""
    if name == "f64":
        return _finish64(_fma64(a, b, c, rounding), a, c, b)
    if name == "f32":
        if ftz:
            a, b, c = flush32(a), flush32(b), flush32(c)
        # The product of two significands of 24 bits is exact.
        product = a.astype(np.float64) * b
        addend = c.astype(np.float64)
        r = sum32(product, addend, rounding)
        if ftz and (np.abs(r) == _LEAST32).any():
            r = flush_rounded(r, to_odd(*two_sum(product, addend)), name, rounding)
        return _finish32(r, ftz, sat)
    a, b, c = (_flushed(x, name, ftz) for x in (a, b, c))
    product = to_doubles(a, name) * to_doubles(b, name)
    return _narrow_sum(name, product, to_doubles(c, name), rounding, ftz, sat, relu)


@_quiet
def div(
    name: str, a: Array, b: Array, rounding: Rounding = "rn", *, ftz: bool = False
) -> Array:  # fmt: skip
    """Returns ``a / b``, rounded once (f32, f64)."""
    if name == "f32":
        if ftz:
            a, b = flush32(a), flush32(b)
        r = a / b
        if rounding != "rn":
            # Exact: the product has 48 bits at most, and the difference fewer.
            rest = a - r.astype(np.float64) * b
            r = _directed_quotient(r, rest, a, b, rounding)
        if ftz:
            r = flush_rounded(r, a.astype(np.float64) / b, name, rounding)
        return _finish32(r, ftz, False)
    r = a / b
    if rounding != "rn":
        (r_part, r_exponent), (b_part, b_exponent), (a_part, a_exponent) = map(np.frexp, (r, b, a))
        high, low = two_product(r_part, b_part)
        rest = (np.ldexp(a_part, a_exponent - r_exponent - b_exponent) - high) - low
        # A quotient that underflows to 0 has the sign of the dividend as error.
        rest = np.where(r == 0, a, rest)
        r = _directed_quotient(r, rest, a, b, rounding)
    return _finish64(r, b, a)


@_quiet
def sqrt(name: str, a: Array, rounding: Rounding = "rn", *, ftz: bool = False) -> Array:
    """Returns the square root, rounded once (f32, f64); -0 gives -0."""
    if name == "f32":
        if ftz:
            a = flush32(a)
        r = np.sqrt(a)
        if rounding != "rn":
            r = directed(r, a - np.square(r, dtype=np.float64), rounding)
        return _finish32(r, ftz, False)
    r = np.sqrt(a)
    if rounding != "rn":
        part, exponent = np.frexp(r)
        high, low = two_product(part, part)
        rest = (np.ldexp(a, -2 * exponent) - high) - low
        r = directed(r, np.where(np.isfinite(rest), rest, 0), rounding)
    return _finish64(r, a)


def rcp(name: str, a: Array, rounding: Rounding = "rn", *, ftz: bool = False) -> Array:
    """Returns ``1 / a``, rounded once (f32, f64)."""
    return div(name, np.ones(1, a.dtype), a, rounding, ftz=ftz)


def absolute(name: str, a: Array, *, ftz: bool = False) -> Array:
    """Returns values without their sign; NaNs are the NaN of arithmetic.

    The hardware adds -0; a NaN of f64 keeps its sign, too.
    """
    bits = _as_bits(_flushed(a, name, ftz))
    return _canonical(bits & ~_sign(bits), bits, name).view(a.dtype)


def negate(name: str, a: Array, *, ftz: bool = False) -> Array:
    """Returns values with the other sign; see `absolute`."""
    bits = _as_bits(_flushed(a, name, ftz))
    return _canonical(bits ^ _sign(bits), bits, name).view(a.dtype)


def copysign(a: Array, b: Array) -> Array:
    """Returns `b` with the sign of `a` (f32, f64), the order of operands in PTX."""
    a_bits, b_bits = _as_bits(a), _as_bits(b)
    sign = _sign(a_bits)
    return ((a_bits & sign) | (b_bits & ~sign)).view(b.dtype)


@in_pieces
def minimum(
    name: str, a: Array, b: Array, *, ftz: bool = False, nan: bool = False,
    xorsign_abs: bool = False, largest: bool = False,
) -> Array:  # fmt: skip
    """Returns the smaller value (`min`).

    -0 is less than +0. A NaN gives way to a number, unless `nan`; the result of two NaNs, or of a
    NaN with `nan`, is the NaN of arithmetic (f64: the second NaN made quiet).

    Args:
        name: The type.
        a: The first values.
        b: The second values.
        ftz: Whether subnormal operands are zeros.
        nan: `.NaN`.
        xorsign_abs: `.xorsign.abs`: the lesser magnitude, with the product of the signs.
        largest: The larger value instead (`max`).
    """
    a, b = _flushed(a, name, ftz), _flushed(b, name, ftz)
    a_bits, b_bits = _as_bits(a), _as_bits(b)
    sign = (a_bits ^ b_bits) & _sign(a_bits)
    if xorsign_abs:
        a_bits, b_bits = a_bits & ~_sign(a_bits), b_bits & ~_sign(b_bits)
    a_nan, b_nan = is_nan(a_bits, name), is_nan(b_bits, name)
    # Compared as integers, -0 is below +0 (PTX ISA, `min`: "+0.0 > -0.0").
    a_first = (_ordered(a_bits) < _ordered(b_bits)) != largest
    a_first = (a_first & ~a_nan) | b_nan
    bits = np.where(a_first, a_bits, b_bits)
    if xorsign_abs:
        bits = bits | sign
    bad = (a_nan | b_nan) if nan else (a_nan & b_nan)
    if bad.any():
        if name == "f64":
            bits = np.where(bad, np.where(b_nan, b_bits, a_bits) | np.uint64(QUIET64), bits)
        else:
            bits = np.where(bad, bits.dtype.type(FORMATS[name].nan), bits)
    return bits.view(a.dtype)


def maximum(
    name: str, a: Array, b: Array, *, ftz: bool = False, nan: bool = False,
    xorsign_abs: bool = False,
) -> Array:  # fmt: skip
    """Returns the larger value (`max`); see `minimum`."""
    return minimum(name, a, b, ftz=ftz, nan=nan, xorsign_abs=xorsign_abs, largest=True)


def testp(kind: str, a: Array) -> NDArray[np.bool_]:
    """Returns whether values have a property (`testp`, f32 and f64).

    Args:
        kind: ``finite infinite number notanumber normal subnormal``; zeros are normal by the ISA.
        a: The values.
    """
    magnitude = np.abs(a)
    least = np.finfo(a.dtype).smallest_normal
    match kind:
        case "finite":
            return np.isfinite(a)
        case "infinite":
            return np.isinf(a)
        case "number":
            return ~np.isnan(a)
        case "notanumber":
            return np.isnan(a)
        case "normal":
            return ((magnitude >= least) & np.isfinite(a)) | (a == 0)
        case _:
            return (magnitude < least) & (a != 0)


def packed(function: Callable[..., Array], name: str, *operands: Array, **options: Any) -> Array:
    """Returns results of a function of this module for each element of packed registers.

    Args:
        function: Takes the name of the type, then the operands.
        name: Of the packed type: ``f16x2 bf16x2 f32x2``.
        operands: Registers, uint32 or uint64.
        options: Options of the function.
    """
    element = name.removesuffix("x2")
    dtype = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32}[element]
    lanes = [np.ascontiguousarray(x).view(dtype) for x in _same_length(operands)]
    return function(element, *lanes, **options).view(operands[0].dtype)


def is_nan(bits: Array, name: str) -> NDArray[np.bool_]:
    """Returns which bits of a type (f16, bf16, f32, f64) are a NaN."""
    infinity = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF << 52}[name]
    return (bits & ~_sign(bits)) > bits.dtype.type(infinity)


def _same_length(operands: tuple[Array, ...]) -> list[Array]:
    return np.broadcast_arrays(*operands)  # type: ignore[return-value]


def _as_bits(x: Array) -> Array:
    return x.view(f"u{x.itemsize}")


def _sign(bits: Array) -> Array:
    return np.array(1 << (8 * bits.itemsize - 1), bits.dtype)


def _canonical(bits: Array, operand: Array, name: str) -> Array:
    """Returns bits with the NaN of arithmetic for all NaNs; for f64 the operand's, made quiet."""
    nan = is_nan(operand, name)
    if nan.any():
        number = bits.dtype.type(FORMATS[name].nan if name != "f64" else 0)
        bits = np.where(nan, number if name != "f64" else operand | np.uint64(QUIET64), bits)
    return bits


def _ordered(bits: Array) -> Array:
    """Returns signed integers in the order of the floats, -0 below +0."""
    # From sign and magnitude: the bits of negative numbers below the sign are inverted.
    signed = bits.view(f"i{bits.itemsize}")
    return signed ^ ((signed >> (8 * bits.itemsize - 1)) & np.iinfo(signed.dtype).max)


def _flushed(x: Array, name: str, ftz: bool) -> Array:
    if not ftz:
        return x
    if name == "f32":
        return flush32(x)
    bits = _as_bits(x)
    least = bits.dtype.type({"f16": 0x0400, "bf16": 0x0080}[name])
    tiny = (bits & ~_sign(bits)) < least
    return np.where(tiny, bits & _sign(bits), bits).view(x.dtype)


def _finish32(r: Array, ftz: bool, sat: bool) -> Array:
    if ftz:
        r = flush32(r)
    return saturate(r) if sat else canonical32(r)


def _finish64(r: Doubles, *operands: Array) -> Doubles:
    """Returns results with the last NaN among the operands, made quiet, for all NaNs."""
    nan = r != r
    if nan.any():
        bits = np.full(r.shape, NAN64, np.uint64)
        for x in np.broadcast_arrays(*operands):
            bits = np.where(x != x, x.view(np.uint64) | np.uint64(QUIET64), bits)
        r = np.where(nan, bits.view(np.float64), r)
    return r


def _narrow_sum(
    name: str, a: Doubles, b: Doubles, rounding: Rounding, ftz: bool, sat: bool, relu: bool
) -> Array:
    s, error = two_sum(a, b)
    s = signed_zero(s, s, a, b, rounding)
    if (np.abs(error) > 0).any():
        s = to_odd(s, error)
    if not (ftz or relu or sat):
        return rounded(s, name, rounding)
    r = round_to(s, name, rounding)
    if ftz:
        r = flush_rounded(r, s, name, rounding)
    if relu:
        r = np.where(r <= 0, 0.0, r)
    return to_elements(saturate(r) if sat else r, name)


def _directed_quotient(r: Array, rest: Array, a: Array, b: Array, rounding: Rounding) -> Array:
    """Returns a quotient in a directed mode, by its rest ``a - r * b`` where all are finite."""
    error = np.where(np.isinf(r), -r, np.where(b < 0, -rest, rest))
    exact = ~(np.isfinite(a) & np.isfinite(b)) | (b == 0)
    return directed(r, np.where(exact, 0, error), rounding)


def _add64(a: Doubles, b: Doubles, rounding: Rounding) -> Doubles:
    s: Doubles = a + b
    if rounding == "rn":
        return s
    error = two_sum(a, b)[1]
    over = np.isinf(s) & np.isfinite(a) & np.isfinite(b)
    error = np.where(over, -s, error)
    return signed_zero(directed(s, error, rounding), s, a, b, rounding)


def _fma64(a: Doubles, b: Doubles, c: Doubles, rounding: Rounding) -> Doubles:
    a, b, c = (np.ascontiguousarray(x) for x in np.broadcast_arrays(a, b, c))
    product = a * b
    size = np.abs(product)
    # Within these bounds no product or error over- or underflows.
    safe = (np.maximum(np.abs(a), np.abs(b)) <= 2.0**450) & (np.abs(c) <= 2.0**900)
    safe &= (size >= 2.0**-900) | (a == 0) | (b == 0)
    if safe.all():
        return _fma64_safe(a, b, c, rounding)
    r = np.empty_like(product)
    r[safe] = _fma64_safe(a[safe], b[safe], c[safe], rounding)
    r[~safe] = _fma64_scaled(a[~safe], b[~safe], c[~safe], rounding)
    return r


def _fma64_safe(a: Doubles, b: Doubles, c: Doubles, rounding: Rounding) -> Doubles:
    high, low = _exact_fma(*two_product(a, b), c)
    r, error = two_sum(high, low)
    product = a * b
    r = np.where(r == 0, product + c, directed(r, error, rounding))
    return signed_zero(r, r, product, c, rounding)


def _exact_fma(high: Doubles, low: Doubles, c: Doubles) -> tuple[Doubles, Doubles]:
    """Returns two values whose sum rounds as the exact sum of three (Boldo and Melquiond)."""
    # The exact sum of three values as two, the smaller one rounded to odd: see `rounding`.
    t_high, t_low = two_sum(c, low)
    v_high, v_low = two_sum(high, t_high)
    return v_high, to_odd(*two_sum(t_low, v_low))


def _fma64_scaled(a: Doubles, b: Doubles, c: Doubles, rounding: Rounding) -> Doubles:
    """Returns the fma of values whose product or sum may over- or underflow, or is not finite."""
    (a_part, a_exp), (b_part, b_exp), (c_part, c_exp) = map(np.frexp, (a, b, c))
    p_exp = a_exp + b_exp
    scale = np.where(c == 0, p_exp, np.where((a == 0) | (b == 0), c_exp, np.maximum(p_exp, c_exp)))
    scale = np.maximum(scale, -1100)
    # Terms 300 binary digits below the others decide only a rounding, so further down is the same.
    high, low = two_product(a_part, b_part)
    p_shift = np.maximum(p_exp - scale, -300)
    high, low = np.ldexp(high, p_shift), np.ldexp(low, p_shift)
    high, low = _exact_fma(high, low, np.ldexp(c_part, np.maximum(c_exp - scale, -300)))
    r, error = two_sum(high, low)
    exact_zero = r == 0
    normal = np.frexp(r)[1] + scale >= -1021
    result = np.ldexp(r, scale)
    error = np.where(np.isinf(result), -result, error)
    # Subnormal results are rounded at their quantum, by adding a number with that last digit.
    magic = np.copysign(np.ldexp(1.0, np.minimum(52 - 1074 - scale, 1000)), r)
    x, y = two_sum(magic, high)
    g, g_error = two_sum(x, to_odd(*two_sum(y, low)))
    subnormal = np.copysign(np.ldexp(g - magic, scale), r)
    result = np.where(normal, result, subnormal)
    result = directed(result, np.where(normal, error, g_error), rounding)
    finite = np.isfinite(a) & np.isfinite(b)
    plain = np.where(finite & np.isinf(c), c, a * b + c)
    result = np.where(exact_zero | ~(finite & np.isfinite(c)), plain, result)
    return np.where(
        exact_zero & (np.signbit(a * b) | np.signbit(c)) & (rounding == "rm"), -0.0, result
    )
