"""What the occupancy would be with another block size, register count or shared memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from jitstudio.analysis.occupancy.calculate import Limits, Occupancy, Usage, occupancy

# Kernels of a module often need the same.
_KEPT = 64
_FEW = 3


class CurvePoint(NamedTuple):
    """What one value leads to."""

    value: int
    blocks: int
    warps: int
    fraction: float


@dataclass(frozen=True)
class OccupancyCurve:
    """The occupancy over one of the amounts, all others as they are.

    Attributes:
        points: In ascending order of the value.
        now: The value as it is.
    """

    points: tuple[CurvePoint, ...]
    now: int

    @property
    def steps(self) -> tuple[CurvePoint, ...]:
        """The first point, and each with other warps than the one before."""
        return tuple(
            point
            for before, point in zip((None, *self.points), self.points, strict=False)
            if before is None or before.warps != point.warps
        )

    @property
    def best(self) -> CurvePoint:
        """The point with the most warps; of several the one nearest to the value as it is."""
        return max(self.points, key=lambda point: (point.warps, -abs(point.value - self.now)))


@lru_cache(_KEPT)
def over_threads(limits: Limits, usage: Usage) -> OccupancyCurve:
    """Over the threads of a block, in whole warps."""
    warp = limits.threads_per_warp
    sizes = range(warp, limits.threads_per_block + 1, warp)
    found = ((n, occupancy(limits, replace(usage, threads=n))) for n in sizes)
    return OccupancyCurve(tuple(_point(n, each) for n, each in found), usage.threads)


@lru_cache(_KEPT)
def over_registers(limits: Limits, usage: Usage) -> OccupancyCurve:
    """Over the registers of a thread."""
    counts = range(1, limits.registers_per_thread + 1)
    points = _falling(counts, lambda n: occupancy(limits, replace(usage, registers=n)))
    return OccupancyCurve(points, usage.registers)


@lru_cache(_KEPT)
def over_shared(limits: Limits, usage: Usage) -> OccupancyCurve:
    """Over the shared memory of a block, static and dynamic, in the units it is handed out in."""
    amounts = range(0, limits.shared_per_block + 1, limits.shared_unit)
    points = _falling(amounts, lambda n: occupancy(limits, replace(usage, shared_bytes=n)))
    return OccupancyCurve(points, usage.shared_bytes)


def _falling(values: Sequence[int], of: Callable[[int], Occupancy]) -> tuple[CurvePoint, ...]:
    """Returns the points of what only falls: where both ends are as high, all between them is."""
    if len(values) < _FEW:
        return tuple(_point(value, of(value)) for value in values)
    first, last = of(values[0]), of(values[-1])
    if first.blocks == last.blocks:
        return tuple(_point(value, first) for value in values)
    half = len(values) // 2
    return _falling(values[:half], of) + _falling(values[half:], of)


def _point(value: int, found: Occupancy) -> CurvePoint:
    return CurvePoint(value, found.blocks, found.warps, found.fraction)
