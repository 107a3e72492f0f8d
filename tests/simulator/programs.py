"""Random programs of PTX: integers, floats, branches, loops, calls, lanes and memory.

A program is a tree, of which `RandomProgram.ptx` makes a kernel and `read_by_integers` a reading of
its own by Python's integers, one thread at a time, for programs without floats. Nothing in it is
undefined, and nothing approximate: a GPU gives the same bits. Lanes and blocks exchange values only
where all threads come by; what they add to one address does not depend on the order.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import xor
from typing import Any

import numpy as np

INPUT_WORDS = 8
OUTPUT_WORDS = 12
POOLS = {"r": 6, "l": 3, "f": 4, "d": 2, "h": 2, "p": 3}
"""Registers of each class: 32 and 64 bits, f32, f64, f16, predicates."""

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def s32(x: int) -> int:
    return x - (1 << 32) if x >> 31 else x


def s64(x: int) -> int:
    return x - (1 << 64) if x >> 63 else x


def shift_right(x: int, n: int, width: int) -> int:
    return x >> min(n, width)


def byte(x: int, i: int) -> int:
    return x >> 8 * (i & 3) & 0xFF


def signed_byte(x: int, i: int) -> int:
    return (byte(x, i) ^ 0x80) - 0x80


def field_of(x: int, position: int, length: int) -> int:
    return x >> (position & 255) & (1 << (length & 255)) - 1 & M32


def bit_reverse(x: int) -> int:
    return int(f"{x:032b}"[::-1], 2)


@dataclass(frozen=True)
class OpRow:
    """An instruction of programs.

    Attributes:
        text: With its modifiers.
        target: The class of the result.
        sources: The classes of the operands; ``i`` and a number are an immediate of so many bits.
        meaning: The same over Python's integers; None where floats are involved.
        weight: How often it is chosen.
    """

    text: str
    target: str
    sources: str
    meaning: Callable[..., int] | None = None
    weight: int = 4


ROWS = [
    OpRow("add.u32", "r", "r r", lambda a, b: a + b),
    OpRow("sub.u32", "r", "r r", lambda a, b: a - b),
    OpRow("mul.lo.u32", "r", "r r", lambda a, b: a * b),
    OpRow("mul.hi.u32", "r", "r r", lambda a, b: a * b >> 32),
    OpRow("mul.hi.s32", "r", "r r", lambda a, b: s32(a) * s32(b) >> 32),
    OpRow("mad.lo.u32", "r", "r r r", lambda a, b, c: a * b + c),
    OpRow("mad.hi.s32", "r", "r r r", lambda a, b, c: (s32(a) * s32(b) >> 32) + c),
    OpRow("and.b32", "r", "r r", lambda a, b: a & b),
    OpRow("or.b32", "r", "r r", lambda a, b: a | b),
    OpRow("xor.b32", "r", "r r", lambda a, b: a ^ b),
    OpRow("not.b32", "r", "r", lambda a: ~a),
    OpRow("cnot.b32", "r", "r", lambda a: int(a == 0), 1),
    OpRow("shl.b32", "r", "r r", lambda a, n: a << min(n, 32)),
    OpRow("shl.b32", "r", "r i5", lambda a, n: a << n),
    OpRow("shr.u32", "r", "r i5", lambda a, n: a >> n),
    OpRow("shr.s32", "r", "r i5", lambda a, n: s32(a) >> n),
    OpRow("shr.s32", "r", "r r", lambda a, n: shift_right(s32(a), n, 32)),
    OpRow("min.u32", "r", "r r", min),
    OpRow("max.u32", "r", "r r", max),
    OpRow("min.s32", "r", "r r", lambda a, b: min(s32(a), s32(b))),
    OpRow("max.s32", "r", "r r", lambda a, b: max(s32(a), s32(b))),
    OpRow("abs.s32", "r", "r", lambda a: abs(s32(a)), 2),
    OpRow("neg.s32", "r", "r", lambda a: -a, 2),
    OpRow("popc.b32", "r", "r", int.bit_count, 2),
    OpRow("clz.b32", "r", "r", lambda a: 32 - a.bit_length(), 2),
    OpRow("brev.b32", "r", "r", bit_reverse, 2),
    OpRow("bfind.u32", "r", "r", lambda a: a.bit_length() - 1, 2),
    OpRow("bfe.u32", "r", "r i5 i5", field_of),
    OpRow("bfi.b32", "r", "r r i4 i4", lambda a, b, p, n: b & ~(((1 << n) - 1) << p)
          | (a & (1 << n) - 1) << p),
    OpRow("prmt.b32", "r", "r r i16", lambda a, b, s: sum(
        (byte(*((b if s >> 4 * k & 4 else a), s >> 4 * k)) if not s >> 4 * k & 8
         else 0xFF * (byte((b if s >> 4 * k & 4 else a), s >> 4 * k) >> 7)) << 8 * k
        for k in range(4))),
    OpRow("lop3.b32", "r", "r r r i8", lambda a, b, c, t: sum(
        (t >> (4 * (a >> k & 1) + 2 * (b >> k & 1) + (c >> k & 1)) & 1) << k for k in range(32))),
    OpRow("shf.l.wrap.b32", "r", "r r r", lambda a, b, n: (b << 32 | a) << (n & 31) >> 32),
    OpRow("shf.r.clamp.b32", "r", "r r r", lambda a, b, n: (b << 32 | a) >> min(n, 32)),
    OpRow("sad.u32", "r", "r r r", lambda a, b, c: c + abs(a - b), 2),
    OpRow("sad.s32", "r", "r r r", lambda a, b, c: c + abs(s32(a) - s32(b)), 2),
    OpRow("mul24.lo.u32", "r", "r r", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF), 2),
    OpRow("dp4a.u32.u32", "r", "r r r",
          lambda a, b, c: c + sum(byte(a, i) * byte(b, i) for i in range(4)), 2),
    OpRow("dp4a.s32.u32", "r", "r r r",
          lambda a, b, c: c + sum(signed_byte(a, i) * byte(b, i) for i in range(4)), 2),
    OpRow("dp2a.hi.u32.u32", "r", "r r r",
          lambda a, b, c: c + (a & 0xFFFF) * byte(b, 2) + (a >> 16) * byte(b, 3), 2),
    OpRow("div.u32", "r", "r o", lambda a, b: a // b, 1),
    OpRow("rem.u32", "r", "r o", lambda a, b: a % b, 1),
    OpRow("selp.b32", "r", "r r p", lambda a, b, p: a if p else b),
    OpRow("slct.u32.s32", "r", "r r r", lambda a, b, c: a if s32(c) >= 0 else b, 2),
    OpRow("set.lt.u32.s32", "r", "r r", lambda a, b: M32 * (s32(a) < s32(b)), 2),
    OpRow("mov.b32", "r", "i32", lambda a: a, 2),
    OpRow("setp.lt.u32", "p", "r r", lambda a, b: a < b),
    OpRow("setp.ge.s32", "p", "r r", lambda a, b: s32(a) >= s32(b)),
    OpRow("setp.ne.u32", "p", "r i4", lambda a, b: a != b, 2),
    OpRow("setp.eq.and.u32", "p", "r i2 p", lambda a, b, p: a == b and p, 1),
    OpRow("xor.pred", "p", "p p", lambda a, b: a ^ b, 1),
    OpRow("and.pred", "p", "p p", lambda a, b: a & b, 1),
    OpRow("not.pred", "p", "p", lambda a: 1 - a, 1),
    OpRow("add.u64", "l", "l l", lambda a, b: a + b),
    OpRow("sub.u64", "l", "l l", lambda a, b: a - b),
    OpRow("mul.lo.u64", "l", "l l", lambda a, b: a * b),
    OpRow("mul.hi.u64", "l", "l l", lambda a, b: a * b >> 64, 2),
    OpRow("mul.hi.s64", "l", "l l", lambda a, b: s64(a) * s64(b) >> 64, 2),
    OpRow("mul.wide.s32", "l", "r r", lambda a, b: s32(a) * s32(b)),
    OpRow("mad.wide.u32", "l", "r r l", lambda a, b, c: a * b + c),
    OpRow("xor.b64", "l", "l l", lambda a, b: a ^ b),
    OpRow("shl.b64", "l", "l r", lambda a, n: a << min(n, 64)),
    OpRow("shr.u64", "l", "l r", lambda a, n: a >> min(n, 64), 2),
    OpRow("shr.s64", "l", "l i6", lambda a, n: s64(a) >> n),
    OpRow("max.s64", "l", "l l", lambda a, b: max(s64(a), s64(b)), 2),
    OpRow("popc.b64", "r", "l", int.bit_count, 2),
    OpRow("clz.b64", "r", "l", lambda a: 64 - a.bit_length(), 2),
    OpRow("cvt.u64.u32", "l", "r", lambda a: a, 3),
    OpRow("cvt.s64.s32", "l", "r", s32, 3),
    OpRow("cvt.u32.u64", "r", "l", lambda a: a, 3),
    OpRow("setp.lt.s64", "p", "l l", lambda a, b: s64(a) < s64(b), 2),
    *(OpRow(f"{op}.{mode}{ftz}{sat}.f32", "f", "f f", weight=2)
      for op in ("add", "sub", "mul") for mode in ("rn", "rz", "rm", "rp")
      for ftz in ("", ".ftz") for sat in (("", ".sat") if mode == "rn" else ("",))),
    *(OpRow(f"fma.{mode}{ftz}.f32", "f", "f f f", weight=5)
      for mode in ("rn", "rz", "rm", "rp") for ftz in ("", ".ftz")),
    OpRow("min.f32", "f", "f f"), OpRow("max.f32", "f", "f f"), OpRow("max.NaN.f32", "f", "f f"),
    OpRow("abs.f32", "f", "f"), OpRow("neg.f32", "f", "f"),
    OpRow("div.rn.f32", "f", "f f", weight=2), OpRow("sqrt.rn.f32", "f", "f", weight=2),
    OpRow("rcp.rn.f32", "f", "f", weight=1),
    OpRow("selp.f32", "f", "f f p"),
    OpRow("setp.lt.f32", "p", "f f"), OpRow("setp.geu.f32", "p", "f f"),
    OpRow("cvt.rn.f32.s32", "f", "r"), OpRow("cvt.rz.f32.u32", "f", "r"),
    OpRow("cvt.rp.f32.u64", "f", "l", weight=2),
    OpRow("cvt.rni.s32.f32", "r", "f"), OpRow("cvt.rzi.u32.f32", "r", "f"),
    OpRow("cvt.rmi.s64.f32", "l", "f", weight=2),
    OpRow("cvt.rzi.f32.f32", "f", "f"), OpRow("mov.b32", "r", "f"),
    *(OpRow(f"{op}.{mode}.f64", "d", "d d", weight=2)
      for op in ("add", "sub", "mul") for mode in ("rn", "rz", "rp")),
    *(OpRow(f"fma.{mode}.f64", "d", "d d d", weight=4) for mode in ("rn", "rz", "rm", "rp")),
    OpRow("min.f64", "d", "d d"), OpRow("abs.f64", "d", "d"),
    OpRow("div.rn.f64", "d", "d d", weight=1), OpRow("sqrt.rn.f64", "d", "d", weight=1),
    OpRow("cvt.f64.f32", "d", "f"), OpRow("cvt.rn.f32.f64", "f", "d"),
    OpRow("cvt.rn.f64.s32", "d", "r"), OpRow("cvt.rz.f64.u64", "d", "l"),
    OpRow("cvt.rzi.s32.f64", "r", "d"), OpRow("cvt.rni.s64.f64", "l", "d"),
    OpRow("setp.gt.f64", "p", "d d"),
    OpRow("cvt.rn.f16.f32", "h", "f"), OpRow("cvt.f32.f16", "f", "h"),
    OpRow("add.rn.f16", "h", "h h"), OpRow("mul.rn.ftz.f16", "h", "h h"),
    OpRow("fma.rn.f16", "h", "h h h"), OpRow("fma.rn.sat.f16", "h", "h h h", weight=2),
]  # fmt: skip

EXCHANGES = (
    "shfl.sync.idx", "shfl.sync.up", "shfl.sync.down", "shfl.sync.bfly", "vote.sync.ballot",
    "vote.sync.any", "vote.sync.all", "match.any.sync", "redux.sync.add", "redux.sync.max",
    "redux.sync.xor", "shared", "shared add", "grid add",
)  # fmt: skip


@dataclass(frozen=True)
class Op:
    """An instruction: a row, its result, operands, and a guard with whether it is negated."""

    row: OpRow
    target: str
    operands: tuple[str | int, ...]
    guard: tuple[str, bool] | None = None


@dataclass(frozen=True)
class Slot:
    """A word of local memory is written at an index, and one at another index is read."""

    target: str
    source: str
    index: str
    number: int


@dataclass(frozen=True)
class Call:
    """A call of the program's function with two registers."""

    target: str
    arguments: tuple[str, str]


@dataclass(frozen=True)
class Branch:
    """Two ways, by a predicate."""

    predicate: str
    if_true: tuple[Statement, ...]
    if_false: tuple[Statement, ...]


@dataclass(frozen=True)
class Loop:
    """A body that is done once, and further times by the lowest bits of a register before."""

    register: str
    body: tuple[Statement, ...]


Statement = Op | Slot | Call | Branch | Loop
SLOTS = 8


@dataclass(frozen=True)
class Exchange:
    """Something that the threads of a warp, a block or the grid do together."""

    kind: str
    target: str
    source: str
    number: int


@dataclass(frozen=True)
class RandomProgram:
    """A kernel with its launch.

    Attributes:
        name: Of the kernel.
        seed: It was made from.
        blocks: Of the grid.
        threads: Of a block.
        body: What it does.
        function: What the function that it calls does: with %r0 and %r1, for %r0.
    """

    name: str
    seed: int
    blocks: int
    threads: int
    body: tuple[Statement | Exchange, ...] = field(repr=False)
    function: tuple[Statement, ...] = field(default=(), repr=False)

    def inputs(self) -> np.ndarray:
        """The words that the kernel reads, `INPUT_WORDS` for each thread, then what it adds to.

        Floats among them are usual numbers, ends of the range and NaN (0x7fffffff alone).
        """
        count = self.blocks * self.threads
        words = _mixed(count * INPUT_WORDS, self.seed).reshape(count, INPUT_WORDS)
        number = _mixed(count, self.seed + 1)
        # Words 2 and 3 are f32, 4 and 5 an f64.
        for column in (2, 3):
            exponent = 127 - 6 + (words[:, column] >> np.uint32(8)) % np.uint32(12)
            usual = words[:, column] & np.uint32(0x807FFFFF) | exponent << np.uint32(23)
            special = SPECIAL_F32[words[:, column] % np.uint32(SPECIAL_F32.size)]
            words[:, column] = np.where(number >> np.uint32(column) & 3, usual, special)
        exponent = 1023 - 9 + (words[:, 5] >> np.uint32(8)) % np.uint32(20)
        words[:, 5] = words[:, 5] & np.uint32(0x800FFFFF) | exponent << np.uint32(20)
        small = number % np.uint32(5) == 0
        words[:, 0] = np.where(small, words[:, 0] % np.uint32(9), words[:, 0])
        return words.reshape(-1)

    def output_words(self) -> int:
        """How many words the kernel writes: `OUTPUT_WORDS` for each thread, and a sum."""
        return self.blocks * self.threads * OUTPUT_WORDS + 4

    def ptx(self) -> str:
        """The text of the kernel; its parameters are the addresses of inputs and outputs."""
        return "\n".join(_Writer(self).lines())


SPECIAL_F32 = np.array(
    [0, 0x80000000, 1, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FFFFFFF,
     0x3F800000, 0x4B000001, 0xCF000000], np.uint32,
)  # fmt: skip


def _mixed(count: int, seed: int) -> np.ndarray:
    """Returns random words that every version of NumPy gives (the mixing of SplitMix64)."""
    x = np.arange(count, dtype=np.uint64) + np.uint64(seed * 1_000_003 + 12345)
    x *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ x >> np.uint64(shift)) * np.uint64(factor)
    return (x ^ x >> np.uint64(31)).astype(np.uint32)


INTEGER_WORDS = np.isin(np.arange(OUTPUT_WORDS), range(2, 9))
"""Which of the words of a thread do not depend on floats."""


def make_program(seed: int, *, floats: bool = True, exchanges: bool = True) -> RandomProgram:
    """Returns the program of a seed."""
    return _Maker(seed, floats, exchanges).program()


_SIMPLE = set("rpio0123456789")


class _Maker:
    def __init__(self, seed: int, floats: bool, exchanges: bool) -> None:
        self._random = random.Random(seed)
        self._seed, self._exchanges, self._calls = seed, exchanges, True
        self._rows = [r for r in ROWS if floats or r.meaning is not None]
        self._weights = [r.weight for r in self._rows]

    def program(self) -> RandomProgram:
        rng = self._random
        body: list[Statement | Exchange] = []
        for _ in range(rng.randint(5, 9)):
            body += self._statements(rng.randint(2, 5), depth=0)
            if self._exchanges and rng.random() < 0.7:
                body.append(self._exchange())
        threads = rng.choice((32, 64, 128))
        # A function has no more than integers, and calls nothing.
        self._calls = False
        self._rows = [r for r in self._rows if {r.target, *r.sources.replace(" ", "")} <= _SIMPLE]
        self._weights = [r.weight for r in self._rows]
        function = tuple(self._statements(rng.randint(2, 4), depth=1))
        name, blocks = f"p{self._seed}", rng.randint(1, 3)
        return RandomProgram(name, self._seed, blocks, threads, tuple(body), function)

    def _statements(self, count: int, depth: int) -> list[Statement]:
        made: list[Statement] = []
        rng = self._random
        for _ in range(count):
            kind = rng.random()
            if depth < 2 and kind < 0.12:
                parts = [tuple(self._statements(rng.randint(0, 4), depth + 1)) for _ in range(2)]
                made.append(Branch(self._register("p"), parts[0], parts[1]))
            elif depth < 2 and kind < 0.2:
                body = tuple(self._statements(rng.randint(1, 4), depth + 1))
                made.append(Loop(self._register("r"), body))
            elif kind < 0.23:
                r = self._register
                made.append(Slot(r("r"), r("r"), r("r"), rng.randrange(SLOTS)))
            elif kind < 0.25 and self._calls:
                made.append(Call(self._register("r"), (self._register("r"), self._register("r"))))
            else:
                made.append(self._op())
        return made

    def _op(self) -> Op:
        rng = self._random
        (row,) = rng.choices(self._rows, self._weights)
        operands = tuple(self._operand(kind) for kind in row.sources.split())
        guard = (self._register("p"), rng.random() < 0.5) if rng.random() < 0.15 else None
        return Op(row, self._register(row.target), operands, guard)

    def _operand(self, kind: str) -> str | int:
        rng = self._random
        if kind[0] == "i":
            return rng.getrandbits(int(kind[1:]))
        if kind == "o":
            # A divisor that is not 0.
            return rng.choice((3, 7, 10, 1000, 65537, rng.getrandbits(31) | 1))
        if kind == "r" and rng.random() < 0.12:
            return rng.choice((0, 1, 31, 32, 255, 0x7FFFFFFF, 0x80000000, rng.getrandbits(32)))
        return self._register(kind)

    def _register(self, kind: str) -> str:
        return f"%{kind}{self._random.randrange(POOLS[kind])}"

    def _exchange(self) -> Exchange:
        rng = self._random
        kind = rng.choice(EXCHANGES)
        target = "p" if kind in ("vote.sync.any", "vote.sync.all") else "r"
        source = "p" if kind.startswith("vote") else "r"
        number = rng.choice((1, 3, 5, 7, 11, 13, 17, 31))
        return Exchange(kind, self._register(target), self._register(source), number)


_OPEN_NAN = ("neg.f32", "cvt.rn.f32.f64")
"""Whose NaN is made the one of arithmetic.

The ISA leaves open which NaN `neg` gives: ptxas makes it a modifier of an operand of FSEL, or an
addition. It makes no instruction of `min` and `max` of a register with itself, so that they keep a
NaN with the payload of an f64.
"""


class _Writer:
    """Makes the text of a program."""

    def __init__(self, program: RandomProgram) -> None:
        self._program = program
        self._labels = 0
        self._depth = 0

    def lines(self) -> Iterator[str]:
        p = self._program
        yield from self._function()
        yield f".visible .entry {p.name}(.param .u64 {p.name}_in, .param .u64 {p.name}_out)\n{{"
        yield from self._registers()
        yield f".shared .align 8 .b32 {p.name}_s[{p.threads + 1}];"
        yield "mov.u32 %t0, %tid.x; mov.u32 %t1, %ctaid.x;"
        yield f"mad.lo.u32 %t2, %t1, {p.threads}, %t0;"
        yield f"ld.param.u64 %a0, [{p.name}_in]; ld.param.u64 %a1, [{p.name}_out];"
        yield f"mad.wide.u32 %a2, %t2, {4 * INPUT_WORDS}, %a0;"
        yield "ld.global.u32 %r0, [%a2]; ld.global.u32 %r1, [%a2+4];"
        yield "ld.global.f32 %f0, [%a2+8]; ld.global.f32 %f1, [%a2+12];"
        yield "ld.global.f64 %d0, [%a2+16]; ld.global.u64 %l0, [%a2+24];"
        yield "mov.u32 %r2, %t0; mov.u32 %r3, %t2; xor.b32 %r4, %r0, %r1; mov.u32 %r5, 17;"
        yield "mov.b64 %l1, {%r1, %r0}; mov.u64 %l2, 0x123456789abcdef;"
        yield "add.rn.f32 %f2, %f0, %f1; mov.f32 %f3, 0f40490FDB; neg.f64 %d1, %d0;"
        yield "cvt.rn.f16.f32 %h0, %f3; cvt.rn.f16.f32 %h1, %f1;"
        yield "setp.lt.u32 %p0, %r0, %r1; setp.gt.f32 %p1, %f0, %f1; setp.eq.u32 %p2, %t0, 0;"
        yield from self._all(p.body)
        yield from self._end()

    def _registers(self) -> Iterator[str]:
        kinds = {"r": "b32", "l": "b64", "f": "f32", "d": "f64", "h": "b16", "p": "pred"}
        for name, count in POOLS.items():
            yield f".reg .{kinds[name]} %{name}<{count}>;"
        yield ".reg .b32 %t<8>; .reg .b64 %a<8>; .reg .b32 %n<4>; .reg .pred %q<4>;"
        yield f".local .align 4 .b32 slots[{SLOTS}];"
        for i in range(SLOTS):
            yield f"st.local.u32 [slots+{4 * i}], {i};"

    def _function(self) -> Iterator[str]:
        name = self._program.name
        yield f".func (.param .b32 {name}_o) {name}_f(.param .b32 {name}_x, .param .b32 {name}_y)"
        yield "{"
        yield from self._registers()
        yield f"ld.param.u32 %r0, [{name}_x]; ld.param.u32 %r1, [{name}_y];"
        yield "mov.u32 %r2, 2; mov.u32 %r3, 3; mov.u32 %r4, 4; mov.u32 %r5, 5;"
        yield "setp.lt.u32 %p0, %r0, %r1; setp.lt.s32 %p1, %r0, %r1; setp.ne.u32 %p2, %r0, %r1;"
        yield from self._all(self._program.function)
        yield f"st.param.b32 [{name}_o], %r0; ret;\n}}"

    def _slot(self, s: Slot) -> Iterator[str]:
        yield "mov.u32 %t6, slots;"
        yield f"and.b32 %t7, {s.index}, {SLOTS - 1}; mad.lo.u32 %t7, %t7, 4, %t6;"
        yield f"st.local.u32 [%t7], {s.source};"
        yield f"xor.b32 %t7, {s.index}, {s.number}; and.b32 %t7, %t7, {SLOTS - 1};"
        yield f"mad.lo.u32 %t7, %t7, 4, %t6; ld.local.u32 {s.target}, [%t7];"

    def _call(self, call: Call) -> str:
        x, y = call.arguments
        return (
            "{ .param .b32 x; .param .b32 y; .param .b32 o; "
            f"st.param.b32 [x], {x}; st.param.b32 [y], {y}; "
            f"call (o), {self._program.name}_f, (x, y); ld.param.b32 {call.target}, [o]; }}"
        )

    def _end(self) -> Iterator[str]:
        yield f"mad.wide.u32 %a3, %t2, {4 * OUTPUT_WORDS}, %a1;"
        yield "add.u64 %a3, %a3, 16;"
        yield "setp.nan.f64 %q0, %d0, %d0; selp.f64 %d0, 0d7FF8000000000000, %d0, %q0;"
        yield "setp.nan.f64 %q0, %d1, %d1; selp.f64 %d1, 0d7FF8000000000000, %d1, %q0;"
        yield "st.global.f64 [%a3], %d0; st.global.u64 [%a3+8], %l0;"
        yield "xor.b64 %l1, %l1, %l2; st.global.u64 [%a3+16], %l1;"
        yield "xor.b32 %r0, %r0, %r3; st.global.u32 [%a3+24], %r0;"
        yield "xor.b32 %r1, %r1, %r4; st.global.u32 [%a3+28], %r1;"
        yield "xor.b32 %r2, %r2, %r5; st.global.u32 [%a3+32], %r2;"
        yield "mov.b32 %t3, %f0; mov.b32 %t4, %f1; mov.b32 %t5, {%h0, %h1};"
        yield "shf.l.wrap.b32 %t4, %t4, %t4, 7; xor.b32 %t3, %t3, %t4; st.global.u32 [%a3+36], %t3;"
        yield "mov.b32 %t3, %f2; mov.b32 %t4, %f3; shf.l.wrap.b32 %t4, %t4, %t4, 9;"
        yield "xor.b32 %t3, %t3, %t4; xor.b32 %t3, %t3, %t5; st.global.u32 [%a3+40], %t3;"
        yield "mov.b64 {%t3, %t4}, %d1; xor.b32 %t3, %t3, %t4;"
        for i in range(3):
            yield f"selp.u32 %t4, {1 << i}, 0, %p{i}; xor.b32 %t3, %t3, %t4;"
        yield "st.global.u32 [%a3+44], %t3; ret;\n}"

    def _all(self, statements: tuple[Statement | Exchange, ...]) -> Iterator[str]:
        for statement in statements:
            match statement:
                case Op():
                    yield self._op(statement)
                case Slot():
                    yield from self._slot(statement)
                case Call():
                    yield self._call(statement)
                case Branch():
                    yield from self._branch(statement)
                case Loop():
                    yield from self._loop(statement)
                case Exchange():
                    yield from self._exchange(statement)

    def _op(self, op: Op) -> str:
        guard = "" if op.guard is None else f"@{'!' * op.guard[1]}{op.guard[0]} "
        operands = ", ".join(map(str, (op.target, *op.operands)))
        text = f"{guard}{op.row.text} {operands};"
        if op.row.text in _OPEN_NAN:
            x = op.target
            text += f" {guard}setp.nan.f32 %q0, {x}, {x};"
            text += f" {guard}selp.f32 {x}, 0f7FFFFFFF, {x}, %q0;"
        return text

    def _label(self) -> str:
        self._labels += 1
        return f"{self._program.name}_L{self._labels}"

    def _branch(self, branch: Branch) -> Iterator[str]:
        other, end = self._label(), self._label()
        yield f"@!{branch.predicate} bra {other};"
        yield from self._all(branch.if_true)
        yield f"bra {end};\n{other}:"
        yield from self._all(branch.if_false)
        yield f"{end}:"

    def _loop(self, loop: Loop) -> Iterator[str]:
        top = self._label()
        counter = f"%n{self._depth}"
        self._depth += 1
        yield f"and.b32 {counter}, {loop.register}, 3;\n{top}:"
        yield from self._all(loop.body)
        self._depth -= 1
        yield f"setp.ne.u32 %q3, {counter}, 0; sub.u32 {counter}, {counter}, 1; @%q3 bra {top};"

    def _exchange(self, e: Exchange) -> Iterator[str]:
        p = self._program
        match e.kind.split():
            case ["shared"]:
                yield f"mad.lo.u32 %t3, %t0, {e.number}, {e.number};"
                yield f"and.b32 %t3, %t3, {p.threads - 1};"
                yield f"mov.u32 %t4, {p.name}_s; mad.lo.u32 %t3, %t3, 4, %t4;"
                yield f"st.shared.u32 [%t3], {e.source}; bar.sync 0;"
                yield f"xor.b32 %t3, %t0, {e.number % p.threads}; mad.lo.u32 %t3, %t3, 4, %t4;"
                yield f"ld.shared.u32 {e.target}, [%t3]; bar.sync 0;"
            case ["shared", "add"]:
                at = f"[{p.name}_s+{4 * p.threads}]"
                yield f"setp.eq.u32 %q0, %t0, 0; @%q0 st.shared.u32 {at}, {e.number}; bar.sync 0;"
                yield f"red.shared.add.u32 {at}, {e.source}; bar.sync 0;"
                yield f"ld.shared.u32 {e.target}, {at}; bar.sync 0;"
            case ["grid", "add"]:
                yield f"mul.lo.u32 %t3, {e.source}, {e.number}; red.global.add.u32 [%a1], %t3;"
                yield f"red.global.max.u32 [%a1+4], {e.source};"
                yield f"red.global.xor.b32 [%a1+8], {e.source};"
            case [kind] if kind.startswith("shfl"):
                lane = "%t3" if kind.endswith("idx") else e.number
                clamp = 0 if kind.endswith("up") else 31
                yield f"and.b32 %t3, %r{e.number % 6}, 31;"
                yield f"{kind}.b32 {e.target}|%q0, {e.source}, {lane}, {clamp}, 0xffffffff;"
            case [kind] if kind.startswith("vote"):
                suffix = "b32" if kind.endswith("ballot") else "pred"
                yield f"{kind}.{suffix} {e.target}, {e.source}, 0xffffffff;"
            case ["match.any.sync"]:
                yield f"and.b32 %t3, {e.source}, {e.number};"
                yield f"match.any.sync.b32 {e.target}, %t3, 0xffffffff;"
            case [kind]:
                suffix = "b32" if kind.endswith("xor") else "u32"
                yield f"{kind}.{suffix} {e.target}, {e.source}, 0xffffffff;"


@dataclass
class _Thread:
    """The registers of a thread."""

    index: int
    block: int
    values: dict[str, Any]


def read_by_integers(program: RandomProgram) -> np.ndarray:
    """Returns what a program without floats writes, by Python's integers; see `INTEGER_WORDS`."""
    words = program.inputs().reshape(-1, INPUT_WORDS).tolist()
    threads = []
    for number, row in enumerate(words):
        index, block = number % program.threads, number // program.threads
        r = [row[0], row[1], index, number, row[0] ^ row[1], 17]
        values = {f"%r{i}": x for i, x in enumerate(r)}
        low = [row[7] << 32 | row[6], row[0] << 32 | row[1], 0x123456789ABCDEF]
        values |= {f"%l{i}": x for i, x in enumerate(low)}
        f0, f1 = np.array(row[2:4], np.uint32).view(np.float32)
        values |= {"%p0": int(row[0] < row[1]), "%p1": int(f0 > f1), "%p2": int(index == 0)}
        threads.append(_Thread(index, block, values))
    sums = [0, 0, 0]
    for statement in program.body:
        if isinstance(statement, Exchange):
            _exchange(statement, threads, program.threads, sums)
        else:
            for thread in threads:
                _execute((statement,), thread.values, program)
    out = np.zeros(program.output_words(), np.uint32)
    out[:3] = sums
    rows = out[4:].reshape(-1, OUTPUT_WORDS)
    for thread, row in zip(threads, rows, strict=True):
        v = thread.values
        pairs = v["%l0"], v["%l1"] ^ v["%l2"]
        row[2:6] = [x >> s & M32 for x in pairs for s in (0, 32)]
        row[6:9] = [v["%r0"] ^ v["%r3"], v["%r1"] ^ v["%r4"], v["%r2"] ^ v["%r5"]]
    return out


def _execute(
    statements: tuple[Statement, ...], values: dict[str, Any], program: RandomProgram
) -> None:
    for statement in statements:
        match statement:
            case Op():
                guard = statement.guard
                if guard is None or bool(values[guard[0]]) != guard[1]:
                    operands = [x if isinstance(x, int) else values[x] for x in statement.operands]
                    assert statement.row.meaning is not None
                    mask = {"r": M32, "l": M64, "p": 1}[statement.target[1]]
                    values[statement.target] = int(statement.row.meaning(*operands)) & mask
            case Slot(target, source, index, number):
                slots = values.setdefault("slots", list(range(SLOTS)))
                slots[values[index] % SLOTS] = values[source]
                values[target] = slots[(values[index] ^ number) % SLOTS]
            case Call(target, (x, y)):
                a, b = values[x], values[y]
                inner = dict(zip((f"%r{i}" for i in range(6)), (a, b, 2, 3, 4, 5), strict=True))
                inner |= {"%p0": int(a < b), "%p1": int(s32(a) < s32(b)), "%p2": int(a != b)}
                _execute(program.function, inner, program)
                values[target] = inner["%r0"]
            case Branch():
                way = statement.if_true if values[statement.predicate] else statement.if_false
                _execute(way, values, program)
            case Loop():
                for _ in range((values[statement.register] & 3) + 1):
                    _execute(statement.body, values, program)


def _exchange(e: Exchange, threads: list[_Thread], size: int, sums: list[int]) -> None:
    sources = [t.values[e.source] for t in threads]
    if e.kind == "grid add":
        for x in sources:
            sums[:] = [sums[0] + x * e.number & M32, max(sums[1], x), sums[2] ^ x]
        return
    together = size if e.kind.startswith("shared") else 32
    for first in range(0, len(threads), together):
        group, given = threads[first : first + together], sources[first : first + together]
        lanes = [t.values[f"%r{e.number % 6}"] & 31 for t in group]
        for thread, x in zip(group, _exchanged(e, given, lanes), strict=True):
            thread.values[e.target] = x


def _exchanged(e: Exchange, given: list[int], lanes: list[int]) -> list[int]:
    """Returns what each thread of a block or a warp gets of what all give."""
    size, n = len(given), e.number
    ballot = sum(x << i for i, x in enumerate(given))
    match e.kind:
        case "shared":
            cells = {(i * n + n) % size: x for i, x in enumerate(given)}
            return [cells[i ^ n % size] for i in range(size)]
        case "shared add":
            return [sum(given) + n & M32] * size
        case "shfl.sync.idx":
            return [given[lane] for lane in lanes]
        case "shfl.sync.up":
            return [given[i - n if i >= n else i] for i in range(size)]
        case "shfl.sync.down":
            return [given[i + n if i + n < size else i] for i in range(size)]
        case "shfl.sync.bfly":
            return [given[i ^ n] for i in range(size)]
        case "match.any.sync":
            return [sum(((x ^ y) & n == 0) << i for i, y in enumerate(given)) for x in given]
        case "vote.sync.ballot":
            return [ballot] * size
        case "vote.sync.any" | "vote.sync.all":
            return [int(any(given) if e.kind.endswith("any") else all(given))] * size
        case "redux.sync.add":
            return [sum(given) & M32] * size
        case "redux.sync.max":
            return [max(given)] * size
        case _:
            return [reduce(xor, given)] * size
