"""How a value differs from one thread of a warp to the next, as far as the code tells.

Threads are taken to be neighbours in x, and blocks to be a multiple of a warp wide.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import reduce
from typing import NamedTuple

WARP = 32
"""Threads of a warp."""


class Shape(IntEnum):
    """What a value looks like across a warp; a later one says less."""

    STEP = 0
    """Each thread has a known amount more than the one before; the same for all if it is 0."""
    SCALED = 1
    """Each has more than the one before by an amount that is the same, and known at run time."""
    ANY = 2
    """It cannot be told."""
    DATA = 3
    """Each thread has something of its own: read from memory, computed in floating point, or made
    of such things."""


class Lane(NamedTuple):
    """A value across a warp.

    Attributes:
        shape: What it looks like.
        step: How much more each thread has, for `Shape.STEP`.
        constant: The number that it is in all threads, or None.
        is_literal: Whether it is written in the code, in all bits or at least in its higher ones.
        is_widened: Whether it is of double precision, and made of single precision and literals.
    """

    shape: Shape
    step: int = 0
    constant: int | None = None
    is_literal: bool = False
    is_widened: bool = False

    @property
    def is_same(self) -> bool:
        """Whether all threads have the same."""
        return self.shape is Shape.STEP and not self.step


SAME = Lane(Shape.STEP)
THREAD = Lane(Shape.STEP, 1)
SCALED = Lane(Shape.SCALED)
ANY = Lane(Shape.ANY)
DATA = Lane(Shape.DATA)


def literal(number: int | None) -> Lane:
    """What is written in the code; None if it is no whole number."""
    return Lane(Shape.STEP, 0, number, is_literal=True)


def step(amount: int) -> Lane:
    """Each thread has this much more than the one before."""
    return Lane(Shape.STEP, amount)


def merge(one: Lane, other: Lane) -> Lane:
    """What is known of a value that is one or the other."""
    if one == other:
        return one
    if one.shape == other.shape and one.step == other.step:
        return Lane(one.shape, one.step)
    return Lane(max(one.shape, other.shape, Shape.ANY))


def mixed(*lanes: Lane) -> Lane:
    """What is computed of these in whatever way."""
    shape = max((lane.shape for lane in lanes), default=Shape.STEP)
    if shape is Shape.STEP and all(lane.is_same for lane in lanes):
        return SAME
    return Lane(max(shape, Shape.ANY))


def total(*lanes: Lane) -> Lane:
    """Their sum."""
    return reduce(_plus, lanes)


def _plus(one: Lane, other: Lane) -> Lane:
    if one.constant == 0:
        return other
    if other.constant == 0:
        return one
    shapes = sorted((one.shape, other.shape))
    if shapes[1] >= Shape.ANY:
        return Lane(shapes[1])
    if shapes[0] is Shape.SCALED:
        # What one adds the other may take away.
        return ANY
    if shapes[1] is Shape.SCALED:
        return SCALED
    if one.constant is not None and other.constant is not None:
        return literal(one.constant + other.constant)
    return step(one.step + other.step)


def negated(lane: Lane) -> Lane:
    """The same with the other sign."""
    constant = None if lane.constant is None else -lane.constant
    return lane._replace(step=-lane.step, constant=constant)


def product(one: Lane, other: Lane) -> Lane:
    """One times the other."""
    if other.constant is None:
        one, other = other, one
    if other.constant == 1:
        return one
    if other.constant is not None:
        if one.constant is not None:
            return literal(one.constant * other.constant)
        scaled = one.step * other.constant
        return SAME if other.constant == 0 else Lane(one.shape, scaled)
    if one.is_same and other.is_same:
        return SAME
    shape = max(one.shape, other.shape)
    if shape >= Shape.ANY:
        return Lane(shape)
    return SCALED if one.is_same or other.is_same else ANY


def shifted_left(lane: Lane, by: Lane) -> Lane:
    """Shifted by a number of bits."""
    if by.constant is None or not 0 <= by.constant < WARP:
        return mixed(lane, by)
    return product(lane, literal(1 << by.constant))


def shifted_right(lane: Lane, by: Lane) -> Lane:
    """Shifted by a number of bits."""
    if by.constant is None or by.constant < 0 or lane.shape is not Shape.STEP or not lane.step:
        return mixed(lane, by)
    # The first thread of a warp is a multiple of the warp: its number stays behind.
    return SAME if abs(lane.step) * WARP <= 1 << by.constant else ANY


def masked(lane: Lane, mask: Lane) -> Lane:
    """Only the bits of a mask."""
    if mask.constant is None:
        lane, mask = mask, lane
    bits = mask.constant
    if lane.is_same or bits is None or lane.shape is not Shape.STEP:
        return mixed(lane, mask)
    lowest = bits > 0 and not bits & (bits + 1)
    return lane if lowest and 0 < lane.step * WARP <= bits + 1 else ANY


def either(*lanes: Lane) -> Lane:
    """Bits of one or another: a sum, as compilers write one where no bit meets another."""
    return total(*lanes) if any(lane.is_same for lane in lanes) else mixed(*lanes)


# By the truth table of a LOP3, whose operands stand for 0xf0, 0xcc and 0xaa.
_LOGIC: dict[int, Callable[[Lane, Lane, Lane], Lane]] = {
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
    """Three values by a truth table."""
    return _LOGIC.get(table or 0, mixed)(a, b, c)
