"""Integers: arithmetic, comparison, logic, shifts and fields of bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.arithmetic import integers
from jitstudio.simulator.instructions.table import (
    Binding,
    Step,
    Values,
    computes,
    form,
    is_one_of,
)
from jitstudio.simulator.ptx.program import ImmediateOperand, PtxInstruction, PtxProgram
from jitstudio.simulator.ptx.types import TYPES
from jitstudio.simulator.state.faults import UnsupportedInstruction, line_of
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.model import FaultKind
from jitstudio.simulator.state.wave import Wave

Function = Callable[..., Values]

# Types as the sections on each instruction in "Integer Arithmetic Instructions" list them.
_S = "s16 s32 s64"
_U = "u16 u32 u64"
_ANY = f"{_S} {_U}"
_BITS = "b16 b32 b64"
_PACKED = "u16x2 s16x2"


@computes("add", _ANY)
def add(_: PtxInstruction) -> Function:
    return np.add


@computes("sub", _ANY)
def sub(_: PtxInstruction) -> Function:
    return np.subtract


@computes("add", "s32", needs="sat")
def add_saturating(_: PtxInstruction) -> Function:
    return integers.add_saturating


@computes("sub", "s32", needs="sat")
def sub_saturating(_: PtxInstruction) -> Function:
    return integers.sub_saturating


@computes("add", _PACKED)
def add_packed(i: PtxInstruction) -> Function:
    return partial(integers.packed, np.add, i.types[0].name)


@computes("min", _PACKED)
def min_packed(i: PtxInstruction) -> Function:
    return partial(integers.packed, np.minimum, i.types[0].name)


@computes("max", _PACKED)
def max_packed(i: PtxInstruction) -> Function:
    return partial(integers.packed, np.maximum, i.types[0].name)


@computes("min", _ANY)
def minimum(_: PtxInstruction) -> Function:
    return np.minimum


@computes("max", _ANY)
def maximum(_: PtxInstruction) -> Function:
    return np.maximum


def _relu(function: Function) -> Callable[[PtxInstruction], Function]:
    """Returns a maker of `min` or `max` whose results are at least 0."""

    def limited(*operands: Values) -> Values:
        chosen: Values = np.maximum(function(*operands), 0)
        return chosen

    def make(i: PtxInstruction) -> Function:
        name = i.types[0].name
        return partial(integers.packed, limited, name) if name.endswith("x2") else limited

    return make


computes("min", "s32 s16x2", needs="relu")(_relu(np.minimum))
computes("max", "s32 s16x2", needs="relu")(_relu(np.maximum))


@computes("mul.lo", _ANY)
def mul_lo(_: PtxInstruction) -> Function:
    return np.multiply


@computes("mul.hi", _ANY)
def mul_hi(_: PtxInstruction) -> Function:
    return integers.mul_high


@computes("mul.wide", "s16 s32 u16 u32", result="w")
def mul_wide(_: PtxInstruction) -> Function:
    return integers.mul_wide


@computes("mad.lo", _ANY, sources="t t t")
def mad_lo(_: PtxInstruction) -> Function:
    return lambda a, b, c: a * b + c


@computes("mad.hi", _ANY, sources="t t t")
def mad_hi(_: PtxInstruction) -> Function:
    return lambda a, b, c: integers.mul_high(a, b) + c


@computes("mad.hi", "s32", sources="t t t", needs="sat")
def mad_hi_saturating(_: PtxInstruction) -> Function:
    return lambda a, b, c: integers.add_saturating(integers.mul_high(a, b), c)


@computes("mad.wide", "s16 s32 u16 u32", result="w", sources="t t w")
def mad_wide(_: PtxInstruction) -> Function:
    return lambda a, b, c: integers.mul_wide(a, b) + c


@computes("mul24.lo/hi", "s32 u32")
def mul24(i: PtxInstruction) -> Function:
    return partial(integers.mul24, high="hi" in i.modifiers)


@computes("mad24.lo/hi", "s32 u32", sources="t t t")
def mad24(i: PtxInstruction) -> Function:
    high = "hi" in i.modifiers
    return lambda a, b, c: integers.mul24(a, b, high=high) + c


@computes("mad24.hi", "s32", sources="t t t", needs="sat")
def mad24_saturating(_: PtxInstruction) -> Function:
    return lambda a, b, c: integers.add_saturating(integers.mul24(a, b, high=True), c)


def _division(function: Function) -> Callable[[Binding], Step]:
    """Returns a function that binds `div` or `rem`, and reports divisors of 0."""

    def bind(b: Binding) -> Step:
        kind = b.type_named("t")
        result, *sources = b.instruction.operands
        target, (above, below) = b.target(result, kind), [b.source(o, kind) for o in sources]

        def step(wave: Wave, f: Frame, s: Selection) -> None:
            divisors = f[below][s]
            if not divisors.all():
                wave.tell(
                    FaultKind.DIVISION,
                    wave.numbers[s][divisors == 0],
                    "divides an integer by zero, of which PTX and C++ leave the result open",
                )
            f[target][s] = function(f[above][s], divisors)

        return step

    return bind


form("div", _ANY, count=3)(_division(integers.div))
form("rem", _ANY, count=3)(_division(integers.rem))


@computes("abs", _S, sources="t")
def absolute(_: PtxInstruction) -> Function:
    return np.abs


@computes("neg", _S, sources="t")
def negate(_: PtxInstruction) -> Function:
    return np.negative


@computes("sad", _ANY, sources="t t t")
def sad(_: PtxInstruction) -> Function:
    return integers.absolute_difference


@form("dp4a", "s32 u32", "s32 u32", count=4)
def dp4a(b: Binding) -> Step:
    return _dot(b, integers.dot)


@form("dp2a.lo/hi", "s32 u32", "s32 u32", count=4)
def dp2a(b: Binding) -> Step:
    return _dot(b, partial(integers.dot2, high=b.has("hi")))


def _dot(b: Binding, function: Function) -> Step:
    first, second = b.instruction.types
    both = "s32" if first.is_signed or second.is_signed else "u32"
    # PTX ISA, `dp4a`: c and the result are signed if a or b is.
    kinds = (TYPES["u32"], TYPES["u32"], TYPES[both])
    d, *sources = b.instruction.operands
    target = b.target(d, TYPES[both])
    x, y, z = (b.source(o, k) for o, k in zip(sources, kinds, strict=True))

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        f[target][s] = function(f[x][s], f[y][s], f[z][s], first.is_signed, second.is_signed)

    return step


# Logic.


@computes("and", _BITS)
def logical_and(_: PtxInstruction) -> Function:
    return np.bitwise_and


@computes("or", _BITS)
def logical_or(_: PtxInstruction) -> Function:
    return np.bitwise_or


@computes("xor", _BITS)
def logical_xor(_: PtxInstruction) -> Function:
    return np.bitwise_xor


@computes("not", _BITS, sources="t")
def logical_not(_: PtxInstruction) -> Function:
    return np.invert


@computes("cnot", _BITS, sources="t")
def cnot(_: PtxInstruction) -> Function:
    # PTX ISA, `cnot`: d = (a==0) ? 1 : 0, logical negation as in C.
    return lambda a: (a == 0).astype(a.dtype)


def _predicates(function: Function) -> Callable[[Binding], Step]:
    """Returns a function that binds an operation on predicates, some of which may be negated."""

    def bind(b: Binding) -> Step:
        target = b.target(b.instruction.operands[0], TYPES["pred"])
        places = [b.predicate(operand) for operand in b.instruction.operands[1:]]

        def step(_wave: Wave, f: Frame, s: Selection) -> None:
            f[target][s] = function(*(f[place][s] ^ negated for place, negated in places))

        return step

    return bind


form("and", "pred", count=3)(_predicates(np.logical_and))
form("or", "pred", count=3)(_predicates(np.logical_or))
form("xor", "pred", count=3)(_predicates(np.logical_xor))
form("not", "pred", count=2)(_predicates(np.logical_not))


@form("lop3", "b32", count=5)
@form("lop3", "b32", needs="and/or", count=6)
def lop3(b: Binding) -> Step:
    first, *sources = b.instruction.operands
    target, predicate = b.pair(first)
    x, y, z = (b.source(operand, b.type) for operand in sources[:3])
    if not isinstance(sources[3], ImmediateOperand):
        raise UnsupportedInstruction("its table is not a number")
    table = int(sources[3].value)
    place = b.target(target, b.type)
    if predicate is None:

        def step(_wave: Wave, f: Frame, s: Selection) -> None:
            f[place][s] = integers.lop3(f[x][s], f[y][s], f[z][s], table)

        return step
    p = b.target(predicate, TYPES["pred"])
    q, negated = b.predicate(sources[4])
    join = np.logical_or if b.has("or") else np.logical_and

    def step_with_predicate(_wave: Wave, f: Frame, s: Selection) -> None:
        result = integers.lop3(f[x][s], f[y][s], f[z][s], table)
        # PTX ISA, `lop3`: p = (d != 0) BoolOp q.
        f[p][s] = join(result != 0, f[q][s] ^ negated)
        f[place][s] = result

    return step_with_predicate


# Shifts.


def _fixed_amount(i: PtxInstruction) -> int | None:
    amount = i.operands[2]
    return int(amount.value) if isinstance(amount, ImmediateOperand) else None


@computes("shl", _BITS, sources="t u32")
def shl(i: PtxInstruction) -> Function:
    amount = _fixed_amount(i)
    if amount is not None and 0 <= amount < i.types[0].bits:
        fixed = i.types[0].dtype.type(amount)
        # A constant amount below the width, as nearly all are, needs no test of its range.
        return lambda a, _: a << fixed
    return integers.shift_left


@computes("shr", f"{_ANY} {_BITS}", sources="t u32")
def shr(i: PtxInstruction) -> Function:
    amount = _fixed_amount(i)
    if amount is not None and 0 <= amount < i.types[0].bits:
        fixed = i.types[0].dtype.type(amount)
        # As in `shl`.
        return lambda a, _: a >> fixed
    return integers.shift_right


@computes("shf.l/r", "b32", sources="t t u32", needs="clamp/wrap")
def shf(i: PtxInstruction) -> Function:
    left, wrap = "l" in i.modifiers, "wrap" in i.modifiers
    return partial(integers.funnel_shift, left=left, wrap=wrap)


# Fields of bits.


def _check_field(i: PtxInstruction) -> None:
    for operand in i.operands[-2:]:
        if isinstance(operand, ImmediateOperand) and not is_one_of(operand, range(256)):
            raise UnsupportedInstruction(f"{operand.spelling} is not a bit from 0 to 255")


@computes("bfe", "s32 u32 s64 u64", sources="t u32 u32")
def bfe(i: PtxInstruction) -> Function:
    _check_field(i)
    return integers.extract_field


@computes("bfi", "b32 b64", sources="t t u32 u32")
def bfi(i: PtxInstruction) -> Function:
    _check_field(i)
    return integers.insert_field


@computes("bmsk", "b32", result="u32", sources="u32 u32", needs="clamp/wrap")
def bmsk(i: PtxInstruction) -> Function:
    return partial(integers.bit_mask, wrap="wrap" in i.modifiers)


@computes("szext", "s32 u32", sources="t u32", needs="clamp/wrap")
def szext(i: PtxInstruction) -> Function:
    return partial(integers.extend, wrap="wrap" in i.modifiers)


@computes("bfind", "s32 u32 s64 u64", result="u32", sources="t", words="shiftamt")
def bfind(i: PtxInstruction) -> Function:
    return partial(integers.find_leading, shift_amount="shiftamt" in i.modifiers)


@computes("fns", "b32", sources="t u32 s32")
def fns(_: PtxInstruction) -> Function:
    return integers.find_nth_set


@computes("popc", "b32 b64", result="u32", sources="t")
def popc(_: PtxInstruction) -> Function:
    return integers.population


@computes("clz", "b32 b64", result="u32", sources="t")
def clz(_: PtxInstruction) -> Function:
    return integers.count_leading_zeros


@computes("brev", "b32 b64", sources="t")
def brev(_: PtxInstruction) -> Function:
    return integers.reverse_bits


@computes("prmt", "b32", sources="t t t", words="f4e/b4e/rc8/ecl/ecr/rc16")
def prmt(i: PtxInstruction) -> Function:
    mode: Any = i.modifiers[0] if i.modifiers else ""
    return lambda a, b, c: integers.permute_bytes(a, b, c, mode)


# Carries, in the flag CC.CF (PTX ISA, "Extended-Precision Integer Arithmetic Instructions"), which
# is a register of the frame.


def _carry(
    function: Callable[..., tuple[Values, Values]],
    *,
    multiplies: bool = False,
    subtracts: bool = False,
) -> Callable[[Binding], Step]:
    """Returns a function that binds an addition or subtraction with a carry in or out.

    A GPU subtracts by adding the complement: the carry of a difference is the inverted borrow. This
    shows where `subc` follows an addition; compared with an H100.
    """

    def bind(b: Binding) -> Step:
        takes, gives = b.instruction.opcode.endswith("c"), b.has("cc")
        target = b.target(b.instruction.operands[0], b.type)
        places = [b.source(operand, b.type) for operand in b.instruction.operands[1:]]
        carry, origin = b.carry(), b.carry_from()
        high = b.has("hi")
        marker = b.instruction.number + 1

        def step(wave: Wave, f: Frame, s: Selection) -> None:
            if takes:
                _check_carry(wave, b.image.program, f[origin][s], s)
            values = [f[place][s] for place in places]
            if multiplies:
                product = integers.mul_high if high else np.multiply
                values = [product(*values[:2]), values[2]]
            result, out = function(*values, f[carry][s] ^ subtracts if takes else 0)
            f[origin][s] = marker if gives else -marker
            if gives:
                f[carry][s] = out ^ subtracts
            f[target][s] = result.view(f[target].dtype)

        return step

    return bind


def _check_carry(wave: Wave, program: PtxProgram, origins: NDArray[Any], s: Selection) -> None:
    """Notes threads whose carry nobody has set, or an instruction without `.cc` has used up.

    Without `.cc` an addition leaves the flag as it was: what comes next adds the same carry again.
    """
    stale = origins <= 0
    if not stale.any():
        return
    numbers = wave.numbers[s][stale]
    taker = int(origins[np.argmax(stale)])
    if taker == 0:
        message = "reads the carry flag, which nothing has set: add.cc, sub.cc or mad.cc must"
        wave.tell(FaultKind.CARRY, numbers, f"{message} come first")
        return
    earlier = program.instructions[-taker - 1]
    at = line_of(wave.layout.place(earlier, int(numbers[0])))
    wave.tell(
        FaultKind.CARRY,
        numbers,
        f"reads a stale carry flag: {earlier.full_opcode} at {at} has taken it and sets none. If "
        f"its carry is meant, write {earlier.full_opcode.replace('c.', 'c.cc.', 1)} there",
    )


_CARRIES = "s32 u32 s64 u64"
form("add", _CARRIES, needs="cc", count=3)(_carry(integers.add_carry))
form("addc", _CARRIES, words="cc", count=3)(_carry(integers.add_carry))
form("sub", _CARRIES, needs="cc", count=3)(_carry(integers.sub_borrow, subtracts=True))
form("subc", _CARRIES, words="cc", count=3)(_carry(integers.sub_borrow, subtracts=True))
form("mad.lo/hi", _CARRIES, needs="cc", count=4)(_carry(integers.add_carry, multiplies=True))
form("madc.lo/hi", _CARRIES, words="cc", count=4)(_carry(integers.add_carry, multiplies=True))
