"""Where the nodes of a picture are: columns by depth, rows so that few edges cross.

The usual three steps for layered graphs: an edge that spans several columns gets a stop in each;
the stops and nodes of a column are ordered by where their neighbours are; then each is drawn
towards its neighbours as far as those above and below allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from statistics import fmean

from jitstudio.gui.features.pipeline.graph import NodeRole, Pipeline, PipelineEdge
from jitstudio.gui.kit.diagrams.layout import ordered

_ORDERINGS = 8
_STRAIGHTENINGS = 4
# Rows between two nodes of a column, and next to the stop of an edge that passes.
_APART, _PASSING = 1.0, 0.5


@dataclass(frozen=True)
class GridPosition:
    """A column, counted from 0, and a row, which may lie between two others."""

    column: int
    row: float


@dataclass(frozen=True)
class PipelineLayout:
    """Where everything is.

    Attributes:
        places: Of each node, by key.
        routes: Of each edge the places it passes between its nodes.
        columns: The number of columns.
        rows: The number of rows that all columns together need.
    """

    places: Mapping[str, GridPosition]
    routes: Mapping[PipelineEdge, tuple[GridPosition, ...]]
    columns: int = 0
    rows: float = 0.0


# A node's key, or an edge with the column that it passes.
_Stop = str | tuple[PipelineEdge, int]


def lay_out(pipeline: Pipeline) -> PipelineLayout:
    """Places the nodes of a picture; those of the same shape are always placed the same."""
    if not pipeline.nodes:
        return PipelineLayout({}, {})
    depths = _depths(pipeline)
    chains = {edge: _chain(edge, depths) for edge in pipeline.edges}
    columns: list[list[_Stop]] = [[] for _ in range(max(depths.values()) + 1)]
    for key, depth in depths.items():
        columns[depth].append(key)
    for edge, chain in chains.items():
        for at, stop in enumerate(chain[1:-1], depths[edge.start] + 1):
            columns[at].append(stop)
    before, after = _neighbours(chains.values())
    columns = _ordered(columns, before, after)
    rows = _rows(columns, before, after)
    return PipelineLayout(
        {key: GridPosition(depth, rows[key]) for key, depth in depths.items()},
        {
            edge: tuple(
                GridPosition(at, rows[stop])
                for at, stop in enumerate(chain[1:-1], depths[edge.start] + 1)
            )
            for edge, chain in chains.items()
        },
        len(columns),
        max(rows.values()) + 1,
    )


def _depths(pipeline: Pipeline) -> dict[str, int]:
    """Returns the column of each node: after all it needs, and the launch at the very end."""
    depths: dict[str, int] = {}
    for node in pipeline.nodes:
        needed = (depths[key] for key in pipeline.before(node.key))
        depths[node.key] = max(needed, default=-1) + 1
    last = max(depths.values())
    for node in pipeline.of_role(NodeRole.LAUNCH):
        depths[node.key] = last
    return depths


def _chain(edge: PipelineEdge, depths: Mapping[str, int]) -> list[_Stop]:
    between = range(depths[edge.start] + 1, depths[edge.end])
    return [edge.start, *((edge, column) for column in between), edge.end]


_Neighbours = dict[_Stop, list[_Stop]]


def _neighbours(chains: Iterable[list[_Stop]]) -> tuple[_Neighbours, _Neighbours]:
    before: _Neighbours = {}
    after: _Neighbours = {}
    for chain in chains:
        for one, next_one in pairwise(chain):
            after.setdefault(one, []).append(next_one)
            before.setdefault(next_one, []).append(one)
    return before, after


def _ordered(
    columns: list[list[_Stop]], before: _Neighbours, after: _Neighbours
) -> list[list[_Stop]]:
    """Returns each column in the order with the fewest crossings that was found."""
    stops = [stop for column in columns for stop in column]
    numbers = {stop: number for number, stop in enumerate(stops)}

    def numbered(near: _Neighbours) -> list[list[int]]:
        return [[numbers[other] for other in near.get(stop, ())] for stop in stops]

    rows = [[numbers[stop] for stop in column] for column in columns]
    found = ordered(
        rows,
        numbered(before),
        numbered(after),
        sweeps=_ORDERINGS,
        patience=_ORDERINGS,
        upwards=True,
    )
    return [[stops[number] for number in row] for row in found]


def _rows(
    columns: list[list[_Stop]], before: _Neighbours, after: _Neighbours
) -> dict[_Stop, float]:
    """Returns the row of each stop, the first being 0."""
    rows: dict[_Stop, float] = {}
    for column in columns:
        rows.update(zip(column, _spread([0.0] * len(column), column), strict=True))
    for turn in range(_STRAIGHTENINGS):
        # Ends from left to right: what comes of a node is next to it.
        near, ahead = (before, columns) if turn % 2 else (after, columns[::-1])
        for column in ahead:
            wanted = [
                fmean(rows[n] for n in near[stop]) if stop in near else rows[stop]
                for stop in column
            ]
            rows.update(zip(column, _spread(wanted, column), strict=True))
    top = min(rows.values())
    return {stop: row - top for stop, row in rows.items()}


def _spread(wanted: Sequence[float], column: Sequence[_Stop]) -> list[float]:
    """Returns rows as near as can be to those wanted, in order and at the least distance.

    Without the distances it is a monotone fit: neighbours that want to swap share their mean.
    Half rows only, so that what nearly lines up does.
    """
    offsets = [0.0]
    for one, other in pairwise(column):
        nodes = isinstance(one, str) and isinstance(other, str)
        offsets.append(offsets[-1] + (_APART if nodes else _PASSING))
    groups: list[list[float]] = []
    for row, offset in zip(wanted, offsets, strict=True):
        groups.append([row - offset])
        while len(groups) > 1 and fmean(groups[-2]) > fmean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    fitted = [_half(fmean(group)) for group in groups for _ in group]
    return [row + offset for row, offset in zip(fitted, offsets, strict=True)]


def _half(row: float) -> float:
    """Returns the nearest half row, and of two the upper one."""
    return ceil(2 * row - 0.5) / 2
