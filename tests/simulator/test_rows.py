"""Every row of the table of instructions, against Python's integers, fractions and known bits."""

import math
import struct
from fractions import Fraction
from inspect import unwrap

import numpy as np
import pytest

from jitstudio.simulator.instructions.rows import ROW_MODULES
from jitstudio.simulator.instructions.table import ROWS, row_of
from jitstudio.simulator.observers.proxies import AsyncProxy
from jitstudio.simulator.observers.races import RaceDetector
from jitstudio.simulator.state.model import FaultKind, SimulationOutcome
from tests.simulator.exact import rounded
from tests.simulator.forms import FORMS, module
from tests.simulator.running import (
    BITS,
    HEAD,
    elementwise,
    kernel_of,
    program_of,
    register_of,
    run,
)

assert ROW_MODULES
ONE, WARP = (1, 1, 1), (32, 1, 1)
_SEEN: set[object] = set()
"""What binds the rows that a case of this file has used."""


def seen(ptx):
    """Takes note of the rows that a text uses."""
    program = program_of(ptx)
    for instruction in program.instructions:
        _SEEN.add(unwrap(row_of(instruction).bind))


def evaluated(instruction, result, sources):
    """What an instruction gives for arrays of bits, one thread for each element.

    Args:
        instruction: With ``%d`` for the result, ``%a %b %c %e`` for sources.
        result: The type of the result.
        sources: Type and values of each source.
    """
    ptx = HEAD + elementwise(instruction, result, [kind for kind, _ in sources])
    seen(ptx)
    arrays = [np.array(v, f"u{BITS[k] // 8}") for k, v in sources]
    count = len(arrays[0])
    out = np.zeros(count, f"u{BITS[result] // 8}")
    # Only quotients by zero are told.
    divides = instruction.startswith(("div", "rem"))
    done = run(ptx, "k", ONE, (count, 1, 1), *arrays, out, finishes=not divides)
    assert done.result.message == ""
    assert all(fault.kind is FaultKind.DIVISION for fault in done.result.faults)
    return done.arrays[-1].tolist()


def read(kind, bits):
    """A value from its bits."""
    width = BITS[kind]
    bits &= (1 << width) - 1
    if kind[0] == "s":
        return bits - (bits >> (width - 1) << width)
    if kind == "pred":
        return bool(bits)
    if kind in ("f16", "f32", "f64"):
        code = {16: "He", 32: "If", 64: "Qd"}[width]
        return struct.unpack(f"<{code[1]}", struct.pack(f"<{code[0]}", bits))[0]
    if kind == "bf16":
        return read("f32", bits << 16)
    return bits


def write(kind, value):
    """The bits of a value."""
    if kind in ("f16", "f32", "f64"):
        code = {"f16": "eH", "f32": "fI", "f64": "dQ"}[kind]
        return struct.unpack(f"<{code[1]}", struct.pack(f"<{code[0]}", float(value)))[0]
    if kind == "bf16":
        return write("f32", value) >> 16
    return int(value) & ((1 << BITS[kind]) - 1)


def inputs(kind, seed):
    """Bits of 64 values: what is at the edges, small ones, any."""
    rng, width = np.random.default_rng(seed), BITS[kind]
    if kind == "pred":
        return rng.integers(0, 2, 64).tolist()
    if kind in ("f16", "bf16", "f32", "f64"):
        scale = 8.0 if kind in ("f16", "bf16") else 1e6
        floats = [0.0, 1.0, -1.0, 0.5, 3.0, -2.5, *(rng.standard_normal(58) * scale).tolist()]
        return [write(kind, floats[i]) for i in rng.permutation(64)]
    top = 1 << (width - 1)
    edges = [0, 1, 2, 3, 5, 31, 32, width - 1, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2]
    edges += [int.from_bytes(rng.bytes(width // 8), "little") for _ in range(51)]
    return [edges[i] for i in rng.permutation(64)]


def clamp(x, low, high):
    return min(max(x, low), high)


def high_half(a, b, bits):
    return (a * b) >> bits


def quotient(a, b):
    if b == 0:
        return None  # open by the ISA
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a, b):
    return None if b == 0 else a - b * quotient(a, b)


def low24(x, signed):
    x &= 0xFFFFFF
    return x - (x >> 23 << 24) if signed else x


def field(a, start, length, signed, bits):
    start, length = start & 255, length & 255
    if not signed:
        return (a & ((1 << bits) - 1)) >> start & ((1 << length) - 1)
    if length == 0:
        return 0
    sign = a >> min(start + length - 1, bits - 1) & 1
    value = ((a & ((1 << bits) - 1)) >> start if start < bits else 0) & ((1 << length) - 1)
    present = max(min(length, bits - start), 0)
    return value - (sign << present)


def inserted(a, b, start, length, bits):
    start, length = start & 255, length & 255
    mask = ((1 << length) - 1) << start
    return (b & ~mask) | ((a << start) & mask)


def leading(a, bits):
    a = ~a if a < 0 else a
    return a.bit_length() - 1 if a else 0xFFFFFFFF


def bytes_of(x, signed=False):
    return [b - (b >> 7 << 8) if signed else b for b in (x & 0xFFFFFFFF).to_bytes(4, "little")]


def halves_of(x):
    return [x & 0xFFFF, x >> 16 & 0xFFFF]


def in_halves(function):
    """A function of halves as one of words."""

    def of_words(*words):
        low, high = (
            function(*parts) & 0xFFFF for parts in zip(*map(halves_of, words), strict=True)
        )
        return low | high << 16

    return of_words


def signed16(x):
    return x - (x >> 15 << 16)


def permuted(a, b, selector):
    source = bytes_of(a) + bytes_of(b)
    result = 0
    for i in range(4):
        choice = selector >> (4 * i) & 15
        byte = source[choice & 7]
        result |= (255 * (byte >> 7) if choice & 8 else byte) << (8 * i)
    return result


def nth_set(mask, base, offset):
    """As in the pseudocode of the ISA."""
    position, count, step = base, abs(offset) or 1, -1 if offset < 0 else 1
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    while 0 <= position < 32:
        if mask >> position & 1:
            count -= 1
            if count == 0:
                return position
        position += step
    return 0xFFFFFFFF


INTEGERS = [
    (f"add.{k}", k, [k, k], lambda a, b: a + b) for k in ("s16", "u32", "s64")
] + [
    ("sub.u16", "u16", ["u16"] * 2, lambda a, b: a - b),
    ("sub.s32", "s32", ["s32"] * 2, lambda a, b: a - b),
    ("add.sat.s32", "s32", ["s32"] * 2, lambda a, b: clamp(a + b, -(1 << 31), (1 << 31) - 1)),
    ("sub.sat.s32", "s32", ["s32"] * 2, lambda a, b: clamp(a - b, -(1 << 31), (1 << 31) - 1)),
    ("add.u16x2", "u16x2", ["u16x2"] * 2, in_halves(lambda a, b: a + b)),
    ("min.s16x2", "s16x2", ["s16x2"] * 2,
     in_halves(lambda a, b: min(signed16(a), signed16(b)))),
    ("max.u16x2", "u16x2", ["u16x2"] * 2, in_halves(max)),
    ("min.s32", "s32", ["s32"] * 2, min),
    ("max.u64", "u64", ["u64"] * 2, max),
    ("min.relu.s32", "s32", ["s32"] * 2, lambda a, b: max(min(a, b), 0)),
    ("max.relu.s32", "s32", ["s32"] * 2, lambda a, b: max(a, b, 0)),
    ("min.relu.s16x2", "s16x2", ["s16x2"] * 2,
     in_halves(lambda a, b: max(min(signed16(a), signed16(b)), 0))),
    ("max.relu.s16x2", "s16x2", ["s16x2"] * 2,
     in_halves(lambda a, b: max(signed16(a), signed16(b), 0))),
    ("mul.lo.s32", "s32", ["s32"] * 2, lambda a, b: a * b),
    ("mul.hi.u32", "u32", ["u32"] * 2, lambda a, b: high_half(a, b, 32)),
    ("mul.hi.s64", "s64", ["s64"] * 2, lambda a, b: high_half(a, b, 64)),
    ("mul.wide.s16", "s32", ["s16"] * 2, lambda a, b: a * b),
    ("mul.wide.u32", "u64", ["u32"] * 2, lambda a, b: a * b),
    ("mad.lo.u64", "u64", ["u64"] * 3, lambda a, b, c: a * b + c),
    ("mad.hi.s32", "s32", ["s32"] * 3, lambda a, b, c: high_half(a, b, 32) + c),
    ("mad.hi.sat.s32", "s32", ["s32"] * 3,
     lambda a, b, c: clamp(high_half(a, b, 32) + c, -(1 << 31), (1 << 31) - 1)),
    ("mad.wide.s32", "s64", ["s32", "s32", "s64"], lambda a, b, c: a * b + c),
    ("mul24.lo.s32", "s32", ["s32"] * 2, lambda a, b: low24(a, True) * low24(b, True)),
    ("mul24.hi.u32", "u32", ["u32"] * 2, lambda a, b: low24(a, False) * low24(b, False) >> 16),
    ("mad24.lo.u32", "u32", ["u32"] * 3,
     lambda a, b, c: low24(a, False) * low24(b, False) + c),
    ("mad24.hi.sat.s32", "s32", ["s32"] * 3, lambda a, b, c: clamp(
        read("s32", low24(a, True) * low24(b, True) >> 16) + c, -(1 << 31), (1 << 31) - 1)),
    ("div.s32", "s32", ["s32"] * 2, quotient),
    ("div.u64", "u64", ["u64"] * 2, quotient),
    ("rem.s16", "s16", ["s16"] * 2, remainder),
    ("rem.u32", "u32", ["u32"] * 2, remainder),
    ("abs.s64", "s64", ["s64"], abs),
    ("neg.s16", "s16", ["s16"], lambda a: -a),
    ("sad.u32", "u32", ["u32"] * 3, lambda a, b, c: c + abs(a - b)),
    ("dp4a.s32.u32", "s32", ["b32", "b32", "s32"], lambda a, b, c: c + sum(
        x * y for x, y in zip(bytes_of(a, True), bytes_of(b), strict=True))),
    ("dp2a.hi.u32.s32", "s32", ["b32", "b32", "s32"], lambda a, b, c: c + sum(
        x * y for x, y in zip(halves_of(a), bytes_of(b, True)[2:], strict=True))),
    ("and.b16", "b16", ["b16"] * 2, lambda a, b: a & b),
    ("or.b32", "b32", ["b32"] * 2, lambda a, b: a | b),
    ("xor.b64", "b64", ["b64"] * 2, lambda a, b: a ^ b),
    ("not.b32", "b32", ["b32"], lambda a: ~a),
    ("cnot.b32", "b32", ["b32"], lambda a: a == 0),
    ("and.pred", "pred", ["pred"] * 2, lambda a, b: a and b),
    ("or.pred", "pred", ["pred"] * 2, lambda a, b: a or b),
    ("xor.pred", "pred", ["pred"] * 2, lambda a, b: a != b),
    ("not.pred", "pred", ["pred"], lambda a: not a),
    ("mov.pred", "pred", ["pred"], lambda a: a),
    ("shl.b32", "b32", ["b32", "u32"], lambda a, n: a << n if n < 32 else 0),
    ("shr.s64", "s64", ["s64", "u32"], lambda a, n: a >> min(n, 63)),
    ("shr.u16", "u16", ["u16", "u32"], lambda a, n: a >> min(n, 16)),
    ("shf.l.clamp.b32", "b32", ["b32", "b32", "u32"],
     lambda a, b, n: (b << 32 | a) << min(n, 32) >> 32),
    ("shf.r.wrap.b32", "b32", ["b32", "b32", "u32"], lambda a, b, n: (b << 32 | a) >> (n & 31)),
    ("bfe.u32", "u32", ["u32"] * 3, lambda a, p, n: field(a, p, n, False, 32)),
    ("bfe.s64", "s64", ["s64", "u32", "u32"], lambda a, p, n: field(a, p, n, True, 64)),
    ("bfi.b32", "b32", ["b32", "b32", "u32", "u32"],
     lambda a, b, p, n: inserted(a, b, p, n, 32)),
    ("bmsk.clamp.b32", "b32", ["u32", "u32"],
     lambda p, n: ((1 << min(n, 32)) - 1) << min(p, 32)),
    ("szext.wrap.s32", "s32", ["s32", "u32"], lambda a, n: field(a, 0, n & 31, True, 32)),
    ("bfind.s32", "u32", ["s32"], lambda a: leading(a, 32)),
    ("bfind.shiftamt.u64", "u32", ["u64"], lambda a: 63 - leading(a, 64) if a else 0xFFFFFFFF),
    ("fns.b32", "b32", ["b32", "u32", "s32"], None),
    ("popc.b64", "u32", ["b64"], int.bit_count),
    ("clz.b32", "u32", ["b32"], lambda a: 32 - a.bit_length()),
    ("brev.b32", "b32", ["b32"], lambda a: int(f"{a:032b}"[::-1], 2)),
    ("prmt.b32", "b32", ["b32"] * 3, permuted),
    ("mov.b64", "b64", ["b64"], lambda a: a),
    ("selp.s32", "s32", ["s32", "s32", "pred"], lambda a, b, p: a if p else b),
    ("slct.u64.s32", "u64", ["u64", "u64", "s32"], lambda a, b, c: a if c >= 0 else b),
    ("slct.f32.f32", "f32", ["f32", "f32", "f32"], lambda a, b, c: a if c >= 0 else b),
    ("setp.lo.u32", "pred", ["u32"] * 2, lambda a, b: a < b),
    ("setp.ge.s64", "pred", ["s64"] * 2, lambda a, b: a >= b),
    ("setp.eq.xor.b16", "pred", ["b16", "b16", "pred"], lambda a, b, p: (a == b) != p),
    ("setp.ltu.f32", "pred", ["f32"] * 2, lambda a, b: a < b),
    ("setp.gt.f16", "pred", ["f16"] * 2, lambda a, b: a > b),
    ("setp.le.bf16", "pred", ["bf16"] * 2, lambda a, b: a <= b),
    ("setp.num.f64", "pred", ["f64"] * 2, lambda a, b: True),
    ("set.ne.u32.s32", "u32", ["s32"] * 2, lambda a, b: -(a != b)),
    ("set.lt.f32.f32", "f32", ["f32"] * 2, lambda a, b: float(a < b)),
    ("cvt.s64.s32", "s64", ["s32"], lambda a: a),
    ("cvt.sat.u16.s32", "u16", ["s32"], lambda a: clamp(a, 0, 0xFFFF)),
    ("cvt.rn.f64.s32", "f64", ["s32"], float),
    ("cvt.rzi.s32.f32", "s32", ["f32"], lambda a: clamp(int(a), -(1 << 31), (1 << 31) - 1)),
    ("cvt.rpi.f32.f32", "f32", ["f32"], math.ceil),
    ("cvt.f64.f32", "f64", ["f32"], lambda a: a),
    ("cvt.rz.f16.f32", "f16", ["f32"], lambda a: rounded(Fraction(a), "f16", "rz")),
    ("cvt.rn.bf16.f32", "bf16", ["f32"], lambda a: rounded(Fraction(a), "bf16", "rn")),
    ("cvt.pack.sat.s16.s32", "b32", ["s32"] * 2, lambda a, b: sum(
        write("s16", clamp(x, -(1 << 15), (1 << 15) - 1)) << s for x, s in ((a, 16), (b, 0)))),
    ("cvt.pack.sat.u8.s32.b32", "b32", ["s32", "s32", "b32"],
     lambda a, b, c: clamp(b, 0, 255) | clamp(a, 0, 255) << 8 | (c & 0xFFFF) << 16),
]  # fmt: skip


@pytest.mark.parametrize("row", INTEGERS, ids=lambda row: row[0])
def test_what_is_exact(row):
    opcode, result, kinds, function = row
    function = function or nth_set
    values = [inputs(kind, seed) for seed, kind in enumerate(kinds, 1)]
    for place, kind in enumerate(kinds):
        # Amounts and places are small as often as they are not.
        is_amount = kind == "u32" and place > 0 and opcode[:2] in ("sh", "bf", "bm", "sz", "fn")
        if is_amount or (opcode == "bmsk.clamp.b32"):
            limit = 32 if opcode.startswith("fns") else 70
            values[place] = [v % limit for v in values[place]]
        if opcode.startswith("fns") and kind == "s32":
            values[place] = [(v % 9 - 4) & 0xFFFFFFFF for v in values[place]]
    operands = ", ".join(f"%{x}" for x in "abce"[: len(kinds)])
    got = evaluated(f"{opcode} %d, {operands};", result, list(zip(kinds, values, strict=True)))
    for bits, found in zip(zip(*values, strict=True), got, strict=True):
        wanted = function(*(read(k, b) for k, b in zip(kinds, bits, strict=True)))
        if wanted is not None:
            assert found == write(result, wanted), (opcode, bits)


def fused(a, b, c):
    return a * b + c


FLOATS = [
    ("add.rz.f32", "f32", 2, lambda a, b: a + b, "rz"),
    ("sub.f64", "f64", 2, lambda a, b: a - b, "rn"),
    ("mul.rp.f64", "f64", 2, lambda a, b: a * b, "rp"),
    ("fma.rn.f32", "f32", 3, fused, "rn"),
    ("fma.rm.f64", "f64", 3, fused, "rm"),
    ("fma.rn.bf16", "bf16", 3, fused, "rn"),
    ("mad.rn.f32", "f32", 3, fused, "rn"),
    ("div.rn.f32", "f32", 2, lambda a, b: a / b if b else None, "rn"),
    ("rcp.rm.f64", "f64", 1, lambda a: 1 / a if a else None, "rm"),
    ("add.f16", "f16", 2, lambda a, b: a + b, "rn"),
    ("abs.f32", "f32", 1, abs, "rn"),
    ("neg.f64", "f64", 1, lambda a: -a, "rn"),
    ("min.f32", "f32", 2, min, "rn"),
    ("max.f64", "f64", 2, max, "rn"),
    ("max.f32", "f32", 3, max, "rn"),
    ("min.f32", "f32", 3, min, "rn"),
]


@pytest.mark.parametrize("row", FLOATS, ids=lambda row: f"{row[0]}-{row[2]}")
def test_what_is_rounded_once(row):
    opcode, kind, count, function, mode = row
    values = [inputs(kind, seed) for seed in range(1, count + 1)]
    operands = ", ".join(f"%{x}" for x in "abc"[:count])
    got = evaluated(f"{opcode} %d, {operands};", kind, [(kind, v) for v in values])
    for bits, found in zip(zip(*values, strict=True), got, strict=True):
        exact = function(*(Fraction(read(kind, b)) for b in bits))
        if exact is not None:
            assert read(kind, found) == rounded(exact, kind, mode), bits


def test_a_square_root_is_the_nearest():
    values = [b & 0x7FFFFFFF for b in inputs("f32", 1)]
    got = evaluated("sqrt.rn.f32 %d, %a;", "f32", [("f32", values)])
    for bits, found in zip(values, got, strict=True):
        root, exact = Fraction(read("f32", found)), Fraction(read("f32", bits))
        step = Fraction(math.ulp(read("f32", found))) * (1 << 28)
        assert (root - step) ** 2 < exact < (root + step) ** 2 or root**2 == exact


# Instruction, type, bits of the sources, bits of the result.
KNOWN = [
    ("add.ftz.f32 %d, %a, %b;", "f32", [0x00400000, 0x3F800000], 0x3F800000),
    ("add.sat.f32 %d, %a, %b;", "f32", [0x3F800000, 0x3F800000], 0x3F800000),
    ("fma.rn.relu.f16 %d, %a, %b, %c;", "f16", [0x3C00, 0xBC00, 0x0000], 0x0000),
    ("min.NaN.f32 %d, %a, %b;", "f32", [0x7FC00000, 0x3F800000], 0x7FFFFFFF),
    ("max.xorsign.abs.f32 %d, %a, %b;", "f32", [0xC0000000, 0x3F800000], 0xC0000000),
    ("add.f16x2 %d, %a, %b;", "f16x2", [0x3C004000, 0x3C003C00], 0x40004200),
    ("mul.bf16x2 %d, %a, %b;", "bf16x2", [0x40004040, 0x40003F80], 0x40804040),
    ("add.rn.f32x2 %d, %a, %b;", "f32x2", [0x3F80000040000000, 0x3F8000003F800000],
     0x4000000040400000),
    ("sub.rn.f32x2 %d, %a, %b;", "f32x2", [0x3F80000040000000, 0x3F80000040400000],
     0x00000000BF800000),
    ("mul.rz.f32x2 %d, %a, %b;", "f32x2", [0x3F80000040000000, 0x3F80000040400000],
     0x3F80000040C00000),
    ("fma.rn.f32x2 %d, %a, %b, %c;", "f32x2", [0x3F80000040000000, 0x3F80000040400000,
     0x4080000040A00000], 0x40A0000041300000),
    ("mad.rn.f64 %d, %a, %b, %c;", "f64", [0x4008000000000000, 0x4014000000000000,
     0xC01C000000000000],
     0x4020000000000000),
    ("ex2.approx.ftz.bf16 %d, %a;", "bf16", [0x4000], 0x4080),
    ("neg.f16x2 %d, %a;", "f16x2", [0x3C00BC00], 0xBC003C00),
    ("abs.bf16 %d, %a;", "bf16", [0xBF80], 0x3F80),
    ("min.f16 %d, %a, %b;", "f16", [0x3C00, 0x4000], 0x3C00),
    ("copysign.f32 %d, %a, %b;", "f32", [0xBF800000, 0x40000000], 0xC0000000),
    ("rcp.approx.f32 %d, %a;", "f32", [0x40000000], 0x3F000000),
    ("rsqrt.approx.ftz.f32 %d, %a;", "f32", [0x40800000], 0x3F000000),
    ("sqrt.approx.f32 %d, %a;", "f32", [0x40800000], 0x40000000),
    ("ex2.approx.f32 %d, %a;", "f32", [0x40400000], 0x41000000),
    ("lg2.approx.f32 %d, %a;", "f32", [0x41000000], 0x40400000),
    ("sin.approx.f32 %d, %a;", "f32", [0x00000000], 0x00000000),
    ("cos.approx.f32 %d, %a;", "f32", [0x00000000], 0x3F800000),
    ("tanh.approx.f32 %d, %a;", "f32", [0x7F800000], 0x3F800000),
    ("ex2.approx.f16 %d, %a;", "f16", [0x4000], 0x4400),
    ("tanh.approx.bf16x2 %d, %a;", "bf16x2", [0x7F80FF80], 0x3F80BF80),
    ("div.approx.f32 %d, %a, %b;", "f32", [0x40C00000, 0x40000000], 0x40400000),
    ("div.full.f32 %d, %a, %b;", "f32", [0x40C00000, 0x40000000], 0x40400000),
    ("rcp.approx.ftz.f64 %d, %a;", "f64", [0x4000000000000000], 0x3FE0000000000000),
    ("lop3.b32 %d, %a, %b, %c, 0xE8;", "b32", [12, 10, 6], 14),  # the majority
    ("szext.clamp.u32 %d, %a, 4;", "b32", [0xFF], 15),
]  # fmt: skip


@pytest.mark.parametrize("row", KNOWN, ids=lambda row: row[0].split()[0])
def test_known_bits(row):
    instruction, kind, sources, wanted = row
    assert evaluated(instruction, kind, [(kind, [bits]) for bits in sources]) == [wanted]


@pytest.mark.parametrize(
    ("instruction", "source", "bits", "wanted"),
    [
        ("testp.infinite.f32 %d, %a;", "f32", [0x7F800000, 0x7F7FFFFF], [1, 0]),
        ("testp.subnormal.f64 %d, %a;", "f64", [1, 1 << 52], [1, 0]),
        ("setp.equ.f32 %d, %a, %a;", "f32", [0x7FC00000, 0], [1, 1]),
        ("setp.neu.ftz.f32 %d, %a, 0f00000000;", "f32", [1, 0x3F800000], [0, 1]),
    ],
)
def test_predicates_of_floats(instruction, source, bits, wanted):
    assert evaluated(instruction, "pred", [(source, bits)]) == wanted


def test_two_predicates_at_once():
    body = "{d}.reg .pred %p, %q; setp.lt.and.s32 %p|%q, %a, %b, %c; {s}"
    body = body.format(d="", s="selp.b32 %d, 2, 0, %p; @%q add.u32 %d, %d, 1;")
    a, b = inputs("s32", 1), inputs("s32", 2)
    c = inputs("pred", 3)
    got = evaluated(body, "b32", [("s32", a), ("s32", b), ("pred", c)])
    less = [read("s32", x) < read("s32", y) for x, y in zip(a, b, strict=True)]
    assert got == [(2 if t else 1) if p else 0 for t, p in zip(less, c, strict=True)]


def test_packed_comparisons():
    one, two = 0x3C004000, 0x40003C00  # (1, 2) and (2, 1), the upper half first
    text = """.reg .pred %p, %q; setp.lt.f16x2 %p|%q, %a, %b; selp.b32 %d, 1, 0, %p;
    @%q or.b32 %d, %d, 2;"""
    assert evaluated(text, "b32", [("b32", [one]), ("b32", [two])]) == [2]
    text = "set.lt.f16x2.f16x2 %d, %a, %b;"
    assert evaluated(text, "b32", [("b32", [one]), ("b32", [two])]) == [0x3C000000]
    text = "set.gt.u32.bf16x2 %d, %a, %b;"
    assert evaluated(text, "b32", [("b32", [0x3F804000]), ("b32", [0x40003F80])]) == [0x0000FFFF]


def test_lop3_with_a_predicate():
    text = ".reg .pred %p; lop3.or.b32 %d|%p, %a, %b, 0, 0xC0, 0; selp.b32 %d, 1, 0, %p;"
    assert evaluated(text, "b32", [("b32", [6, 6]), ("b32", [2, 8])]) == [1, 0]


def test_conversions_of_pairs():
    one, two = write("f32", 1), write("f32", -2)
    text = "cvt.rn.f16x2.f32 %d, %a, %b;"
    assert evaluated(text, "b32", [("f32", [one]), ("f32", [two])]) == [0x3C00C000]
    text = ".reg .b16 %h; cvt.rn.satfinite.e4m3x2.f32 %h, %a, %b; cvt.rn.f16x2.e4m3x2 %d, %h;"
    assert evaluated(text, "b32", [("f32", [one]), ("f32", [two])]) == [0x3C00C000]


def test_packing_and_unpacking():
    text = ".reg .b32 %x, %y; mov.b64 {%x, %y}, %a; mov.b64 %d, {%y, %x};"
    assert evaluated(text, "b64", [("b64", [0x1122334455667788])]) == [0x5566778811223344]
    text = ".reg .b16 %x, %y; mov.b32 {%x, _}, %a; mov.b32 %d, {%x, %x};"
    assert evaluated(text, "b32", [("b32", [0x11223344])]) == [0x33443344]


def test_carries():
    text = """.reg .b32 %w<4>; mov.b64 {%w0, %w1}, %a; mov.b64 {%w2, %w3}, %b;
    add.cc.u32 %w0, %w0, %w2; addc.u32 %w1, %w1, %w3; mov.b64 %d, {%w0, %w1};"""
    a, b = inputs("b64", 1), inputs("b64", 2)
    mask = (1 << 64) - 1
    assert evaluated(text, "b64", [("b64", a), ("b64", b)]) == [
        (x + y) & mask for x, y in zip(a, b, strict=True)
    ]
    text = text.replace("add.cc", "sub.cc").replace("addc.u32", "subc.cc.u32")
    assert evaluated(text, "b64", [("b64", a), ("b64", b)]) == [
        (x - y) & mask for x, y in zip(a, b, strict=True)
    ]
    # The carry of a sum, taken by a subtraction, says that nothing is borrowed: seen on an H100.
    text = ".reg .b32 %x; add.cc.u32 %x, %a, %b; subc.u32 %d, %a, 5;"
    pairs = [("b32", [2**32 - 1, 7]), ("b32", [1, 1])]
    assert evaluated(text, "b32", pairs) == [2**32 - 1 - 5, 7 - 5 - 1]
    text = """.reg .b32 %l, %h, %x, %y; cvt.u32.u64 %x, %a; cvt.u32.u64 %y, %b;
    mad.lo.cc.u32 %l, %x, %y, %x; madc.hi.u32 %h, %x, %y, 0; mov.b64 %d, {%l, %h};"""
    assert evaluated(text, "b64", [("b64", a), ("b64", b)]) == [
        (x & 0xFFFFFFFF) * (y & 0xFFFFFFFF) + (x & 0xFFFFFFFF) for x, y in zip(a, b, strict=True)
    ]


# Whole bodies: `%t` is the thread, and `%d` is stored.
def bodied(body, kind="b32", threads=32, arguments=(), before="", **options):
    """What each thread of a block stores."""
    size = BITS[kind] // 8
    text = f"""
    .reg .b32 %t, %r<20>; .reg .b64 %rd<20>, %at; .reg .pred %p, %q; .reg .{register_of(kind)} %d;
    .reg .f32 %f<20>; .reg .b16 %h<8>; .reg .f64 %fd<20>;
    mov.u32 %t, %tid.x;
    {body}
    ld.param.u64 %at, [k_0]; mad.wide.u32 %at, %t, {size}, %at;
    st.global.b{BITS[kind]} [%at], %d;"""
    ptx = kernel_of(text, "u64", *("u64" for _ in arguments), before=before)
    seen(ptx)
    out = np.zeros(threads, f"u{size}")
    done = run(ptx, "k", ONE, (threads, 1, 1), out, *arguments, **options)
    return done.arrays[0].tolist(), done


def test_loads_and_stores_of_vectors_and_narrow_types():
    source = np.arange(256, dtype=np.uint8)
    got, _ = bodied(
        """ld.param.u64 %rd0, [k_1]; add.u64 %rd0, %rd0, 128;
        ld.global.s8 %r0, [%rd0+1]; ld.global.u8 %r1, [%rd0+2];
        ld.global.v4.u32 {%r2, %r3, _, %r4}, [%rd0-128]; ldu.global.u16 %h0, [%rd0];
        st.global.v2.u32 [%rd0], {%r0, %r4}; ld.volatile.global.u32 %r5, [%rd0];
        ld.global.nc.L1::no_allocate.b64 %rd1, [%rd0]; shr.u64 %rd1, %rd1, 32;
        cvt.u32.u64 %r6, %rd1; add.u32 %d, %r5, %r6; add.u32 %d, %d, %r1; cvt.u32.u16 %r7, %h0;
        add.u32 %d, %d, %r7;""",
        threads=1,
        arguments=[source],
    )
    word = int.from_bytes(bytes([12, 13, 14, 15]), "little")
    assert got == [((129 - 256) + word + 130 + 0x8180) & 0xFFFFFFFF]


def test_every_space_by_generic_addresses():
    got, _ = bodied(
        """.shared .b32 s[32]; .local .b32 l[4]; mov.u32 %r0, s; cvt.u64.u32 %rd0, %r0;
        cvta.shared.u64 %rd1, %rd0; mad.wide.u32 %rd1, %t, 4, %rd1; st.u32 [%rd1], %t;
        mov.u64 %rd2, l; cvta.local.u64 %rd3, %rd2; st.u32 [%rd3+8], 100; ld.local.u32 %r1, [l+8];
        cvta.to.shared.u64 %rd4, %rd1; cvt.u32.u64 %r2, %rd4; ld.shared.u32 %r3, [%r2];
        mov.u64 %rd5, c; cvta.const.u64 %rd6, %rd5; ld.u32 %r4, [%rd6+4];
        setp.lt.u32 %p, %t, 16; selp.u64 %rd7, %rd1, %rd3, %p; @!%p add.u64 %rd7, %rd7, 8;
        ld.u32 %r5, [%rd7]; add.u32 %d, %r1, %r3; add.u32 %d, %d, %r4;
        mad.lo.u32 %d, %r5, 10000, %d; isspacep.shared %q, %rd7; @%q add.u32 %d, %d, 5000;
        mov.u64 %rd8, g; cvta.global.u64 %rd8, %rd8; ld.u32 %r6, [%rd8]; add.u32 %d, %d, %r6;""",
        before=".const .u32 c[2] = {7, 3000};\n.global .u32 g = 20000000;",
    )
    assert got == [20003100 + t + (10000 * t + 5000 if t < 16 else 1000000) for t in range(32)]


def test_addresses_in_initialisers():
    got, _ = bodied(
        """mov.u64 %rd0, table; ld.global.u64 %rd1, [%rd0+8]; ld.u32 %d, [%rd1];""",
        threads=1,
        before=".global .u32 v[3] = {5, 6, 7};\n.global .u64 table[2] = {0, generic(v)+8};",
    )
    assert got == [7]


def test_hints_change_nothing():
    got, _ = bodied(
        """ld.param.u64 %rd0, [k_0]; prefetch.global.L2 [%rd0]; prefetchu.L1 [%rd0];
        applypriority.global.L2::evict_normal [%rd0], 128; discard.global.L2 [%rd0], 128;
        createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0; nanosleep.u32 100; pmevent 1;
        pmevent.mask 3;
        membar.gl; fence.acq_rel.gpu; griddepcontrol.wait; setmaxnreg.inc.sync.aligned.u32 64;
        brkpt; mov.u32 %d, 3;""",
        threads=1,
    )
    assert got == [3]


def test_special_registers():
    got, done = bodied(
        """mov.u32 %r0, %laneid; mov.u32 %r1, %warpid; mov.u32 %r2, %lanemask_lt;
        mov.u32 %r3, %ntid.x; mov.u64 %rd0, %clock64; mov.u32 %r4, %nctaid.y;
        popc.b32 %r2, %r2; mad.lo.u32 %d, %r1, 32, %r0; mad.lo.u32 %d, %r2, 1000, %d;
        mad.lo.u32 %d, %r3, 100000, %d; mad.lo.u32 %d, %r4, 10000000, %d;""",
        threads=40,
    )
    assert got == [14000000 + 1000 * (t % 32) + t for t in range(40)]
    names = [name.split()[0] for name in done.result.inexact_functions]
    assert sorted(names) == ["%clock64", "%warpid"]


@pytest.mark.parametrize(
    ("operation", "final", "old"),
    [
        ("add.u32 %d, [%rd0], %t", 7 + 496, lambda t: 7 + t * (t - 1) // 2),
        ("add.s32 %d, [%rd0], -1", (7 - 32) & 0xFFFFFFFF, lambda t: (7 - t) & 0xFFFFFFFF),
        ("max.s32 %d, [%rd0], %t", 31, lambda t: max(7, t - 1)),
        ("min.u32 %d, [%rd0], 3", 3, lambda t: 3 if t else 7),
        ("and.b32 %d, [%rd0], 6", 6, lambda t: 6 if t else 7),
        ("or.b32 %d, [%rd0], 8", 15, lambda t: 15 if t else 7),
        ("xor.b32 %d, [%rd0], 1", 7, lambda t: 6 if t % 2 else 7),
        ("exch.b32 %d, [%rd0], %t", 31, lambda t: t - 1 if t else 7),
        ("inc.u32 %d, [%rd0], 9", 9, lambda t: (7 + t) % 10),
        ("dec.u32 %d, [%rd0], 9", 5, lambda t: (7 - t) % 10),
        ("cas.b32 %d, [%rd0], 7, 9", 9, lambda t: 9 if t else 7),
    ],
)
def test_atomics_at_one_address(operation, final, old):
    cell = np.array([7], np.uint32)
    got, done = bodied(f"ld.param.u64 %rd0, [k_1]; atom.global.{operation};", arguments=[cell])
    assert got == [old(t) for t in range(32)]
    assert done.arrays[1].tolist() == [final]


def test_atomics_of_floats_and_vectors():
    cells = np.zeros(4, np.float32)
    got, done = bodied(
        """ld.param.u64 %rd0, [k_1]; red.global.add.f32 [%rd0], 0f3F000000;
        atom.add.f32 %f0, [%rd0], 0f3F000000; mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f3F800000;
        add.u64 %rd1, %rd0, 8; red.global.add.v2.f32 [%rd1], {%f1, %f2}; mov.u32 %d, 0;
        atom.global.add.v2.f32 {%f3, _}, [%rd1], {0f00000000, 0f00000000};
        setp.neu.f32 %p, %f3, 0f42800000; @%p mov.u32 %d, 1;""",
        arguments=[cells],
    )
    assert got == [0] * 32
    assert done.arrays[1].tolist() == [32.0, 0.0, 64.0, 32.0]
    assert [name.split()[0] for name in done.result.inexact_functions] == [
        "red.add.f32",
        "atom.add.f32",
        "red.global.add.v2.f32",
        "atom.global.add.v2.f32",
    ]


def test_shuffles():
    modes = {
        "up.b32 %d|%p, %t, 3, 0x800": lambda t: t - 3 if t % 8 >= 3 else t,
        "down.b32 %d|%p, %t, 2, 31": lambda t: min(t + 2, 31) if t < 30 else t,
        "bfly.b32 %d|%p, %t, 5, 31": lambda t: t ^ 5,
        "idx.b32 %d|%p, %t, 33, 31": lambda t: 1,
    }
    for words, source in modes.items():
        words = words.replace("0x800", "6144")  # segments of eight lanes: 0b11000 << 8
        got, _ = bodied(f"shfl.sync.{words}, -1;")
        assert got == [source(t) for t in range(32)], words


def test_votes_and_matches():
    everyone = 0xFFFFFFFF
    cases = {
        "setp.lt.u32 %p, %t, 5; vote.sync.ballot.b32 %d, %p, -1;": lambda t: 31,
        "setp.lt.u32 %p, %t, 5; vote.sync.any.pred %q, %p, -1; selp.b32 %d, 1, 0, %q;": lambda t: 1,
        "setp.lt.u32 %p, %t, 5; vote.sync.all.pred %q, !%p, -1; selp.b32 %d, 1, 0, %q;": lambda t: (
            0
        ),
        "setp.lt.u32 %p, %t, 50; vote.sync.uni.pred %q, %p, -1; selp.b32 %d, 1, 0, %q;": lambda t: (
            1
        ),
        "rem.u32 %r0, %t, 3; match.any.sync.b32 %d, %r0, -1;": lambda t: sum(
            1 << i for i in range(t % 3, 32, 3)
        ),
        "shr.u32 %r0, %t, 5; match.all.sync.b32 %d|%p, %r0, -1;": lambda t: everyone,
        "match.all.sync.b32 %d|%p, %t, -1;": lambda t: 0,
        "redux.sync.add.u32 %d, %t, -1;": lambda t: 496,
        "sub.u32 %r0, 5, %t; redux.sync.min.s32 %d, %r0, -1;": lambda t: (5 - 31) & everyone,
        "redux.sync.xor.b32 %d, %t, -1;": lambda t: 0,
        "redux.sync.max.u32 %d, %t, -1;": lambda t: 31,
        "redux.sync.and.b32 %d, %t, -1;": lambda t: 0,
        "redux.sync.or.b32 %d, %t, -1;": lambda t: 31,
        "activemask.b32 %d;": lambda t: everyone,
        "elect.sync %d|%p, 0xF0; @!%p add.u32 %d, %d, 100;": lambda t: 4 if t == 4 else 104,
        "bar.warp.sync -1; mov.u32 %d, 1;": lambda t: 1,
    }
    for body, wanted in cases.items():
        if "elect" in body:
            others = "setp.lt.u32 %q, %t, 4; @%q bra Z; setp.gt.u32 %q, %t, 7; @%q bra Z;"
            body = f"mov.u32 %d, 104; {others} {body} Z:"
        got, _ = bodied(body)
        assert got == [wanted(t) for t in range(32)], body


def test_branches_by_table_calls_and_the_end():
    got, _ = bodied(
        """and.b32 %r0, %t, 3; mov.u32 %d, 9; ts: .branchtargets L0, L1, L2, L3;
        brx.idx %r0, ts; L0: mov.u32 %d, 10; bra.uni Z; L1: mov.u32 %d, 11; bra Z;
        L2: { .param .b32 x; .param .b32 y; st.param.b32 [x], %t; call (y), f, (x);
        ld.param.b32 %d, [y]; } bra Z; L3: exit; Z:""",
        before=""".func (.param .b32 r) f (.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a];
        mul.lo.u32 %x, %x, 1000; st.param.b32 [r], %x; ret; }""",
    )
    assert got == [(10, 11, 1000 * t, 0)[t % 4] for t in range(32)]


def test_functions_with_arguments_in_registers():
    got, _ = bodied(
        """cvt.rn.f32.u32 %f0, %t; call (%f1), half, (%f0, 0f3F000000);
        cvt.rni.u32.f32 %d, %f1;""",
        before=""".func (.reg .f32 r) half (.reg .f32 a, .reg .f32 b) {
        mul.f32 r, a, b; mul.f32 r, r, 0f40800000; ret; }""",
    )
    assert got == [2 * t for t in range(32)]


def test_barriers_with_numbers_and_reductions():
    got, _ = bodied(
        """setp.lt.u32 %p, %t, 20; barrier.cta.red.popc.u32 %d, 1, %p; bar.red.or.pred %q, 2, %p;
        @%q add.u32 %d, %d, 100; setp.lt.u32 %p, %t, 32; @%p bra A; bar.sync 3, 64; bra Z;
        A: bar.arrive 3, 64; barrier.sync.aligned 4, 32; Z: barrier.arrive 5, 64; bar.sync 0;""",
        threads=64,
    )
    assert got == [120] * 64


def test_the_barrier_of_a_cluster_and_its_shared_memory():
    ptx = kernel_of(
        """.shared .b32 s[32]; .reg .b32 %t, %b, %a, %o, %d; .reg .b64 %at, %w, %v;
        mov.u32 %t, %tid.x; mov.u32 %b, %cluster_ctarank; mov.u32 %a, s; mad.lo.u32 %a, %t, 4, %a;
        mad.lo.u32 %d, %b, 100, %t; st.shared.u32 [%a], %d; barrier.cluster.arrive.release.aligned;
        barrier.cluster.wait.acquire.aligned; xor.b32 %b, %b, 1;
        mapa.shared::cluster.u32 %o, %a, %b; ld.shared::cluster.u32 %d, [%o];
        getctarank.shared::cluster.u32 %o, %o; mad.lo.u32 %d, %o, 10000, %d;
        mov.u32 %o, %ctaid.x; mad.lo.u32 %t, %o, 32, %t; ld.param.u64 %at, [k_0];
        mad.wide.u32 %at, %t, 4, %at; st.global.u32 [%at], %d;
        barrier.cluster.arrive.relaxed; barrier.cluster.wait;""",
        "u64",
    )
    seen(ptx)
    done = run(ptx, "k", (4, 1, 1), WARP, np.zeros(128, np.uint32), cluster=(2, 1, 1))
    assert done.arrays[0].tolist() == [10100 * (1 - b % 2) + t for b in range(4) for t in range(32)]


def test_copies_and_their_barriers():
    source = np.arange(64, dtype=np.uint32)
    got, _ = bodied(
        """.shared .align 16 .b32 s[64]; .shared .align 8 .b64 m; mov.u32 %r0, s;
        ld.param.u64 %rd0, [k_1]; mov.u32 %r9, m; mad.lo.u32 %r1, %t, 4, %r0;
        mad.wide.u32 %rd1, %t, 4, %rd0; setp.eq.u32 %p, %t, 0;
        @%p mbarrier.init.shared.b64 [%r9], 32; bar.sync 0;
        cp.async.ca.shared.global [%r1], [%rd1], 4; cp.async.commit_group; cp.async.wait_group 0;
        cp.async.wait_all; cp.async.mbarrier.arrive.noinc.shared.b64 [%r9];
        W: mbarrier.test_wait.parity.shared.b64 %q, [%r9], 0; @!%q bra W;
        sub.u32 %r2, 31, %t; mad.lo.u32 %r3, %r2, 4, %r0; ld.shared.u32 %d, [%r3];
        bar.sync 0; @%p cp.async.cg.shared.global [%r0], [%rd0+16], 16, 8;
        cp.async.wait_all; bar.sync 0;
        ld.shared.u32 %r4, [s+4]; ld.shared.u32 %r5, [s+8]; mad.lo.u32 %d, %r4, 100, %d;
        mad.lo.u32 %d, %r5, 10000, %d;
        @!%p bra Y; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r9], 64;
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r9], 64;
        mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r9], 128;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
        [%r0], [%rd0+128], 128, [%r9];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r9], -64;
        mbarrier.arrive_drop.expect_tx.shared.b64 %rd6, [%r9], -64;
        mbarrier.arrive_drop.shared.b64 %rd3, [%r9], 29; mbarrier.pending_count.b64 %r6, %rd3;
        bra V; Y: setp.eq.u32 %q, %t, 1; @%q mbarrier.arrive.shared.b64 %rd4, [%r9]; V:
        W2: mbarrier.try_wait.parity.shared.b64 %q, [%r9], 1; @!%q bra W2;
        ld.shared.u32 %r7, [s]; mad.lo.u32 %d, %r7, 1000000, %d;
        @%p add.u32 %d, %d, %r6; bar.sync 0; @%p mbarrier.inval.shared.b64 [%r9];""",
        arguments=[source],
    )
    pending = 30  # after two arrivals of the first thread
    assert got == [31 - t + 500 + 32000000 + (pending if t == 0 else 0) for t in range(32)]


TRACKED = "mbarrier::complete_tx::bytes"


def test_what_comes_by_itself_to_the_blocks_of_a_cluster():
    """Each block sends to the other one, block 0 copies to both, and all add to global memory."""
    ptx = kernel_of(
        f""".shared .align 16 .b32 s[64]; .shared .align 16 .b32 tops[4];
        .shared .b32 sum;
        .shared .align 16 .b32 many[16]; .shared .align 16 .b32 own[4]; .shared .align 8 .b64 m;
        .reg .b32 %t, %b, %o, %a, %x, %y, %m, %q, %d<4>; .reg .b16 %mask; .reg .b64 %state, %p<3>;
        .reg .pred %first, %zero, %done;
        mov.u32 %t, %tid.x; mov.u32 %b, %cluster_ctarank; xor.b32 %o, %b, 1;
        ld.param.u64 %p0, [k_0]; ld.param.u64 %p1, [k_1]; ld.param.u64 %p2, [k_2];
        setp.eq.u32 %first, %t, 0; setp.ne.u32 %zero, %b, 0; not.pred %zero, %zero;
        and.pred %zero, %zero, %first;
        @!%first bra READY;
        mbarrier.init.shared.b64 [m], 1;
        mbarrier.arrive.expect_tx.shared.b64 %state, [m], 464;
        st.shared.v4.u32 [tops], {{6, 0, 8, 8}}; st.shared.u32 [sum], 0;
        add.u32 %x, %b, 5; st.shared.u32 [own], %x; st.shared.u32 [own+4], %x;
        st.shared.u32 [own+8], 7; st.shared.u32 [own+12], 9; fence.proxy.async;
        READY: barrier.cluster.arrive; barrier.cluster.wait;
        mov.u32 %m, m; mapa.shared::cluster.u32 %m, %m, %o;
        mov.u32 %a, s; mad.lo.u32 %a, %t, 8, %a; mapa.shared::cluster.u32 %a, %a, %o;
        mad.lo.u32 %x, %b, 100, %t; add.u32 %y, %x, 1000;
        st.async.weak.shared::cluster.{TRACKED}.v2.b32 [%a], {{%x, %y}}, [%m];
        mov.u32 %q, sum; mapa.shared::cluster.u32 %q, %q, %o;
        red.async.relaxed.cluster.shared::cluster.{TRACKED}.add.u32 [%q], %x, [%m];
        mov.u32 %a, own; @!%first bra WAIT;
        mov.u32 %q, tops; mapa.shared::cluster.u32 %q, %q, %o;
        cp.reduce.async.bulk.shared::cluster.shared::cta.{TRACKED}.max.u32 [%q], [%a], 16, [%m];
        cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%p1], [%a], 16;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
        mov.u32 %a, many; mov.u32 %x, m; mov.u16 %mask, 3;
        @%zero cp.async.bulk.shared::cluster.global.{TRACKED}.multicast::cluster
        [%a], [%p0], 64, [%x], %mask;
        WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %done, [m], 0;
        @!%done bra WAIT;
        mov.u32 %a, s; mad.lo.u32 %a, %t, 8, %a; ld.shared.v2.u32 {{%d0, %d1}}, [%a];
        and.b32 %x, %t, 15; mov.u32 %a, many; mad.lo.u32 %a, %x, 4, %a; ld.shared.u32 %d2, [%a];
        and.b32 %x, %t, 3; mov.u32 %a, tops; mad.lo.u32 %a, %x, 4, %a; ld.shared.u32 %d3, [%a];
        ld.shared.u32 %x, [sum]; mad.lo.u32 %d3, %x, 10, %d3;
        mad.lo.u32 %x, %b, 32, %t; mad.wide.u32 %p2, %x, 16, %p2;
        st.global.v4.u32 [%p2], {{%d0, %d1, %d2, %d3}};
        barrier.cluster.arrive; barrier.cluster.wait;""",
        *["u64"] * 3,
    )
    seen(ptx)
    given = np.arange(16, dtype=np.uint32) * 3
    observers = (RaceDetector("k"), AsyncProxy())
    done = run(
        ptx, "k", (2, 1, 1), WARP, given, np.zeros(4, np.uint32), np.zeros((2, 32, 4), np.uint32),
        cluster=(2, 1, 1), observers=observers,
    )  # fmt: skip
    assert done.result.races == ()
    t = np.arange(32)
    for block, out in enumerate(done.arrays[2]):
        of_other = 100 * (1 - block) + t
        assert ((of_other, of_other + 1000) == out[:, :2].T).all()
        assert (out[:, 2] == given[t % 16]).all()
        tops = np.array([6, 6 - block, 8, 9])
        assert (out[:, 3] == 10 * of_other.sum() + tops[t % 4]).all()
    assert done.arrays[1].tolist() == [11, 11, 14, 18]


def test_shared_memory_is_filled_with_zeros():
    got, _ = bodied(
        """.shared .align 16 .b32 s[32]; mov.u32 %r0, s; mad.lo.u32 %r1, %t, 4, %r0;
        st.shared.u32 [%r1], 7; bar.sync 0; setp.eq.u32 %p, %t, 0;
        @%p st.bulk.weak.shared::cta [%r0], 64, 0; bar.sync 0; ld.shared.u32 %d, [%r1];"""
    )
    assert got == [0] * 16 + [7] * 16


SPARSE = "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16"
TENSOR_COPY = "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"


def test_refusals_say_why():
    for text, why in (
        ("tex.cube.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f0,%f1,%f2,%f3}];", "without layers"),
        ("tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%f0,%f1}];", "references are not bound"),
        ("tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, %rd1, {%f0,%f1}];", "samplers of their own"),
        ("suld.b.a2d.b32.trap {%r0}, [%rd0, {%r1,%r2,%r3,%r3}];", "on one to three axes"),
        ("sured.b.add.a1d.u32.trap [%rd0, {%r1,%r1}], %r2;", "on one to three axes"),
        ("txq.channel_order.b32 %r0, [%rd0];", "of queries, extents"),
        (f"{SPARSE} {{%f0,%f1,%f2,%f3}}, %rd0, %rd1, %r0, 0, 1, 1, 1, 0, 0;",
         "only dense matrices"),
        ("tcgen05.fence::before_thread_sync;", "Use mma.sync or wgmma"),
        ("fabric.submit;", "memory of other GPUs"),
        ("clmad.lo.u64 %rd0, %rd1, %rd2, %rd3;", "without carries"),
        ("spdecompress.b8.b2.sp::2:4.x2 {%r0,%r1}, {%r2}, {%r3};", "sparse elements"),
        ("sin.approx.ftz.2pi.f32 %f0, %f1;", ".2pi is not part of it"),
        (f"{TENSOR_COPY} [%r0], [%rd0, {{%r1}}], [%r2];", "tensor copies are not simulated"),
        ("st.async.release.gpu.global.b32 [%rd0], %r1;", "that an mbarrier tracks"),
        ("vadd.u32.u32.u32 %r0, %r1, %r2;", "Use add, sub, min, max, prmt or dp4a"),
        ("vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", "video instructions are not simulated"),
        (".reg .b128 %w; mov.b128 %w, {%rd0, %rd1};", "Use two of .b64"),
        (".reg .b128 %w; atom.global.cas.b128 %w, [%rd0], %w, %w;", "Use two of .b64"),
        ("cvt.rs.f16x2.f32 %r0, %f0, %f1, %r1;", "rounding by random bits"),
        (".reg .b8 %c; cvt.rn.satfinite.e2m1x2.f32 %c, %f0, %f1;", "Build for sm_90"),
        (".reg .b16 %h; cvt.rn.bf16x2.e4m3x2 %r0, %h;", "Build for sm_90"),
        ("redux.sync.min.f32 %f0, %f1, -1;", "Use shfl and min or max"),
        # As ptxas refuses them.
        ("redux.sync.add.b32 %r0, %r1, -1;", "this form of"),
        ("redux.sync.and.u32 %r0, %r1, -1;", "this form of"),
        ("redux.add.u32 %r0, %r1, -1;", "this form of"),
        ("redux.sync.add.min.s32 %r0, %r1, -1;", "this form of"),
        ("frobnicate.b32 %r0, %r1;", "does not know this instruction"),
        ("add.s128 %r0, %r1, %r2;", "this form of"),
        ("add.u64 %r0, %r1, %r2;", "has 32 bits"),
        ("ld.global.u32 %r0, [nowhere];", "nowhere is not defined"),
    ):  # fmt: skip
        ptx = kernel_of(
            f".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n mov.u32 %r1, 0;\n{text}"
        )
        done = run(ptx, "k", ONE, WARP, finishes=False)
        assert done.result.outcome is SimulationOutcome.REFUSED
        assert done.result.message.startswith("Line 9 of the PTX, ")
        assert why in done.result.message, done.result.message
        assert done.result.steps == 2  # what comes before it is executed


def test_every_row_has_a_case():
    """Those of matrices and texels have theirs in modules of their own, refusals above."""
    elsewhere = ("ldmatrix", "stmatrix", "movmatrix", "mma", "wmma", "wgmma", "trap")
    elsewhere += ("mul+add", "mul-add", "-mul+add")  # of `contraction`
    elsewhere += ("tex", "tld4", "txq", "suld", "sust", "sured", "suq")
    seen(module(FORMS))  # of `test_forms`
    missing = [
        (opcode, row.name, row.types)
        for opcode, rows in ROWS.items()
        for row in rows
        if unwrap(row.bind) not in _SEEN
        if opcode not in elsewhere and "refused" not in row.bind.__name__
    ]
    assert missing == []
