"""The way in which shared memory serves the lanes of a request, by instruction.

Lanes at one bank take their turns at atomic operations and copies, also at one word. Operations
that no unit of shared memory has, such as additions of floats, ptxas expands to a loop: a load and
a compare-and-swap that takes one lane at each bank, until all lanes have had their turn. The passes
are those of an H100 for some hundred patterns of lanes of one warp: see `h100_passes.json` of the
tests. Where other warps change the same words in between, a loop takes more rounds, which nobody
can count beforehand.
"""

from __future__ import annotations

from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from jitstudio.ptx.opcodes import ATOMICS
from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.state.model import WARP, AccessKind

_WAVEFRONT_BYTES = 128
_SWAP = 2
"""Passes of a compare-and-swap for each lane, or each part of a warp in a loop."""

_FLOATS = ("f", "bf")

_Numbers = NDArray[np.int64]


class Serving(Enum):
    """The way in which the lanes of a request are served.

    `LOAD`: equal words count once; wide words of lanes with equal addresses in pairs, two parts at
    once.
    `STORE`: equal words count once.
    `TURN`: each lane at a bank for itself.
    `SWAP`: likewise, two passes each.
    `LOOP`: by a loop of compare-and-swaps that take a lane at each bank.
    `NARROW_LOOP`: likewise for 16 bits; all lanes swap the word around, one at each word succeeds.
    `APART`: by another unit than loads and stores, whose passes are not counted.
    """

    LOAD = auto()
    STORE = auto()
    TURN = auto()
    SWAP = auto()
    LOOP = auto()
    NARROW_LOOP = auto()
    APART = auto()


LOOPS = frozenset({Serving.LOOP, Serving.NARROW_LOOP})


def serving_of(instruction: PtxInstruction, kind: AccessKind) -> Serving:
    """Returns how shared memory serves an instruction.

    Measured were `add`, `max`, `exch` and `cas` of 4 bytes, additions, `exch` and `cas` of 8 bytes,
    and `add.f32`; operations that machine code does by the same instructions are taken to be alike.
    Mbarriers, bulk copies and `st.async` have units of their own.
    """
    words = instruction.modifiers
    if instruction.opcode in ATOMICS:
        return _serving_of_atomics(instruction)
    if instruction.opcode in ("mbarrier", "wgmma") or not {"bulk", "mbarrier"}.isdisjoint(words):
        return Serving.APART
    if instruction.opcode == "st" and "async" in words:
        return Serving.APART
    if instruction.opcode == "cp":
        return Serving.TURN
    return Serving.LOAD if kind is AccessKind.READ else Serving.STORE


def _serving_of_atomics(instruction: PtxInstruction) -> Serving:
    if "async" in instruction.modifiers:
        return Serving.APART
    kind = instruction.types[-1] if instruction.types else None
    size, name = (kind.size, kind.name) if kind else (4, "u32")
    if size < 4:
        return Serving.NARROW_LOOP
    if "cas" in instruction.modifiers:
        return Serving.SWAP
    if "exch" in instruction.modifiers:
        return Serving.TURN
    return Serving.LOOP if size > 4 or name.startswith(_FLOATS) else Serving.TURN


def passes_of_loops(
    threads: _Numbers, units: _Numbers, size: int, banks: int | None = None, *, is_narrow: bool
) -> _Numbers:
    """Returns the passes that each warp takes for a loop of compare-and-swaps.

    The halves of a warp swap 8 bytes one after the other: a lane of the second half fails where a
    lane of the first has just changed the word.

    Args:
        threads: The numbers of the active threads, sorted.
        units: The unit that each of them changes, of `size` bytes.
        size: 4 or 8 bytes; 4 also for 16 bits, with the word around them.
        banks: The number of successive units in banks of their own; None for the actual number.
        is_narrow: See `Serving.NARROW_LOOP`.
    """
    warps, rows = np.unique(threads // WARP, return_inverse=True)
    # Lanes that are served together: all, or half a warp with 8 bytes each.
    lanes, served = threads % WARP, _WAVEFRONT_BYTES // size
    banks, parts = banks or served, WARP // served
    passes = np.zeros(len(warps), np.int64)
    # A round: all waiting lanes load, then those first at their bank swap.
    while len(rows):
        passes += _loads(rows, lanes, units, served, banks, len(warps))
        groups = rows * parts + lanes // served
        places = groups * banks + units % banks
        words = rows * (int(units.max()) + 1) + units
        if is_narrow:
            swaps = _most(places, len(warps) * parts * banks, banks)
            passes += _SWAP * swaps.reshape(-1, parts).sum(axis=1)
            _, swapped = np.unique(words, return_index=True)
        else:
            swapping = np.unique(groups) // parts
            passes += _SWAP * np.bincount(swapping, minlength=len(warps))
            _, trying = np.unique(places, return_index=True)
            trying.sort()
            _, ahead = np.unique(words[trying], return_index=True)
            swapped = trying[ahead]
        waiting = np.ones(len(rows), np.bool_)
        waiting[swapped] = False
        rows, lanes, units = rows[waiting], lanes[waiting], units[waiting]
    return passes


def _loads(
    rows: _Numbers, lanes: _Numbers, units: _Numbers, served: int, banks: int, count: int
) -> _Numbers:
    """Returns the passes of the load in a round of a loop, for each of `count` warps."""
    groups = lanes // served
    if served < WARP:
        groups = np.where(in_pairs(rows, lanes, units), 0, groups)
    parts, span = WARP // served, int(units.max()) + 1
    words = np.unique((rows * parts + groups) * span + units)
    places = words // span * banks + words % span % banks
    passes: _Numbers = _most(places, count * parts * banks, banks).reshape(-1, parts).sum(axis=1)
    return passes


def in_pairs(rows: _Numbers, lanes: _Numbers, places: _Numbers) -> NDArray[np.bool_]:
    """Returns the lanes of warps in which all lanes have the places of their neighbours.

    Neighbours are i and i ^ 1 for all lanes of the warp, or i and i ^ 2; inactive lanes do not
    count.

    Args:
        rows: The row of each lane's warp, from 0 up.
        lanes: The numbers of lanes in their warps.
        places: The place that each accesses, 0 or more.
    """
    by_warp = np.full((int(rows.max()) + 1, WARP), -1, np.int64)
    by_warp[rows, lanes] = places
    alike = np.zeros(len(by_warp), np.bool_)
    # Lanes 0 and 1, 2 and 3 …, or lanes 0 and 2, 1 and 3 …
    for distance in (1, 2):
        others = by_warp[:, np.arange(WARP) ^ distance]
        alike |= ((by_warp == others) | (by_warp < 0) | (others < 0)).all(axis=1)
    paired: NDArray[np.bool_] = alike[rows]
    return paired


def _most(places: _Numbers, count: int, banks: int) -> _Numbers:
    """Returns the most units on any bank, for each row of banks."""
    most: _Numbers = np.bincount(places, minlength=count).reshape(-1, banks).max(axis=1)
    return most
