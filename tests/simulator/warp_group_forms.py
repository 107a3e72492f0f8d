"""Forms of `wgmma` with inputs at the edges, whose answers an H100 has given.

Each block of a kernel is a case: the content of shared memory, A in registers, sums, and what the
descriptors say. There are forms for numbers (rounding), layouts (descriptors) and shapes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Bits of exponent and mantissa.
_FLOATS = {
    "f16": (5, 10), "bf16": (8, 7), "tf32": (8, 10), "e4m3": (4, 3), "e5m2": (5, 2), "f32": (8, 23),
}  # fmt: skip
_DEPTHS = {
    "f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256,
}  # fmt: skip
_PLAIN, _B128, _B64, _B32 = range(4)
_ROW_BYTES = {_PLAIN: 16, _B32: 32, _B64: 64, _B128: 128}
_MANY, _LARGE = 2048 + 256 * 32, 40960
_OTHER = 38912
"""Where in a large image the matrix is that picks elements of the other one."""

_THREADS = np.arange(128)
_ROW, _COLUMN = 16 * (_THREADS // 32) + _THREADS % 32 // 4, _THREADS % 4

Bits = NDArray[np.uint32]


class Case(NamedTuple):
    """What one block multiplies.

    Attributes:
        image: The content of shared memory.
        fragments: A in registers, of shape (128, 4).
        sums: In registers, of shape (128, registers).
        left: The descriptor of A, its address from the start of the image on.
        right: That of B.
        adds: Whether the sums are added.
    """

    image: NDArray[np.uint8]
    fragments: Bits
    sums: Bits
    left: int
    right: int
    adds: int = 1


@dataclass(frozen=True)
class WarpGroupForm:
    """A form of `wgmma.mma_async`.

    Attributes:
        family: ``number``, ``signed``, ``integer``, ``layout`` or ``shape``, as the cases are.
        types: Of D, A and B.
        n: Columns.
        in_registers: Whether A is.
        signs: Of A and B.
        turns: Whether A and B are transposed.
        satfinite: Whether integers are limited.
        image: Bytes of shared memory.
    """

    family: str
    types: tuple[str, str, str]
    n: int
    in_registers: bool = False
    signs: tuple[int, int] = (1, 1)
    turns: tuple[int, int] = (0, 0)
    satfinite: bool = False
    image: int = 4096

    block = (128, 1, 1)

    @property
    def k(self) -> int:
        """Elements of a row of A."""
        return _DEPTHS[self.types[1]]

    @property
    def registers(self) -> int:
        """Of the sums of a thread."""
        return self.n // (4 if self.types[0] == "f16" else 2)

    @property
    def grid(self) -> tuple[int, int, int]:
        """A block for each case."""
        return len(self.cases()), 1, 1

    @property
    def _label(self) -> str:
        words = [*self.types, f"n{self.n}", "r" if self.in_registers else "s"]
        words += [*map(str, self.signs), "".join(map(str, self.turns))]
        return "_".join(words) + "_sat" * self.satfinite

    @property
    def name(self) -> str:
        """That of its kernel."""
        return f"wgmma_{self.family}_{self._label}".replace("-", "m")

    @property
    def text(self) -> str:
        """The instruction."""
        d, a, b = self.types
        held = ",".join(f"%d{i}" for i in range(self.registers))
        left = "{%a0,%a1,%a2,%a3}" if self.in_registers else "%x"
        words = f"wgmma.mma_async.sync.aligned.m64n{self.n}k{self.k}.{d}.{a}.{b}"
        numbers: tuple[int, ...] = ()
        if d == "s32":
            words += ".and.popc" if a == "b1" else ".satfinite" * self.satfinite
        else:
            numbers = self.signs
            if a in ("f16", "bf16"):
                numbers += self.turns[1:] if self.in_registers else self.turns
        operands = (f"{{{held}}}", left, "%y", "%p", *map(str, numbers))
        return f"{words} {', '.join(operands)};"

    def kernel(self) -> str:
        """The text of a kernel with the parameters of `arrays`."""
        kind = "b32" if self.types[0] == "f16" else self.types[0]
        size, count = self.image, self.registers
        places = [f"[%p0+{4 * i}]" for i in range(count)]
        loads = " ".join(f"ld.global.{kind} %d{i}, {at};" for i, at in enumerate(places))
        stores = " ".join(f"st.global.{kind} {at}, %d{i};" for i, at in enumerate(places))
        declared = ", ".join(f".param .u64 {self.name}_{i}" for i in range(5))
        return f""".visible .entry {self.name}({declared})
{{
.shared .align 1024 .b8 smem[{size}];
.reg .b32 %t, %c, %i, %s, %w<4>, %a<4>, %sc, %base;
.reg .b64 %p0, %p1, %x, %y, %lo; .reg .pred %p, %q; .reg .{kind} %d<{count}>;
mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %base, smem;
ld.param.u64 %p0, [{self.name}_0]; mad.wide.u32 %p0, %c, {size}, %p0; shl.b32 %i, %t, 4;
FILL:
cvt.u64.u32 %p1, %i; add.u64 %p1, %p0, %p1; ld.global.v4.u32 {{%w0,%w1,%w2,%w3}}, [%p1];
add.u32 %s, %base, %i; st.shared.v4.u32 [%s], {{%w0,%w1,%w2,%w3}};
add.u32 %i, %i, 2048; setp.lt.u32 %q, %i, {size}; @%q bra FILL;
fence.proxy.async; bar.sync 0;
ld.param.u64 %p0, [{self.name}_3]; mad.wide.u32 %p0, %c, 24, %p0;
ld.global.u64 %x, [%p0]; ld.global.u64 %y, [%p0+8]; ld.global.u32 %sc, [%p0+16];
shr.u32 %i, %base, 4; cvt.u64.u32 %lo, %i; add.u64 %x, %x, %lo; add.u64 %y, %y, %lo;
setp.ne.u32 %p, %sc, 0; mad.lo.u32 %i, %c, 128, %t;
ld.param.u64 %p0, [{self.name}_1]; mad.wide.u32 %p0, %i, 16, %p0;
ld.global.v4.u32 {{%a0,%a1,%a2,%a3}}, [%p0];
ld.param.u64 %p0, [{self.name}_2]; mad.wide.u32 %p0, %i, {4 * count}, %p0;
{loads}
wgmma.fence.sync.aligned;
{self.text}
wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
ld.param.u64 %p0, [{self.name}_4]; mad.wide.u32 %p0, %i, {4 * count}, %p0;
{stores}
ret;
}}
"""

    def cases(self) -> list[Case]:
        """What its blocks multiply."""
        if self.family == "number":
            return [self._floats(row, seed) for row in range(len(_RANGES)) for seed in range(3)]
        if self.family == "signed":
            return [self._floats(*place) for place in ((0, 0), (2, 0), (2, 1), (14, 1))]
        if self.family == "integer":
            return [self._integers(seed) for seed in range(4)]
        if self.family == "layout":
            return list(self._layouts())
        return [self._integers(2) if self.types[0] == "s32" else self._floats(0, 1)]

    def arrays(self) -> list[NDArray[Any]]:
        """Shared memory, A, sums, descriptors with what is added, and zeros for the results."""
        images, fragments, sums, left, right, adds = zip(*self.cases(), strict=True)
        heads = np.array([left, right, adds], np.uint64).T.copy()
        out = np.zeros((len(images), 128, self.registers), np.uint32)
        return [np.stack(images), np.stack(fragments), np.stack(sums), heads, out]

    # Numbers.

    def _floats(self, row: int, seed: int) -> Case:
        """Floats with the exponents of a row of `_RANGES`, and what its name says."""
        rng = np.random.default_rng([row, seed, zlib.crc32(self._label.encode())])
        name, of_factors, of_sums = _RANGES[row]
        d, *kinds = self.types
        shape = 64, self.k
        if of_factors is None:
            a, b = np.zeros(shape, np.uint32), np.zeros((self.n, self.k), np.uint32)
        elif name == "special":
            a, b = _special(rng, kinds[0], shape), _special(rng, kinds[1], (self.n, self.k))
            if seed % 2:  # zeros only, of both signs
                a, b = a & _sign(kinds[0]), b & _sign(kinds[1])
        else:
            a, b = (
                _drawn(rng, kind, of_factors, size)
                for kind, size in zip(kinds, (shape, (self.n, self.k)), strict=True)
            )
        if name == "cancel":
            half = self.k // 2
            a[:, half:], b[:, half:] = a[:, :half] ^ _sign(kinds[0]), b[:, :half]
            b[:, 0] = _drawn(rng, kinds[1], (-9, -5), self.n)
        elif name in ("one product", "two products"):
            chosen = np.zeros(shape, bool)
            for at in range(64):
                chosen[at, rng.choice(self.k, 1 + (name[0] == "t"), replace=False)] = True
            a[~chosen] = 0
        elif name == "cancel sum":
            a[:, np.arange(self.k) != rng.integers(0, self.k)] = 0
        elif name == "steps":
            a[:, 0] = _drawn(rng, kinds[0], (3, 3), 64)
            b[:, 0] = _drawn(rng, kinds[1], (3, 3), self.n)
        size = 64, self.n
        if of_sums is None:
            sums = np.zeros(size, np.uint32)
        elif name == "special":
            sums = _special(rng, d, size) & (_sign(d) if seed % 2 else np.uint32(0xFFFFFFFF))
        else:
            low, high = (-30, 30) if of_sums == (-99, 99) else of_sums
            if d == "f16":
                low, high = max(low, -15), min(high, 15)
            sums = _bits(rng, d, low, high, size)
        if kinds[0] == "tf32" and seed % 3 == 1:
            # The lower bits, which are not read.
            a, b = (x | rng.integers(0, 1 << 13, x.shape).astype(np.uint32) for x in (a, b))
        return self._case(rng, a, b, sums, not (name == "no sum" and seed % 2))

    def _integers(self, seed: int) -> Case:
        rng = np.random.default_rng([77, seed, zlib.crc32(self._label.encode())])
        a, b = (rng.integers(0, 256, (rows, 32)) for rows in (64, self.n))
        if seed == 1:
            a, b = np.full_like(a, 0x80), np.full_like(b, 0x80)
        edges = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FFF0000, 0x8000FFFF)
        sums = (
            rng.choice(np.array(edges, np.uint32), (64, self.n))
            if seed < 2
            else rng.integers(0, 1 << 32, (64, self.n)).astype(np.uint32)
        )
        return self._case(rng, a, b, sums, seed != 3)

    def _case(self, rng: np.random.Generator, a: Any, b: Any, sums: Bits, adds: bool) -> Case:
        """A and B by rows of 32 bytes, in core matrices one behind the other."""
        dtype = {8: "u4", 16: "u2"}.get(self.k, "u1")
        rows = [
            np.ascontiguousarray(x.astype(dtype)).view(np.uint8).reshape(-1, 32) for x in (a, b)
        ]
        held = _in_registers(sums, self.types[0])
        if not adds:
            held = rng.integers(0, 1 << 32, held.shape, dtype=np.uint64).astype(np.uint32)
        image = self._image((0, _cores(rows[0])), (2048, _cores(rows[1])))
        places = descriptor(0, 128, 256), descriptor(2048, 128, 256)
        return Case(image, _fragments(rows[0]), held, *places, int(adds))

    def _image(self, *parts: tuple[int, bytes]) -> NDArray[np.uint8]:
        image = np.zeros(self.image, np.uint8)
        for at, data in parts:
            image[at : at + len(data)] = np.frombuffer(data, np.uint8)
        return image

    # Layouts.

    def _layouts(self) -> Iterator[Case]:
        """Small integers all over memory, of which ones in the other matrix pick what is read."""
        label = self._label
        rng = np.random.default_rng(zlib.crc32(f"layout{label}".encode()))
        kind = self.types[2]
        for swizzle in (_PLAIN, _B32, _B64, _B128):
            for start, leading, stride, base in _descriptions(rng, swizzle):
                dtype = {"f16": "f2", "tf32": "f4", "u8": "u1"}[kind]
                width = np.dtype(dtype).itemsize
                most = 256 if kind == "u8" else 2048
                data = rng.integers(0, most, _LARGE // width).astype(dtype).tobytes()
                rows = 64 if self.in_registers else self.n
                ones = np.zeros((rows, self.k), dtype)
                ones[np.arange(rows), np.arange(rows) % self.k] = 1
                picks = ones.view(np.uint8).reshape(rows, 32)
                here = descriptor(start, leading, stride, swizzle, base)
                sums = np.zeros((128, self.registers), np.uint32)
                if self.in_registers:
                    yield Case(self._image((0, data)), _fragments(picks), sums, 0, here, 0)
                else:
                    image = self._image((0, data), (_OTHER, _cores(picks)))
                    there = descriptor(_OTHER, 128, 256)
                    yield Case(image, np.zeros((128, 4), np.uint32), sums, here, there, 0)


_RANGES: tuple[tuple[str, Any, Any], ...] = (
    # Exponents of A and B, and of the sums.
    ("narrow", (-1, 1), (-1, 3)),
    ("wide", (-99, 99), (-99, 99)),
    ("medium", (-8, 8), (-16, 16)),
    ("no sum", (-8, 8), None),
    ("large sum", (-2, 2), (8, 16)),
    ("larger sum", (-2, 2), (16, 30)),
    ("small sum", (-2, 2), (-30, -8)),
    ("cancel", (-3, 3), (-20, 0)),
    ("cancel sum", (-1, 1), (-1, 3)),
    ("one product", (-4, 4), (-8, 8)),
    ("two products", (-6, 6), None),
    ("only sum", None, (-20, 20)),
    ("small", (-99, -98), (-149, -100)),
    ("large", (98, 99), (98, 127)),
    ("special", (0, 0), (0, 0)),
    ("steps", (-7, 0), (0, 0)),
)


def _drawn(rng: np.random.Generator, kind: str, limits: tuple[int, int], shape: Any) -> Bits:
    """Factors with exponents between limits; 98 and 99 stand for those at the ends of the type."""
    bias = (1 << (_FLOATS[kind][0] - 1)) - 1
    ends = {
        (-99, -98): (-bias, -bias + 2),
        (98, 99): (bias - 1, bias + 1),
        (-99, 99): (-bias, bias + 1) if bias < 127 else (-40, 40),
    }
    return _bits(rng, kind, *ends.get(limits, limits), shape)


def _bits(rng: np.random.Generator, kind: str, low: int, high: int, shape: Any) -> Bits:
    """Random finite floats of any sign with exponents from low to high."""
    exponent, mantissa = _FLOATS[kind]
    bias = (1 << (exponent - 1)) - 1
    top = (1 << exponent) - (1 if kind == "e4m3" else 2)
    first, last = (min(max(x + bias, 0), top) for x in (low, high))
    field = rng.integers(first, last + 1, shape)
    digits = rng.integers(0, 1 << mantissa, shape)
    if kind == "e4m3":
        digits = np.where((field == 15) & (digits == 7), 6, digits)
    bits = rng.integers(0, 2, shape) << (exponent + mantissa) | field << mantissa | digits
    return _shifted(bits.astype(np.uint32), kind)


def _special(rng: np.random.Generator, kind: str, shape: Any) -> Bits:
    """Zeros, ones, the largest and the smallest number, and now and then NaN and infinities."""
    exponent, mantissa = _FLOATS[kind]
    infinity = ((1 << exponent) - 1) << mantissa
    one = ((1 << (exponent - 1)) - 1) << mantissa
    sign = 1 << (exponent + mantissa)
    known = [0, sign, infinity, infinity | sign, infinity | 1 << (mantissa - 1), one]
    known, weights = [*known, infinity - 1, 1], [8, 8, 0.3, 0.3, 0.3, 8, 4, 4]
    if kind == "e4m3":
        known, weights = [0, 0x80, 0x7F, 0xFF, 0x38, 0xB8, 0x7E, 1], [8, 8, 0.3, 0.3, 8, 8, 4, 4]
    chances = np.array(weights) / np.array(weights).sum()
    return _shifted(rng.choice(np.array(known, np.uint32), shape, p=chances), kind)


def _shifted(bits: Bits, kind: str) -> Bits:
    return bits << np.uint32(13) if kind == "tf32" else bits


def _sign(kind: str) -> np.uint32:
    return np.uint32(1 << (31 if kind == "tf32" else sum(_FLOATS[kind])))


def _descriptions(rng: np.random.Generator, swizzle: int) -> list[tuple[int, int, int, int]]:
    """Start, leading and stride offset, and base offset of matrices."""
    usual = (128, 256) if swizzle == _PLAIN else (16, 8 * _ROW_BYTES[swizzle])
    found = [
        (1024, *usual, 0),
        (0, 2048, 1024, 0),
        (1024 + 16, 1024, 1024, 0),
        (1024 + 32, 16, 1024, 0),
        (1024 + 64, 2048, 512, 0),
        (1024 + 96, 512, 2048, 0),
        (1024 + 128, 1024, 1024, 0),
        (1024 + 128, 1024, 1024, 1),
        (1024 + 512 + 32, 1024, 1024, 4),
        (1024 + 896, 2048, 1024, 7),
        (1024, 1024, 1024, 3),
        (2048 + 256, 512, 1280, 2),
    ]
    for _ in range(2):
        start, leading, stride = (16 * int(rng.integers(0, most)) for most in (300, 128, 128))
        found.append((start, leading, stride, int(rng.integers(0, 8))))
    if swizzle == _PLAIN:
        found = [x for x in found if x[3] == 0] + found[7:8]
    return found


def descriptor(start: int, leading: int, stride: int, swizzle: int = 0, base: int = 0) -> int:
    """A matrix descriptor, as the PTX ISA gives its fields."""
    offsets = (x >> 4 << place for x, place in ((start, 0), (leading, 16), (stride, 32)))
    return sum(offsets) | base << 49 | swizzle << 62


def _cores(rows: NDArray[np.uint8]) -> bytes:
    """Rows of 32 bytes as core matrices: 128 bytes to the next one in K, 256 to the next rows."""
    return np.ascontiguousarray(rows.reshape(-1, 8, 2, 16).swapaxes(1, 2)).tobytes()


def _fragments(rows: NDArray[np.uint8]) -> Bits:
    """A by the words of each thread."""
    words = np.ascontiguousarray(rows).view(np.uint32)
    places = [(_ROW + row, _COLUMN + column) for column in (0, 4) for row in (0, 8)]
    return np.stack([words[place] for place in places], axis=1)


def _in_registers(sums: Bits, kind: str) -> Bits:
    """Sums of shape (64, n) by the words of each thread."""
    made: list[Bits] = []
    for start in range(0, sums.shape[1], 8):
        for row in (0, 8):
            pair = [sums[_ROW + row, start + 2 * _COLUMN + part] for part in (0, 1)]
            made += [pair[0] | pair[1] << np.uint32(16)] if kind == "f16" else pair
    return np.stack(made, axis=1).astype(np.uint32)


def _forms() -> Iterator[WarpGroupForm]:
    eights = [(a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]
    same = [("f16", "f16"), ("bf16", "bf16"), ("tf32", "tf32")]
    floats = [("f32", *pair) for pair in (*same, *eights)]
    floats += [("f16", *pair) for pair in (same[0], *eights)]
    for types in floats:
        yield WarpGroupForm("number", types, 8)
    for types in (floats[0], floats[1], floats[2], floats[3], floats[6], floats[7]):
        for in_registers, signs in ((True, (-1, 1)), (False, (1, -1)), (False, (-1, -1))):
            yield WarpGroupForm("signed", types, 8, in_registers, signs)
    for a, b in (("s8", "s8"), ("s8", "u8"), ("u8", "s8"), ("u8", "u8")):
        for satfinite in (False, True):
            for in_registers in (False, True) if a == b else (False,):
                yield WarpGroupForm("integer", ("s32", a, b), 8, in_registers, satfinite=satfinite)
    for in_registers in (False, True):
        yield WarpGroupForm("integer", ("s32", "b1", "b1"), 8, in_registers)
    halves, words, bytes_ = floats[0], floats[2], ("s32", "u8", "u8")
    for types, n, in_registers, turns in (
        (halves, 64, True, (0, 0)), (halves, 128, True, (0, 1)),
        (halves, 16, False, (0, 0)), (halves, 16, False, (1, 0)),
        (words, 64, True, (0, 0)), (words, 8, False, (0, 0)),
        (bytes_, 64, True, (0, 0)), (bytes_, 32, False, (0, 0)),
    ):  # fmt: skip
        yield WarpGroupForm("layout", types, n, in_registers, turns=turns, image=_LARGE)
    for n in range(8, 257, 8):
        yield WarpGroupForm("shape", halves, n, n % 16 == 0, image=_MANY)
    for n in (16, 24, 120, 256):
        yield WarpGroupForm("shape", floats[7], n, n % 16 == 0, image=_MANY)
    for kind in ("bf16", "tf32", "e4m3", "e5m2"):
        for n in (16, 40, 256):
            yield WarpGroupForm("shape", ("f32", kind, kind), n, n % 16 == 8, image=_MANY)
    for kind in ("s8", "u8", "b1"):
        for n in (16, 24, 32, 48, 144, 256):
            yield WarpGroupForm("shape", ("s32", kind, kind), n, n % 32 == 0, image=_MANY)


WARP_GROUP_FORMS = tuple(_forms())
