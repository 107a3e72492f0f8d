"""Puts the nodes of a directed graph into layers, as Sugiyama has it: for every diagram.

An edge over several layers takes a place in each that it passes, in a column of its own, so that it
meets no node. The same graph always comes out the same.
"""

from __future__ import annotations

import math
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
_PATIENCE = 4


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


def layered(count: int, pairs: Iterable[Pair], depths: Sequence[int] | None = None) -> Layers:
    """Returns nodes in layers, and within these in the order with the fewest crossings found.

    Args:
        count: How many nodes there are.
        pairs: What is to be one below the other; nothing may go in circles.
        depths: The layer of each node, from 0 on; without these, the longest way to it.
    """
    pairs = sorted(pairs)
    depths = _depths(count, pairs) if depths is None else list(depths)
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
    """Returns each layer in the order with the fewest crossings of edges that was found."""
    places = sum(map(len, rows))
    order = [list(row) for row in rows]
    best, fewest = [list(row) for row in order], _crossings(order, below)
    idle = 0
    for sweep in range(next(times for most, times in _SWEEPS if places <= most)):
        if not fewest or idle == _PATIENCE:
            break
        if sweep % 2:
            _sweep(order[::-1], below)
        else:
            _sweep(order, above)
        idle += 1
        if (crossings := _crossings(order, below)) < fewest:
            best, fewest, idle = [list(row) for row in order], crossings, 0
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


# How much a node is pulled to a neighbour: two places of one edge hold together most.
_PULLS = (1.0, 1.0, 8.0)
_ROUNDS = 4


def columns(layers: Layers, widths: Sequence[float], grid: float = 0.0) -> list[float]:
    """Returns the middle of each node across its layer; the first node begins at 0.

    Args:
        layers: In order.
        widths: Per node, with the room that it wants around itself.
        grid: Nodes are so far apart as they must be and a multiple of this; 0 for any distance.
    """
    nodes = _Nodes(layers, widths, grid)
    for _ in range(_ROUNDS):
        nodes.settle(layers.rows[1:], layers.above)
        nodes.settle(layers.rows[-2::-1], layers.below)
    both = [(*one, *other) for one, other in zip(layers.above, layers.below, strict=True)]
    for _ in range(_ROUNDS):
        nodes.settle(layers.rows, both)
        nodes.settle(layers.rows[::-1], both)
    nodes.straighten(layers.chains.values())
    left = min((x - width / 2 for x, width in zip(nodes.at, widths, strict=True)), default=0.0)
    return [x - left for x in nodes.at]


class _Nodes:
    def __init__(self, layers: Layers, widths: Sequence[float], grid: float) -> None:
        self._grid = grid
        self.at = [0.0] * len(widths)
        self._widths = widths
        self._rows = layers.rows
        self._passing = [False] * len(widths)
        for chain in layers.chains.values():
            for node in chain:
                self._passing[node] = True
        for row in layers.rows:
            x = 0.0
            for node in row:
                self.at[node] = x + widths[node] / 2
                x += widths[node]

    def settle(self, rows: Iterable[Sequence[int]], linked: Sequence[Sequence[int]]) -> None:
        """Move the nodes of each row to their neighbours, as far as the others there allow."""
        for row in rows:
            wanted = []
            offset = 0.0
            for index, node in enumerate(row):
                if index:
                    offset += (self._widths[row[index - 1]] + self._widths[node]) / 2
                wanted.append((*self._wish(node, linked[node]), offset))
            for node, x in zip(row, _fitted(wanted, self._grid), strict=True):
                self.at[node] = x

    def straighten(self, chains: Iterable[Sequence[int]]) -> None:
        """Put all places of an edge above each other where there is room."""
        beside: dict[int, tuple[int, int]] = {}
        for row in self._rows:
            for left, node, right in zip([-1, *row], row, [*row[1:], -1], strict=False):
                beside[node] = (left, right)
        for chain in chains:
            if len(chain) > 1:
                low = max(self._bound(node, beside[node][0], 1) for node in chain)
                high = min(self._bound(node, beside[node][1], -1) for node in chain)
                if low <= high:
                    middle = sum(self.at[node] for node in chain) / len(chain)
                    for node in chain:
                        self.at[node] = max(low, min(high, middle))

    def _bound(self, node: int, other: int, side: int) -> float:
        if other < 0:
            return -side * float("inf")
        return self.at[other] + side * (self._widths[node] + self._widths[other]) / 2

    def _wish(self, node: int, linked: Sequence[int]) -> tuple[float, float]:
        """Where a node would like to stand, and how much."""
        total = pull = 0.0
        for other in linked:
            one = _PULLS[self._passing[node] + self._passing[other]]
            total += one * self.at[other]
            pull += one
        # What nothing pulls stays, but gives way.
        return (total / pull, pull) if pull else (self.at[node], 0.01)


def _fitted(wanted: Sequence[tuple[float, float, float]], grid: float) -> list[float]:
    """The places nearest to the wishes that keep the distances: rows of (wish, pull, offset).

    Without its offset each place must not be less than the one before. Neighbours whose wishes
    are against that share the mean of them (pool adjacent violators).
    """
    pools: list[tuple[float, float, int]] = []
    for wish, pull, offset in wanted:
        total, weight, size = (wish - offset) * pull, pull, 1
        while pools and pools[-1][0] / pools[-1][1] > total / weight:
            other = pools.pop()
            total, weight, size = total + other[0], weight + other[1], size + other[2]
        pools.append((total, weight, size))
    means = [total / weight for total, weight, size in pools for _ in range(size)]
    if grid:
        # Of two as near, the lower one.
        means = [math.ceil(mean / grid - 0.5) * grid for mean in means]
    return [mean + offset for mean, (_, _, offset) in zip(means, wanted, strict=True)]
