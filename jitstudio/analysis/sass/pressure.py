"""Live general registers along the code: their peaks, and the counts of each source line.

General registers (R0, R1...) decide how many warps fit.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from jitstudio.analysis.sass.model import LiveRegisters, SassFunction, SourceLocation
from jitstudio.listing.lines import NOWHERE

_WIDTH = len(LiveRegisters._fields)
_GPR = LiveRegisters._fields.index("gpr")
# A peak rises above its surroundings by this part of the highest, and by two registers.
_RISE, _LEAST_RISE = 4, 2
# A peak below this part of the highest is not worth going to.
_LOW = 2


class LinePressure(NamedTuple):
    """The live registers at the instructions of a source line.

    Attributes:
        highest: The most live registers at any of the instructions.
        total: The sum of the live registers over the instructions.
        instructions: How many instructions the line has.
        spills: Whether the function spills at any of them.
    """

    highest: int
    total: int
    instructions: int
    spills: bool = False

    def __or__(self, other: LinePressure) -> LinePressure:
        """Returns the pressure of both lines together."""
        return LinePressure(
            max(self.highest, other.highest),
            self.total + other.total,
            self.instructions + other.instructions,
            self.spills or other.spills,
        )


def live_gprs(function: SassFunction) -> array[int]:
    """Returns the live registers at each instruction; empty where nvdisasm did not say."""
    return function.live[_GPR::_WIDTH]


def highest(function: SassFunction) -> int:
    """Returns the first instruction where most registers are alive, or `NOWHERE`."""
    heights = live_gprs(function)
    top = max(heights, default=0)
    return heights.index(top) if top else NOWHERE


def peaks(function: SassFunction) -> tuple[int, ...]:
    """Returns the instructions at which live registers peak, in their order.

    A small rise is no peak, neither is one below half of the highest, which is always included. Of
    several instructions at the same height, the first represents all.
    """
    heights = live_gprs(function)
    top = max(heights, default=0)
    if not top:
        return ()
    rise = min(top, max(_LEAST_RISE, top // _RISE))
    bounds = [part.start for part in function.parts[1:]]
    summits = (
        start + at
        for start, end in zip([0, *bounds], [*bounds, len(heights)], strict=True)
        for at in _summits(heights[start:end], rise)
    )
    return tuple(at for at in summits if heights[at] * _LOW >= top)


def by_place(
    *functions: SassFunction, spills: Mapping[str, int] | None = None
) -> dict[SourceLocation, LinePressure]:
    """Returns the register pressure of each source line, over all of the functions.

    An instruction that was inlined counts on its own line and on each line that its call came
    through: the call shows what it costs, also where the header of the callee is not open.

    Args:
        functions: The code.
        spills: The count of live registers from which a function spills, by function.
    """
    pressures: dict[SourceLocation, LinePressure] = {}
    for function in functions:
        for place_id, pressure in _by_place_id(function, (spills or {}).get(function.name)).items():
            for place in dict.fromkeys(function.places[place_id]):
                pressures[place] = pressures[place] | pressure if place in pressures else pressure
    return pressures


def _summits(heights: Sequence[int], rise: int) -> Iterator[int]:
    """Yields the summits: reached by a rise of at least `rise`, and left by a fall of as much."""
    # Nothing is alive before the first instruction and behind the last.
    low, at = 0, NOWHERE
    for index, height in enumerate(chain(heights, (0,))):
        if at == NOWHERE:
            low = min(low, height)
            if height - low >= rise:
                at = index
        elif index < len(heights) and height > heights[at]:
            at = index
        elif heights[at] - height >= rise:
            yield at
            low, at = height, NOWHERE


def _by_place_id(function: SassFunction, spills: int | None) -> dict[int, LinePressure]:
    counts: dict[int, list[int]] = {}
    length = function.code_length
    for place, gprs in zip(function.place_ids[:length], live_gprs(function), strict=False):
        if place != NOWHERE:
            counts.setdefault(place, []).append(gprs)
    return {
        place: LinePressure(
            max(line_counts),
            sum(line_counts),
            len(line_counts),
            spills is not None and max(line_counts) >= spills,
        )
        for place, line_counts in counts.items()
    }
