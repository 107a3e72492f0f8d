"""Integer arithmetic of PTX, bit for bit.

Operands are arrays of one dimension that broadcast, of the dtype of the instruction's type: signed
integers for `.s32`, unsigned ones for `.u32` and `.b32`. Results wrap.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.arithmetic.rounding import Array, in_pieces

PrmtMode = Literal["", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]


def mul_wide(a: Array, b: Array) -> Array:
    """Returns the product in twice the width (`mul.wide`)."""
    wide = np.dtype(f"{a.dtype.kind}{2 * a.itemsize}")
    return np.multiply(a, b, dtype=wide)


@in_pieces
def mul_high(a: Array, b: Array) -> Array:
    """Returns the upper half of the product (`mul.hi`)."""
    if a.itemsize < 8:
        return (mul_wide(a, b) >> 8 * a.itemsize).astype(a.dtype)
    low32 = np.uint64(0xFFFFFFFF)
    x, y = a.view(np.uint64), b.view(np.uint64)
    # Schoolbook multiplication by halves of 32 bits, as NumPy has no integers of 128 bits.
    x_low, x_high, y_low, y_high = x & low32, x >> 32, y & low32, y >> 32
    middle = x_high * y_low + (x_low * y_low >> 32)
    other = x_low * y_high + (middle & low32)
    high = (x_high * y_high + (middle >> 32) + (other >> 32)).view(a.dtype)
    if a.dtype.kind == "i":
        # A negative number read as unsigned is greater by 2^64, which adds the other factor to the
        # upper half.
        high = high - np.where(a < 0, b, 0) - np.where(b < 0, a, 0)
    return high


@in_pieces
def mul24(a: Array, b: Array, *, high: bool = False) -> Array:
    """Returns the lower 32 bits of the product of 24 bits, or its bits 16 to 47 (`mul24`)."""
    # Shifted up and down again: 24 bits are extended by their sign, or by zeros.
    shift = a.dtype.type(8)
    product = mul_wide(a << shift >> shift, b << shift >> shift)
    return (product >> 16 if high else product).astype(a.dtype)


def add_saturating(a: Array, b: Array) -> Array:
    """Returns the sum within the range of s32 (`add.sat.s32`)."""
    return _clamp(a.astype(np.int64) + b, a.dtype)


def sub_saturating(a: Array, b: Array) -> Array:
    """Returns the difference within the range of s32 (`sub.sat.s32`)."""
    return _clamp(a.astype(np.int64) - b, a.dtype)


def add_carry(a: Array, b: Array, carry: Array | int = 0) -> tuple[Array, NDArray[np.bool_]]:
    """Returns the sum with a carry and whether it carries (`add.cc`, `addc`)."""
    x, y = _unsigned(a), _unsigned(b)
    # A sum that is less than a summand has wrapped; at most one of both additions wraps.
    first = x + y
    total = first + np.asarray(carry).astype(x.dtype)
    return total.view(a.dtype), (first < x) | (total < first)


def sub_borrow(a: Array, b: Array, borrow: Array | int = 0) -> tuple[Array, NDArray[np.bool_]]:
    """Returns the difference with a borrow and whether it borrows (`sub.cc`, `subc`)."""
    x, y = _unsigned(a), _unsigned(b)
    first = x - y
    total = first - np.asarray(borrow).astype(x.dtype)
    return total.view(a.dtype), (x < y) | (total > first)


@in_pieces
def div(a: Array, b: Array) -> Array:
    """Returns the quotient, rounded to zero.

    The ISA leaves the quotient by zero open; the code that ptxas 13.5 makes for sm_90 gives all
    ones in every width. The least integer by -1 is itself.
    """
    return _divided(a, b)[0]


@in_pieces
def rem(a: Array, b: Array) -> Array:
    """Returns the remainder, of the sign of `a`; all ones for a divisor of 0, as in `div`."""
    return _divided(a, b)[1]


def _divided(a: Array, b: Array) -> tuple[Array, Array]:
    a, b = np.broadcast_arrays(a, b)
    x, y = _magnitude(a), _magnitude(b)
    zero = y == 0
    # NumPy warns of a division by zero, and gives 0.
    y = np.where(zero, 1, y)
    quotient = x // y
    remainder = x - quotient * y
    quotient, remainder = quotient.view(a.dtype), remainder.view(a.dtype)
    if a.dtype.kind == "i":
        # Rounded to zero, as C and PTX divide; NumPy rounds down.
        quotient = np.where((a < 0) != (b < 0), -quotient, quotient)
        remainder = np.where(a < 0, -remainder, remainder)
    ones = ~a.dtype.type(0)
    return np.where(zero, ones, quotient), np.where(zero, ones, remainder)


@in_pieces
def absolute_difference(a: Array, b: Array, c: Array) -> Array:
    """Returns ``c + |a - b|`` (`sad`)."""
    return c + np.where(a < b, b - a, a - b)


@in_pieces
def dot(
    a: Array, b: Array, c: Array, a_signed: bool, b_signed: bool
) -> Array:  # fmt: skip
    """Returns `c` plus the products of the four bytes of `a` and `b` (`dp4a`).

    Args:
        a: uint32.
        b: uint32.
        c: int32 or uint32, as the result.
        a_signed: Whether the bytes of `a` are signed.
        b_signed: Whether the bytes of `b` are signed.
    """
    total = c.astype(np.int64)
    for i in range(4):
        total = total + _field(a, 8 * i, 8, a_signed) * _field(b, 8 * i, 8, b_signed)
    return total.astype(c.dtype)


@in_pieces
def dot2(
    a: Array, b: Array, c: Array, a_signed: bool, b_signed: bool, *, high: bool
) -> Array:  # fmt: skip
    """Returns `c` plus the products of the halves of `a` and two bytes of `b` (`dp2a`).

    Args:
        a: uint32.
        b: uint32.
        c: int32 or uint32, as the result.
        a_signed: Whether the halves of `a` are signed.
        b_signed: Whether the bytes of `b` are signed.
        high: Whether the upper two bytes of `b` are taken (`.hi`).
    """
    total = c.astype(np.int64)
    for i in range(2):
        byte = _field(b, 16 * high + 8 * i, 8, b_signed)
        total = total + _field(a, 16 * i, 16, a_signed) * byte
    return total.astype(c.dtype)


@in_pieces
def shift_left(a: Array, amount: Array) -> Array:
    """Returns `a` shifted left by 32-bit unsigned amounts; from the width on, 0 (`shl`)."""
    width = 8 * a.itemsize
    bits = _unsigned(a)
    shifted = bits << (amount & (width - 1)).astype(bits.dtype)
    return np.where(amount < width, shifted, bits.dtype.type(0)).view(a.dtype)


@in_pieces
def shift_right(a: Array, amount: Array) -> Array:
    """Returns `a` shifted right by 32-bit unsigned amounts, at most its width (`shr`).

    Signed integers fill with their sign.
    """
    width = 8 * a.itemsize
    if a.dtype.kind == "i":
        return a >> np.minimum(amount, width - 1).astype(a.dtype)
    shifted = a >> (amount & (width - 1)).astype(a.dtype)
    return np.where(amount < width, shifted, a.dtype.type(0))


@in_pieces
def funnel_shift(
    a: Array, b: Array, amount: Array, *, left: bool, wrap: bool
) -> NDArray[np.uint32]:  # fmt: skip
    """Returns 32 bits of the 64 of `b` and `a` (`shf`).

    Args:
        a: The lower half, uint32.
        b: The upper half, uint32.
        amount: uint32, modulo 32 if `wrap`, at most 32 otherwise.
        left: Whether to return the upper half of a shift to the left, else the lower half of a
            shift to the right.
        wrap: `.wrap`, else `.clamp`.
    """
    count = (amount & 31 if wrap else np.minimum(amount, 32)).astype(np.uint64)
    both = b.astype(np.uint64) << 32 | a
    # PTX ISA, `shf`: shf.l gives the most significant 32 bits, shf.r the least significant ones.
    return (both << count >> 32 if left else both >> count).astype(np.uint32)


@in_pieces
def extract_field(a: Array, position: Array, length: Array) -> Array:
    """Returns a field of bits, with its sign extended if `a` is signed (`bfe`).

    Args:
        a: 32 or 64 bits.
        position: uint32; for 32 bits its lowest 8 bits count.
        length: uint32; for 32 bits its lowest 8 bits count.
    """
    width = 8 * a.itemsize
    position, length = _places(position, width), _places(length, width)
    bits = _unsigned(a)
    field = shift_right(bits, position) & _ones(length, bits.dtype)
    if a.dtype.kind == "i":
        top = np.minimum(position + length - np.uint32(1), np.uint32(width - 1))
        negative = (length > 0) & ((bits >> top.astype(bits.dtype) & 1) != 0)
        # PTX ISA, `bfe`: beyond the field, and beyond the register, bits are the sign bit of the
        # field, which is bit 31 or 63 if the field goes beyond the register.
        present = np.minimum(length, np.where(position < width, width - position, 0))
        field = np.where(negative, field | ~_ones(present, bits.dtype), field)
    return field.view(a.dtype)


@in_pieces
def insert_field(a: Array, b: Array, position: Array, length: Array) -> Array:
    """Returns `b` with the lowest bits of `a` at a position (`bfi`); see `extract_field`."""
    position, length = (_places(x, 8 * a.itemsize) for x in (position, length))
    mask = shift_left(_ones(length, a.dtype), position)
    return (b & ~mask) | (shift_left(a, position) & mask)


def bit_mask(position: Array, length: Array, *, wrap: bool) -> NDArray[np.uint32]:
    """Returns `length` ones from a position on (`bmsk`)."""
    if wrap:
        position, length = position & 31, length & 31
    return shift_left(_ones(length, np.dtype(np.uint32)), position)


def extend(a: Array, bits: Array, *, wrap: bool) -> Array:
    """Returns the lowest bits, extended by the sign if `a` is signed (`szext`)."""
    count = bits & 31 if wrap else np.minimum(bits, 32)
    return extract_field(a, np.zeros_like(count), count)


@in_pieces
def find_leading(a: Array, *, shift_amount: bool = False) -> NDArray[np.uint32]:
    """Returns the place of the highest bit that is not the sign, or all ones (`bfind`).

    Args:
        a: 32 or 64 bits.
        shift_amount: Whether to count from the highest bit (`.shiftamt`).
    """
    bits = _unsigned(np.where(a < 0, ~a, a) if a.dtype.kind == "i" else a)
    zeros = count_leading_zeros(bits)
    width = np.uint32(8 * a.itemsize)
    # PTX ISA, `bfind`: .shiftamt gives the left shift that moves the bit to the top.
    place = zeros if shift_amount else width - np.uint32(1) - zeros
    return np.where(zeros == width, np.uint32(0xFFFFFFFF), place)


@in_pieces
def find_nth_set(mask: Array, base: Array, offset: Array) -> NDArray[np.uint32]:
    """Returns the place of the n-th set bit from a base on, or all ones (`fns`).

    Args:
        mask: uint32.
        base: uint32.
        offset: int32: n, to the higher bits if positive, to the lower if negative; 0 asks for the
            base itself.
    """
    base = base & np.uint32(0xFFFFFFFF)
    # PTX ISA, `fns`: offset 0 finds the base bit, if it is set.
    count = np.maximum(np.abs(offset.astype(np.int64)), 1)
    place = np.full(np.broadcast(mask, base, offset).shape, 0xFFFFFFFF, np.uint32)
    count_so_far = np.zeros(place.shape, np.int64)
    start = base.astype(np.int64)
    for step in range(32):
        at = start + np.where(offset < 0, -step, step)
        inside = (at >= 0) & (at < 32) & ((offset != 0) | (step == 0))
        is_set = inside & ((mask >> (at & 31).astype(np.uint32) & 1) != 0)
        count_so_far = count_so_far + is_set
        place = np.where(is_set & (count_so_far == count), at.astype(np.uint32), place)
    return place


def population(a: Array) -> NDArray[np.uint32]:
    """Returns the number of set bits (`popc`)."""
    return np.bitwise_count(_unsigned(a)).astype(np.uint32)


@in_pieces
def count_leading_zeros(a: Array) -> NDArray[np.uint32]:
    """Returns the number of zeros before the highest set bit (`clz`)."""
    bits = _unsigned(a)
    width = 8 * bits.itemsize
    # All bits below the highest one are set, so that the population is its place.
    shift = 1
    while shift < width:
        bits = bits | bits >> bits.dtype.type(shift)
        shift *= 2
    return np.uint32(width) - np.bitwise_count(bits).astype(np.uint32)


@in_pieces
def reverse_bits(a: Array) -> Array:
    """Returns the bits in the other order (`brev`)."""
    # Bytes in the other order, then halves, pairs and bits of each byte.
    bits = _unsigned(np.ascontiguousarray(a)).byteswap()
    for shift, mask in ((4, 0x0F), (2, 0x33), (1, 0x55)):
        field = bits.dtype.type(int.from_bytes(bytes([mask]) * bits.itemsize, "little"))
        count = bits.dtype.type(shift)
        bits = (bits >> count & field) | (bits & field) << count
    return bits.view(a.dtype)


@in_pieces
def permute_bytes(
    a: Array, b: Array, selector: Array, mode: PrmtMode = ""
) -> NDArray[np.uint32]:  # fmt: skip
    """Returns four of the eight bytes of `a` (0 to 3) and `b` (4 to 7) (`prmt`).

    Args:
        a: uint32.
        b: uint32.
        selector: uint32: four bits for each byte of the result, the highest of which replicates
            the sign of the byte; in modes other than the default only bits 0 and 1 count.
        mode: As in PTX; "" is the default.
    """
    both = b.astype(np.uint64) << 32 | a
    result: Array = np.zeros(1, np.uint32)
    base = selector & 3
    three = np.uint32(3)
    for i in range(4):
        place = np.uint32(i)
        choice: Array
        match mode:
            case "":
                choice = selector >> np.uint32(4 * i)
            case "f4e":
                choice = base + place
            case "b4e":
                choice = (base - place) & np.uint32(7)
            case "rc8":
                choice = base
            case "ecl":
                choice = np.maximum(base, place)
            case "ecr":
                choice = np.minimum(base, place)
            case "rc16":
                choice = (base & np.uint32(1)) * np.uint32(2) + (place & np.uint32(1))
        byte = (both >> (choice & np.uint32(7)).astype(np.uint64) * 8 & 0xFF).astype(np.uint32)
        if mode == "":
            sign = np.where(byte & 0x80, np.uint32(0xFF), np.uint32(0))
            byte = np.where(choice & 8, sign, byte)
        result = result | byte << (place & three) * np.uint32(8)
    return result


@in_pieces
def lop3(a: Array, b: Array, c: Array, table: int) -> Array:
    """Returns a bitwise function of three operands (`lop3`).

    Args:
        a: uint32.
        b: uint32.
        c: uint32.
        table: Its truth table, bit ``4 * a + 2 * b + c``.
    """
    result: Array = np.zeros(np.broadcast(a, b, c).shape, a.dtype)
    for row in range(8):
        if table >> row & 1:
            x = a if row & 4 else ~a
            y = b if row & 2 else ~b
            z = c if row & 1 else ~c
            result |= x & y & z
    return result


def packed(function: Any, name: str, *operands: Array) -> Array:
    """Returns the results of a function for each half of packed registers (`u16x2`, `s16x2`)."""
    dtype = np.dtype(np.int16 if name.startswith("s") else np.uint16)
    lanes = [np.ascontiguousarray(x).view(dtype) for x in np.broadcast_arrays(*operands)]
    result: Array = function(*lanes)
    return result.view(np.uint32)


def _clamp(x: NDArray[np.int64], dtype: np.dtype[Any]) -> Array:
    limits = np.iinfo(dtype)
    return np.clip(x, limits.min, limits.max).astype(dtype)


def _unsigned(x: Array) -> Array:
    return x.view(f"u{x.itemsize}")


def _magnitude(x: Array) -> Array:
    """Returns absolute values as unsigned integers, which hold 2**31 of -2**31, too."""
    return _unsigned(np.where(x < 0, -x, x) if x.dtype.kind == "i" else np.ascontiguousarray(x))


def _field(x: Array, position: int, length: int, signed: bool) -> NDArray[np.int64]:
    """Returns a field of a 32-bit word as integers."""
    left = x.astype(np.uint32) << np.uint32(32 - position - length)
    right = np.uint32(32 - length)
    return (left.view(np.int32) >> right.astype(np.int32) if signed else left >> right).astype(
        np.int64
    )


def _places(x: Array, width: int) -> Array:
    """Returns places and lengths as the hardware reads them above 255, where the ISA is open."""
    return x & 0xFF if width == 32 else np.minimum(x, 64)


def _ones(count: Array, dtype: np.dtype[Any]) -> Array:
    """Returns `count` ones from the lowest bit on; all ones from the width on."""
    # 1 << width is 0, and 0 - 1 is all ones.
    return shift_left(np.ones(1, dtype), count) - dtype.type(1)
