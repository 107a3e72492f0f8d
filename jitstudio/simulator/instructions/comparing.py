"""Comparisons and choices: `set`, `setp`, `selp`, `slct`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.arithmetic.rounding import flush32, to_doubles
from jitstudio.simulator.instructions.table import AddsRows, Binding, Step, Values, form
from jitstudio.simulator.ptx.program import ImmediateOperand
from jitstudio.simulator.ptx.types import PREDICATE, TYPES, PtxType, TypeKind
from jitstudio.simulator.state.faults import UnsupportedInstruction
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.wave import Wave

Truth = NDArray[np.bool_]
Comparison = Callable[[Values, Values], Truth]

_ORDERED: dict[str, Callable[..., Truth]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    # For unsigned integers: lower, lower or same, higher, higher or same.
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}
# PTX ISA, "Floating Point Comparisons": true also if an operand is NaN.
_UNORDERED = {"equ": "eq", "neu": "ne", "ltu": "lt", "leu": "le", "gtu": "gt", "geu": "ge"}
_JOINS: dict[str, Callable[..., Truth]] = {
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
}
_COMPARISONS = (*_ORDERED, *_UNORDERED, "num", "nan")
_INTEGERS = "b16 b32 b64 s16 s32 s64 u16 u32 u64"
_HALVES = "f16x2 bf16x2"


def _comparison(words: tuple[str, ...], kind: PtxType) -> Comparison:
    """Returns the comparison for the words of an instruction and a type."""
    word = next(w for w in words if w in _COMPARISONS)
    prepare: Callable[[Values], Values] = _same
    if kind.name in ("f16", "bf16"):
        flushes, name = "ftz" in words, kind.name
        prepare = lambda x: _doubles(x, name, flushes)  # noqa: E731
    elif kind.name == "f32" and "ftz" in words:
        prepare = flush32
    if word in ("num", "nan"):
        is_true_for_nan = word == "nan"

        def is_nan(a: Values, b: Values) -> Truth:
            a, b = prepare(a), prepare(b)
            truth: Truth = ((a != a) | (b != b)) == is_true_for_nan
            return truth

        return is_nan
    if word in _UNORDERED:
        compare = _ORDERED[_UNORDERED[word]]

        def unordered(a: Values, b: Values) -> Truth:
            a, b = prepare(a), prepare(b)
            truth: Truth = compare(a, b) | (a != a) | (b != b)
            return truth

        return unordered
    compare = _ORDERED[word]
    # NaN != x is true in NumPy, but `ne` is an ordered comparison, false for NaN.
    if word == "ne" and kind.kind is TypeKind.FLOAT:

        def differ(a: Values, b: Values) -> Truth:
            a, b = prepare(a), prepare(b)
            truth: Truth = (a != b) & (a == a) & (b == b)
            return truth

        return differ
    if prepare is _same:
        return compare
    return lambda a, b: compare(prepare(a), prepare(b))


def _same(x: Values) -> Values:
    return x


def _doubles(x: Values, name: str, flushes: bool) -> Values:
    values: Values = to_doubles(x, name)
    if flushes:
        least = 2.0 ** (-14 if name == "f16" else -126)
        values = np.where(np.abs(values) < least, np.copysign(0.0, values), values)
    return values


def _condition(b: Binding, kind: PtxType) -> Callable[[Frame, Selection], tuple[Truth, Any]]:
    """Returns a function for the truth of a comparison and the predicate to join, or None."""
    compare = _comparison(b.instruction.modifiers, kind)
    _, first, second, *joined = b.instruction.operands
    x, y = b.source(first, kind), b.source(second, kind)
    if not joined:
        return lambda f, s: (compare(f[x][s], f[y][s]), None)
    if kind.bits == 16 and kind.kind is TypeKind.FLOAT and isinstance(joined[0], ImmediateOperand):
        raise UnsupportedInstruction(f"of .{kind.name} it takes no constant for a predicate")
    p, negated = b.predicate(joined[0])
    return lambda f, s: (compare(f[x][s], f[y][s]), f[p][s] ^ negated)


def _join(b: Binding) -> Callable[..., Truth]:
    return next((_JOINS[w] for w in b.instruction.modifiers if w in _JOINS), np.logical_and)


_OF_INTEGERS = "eq/ne/lt/le/gt/ge"
_OF_FLOATS = "/".join((_OF_INTEGERS, *_UNORDERED, "num", "nan"))
# PTX ISA, "Integer Comparisons": bits are equal or not, and of unsigned integers lo is lt.
_COMPARED = (
    ("b16 b32 b64", "eq/ne", ""),
    ("s16 s32 s64", _OF_INTEGERS, ""),
    ("u16 u32 u64", f"{_OF_INTEGERS}/lo/ls/hi/hs", ""),
    ("f32", _OF_FLOATS, "ftz"),
    ("f64", _OF_FLOATS, ""),
)
_F16, _BF16 = ("f16", _OF_FLOATS, "ftz"), ("bf16", _OF_FLOATS, "")
_HALVES_COMPARED = (("f16x2", _OF_FLOATS, "ftz"), ("bf16x2", _OF_FLOATS, ""))


def _compares(opcode: str, *types: str, forms: tuple[tuple[str, str, str], ...]) -> AddsRows:
    """Adds rows of comparisons, alone and joined with a predicate, for the types of `forms`."""

    def add(bind: Callable[[Binding], Step]) -> Callable[[Binding], Step]:
        for kinds, comparisons, words in forms:
            form(opcode, *types, kinds, needs=comparisons, words=words, count=3)(bind)
            needs = f"{comparisons} and/or/xor"
            form(opcode, *types, kinds, needs=needs, words=words, count=4)(bind)
        return bind

    return add


@_compares("setp", forms=(*_COMPARED, _F16, _BF16))
def setp(b: Binding) -> Step:
    condition, join = _condition(b, b.type), _join(b)
    first, second = b.pair(b.instruction.operands[0])
    p = b.discarded(first, PREDICATE)
    if second is None:

        def step(_wave: Wave, f: Frame, s: Selection) -> None:
            truth, other = condition(f, s)
            f[p][s] = truth if other is None else join(truth, other)

        return step
    if b.type.bits == 16 and b.type.kind is TypeKind.FLOAT:
        raise UnsupportedInstruction(f"of .{b.type.name} it has one result")
    q = b.discarded(second, PREDICATE)

    def step_pair(_wave: Wave, f: Frame, s: Selection) -> None:
        truth, other = condition(f, s)
        if other is None:
            f[p][s], f[q][s] = truth, ~truth
        else:
            # PTX ISA, `setp`: p = boolOp(t, c); q = boolOp(!t, c).
            f[p][s], f[q][s] = join(truth, other), join(~truth, other)

    return step_pair


@_compares("setp", forms=_HALVES_COMPARED)
def setp_packed(b: Binding) -> Step:
    """Binds a comparison of both halves: the first predicate is of the lower half."""
    element = TYPES[b.type.name.removesuffix("x2")]
    compare, join = _comparison(b.instruction.modifiers, element), _join(b)
    first, second = b.pair(b.instruction.operands[0])
    _, left, right, *joined = b.instruction.operands
    x, y = b.source(left, b.type), b.source(right, b.type)
    p = b.discarded(first, PREDICATE)
    q = b.discarded(second, PREDICATE) if second is not None else None
    other = b.predicate(joined[0]) if joined else None

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        for place, half in ((p, 0), (q, 1)):
            if place is not None:
                truth = compare(_half(f[x][s], element, half), _half(f[y][s], element, half))
                if other is not None:
                    truth = join(truth, f[other[0]][s] ^ other[1])
                f[place][s] = truth

    return step


def _half(values: Values, element: PtxType, half: int) -> Values:
    part: Values = np.ascontiguousarray(values).view(np.uint16)[half::2]
    return np.ascontiguousarray(part).view(element.dtype)


@_compares("set", "u32 s32 f32 f16 bf16", forms=_COMPARED)
@_compares("set", "u32 s32 u16 s16", forms=(_F16, _BF16))
@_compares("set", "bf16", forms=(("f16", _OF_FLOATS, ""), _BF16))
@_compares("set", "f16", forms=(_F16,))
def set_(b: Binding) -> Step:
    """Binds a comparison whose result is all ones or 1.0 where the condition holds."""
    condition, join = _condition(b, b.instruction.types[1]), _join(b)
    kind = b.type
    target = b.target(b.instruction.operands[0], kind)
    true = _true_bits(kind)

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        truth, other = condition(f, s)
        if other is not None:
            truth = join(truth, other)
        f[target][s] = np.where(truth, true, kind.dtype.type(0))

    return step


@_compares("set", "f16x2 u32 s32", forms=_HALVES_COMPARED[:1])
@_compares("set", "bf16x2 u32 s32", forms=_HALVES_COMPARED[1:])
def set_packed(b: Binding) -> Step:
    element = TYPES[b.instruction.types[1].name.removesuffix("x2")]
    compare = _comparison(b.instruction.modifiers, element)
    d, left, right, *joined = b.instruction.operands
    x, y = (b.source(o, b.instruction.types[1]) for o in (left, right))
    target = b.target(d, TYPES["u32"] if b.type.is_integer else b.type)
    # 1.0 in f16 and in bf16; all ones for integers.
    true_half = {"f16x2": 0x3C00, "bf16x2": 0x3F80}.get(b.type.name, 0xFFFF)
    other, join = (b.predicate(joined[0]) if joined else None), _join(b)

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        halves = []
        for half in (0, 1):
            truth = compare(_half(f[x][s], element, half), _half(f[y][s], element, half))
            if other is not None:
                truth = join(truth, f[other[0]][s] ^ other[1])
            halves.append(np.where(truth, np.uint32(true_half), np.uint32(0)))
        f[target][s] = halves[0] | halves[1] << np.uint32(16)

    return step


def _true_bits(kind: PtxType) -> Any:
    if kind.dtype.kind == "f":
        return kind.dtype.type(1)
    if kind.name == "bf16":
        return np.uint16(0x3F80)
    return kind.dtype.type(-1 if kind.is_signed else (1 << kind.bits) - 1)


@form("selp", f"{_INTEGERS} f32 f64", count=4)
def selp(b: Binding) -> Step:
    d, first, second, predicate = b.instruction.operands
    kind = b.type_named("b")
    b.target(d, b.type)  # for its check
    target, x, y = b.target(d, kind), b.source(first, b.type), b.source(second, b.type)
    p, negated = b.predicate(predicate)
    if negated:
        # `selp d, a, b, !p` is `selp d, b, a, p`.
        x, y = y, x
    bits = kind.dtype

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        f[target][s] = np.where(f[p][s], f[x][s].view(bits), f[y][s].view(bits))

    return step


@form("slct", f"{_INTEGERS} f32 f64", "s32", count=4)
@form("slct", f"{_INTEGERS} f32 f64", "f32", words="ftz", count=4)
def slct(b: Binding) -> Step:
    d, first, second, sign = b.instruction.operands
    kind = b.type_named("b")
    b.target(d, b.type)  # for its check
    target, x, y = b.target(d, kind), b.source(first, b.type), b.source(second, b.type)
    c = b.source(sign, b.instruction.types[1])
    flushes = b.has("ftz")
    bits = kind.dtype

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        values = f[c][s]
        # PTX ISA, `slct`: d = (c >= 0) ? a : b; NaN is unordered and selects b.
        chosen = (flush32(values) if flushes else values) >= 0
        f[target][s] = np.where(chosen, f[x][s].view(bits), f[y][s].view(bits))

    return step
