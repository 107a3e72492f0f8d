"""How far right everything in the layers of a flow graph stands.

Each node wants to be where its neighbours are, and the places of one edge want to be above each
other; the order in a layer and the distances in it are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jitstudio.analysis.flow.layers import Layers

# How much a node is pulled to a neighbour: two places of one edge hold together most.
_PULLS = (1.0, 1.0, 8.0)
_ROUNDS = 4


def columns(layers: Layers, widths: Sequence[float]) -> list[float]:
    """The middle of each node, from 0 on.

    Args:
        layers: In order.
        widths: Per node, with the room that it wants around itself.
    """
    nodes = _Nodes(layers, widths)
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
    def __init__(self, layers: Layers, widths: Sequence[float]) -> None:
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
            for node, x in zip(row, _fitted(wanted), strict=True):
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


def _fitted(wanted: Sequence[tuple[float, float, float]]) -> list[float]:
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
    return [mean + offset for mean, (_, _, offset) in zip(means, wanted, strict=True)]
