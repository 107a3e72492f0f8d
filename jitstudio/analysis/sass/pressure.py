"""How many registers hold a value along the code: where most do, and what that is per source line.

Registers here are general ones (R0, R1...): they decide how many warps fit.
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
# A peak rises out of what is around it by this part of the highest, and by two registers.
_RISE, _LEAST_RISE = 4, 2
# Lower than this part of the highest, it is not worth going to.
_LOW = 2


class LinePressure(NamedTuple):
    """What the instructions of a source line need.

    Attributes:
        highest: The most registers that are alive at one of them.
        total: The live registers of all of them together.
        instructions: How many they are.
        spills: Whether one of them is where its function spills.
    """

    highest: int
    total: int
    instructions: int
    spills: bool = False

    def __or__(self, other: LinePressure) -> LinePressure:
        """Returns both together."""
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
    """Returns the instructions with more live registers than what is around them, in their order.

    A small rise is none, neither is what stays below half of the highest, which is always one of
    them. Of several instructions that are as high, the first represents all.
    """
    heights = live_gprs(function)
    top = max(heights, default=0)
    if not top:
        return ()
    rise = min(top, max(_LEAST_RISE, top // _RISE))
    bounds = [part.start for part in function.parts[1:]]
    found = (
        start + at
        for start, end in zip([0, *bounds], [*bounds, len(heights)], strict=True)
        for at in _summits(heights[start:end], rise)
    )
    return tuple(at for at in found if heights[at] * _LOW >= top)


def by_place(
    *functions: SassFunction, spills: Mapping[str, int] | None = None
) -> dict[SourceLocation, LinePressure]:
    """Returns what the instructions of each source line need, over all of the functions.

    An instruction that was inlined counts on its own line and on each line that its call came
    through: the call shows what it costs, also where the header of the callee is not open.

    Args:
        functions: The code.
        spills: Of each function that spills, from how many live registers on that happens.
    """
    found: dict[SourceLocation, LinePressure] = {}
    for function in functions:
        for place_id, pressure in _by_place_id(function, (spills or {}).get(function.name)).items():
            for place in dict.fromkeys(function.places[place_id]):
                found[place] = found[place] | pressure if place in found else pressure
    return found


def _summits(heights: Sequence[int], rise: int) -> Iterator[int]:
    """Yields where it has gone up by at least so much and then down again by as much."""
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
    found: dict[int, list[int]] = {}
    length = function.code_length
    for place, gprs in zip(function.place_ids[:length], live_gprs(function), strict=False):
        if place != NOWHERE:
            found.setdefault(place, []).append(gprs)
    return {
        place: LinePressure(
            max(each), sum(each), len(each), spills is not None and max(each) >= spills
        )
        for place, each in found.items()
    }
