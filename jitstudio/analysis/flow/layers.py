"""Which blocks stand in which layer, and in what order: as few edges as possible should cross.

As Sugiyama has it: an edge over several layers takes a place in each that it passes, and every
layer is sorted by the middle of its neighbours until that makes nothing better. The same graph
always comes out the same.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from jitstudio.analysis.control_flow import neighbours

Pair = tuple[int, int]
"""Two blocks that an edge connects, the upper one first."""

# An edge over more layers, or beyond the budget of all, runs outside: each layer takes a place.
_LONGEST = 60
_BUDGET = 20_000
# Beyond so many places, sorting again and again takes too long.
_SWEEPS = ((2_000, 16), (8_000, 8), (10**9, 4))


@dataclass(frozen=True, eq=False)
class Layers:
    """Blocks, and behind their ids places of edges, in layers from top to bottom.

    Attributes:
        rows: Each from left to right.
        above: Per node those that it is connected with in the layer above.
        below: Per node those in the layer below.
        chains: The places of an edge from top to bottom; none if it connects neighbours.
    """

    rows: list[list[int]]
    above: tuple[tuple[int, ...], ...]
    below: tuple[tuple[int, ...], ...]
    chains: dict[Pair, tuple[int, ...]]


def layered(count: int, pairs: Iterable[Pair]) -> Layers:
    """Put blocks into layers.

    Args:
        count: How many blocks there are.
        pairs: What is to be one below the other; nothing may go in circles.
    """
    pairs = sorted(pairs)
    depths = _depths(count, pairs)
    chains = _chains(count, pairs, depths)
    for pair, chain in chains.items():
        depths += range(depths[pair[0]] + 1, depths[pair[0]] + 1 + len(chain))
    links = [
        link
        for (upper, lower), chain in chains.items()
        for link in zip((upper, *chain), (*chain, lower), strict=True)
    ]
    rows: list[list[int]] = [[] for _ in range(1 + max(depths, default=-1))]
    for node, depth in enumerate(depths):
        rows[depth].append(node)
    above = neighbours(len(depths), ((lower, upper) for upper, lower in links))
    below = neighbours(len(depths), links)
    return Layers(_sorted(rows, above, below), above, below, chains)


def _depths(count: int, pairs: Sequence[Pair]) -> list[int]:
    """Per block the longest way to it, or where nothing leads to, to what it leads to."""
    after = neighbours(count, pairs)
    missing = Counter(target for _, target in pairs)
    depths = [0] * count
    ready = [block for block in range(count) if not missing[block]]
    while ready:
        block = ready.pop()
        for target in after[block]:
            depths[target] = max(depths[target], depths[block] + 1)
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    for block in set(range(count)).difference(target for _, target in pairs):
        depths[block] = max(0, min((depths[lower] for lower in after[block]), default=0) - 1)
    return depths


def _chains(
    count: int, pairs: Sequence[Pair], depths: Sequence[int]
) -> dict[Pair, tuple[int, ...]]:
    """The places of edges, numbered from `count` on; the longest edges have none."""
    found: dict[Pair, tuple[int, ...]] = {}
    end = count
    for pair in sorted(pairs, key=lambda pair: (depths[pair[1]] - depths[pair[0]], pair)):
        length = depths[pair[1]] - depths[pair[0]] - 1
        if length <= _LONGEST and end + length - count <= _BUDGET:
            found[pair] = tuple(range(end, end + length))
            end += length
    return found


_Neighbours = Sequence[Sequence[int]]


def _sorted(rows: list[list[int]], above: _Neighbours, below: _Neighbours) -> list[list[int]]:
    """The order with the fewest crossings of all that were tried."""
    rows = [list(row) for row in rows]
    places = sum(map(len, rows))
    best, fewest = [list(row) for row in rows], _crossings(rows, below)
    idle = 0
    for sweep in range(next(times for most, times in _SWEEPS if places <= most)):
        downwards = sweep % 2 == 0
        fixed, order = (above, rows) if downwards else (below, rows[::-1])
        _sweep(order, fixed)
        crossings = _crossings(rows, below)
        idle += 1
        if crossings < fewest:
            best, fewest, idle = [list(row) for row in rows], crossings, 0
        if idle == 4:
            break
    return best


def _sweep(rows: Sequence[list[int]], fixed: _Neighbours) -> None:
    """Sort each row by the middle of its neighbours in the one before."""
    at: dict[int, float] = {}
    for row in rows:
        own = {}
        for index, node in enumerate(row):
            where = [at[other] for other in fixed[node]]
            own[node] = sum(where) / len(where) if where else float(index)
        row.sort(key=own.__getitem__)
        at = {node: float(index) for index, node in enumerate(row)}


def _crossings(rows: Sequence[Sequence[int]], below: _Neighbours) -> int:
    total = 0
    for row, following in pairwise(rows):
        at = {node: index for index, node in enumerate(following)}
        met: list[int] = []
        for node in row:
            ends = sorted(at[other] for other in below[node])
            total += sum(len(met) - bisect_right(met, end) for end in ends)
            for end in ends:
                insort(met, end)
    return total


def islands(count: int, pairs: Iterable[Pair]) -> list[list[int]]:
    """Blocks that are connected, each list and all of them in order."""
    joined = list(range(count))
    for one, other in pairs:
        joined[_root(joined, other)] = _root(joined, one)
    found: defaultdict[int, list[int]] = defaultdict(list)
    for block in range(count):
        found[_root(joined, block)].append(block)
    return list(found.values())


def _root(joined: list[int], block: int) -> int:
    while joined[block] != block:
        joined[block] = joined[joined[block]]
        block = joined[block]
    return block
