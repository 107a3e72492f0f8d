"""The difference of a value between neighbouring threads of a warp, as far as the code says.

Threads are taken to be neighbours in x, and blocks to be a multiple of a warp wide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from functools import lru_cache, reduce
from typing import NamedTuple

from jitstudio.analysis.sass.opcodes import stem
from jitstudio.analysis.sass.operands import Operand, packed

WARP = 32
"""Threads of a warp."""

_DIFFERENT = 4096
# More than the bytes of an element: a number multiplied by this is no index within a row.
_MUCH = 32


class LaneShape(IntEnum):
    """The shape of a value across a warp; a later shape says less."""

    STEP = 0
    """The value grows by a known amount from thread to thread; by 0 if the same for all."""
    SCALED = 1
    """The value grows by an equal amount from thread to thread, known at run time only."""
    ANY = 2
    """The value is unknown."""
    DATA = 3
    """Each thread has a value of its own: read from memory, computed in floating point, or made
    of these."""


class Distance(IntEnum):
    """The probable distance of a value from that of the next thread, for an unknown step."""

    UNKNOWN = 0
    NONE = 1
    """A quotient of the thread's number: the same for many threads."""
    SHORT = 2
    """A different value, but perhaps the next."""
    LONG = 3
    """Read from memory, or a multiple of a large number."""


class Stairs(NamedTuple):
    """Values that rise, or fall, by a step after every `per` threads.

    Attributes:
        per: Threads on the same step.
        height: The height of a step.
        most: The largest distance of two values; then the stairs start again.
    """

    per: int
    height: int
    most: int = WARP

    def spread(self, threads: int) -> int:
        """Returns how far the least and the greatest of so many threads surely lie apart."""
        return min((threads - 1) // self.per * self.height, self.most)


class Lane(NamedTuple):
    """A value across a warp.

    Attributes:
        shape: The shape across the warp.
        step: The growth from thread to thread, for `LaneShape.STEP`.
        constant: The number in all threads, or None.
        is_literal: Whether the code holds the value, in all bits or at least in the higher ones.
        is_widened: Whether the value is double precision made of single precision and literals.
        stairs: For `LaneShape.ANY`, the stairs that the values are on, if known.
        distance: The probable distance from the value of the next thread, for an unknown step.
        terms: The parameters in the sum that the value is; so an address has a pointer.
    """

    shape: LaneShape
    step: int = 0
    constant: int | None = None
    is_literal: bool = False
    is_widened: bool = False
    stairs: Stairs | None = None
    distance: Distance = Distance.UNKNOWN
    terms: frozenset[str] = frozenset()

    def spread(self, threads: int) -> int:
        """Returns how far the least and the greatest of so many threads surely lie apart."""
        if self.shape is LaneShape.STEP:
            return abs(self.step) * (threads - 1)
        return self.stairs.spread(threads) if self.stairs else 0

    @property
    def apart(self) -> Distance:
        """The probable distance from the value of the next thread."""
        if self.is_same:
            return Distance.NONE
        if self.shape is LaneShape.STEP:
            return Distance.LONG if abs(self.step) >= _MUCH else Distance.SHORT
        return Distance.LONG if self.shape is LaneShape.SCALED else self.distance

    @property
    def is_same(self) -> bool:
        """Whether all threads have the same."""
        return self.shape is LaneShape.STEP and not self.step


SAME = Lane(LaneShape.STEP)
THREAD = Lane(LaneShape.STEP, 1)
SCALED = Lane(LaneShape.SCALED)
ANY = Lane(LaneShape.ANY)
DATA = Lane(LaneShape.DATA)


@lru_cache(1 << 10)
def literal(number: int | None) -> Lane:
    """Returns the lane of a literal; None stands for a number that is not whole."""
    return Lane(LaneShape.STEP, 0, number, is_literal=True)


@lru_cache(1 << 10)
def parameter(name: str) -> Lane:
    """Returns the lane of a kernel parameter, by the place in constant memory."""
    return SAME._replace(terms=frozenset((name,)))


def step(amount: int) -> Lane:
    """Returns a value that grows by this much from thread to thread."""
    return Lane(LaneShape.STEP, amount)


def stairs(per: int, height: int, most: int = WARP) -> Lane:
    """Returns a step higher, or a step lower, after every so many threads."""
    return Lane(LaneShape.ANY, stairs=Stairs(per, height, most))


def merge(left: Lane, right: Lane) -> Lane:
    """Returns the lane of a value that equals either of two."""
    if left == right:
        return left
    terms = left.terms & right.terms
    if left.shape == right.shape and left.step == right.step:
        distance = min(left.distance, right.distance)
        return Lane(left.shape, left.step, distance=distance, terms=terms)
    # A value that is the same for all threads is the exceptional one, as for a divisor of zero.
    apart = [lane.apart for lane in (left, right) if not lane.is_same]
    distance = min(apart, default=Distance.UNKNOWN)
    return Lane(max(left.shape, right.shape, LaneShape.ANY), distance=distance, terms=terms)


def mixed(*lanes: Lane) -> Lane:
    """Returns the lane of a value computed from `lanes` in an unknown way."""
    whole = SAME
    for lane in lanes:
        if lane.shape is LaneShape.DATA:
            return DATA
        if lane.shape is not LaneShape.STEP or lane.step:
            whole = ANY
    return whole


def total(*lanes: Lane) -> Lane:
    """Returns the sum of `lanes`."""
    whole = reduce(_plus, lanes)
    terms = frozenset().union(*(lane.terms for lane in lanes))
    distance = _distance(lanes) if whole.shape >= LaneShape.ANY else Distance.UNKNOWN
    if (whole.terms, whole.distance) == (terms, distance):
        return whole
    return whole._replace(distance=distance, terms=terms)


def _distance(lanes: Iterable[Lane]) -> Distance:
    """Returns the distance of a sum from the next thread's: the least among lanes that differ."""
    apart = {lane.apart for lane in lanes}
    if Distance.UNKNOWN in apart:
        return Distance.UNKNOWN
    return min(apart - {Distance.NONE}, default=Distance.NONE)


def _plus(left: Lane, right: Lane) -> Lane:
    if left.constant == 0:
        return right
    if right.constant == 0:
        return left
    shapes = sorted((left.shape, right.shape))
    if shapes[1] >= LaneShape.ANY:
        return Lane(shapes[1], stairs=_of_sum(left, right) or _of_sum(right, left))
    if shapes[0] is LaneShape.SCALED:
        # Two unknown steps may cancel each other.
        return ANY
    if shapes[1] is LaneShape.SCALED:
        return SCALED
    if left.constant is not None and right.constant is not None:
        return literal(left.constant + right.constant)
    return step(left.step + right.step)


def _of_sum(lane: Lane, more: Lane) -> Stairs | None:
    """Returns the stairs that remain when `more` is added to a lane."""
    if lane.stairs is None or more.is_same:
        return lane.stairs
    per, height, most = lane.stairs
    # A number minus its lowest bits is that number rounded.
    is_rounded = per == height == 1 == abs(more.step)
    return Stairs(most + 1, most + 1) if is_rounded else None


def negated(lane: Lane) -> Lane:
    """Returns the value with the opposite sign."""
    constant = None if lane.constant is None else -lane.constant
    return lane._replace(step=-lane.step, constant=constant, terms=frozenset())


def product(factor: Lane, other: Lane) -> Lane:
    """Returns the product of two lanes."""
    if other.constant is None:
        factor, other = other, factor
    if other.constant == 1:
        return factor
    if other.constant is not None:
        if factor.constant is not None:
            return literal(factor.constant * other.constant)
        if other.constant == 0:
            return SAME
        grows = abs(other.constant) >= _MUCH
        return Lane(
            factor.shape, factor.step * other.constant, distance=_multiple(factor, grows=grows)
        )
    if factor.is_same and other.is_same:
        return SAME
    shape = max(factor.shape, other.shape)
    if not (factor.is_same or other.is_same):
        return Lane(max(shape, LaneShape.ANY))
    if shape < LaneShape.ANY:
        return SCALED
    return Lane(shape, distance=_multiple(other if factor.is_same else factor, grows=True))


def _multiple(lane: Lane, *, grows: bool) -> Distance:
    """Returns how far a multiple of an unknown value is from that of the next thread."""
    far = grows and lane.distance is Distance.SHORT
    return Distance.LONG if far else lane.distance


def shifted_left(lane: Lane, by: Lane) -> Lane:
    """Returns a lane shifted left by a number of bits."""
    if by.constant is None or not 0 <= by.constant < WARP:
        return product(lane, SAME) if by.is_same else mixed(lane, by)
    return product(lane, literal(1 << by.constant))


def shifted_right(lane: Lane, by: Lane) -> Lane:
    """Returns a lane shifted right by a number of bits."""
    if by.constant is None or by.constant < 0 or lane.shape is not LaneShape.STEP or not lane.step:
        return mixed(lane, by)
    size = 1 << by.constant
    # The first thread of a warp is a multiple of the warp: its number stays behind.
    if abs(lane.step) * WARP <= size:
        return SAME
    return stairs(-(-size // abs(lane.step)), 1) if abs(lane.step) <= size else ANY


def masked(lane: Lane, mask: Lane) -> Lane:
    """Returns the bits of a lane under a mask."""
    if mask.constant is None:
        lane, mask = mask, lane
    bits = mask.constant
    if lane.is_same or bits is None or lane.shape not in (LaneShape.STEP, LaneShape.ANY):
        return mixed(lane, mask)
    lowest = bits > 0 and not bits & (bits + 1)
    if lowest and 0 < lane.step * WARP <= bits + 1:
        return lane
    return Lane(LaneShape.ANY, stairs=_of_mask(lane, bits))


def _of_mask(lane: Lane, bits: int) -> Stairs | None:
    """Returns the stairs of neighbouring bits of a lane that takes steps of 1."""
    per, height, most = lane.stairs or (1, abs(lane.step), WARP)
    lowest = bits & -bits
    if height != 1 or not bits or bits & (bits + lowest):
        return None
    return Stairs(per * lowest, lowest, min(most, bits) if bits > 0 else most)


def either(*lanes: Lane) -> Lane:
    """Returns the bitwise OR of lanes: compilers write sums so where no bits meet."""
    return total(*lanes) if any(lane.is_same for lane in lanes) else mixed(*lanes)


def inverted(lane: Lane) -> Lane:
    """Returns all bits inverted: the negated value less 1."""
    return total(negated(lane), literal(-1))


# By the truth table of a LOP3, whose operands represent 0xf0, 0xcc and 0xaa.
_LOGIC: dict[int, Callable[[Lane, Lane, Lane], Lane]] = {
    0xFF ^ 0xF0: lambda a, b, c: inverted(a),
    0xFF ^ 0xCC: lambda a, b, c: inverted(b),
    0xFF ^ 0xAA: lambda a, b, c: inverted(c),
    0xF0 & 0xCC: lambda a, b, c: masked(a, b),
    0xF0 & 0xAA: lambda a, b, c: masked(a, c),
    0xCC & 0xAA: lambda a, b, c: masked(b, c),
    0xF0 | 0xCC: lambda a, b, c: either(a, b),
    0xF0 | 0xAA: lambda a, b, c: either(a, c),
    0xCC | 0xAA: lambda a, b, c: either(b, c),
    0xF0 | 0xCC | 0xAA: either,
    0xF0 & 0xCC | 0xAA: lambda a, b, c: either(masked(a, b), c),
    0xF0 & 0xAA | 0xCC: lambda a, b, c: either(masked(a, c), b),
    0xCC & 0xAA | 0xF0: lambda a, b, c: either(masked(b, c), a),
}


def logic(table: int | None, a: Lane, b: Lane, c: Lane) -> Lane:
    """Returns three values combined by a truth table."""
    return _LOGIC.get(table or 0, mixed)(a, b, c)


# ---- The results of instructions, by the lanes of their sources

Values = Sequence[Lane]
Rule = Callable[[str, Sequence[Operand], Values], Lane]

# Special registers that number the threads of a warp, and others with a value for each thread.
_NUMBERING = frozenset(("SR_TID.X", "SR_LANEID"))
_OF_EACH_THREAD = re.compile(r"SR_(?:\w+MASK|CLOCK\w*|TID)\Z")
# Wide integers do not fit into single precision: the conversion to double may be intended.
_WIDENING = re.compile(r"F2F(?:\.FTZ)?\.F64\.F32|I2F\.F64(?!\.[SU]64)")
_WORD_BITS = 32
# Predicates that are no registers, as carries into a sum.
_CARRIES = {"PT": 1, "UPT": 1, "!PT": 0, "!UPT": 0}

DOUBLES = frozenset(("DADD", "DMUL", "DFMA"))
"""Arithmetic of double precision."""


def result(opcode: str, sources: Sequence[Operand], values: Values, read: Lane) -> Lane:
    """Returns the lane of an instruction's result.

    Args:
        opcode: The opcode with its modifiers.
        sources: The operands that are read.
        values: The lanes of the sources.
        read: The lane read from memory; `SAME` where none is read.
    """
    base = stem(opcode)
    if base in DOUBLES:
        return _double(values)
    if is_widening(opcode):
        return mixed(*values)._replace(is_widened=True)
    rule = _RULES.get(base)
    if rule is not None and len(values) >= _LEAST[base]:
        return rule(opcode, sources, values)
    whole = mixed(read, *values)
    return whole if read.is_same else whole._replace(distance=read.distance)


@lru_cache(_DIFFERENT)
def is_widening(opcode: str) -> bool:
    """Returns whether an opcode widens single precision or a short integer to double precision."""
    return _WIDENING.match(opcode) is not None


def loaded(address: Lane, *, is_own: bool = False) -> Lane:
    """Returns the lane read at an address; `is_own` for memory private to a thread."""
    return SAME if address.is_same and not is_own else DATA._replace(distance=Distance.LONG)


def _move(_opcode: str, _sources: Sequence[Operand], values: Values) -> Lane:
    return values[0]


def _constant(_opcode: str, _sources: Sequence[Operand], values: Values) -> Lane:
    return mixed(*values)._replace(terms=values[0].terms)


def _special(_opcode: str, sources: Sequence[Operand], _values: Values) -> Lane:
    name = sources[0].text
    if name in _NUMBERING:
        return THREAD
    if name == "SRZ":
        return literal(0)
    return ANY if _OF_EACH_THREAD.match(name) else SAME


def _sum(opcode: str, sources: Sequence[Operand], values: Values) -> Lane:
    carried = _carried(opcode, sources, behind=3)
    # The upper half of a sum of 64 bits is unknown.
    return mixed(*values) if carried is None else total(*values[:3], carried)


def _carried(opcode: str, sources: Sequence[Operand], *, behind: int) -> Lane | None:
    """Returns the carry into a sum of `behind` operands; None if unknown.

    A carry that is always there is how compilers also add 1: ``IADD3.X R0, R0, R2, RZ, PT, !PT``.
    """
    if not _has(opcode, "X"):
        return literal(0)
    carries = [_CARRIES.get(source.text) for source in sources[behind:]]
    known_carries = [carry for carry in carries if carry is not None]
    if (
        not known_carries
        or len(known_carries) < len(carries)
        or any("~" in source.text for source in sources)
    ):
        return None
    return literal(sum(known_carries))


def _multiply_add(opcode: str, sources: Sequence[Operand], values: Values) -> Lane:
    carried = _carried(opcode, sources, behind=3)
    if _has(opcode, "HI") or carried is None:
        whole = mixed(*values)
        # Division by a number is multiplication by its reciprocal.
        divides = not whole.is_same and any(value.is_same for value in values[:2])
        return whole._replace(distance=Distance.NONE) if divides else whole
    return total(product(values[0], values[1]), values[2], carried)


def _scaled_sum(opcode: str, sources: Sequence[Operand], values: Values) -> Lane:
    if _has(opcode, "HI"):
        bits = values[3].constant if len(values) > 3 and not _has(opcode, "X") else None
        if bits is None or not sources[2].is_zero:
            return mixed(*values)
        # LEA.HI adds the bits that are shifted out of a word; the word above is zero here.
        return total(shifted_right(values[0], literal(_WORD_BITS - bits)), values[1])
    by = values[3] if len(values) > 3 and _has(opcode, "X") else values[2]
    return total(shifted_left(values[0], by), values[1])


def _shift(opcode: str, sources: Sequence[Operand], values: Values) -> Lane:
    if _has(opcode, "L") and not _has(opcode, "HI"):
        return shifted_left(values[0], values[1])
    # SHF shifts a pair of registers; a single register is the upper word, with RZ below.
    if _has(opcode, "R") and sources[0].is_zero:
        return shifted_right(values[2], values[1])
    return mixed(*values)


def _logic(_opcode: str, sources: Sequence[Operand], values: Values) -> Lane:
    return logic(sources[3].constant, *values[:3])


def _two_halves(_opcode: str, sources: Sequence[Operand], values: Values) -> Lane:
    """Returns a constant spelt as arithmetic: zero times zero, plus the two halves."""
    if sources[0].is_zero and sources[1].is_zero:
        return literal(packed(sources[2], sources[3]))
    return mixed(*values)


def _double(values: Values) -> Lane:
    whole = mixed(*values)
    of_singles = all(value.is_widened or value.is_literal for value in values)
    if not of_singles:
        return whole
    widened = any(value.is_widened for value in values)
    return whole._replace(is_widened=widened, is_literal=not widened)


def _to_float(_opcode: str, _sources: Sequence[Operand], values: Values) -> Lane:
    return SAME if values[0].is_same else DATA


def _same(_opcode: str, _sources: Sequence[Operand], _values: Values) -> Lane:
    return SAME


@lru_cache(_DIFFERENT)
def _has(opcode: str, modifier: str) -> bool:
    return modifier in opcode.split(".")[1:]


_TABLE: tuple[tuple[str, int, Rule], ...] = (
    # IABS makes a dividend positive; the number of a thread is so anyway.
    ("MOV UMOV MOV32I IABS", 1, _move),
    ("LDC ULDC LDCU", 1, _constant),
    ("S2R CS2R S2UR", 1, _special),
    ("IADD IADD3 VIADD UIADD3 IADD32I", 2, _sum),
    ("IMAD UIMAD", 3, _multiply_add),
    ("LEA ULEA", 3, _scaled_sum),
    ("SHF USHF", 3, _shift),
    ("LOP3 ULOP3", 4, _logic),
    ("HFMA2", 4, _two_halves),
    ("I2F I2FP", 1, _to_float),
    # One answer for the whole warp.
    ("VOTE VOTEU REDUX CREDUX R2UR", 0, _same),
)
_RULES = {name: rule for names, _, rule in _TABLE for name in names.split()}
_LEAST = {name: least for names, least, _ in _TABLE for name in names.split()}
