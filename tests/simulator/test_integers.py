"""Integer instructions against Python's integers, over the ends of the ranges and random bits."""

import numpy as np
import pytest

from jitstudio.simulator.arithmetic import integers

TYPES = {f"{k}{w}": np.dtype(f"{c}{w // 8}") for k, c in ("uu", "si") for w in (16, 32, 64)}


def operands(name, seed=1):
    """Returns three arrays: all pairs of the ends of the range, then random bits of all lengths."""
    rng = np.random.default_rng(seed)
    info = np.iinfo(TYPES[name])
    ends = [0, 1, 2, 7, info.max, info.max - 1, info.min, info.min + 1, info.max // 2]
    ends = np.array(ends, TYPES[name])

    def random():
        bits = rng.integers(info.min, info.max, 60, info.dtype, endpoint=True)
        return bits >> rng.integers(0, info.bits, 60).astype(info.dtype)

    grid = np.repeat(ends, 9), np.tile(ends, 9), np.tile(ends, 9)[::-1]
    return [np.concatenate([part, random()]) for part in grid]


def wrapped(x, name):
    """Returns an integer as a type has it."""
    width = int(name[1:])
    x &= (1 << width) - 1
    return x - (1 << width) if name[0] == "s" and x >> width - 1 else x


def counts(size, limit, seed=2):
    """Returns shift amounts within and beyond the width."""
    rng = np.random.default_rng(seed)
    amounts = rng.integers(0, limit, size).astype(np.uint32)
    amounts[:4] = 0xFFFFFFFF, 32, 64, 31
    return amounts


def check(got, function, *arrays):
    want = [function(*map(int, row)) for row in zip(*arrays, strict=True)]
    assert [int(x) for x in got] == want


@pytest.mark.parametrize("name", TYPES)
def test_products_quotients_and_carries(name):
    a, b, c = operands(name)
    width, ones = int(name[1:]), wrapped(-1, name)
    check(integers.mul_high(a, b), lambda x, y: wrapped(x * y >> width, name), a, b)
    if width < 64:
        check(integers.mul_wide(a, b), lambda x, y: x * y, a, b)

    def quotient(x, y):
        if y == 0:
            return ones
        size = abs(x) // abs(y)
        return wrapped(size if (x < 0) == (y < 0) else -size, name)

    def remainder(x, y):
        return ones if y == 0 else abs(x) % abs(y) * (-1 if x < 0 else 1)

    check(integers.div(a, b), quotient, a, b)
    check(integers.rem(a, b), remainder, a, b)
    check(
        integers.absolute_difference(a, b, c),
        lambda x, y, z: wrapped(z + abs(x - y), name),
        *(a, b, c),
    )
    mask = (1 << width) - 1
    for carry in (0, 1):
        total, out = integers.add_carry(a, b, np.full(a.shape, carry))
        check(total, lambda x, y, k=carry: wrapped(x + y + k, name), a, b)
        check(out, lambda x, y, k=carry: (x & mask) + (y & mask) + k > mask, a, b)
        total, out = integers.sub_borrow(a, b, np.full(a.shape, carry))
        check(total, lambda x, y, k=carry: wrapped(x - y - k, name), a, b)
        check(out, lambda x, y, k=carry: (x & mask) - (y & mask) - k < 0, a, b)


@pytest.mark.parametrize("name", TYPES)
def test_shifts_and_fields(name):
    a, b, _ = operands(name)
    width = int(name[1:])
    amounts = counts(a.size, width + 9)
    check(
        integers.shift_left(a, amounts),
        lambda x, n: wrapped(x << min(n, width), name),
        *(a, amounts),
    )
    check(integers.shift_right(a, amounts), lambda x, n: x >> min(n, width), a, amounts)
    if width == 16:
        return
    position, length = counts(a.size, 70, 3), counts(a.size, 70, 4)

    def places(n):
        # Beyond 255, which the ISA excludes, as an H100 has it.
        return n & 255 if width == 32 else min(n, 64)

    def extracted(x, position, length):
        position, length = places(position), places(length)
        top = min(position + length - 1, width - 1)
        fill = x >> top & 1 if name[0] == "s" and length else 0
        bits = (
            x >> position + i & 1 if i < length and position + i < width else fill
            for i in range(width)
        )
        return wrapped(sum(bit << i for i, bit in enumerate(bits)), name)

    def inserted(x, y, position, length):
        position, length = places(position), places(length)
        for i in range(min(length, width - position)):
            y = y & ~(1 << position + i) | (x >> i & 1) << position + i
        return wrapped(y, name)

    def leading(x, from_top):
        length = (~x if x < 0 else x).bit_length()
        return 0xFFFFFFFF if length == 0 else width - length if from_top else length - 1

    check(integers.extract_field(a, position, length), extracted, a, position, length)
    check(integers.insert_field(a, b, position, length), inserted, a, b, position, length)
    for from_top in (False, True):
        got = integers.find_leading(a, shift_amount=from_top)
        check(got, lambda x, top=from_top: leading(x, top), a)
    if name[0] == "u":
        check(integers.population(a), int.bit_count, a)
        check(integers.count_leading_zeros(a), lambda x: width - x.bit_length(), a)
        check(integers.reverse_bits(a), lambda x: int(f"{x:0{width}b}"[::-1], 2), a)


def test_words_of_32_bits():
    a, b, c = operands("u32")
    amounts = counts(a.size, 70)
    for wrap in (False, True):
        for left in (False, True):

            def shifted(x, y, n, wrap=wrap, left=left):
                n = n & 31 if wrap else min(n, 32)
                both = y << 32 | x
                return (both << n >> 32 if left else both >> n) & 0xFFFFFFFF

            got = integers.funnel_shift(a, b, amounts, left=left, wrap=wrap)
            check(got, shifted, a, b, amounts)
    for table in (0x96, 0xE8, 0x1B):

        def looked_up(x, y, z, table=table):
            rows = ((x >> i & 1) * 4 + (y >> i & 1) * 2 + (z >> i & 1) for i in range(32))
            return sum((table >> row & 1) << i for i, row in enumerate(rows))

        check(integers.lop3(a, b, c, table), looked_up, a, b, c)

    def nth_set(mask, base, n):
        step = -1 if n < 0 else 1
        places = [base] if n == 0 else range(base, -1 if n < 0 else 32, step)
        found = [i for i in places if mask >> i & 1]
        return found[max(abs(n), 1) - 1] if len(found) >= max(abs(n), 1) else 0xFFFFFFFF

    base, nth = amounts & 31, (amounts % 13).astype(np.int32) - 6
    check(integers.find_nth_set(a, base, nth), nth_set, a, base, nth)


# Of the ISA's table of `prmt`: the bytes for the selectors 0, 1, 2 and 3, the highest byte first.
PERMUTED = {
    "f4e": "3210 4321 5432 6543",
    "b4e": "5670 6701 7012 0123",
    "rc8": "0000 1111 2222 3333",
    "ecl": "3210 3211 3222 3333",
    "ecr": "0000 1110 2210 3210",
    "rc16": "1010 3232 1010 3232",
}


def test_permuted_bytes():
    a, b, selector = operands("u32")

    def byte(x, y, place):
        return (y << 32 | x) >> 8 * place & 0xFF

    def chosen(x, y, z):
        nibbles = [z >> 4 * i & 15 for i in range(4)]
        signs = [0xFF * (byte(x, y, n & 7) >> 7) if n & 8 else None for n in nibbles]
        bytes_ = [
            byte(x, y, n & 7) if s is None else s for n, s in zip(nibbles, signs, strict=True)
        ]
        return int.from_bytes(bytes(bytes_), "little")

    check(integers.permute_bytes(a, b, selector), chosen, a, b, selector)
    one = np.array([0x33221100], np.uint32), np.array([0x77665544], np.uint32)
    for mode, rows in PERMUTED.items():
        for z, digits in enumerate(rows.split()):
            (got,) = integers.permute_bytes(*one, np.array([z], np.uint32), mode)
            assert f"{got:08x}" == "".join(2 * d for d in digits), (mode, z)


@pytest.mark.parametrize("a_signed", [False, True])
@pytest.mark.parametrize("b_signed", [False, True])
def test_dot_products(a_signed, b_signed):
    a, b, c = operands("u32")
    name = "s32" if a_signed or b_signed else "u32"
    c = c.view(TYPES[name])

    def part(x, place, width, signed):
        return wrapped(x >> place, f"{'s' if signed else 'u'}{width}")

    def dot4(x, y, z):
        places = range(0, 32, 8)
        return wrapped(
            z + sum(part(x, i, 8, a_signed) * part(y, i, 8, b_signed) for i in places), name
        )

    check(integers.dot(a, b, c, a_signed, b_signed), dot4, a, b, c)
    for high in (False, True):

        def dot2(x, y, z, high=high):
            first = 16 * high
            low, top = part(x, 0, 16, a_signed), part(x, 16, 16, a_signed)
            return wrapped(
                z + low * part(y, first, 8, b_signed) + top * part(y, first + 8, 8, b_signed), name
            )

        check(integers.dot2(a, b, c, a_signed, b_signed, high=high), dot2, a, b, c)


@pytest.mark.parametrize("name", ["u32", "s32"])
def test_24_bits_and_saturation(name):
    a, b, _ = operands(name)

    def low24(x):
        return wrapped(x << 8, name) >> 8

    for high in (False, True):
        check(
            integers.mul24(a, b, high=high),
            lambda x, y, h=high: wrapped(low24(x) * low24(y) >> 16 * h, name),
            *(a, b),
        )
    if name == "s32":
        low, top = -(1 << 31), (1 << 31) - 1
        check(integers.add_saturating(a, b), lambda x, y: min(max(x + y, low), top), a, b)
        check(integers.sub_saturating(a, b), lambda x, y: min(max(x - y, low), top), a, b)
