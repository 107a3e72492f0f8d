"""Where the nodes of a pipeline are: columns by depth, rows so that few edges cross."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jitstudio.analysis.diagrams.layers import columns, layered
from jitstudio.gui.features.pipeline.graph import NodeRole, Pipeline, PipelineEdge

# Rows that a node takes, and the place of an edge that passes: half of one is beside it.
_NODE, _PASSING = 1.0, 0.0
# So that what nearly lines up does.
_GRID = 0.5


@dataclass(frozen=True)
class GridPosition:
    """A column, counted from 0, and a row, which may be between two others."""

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


def lay_out(pipeline: Pipeline) -> PipelineLayout:
    """Places the nodes of a picture; those of the same shape are always placed the same."""
    if not pipeline.nodes:
        return PipelineLayout({}, {})
    numbers = {node.key: number for number, node in enumerate(pipeline.nodes)}
    pairs = {edge: (numbers[edge.start], numbers[edge.end]) for edge in pipeline.edges}
    depths = _depths(pipeline)
    layers = layered(len(numbers), pairs.values(), [depths[key] for key in numbers])
    passing = len(layers.above) - len(numbers)
    middles = columns(layers, [_NODE] * len(numbers) + [_PASSING] * passing, _GRID)
    top = min(middles)
    column = {node: at for at, row in enumerate(layers.rows) for node in row}
    places = [GridPosition(column[node], middle - top) for node, middle in enumerate(middles)]
    return PipelineLayout(
        {key: places[number] for key, number in numbers.items()},
        {
            edge: tuple(places[node] for node in layers.chains.get(pair, ()))
            for edge, pair in pairs.items()
        },
        len(layers.rows),
        max(place.row for place in places) + 1,
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
