"""Puts the nodes of a directed graph into layers, by Sugiyama's method: for every diagram.

An edge over several layers takes a place in each layer on the way, in a column of its own, so that
it meets no node. The same graph always has the same layout.
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
"""The two blocks of an edge, the upper first."""

# An edge over more layers, or beyond the budget of all, runs outside: each layer takes a place.
_LONGEST = 60
_BUDGET = 20_000
# Beyond so many places, further sweeps take too long.
_SWEEPS = ((2_000, 16), (8_000, 8), (10**9, 4))
_PATIENCE = 4


@dataclass(frozen=True, eq=False)
class Layers:
    """Nodes in layers from top to bottom; the ids behind those of the blocks are places of edges.

    Attributes:
        rows: The nodes of each layer from left to right.
        above: The nodes in the layer above with which each node is connected.
        below: The nodes in the layer below with which each node is connected.
        chains: The places of an edge from top to bottom; none between neighbouring layers.
    """

    rows: list[list[int]]
    above: tuple[tuple[int, ...], ...]
    below: tuple[tuple[int, ...], ...]
    chains: dict[Pair, tuple[int, ...]]


def layered(count: int, pairs: Iterable[Pair], depths: Sequence[int] | None = None) -> Layers:
    """Returns nodes in layers, each in the order with the fewest crossings that was reached.

    Args:
        count: The number of nodes.
        pairs: Pairs of an upper and a lower node; they must not form circles.
        depths: The layer of each node, from 0 on; if None, by the longest way to the node.
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
    """Returns the longest way to each block; a block without a way there goes above its targets."""
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
    """Returns the places of edges, numbered from `count` on; the longest edges have none."""
    places: dict[Pair, tuple[int, ...]] = {}
    end = count
    for pair in sorted(pairs, key=lambda pair: (depths[pair[1]] - depths[pair[0]], pair)):
        length = depths[pair[1]] - depths[pair[0]] - 1
        if length <= _LONGEST and end + length - count <= _BUDGET:
            places[pair] = tuple(range(end, end + length))
            end += length
    return places


_Neighbours = Sequence[Sequence[int]]


def _sorted(rows: list[list[int]], above: _Neighbours, below: _Neighbours) -> list[list[int]]:
    """Returns each layer in the order with the fewest crossings that was reached."""
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
    """Sorts each row by the mean place of the neighbours in the row before."""
    at: dict[int, float] = {}
    for row in rows:
        means = {}
        for index, node in enumerate(row):
            neighbour_places = [at[neighbour] for neighbour in fixed[node]]
            means[node] = (
                sum(neighbour_places) / len(neighbour_places) if neighbour_places else float(index)
            )
        row.sort(key=means.__getitem__)
        at = {node: float(index) for index, node in enumerate(row)}


def _crossings(rows: Sequence[Sequence[int]], below: _Neighbours) -> int:
    total = 0
    for row, following in pairwise(rows):
        at = {node: index for index, node in enumerate(following)}
        met: list[int] = []
        for node in row:
            ends = sorted(at[neighbour] for neighbour in below[node])
            total += sum(len(met) - bisect_right(met, end) for end in ends)
            for end in ends:
                insort(met, end)
    return total


def islands(count: int, pairs: Iterable[Pair]) -> list[list[int]]:
    """Returns the connected blocks, each list and all lists in order."""
    joined = list(range(count))
    for upper, lower in pairs:
        joined[_root(joined, lower)] = _root(joined, upper)
    by_root: defaultdict[int, list[int]] = defaultdict(list)
    for block in range(count):
        by_root[_root(joined, block)].append(block)
    return list(by_root.values())


def _root(joined: list[int], block: int) -> int:
    while joined[block] != block:
        joined[block] = joined[joined[block]]
        block = joined[block]
    return block


# The pull between neighbours by how many are places of edges: two places of an edge pull most.
_PULLS = (1.0, 1.0, 8.0)
_ROUNDS = 4


def columns(layers: Layers, widths: Sequence[float], grid: float = 0.0) -> list[float]:
    """Returns the middle of each node across the layer; the first node begins at 0.

    Args:
        layers: The layers, sorted.
        widths: The width of each node, with the room around it.
        grid: The unit of distances between nodes; 0 for any distance.
    """
    nodes = _Nodes(layers, widths, grid)
    for _ in range(_ROUNDS):
        nodes.settle(layers.rows[1:], layers.above)
        nodes.settle(layers.rows[-2::-1], layers.below)
    both = [(*above, *below) for above, below in zip(layers.above, layers.below, strict=True)]
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
        """Moves the nodes of each row towards their neighbours, as far as the row allows."""
        for row in rows:
            wishes = []
            offset = 0.0
            for index, node in enumerate(row):
                if index:
                    offset += (self._widths[row[index - 1]] + self._widths[node]) / 2
                wishes.append((*self._wish(node, linked[node]), offset))
            for node, x in zip(row, _fitted(wishes, self._grid), strict=True):
                self.at[node] = x

    def straighten(self, chains: Iterable[Sequence[int]]) -> None:
        """Puts all places of an edge above each other where there is room."""
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
        """Returns the place to which neighbours pull a node, and the strength of the pull."""
        total = pull = 0.0
        for neighbour in linked:
            strength = _PULLS[self._passing[node] + self._passing[neighbour]]
            total += strength * self.at[neighbour]
            pull += strength
        # A node that nothing pulls stays, but gives way.
        return (total / pull, pull) if pull else (self.at[node], 0.01)


def _fitted(wishes: Sequence[tuple[float, float, float]], grid: float) -> list[float]:
    """Returns the places nearest to the wishes that keep the distances.

    A row is (wish, pull, offset). Less its offset, no place may be below the place before.
    Neighbours whose wishes are against that share their mean (pool adjacent violators).
    """
    pools: list[tuple[float, float, int]] = []
    for wish, pull, offset in wishes:
        total, weight, size = (wish - offset) * pull, pull, 1
        while pools and pools[-1][0] / pools[-1][1] > total / weight:
            pool = pools.pop()
            total, weight, size = total + pool[0], weight + pool[1], size + pool[2]
        pools.append((total, weight, size))
    means = [total / weight for total, weight, size in pools for _ in range(size)]
    if grid:
        # Of two equally near, the lower place.
        means = [math.ceil(mean / grid - 0.5) * grid for mean in means]
    return [mean + offset for mean, (_, _, offset) in zip(means, wishes, strict=True)]
