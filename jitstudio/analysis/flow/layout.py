"""Where the blocks of a flow graph stand, in layers from top to bottom, and how edges run.

An edge passes the layers between its ends in a column of its own, so that it meets no block.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jitstudio.analysis.control_flow import Edge, FlowGraph
from jitstudio.analysis.flow.columns import columns
from jitstudio.analysis.flow.layers import Layers, Pair, islands, layered
from jitstudio.analysis.flow.routes import GAP, LANE, Box, Plan, Route, Row, routed

_LAYER_GAP = 40.0
# Where many edges cross from one layer to the next there is more room between them.
_ROOM_PER_EDGE = 1.5
_MOST_ROOM = 90.0
# Parts that nothing connects stand beside each other, as long as it is not much wider than high.
_WIDE = 1.6


class Size(NamedTuple):
    """How much room a block takes."""

    width: float
    height: float


@dataclass(frozen=True, eq=False)
class Layout:
    """A flow graph in its place, from 0, 0 on.

    Attributes:
        boxes: Per block.
        routes: Per edge of the graph.
        width: Of all.
        height: Of all.
    """

    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def lay_out(graph: FlowGraph, sizes: Sequence[Size]) -> Layout:
    """Place the blocks of a graph, which may have several parts and any loops.

    Args:
        graph: What to place.
        sizes: Per block.
    """
    back = back_edges(graph)
    pairs = {edge: _upper_first(edge, back) for edge in graph.edges if edge.source != edge.target}
    parts = islands(len(graph.blocks), pairs.values())
    home = {block: number for number, part in enumerate(parts) for block in part}
    edges: defaultdict[int, list[Edge]] = defaultdict(list)
    for edge in graph.edges:
        edges[home[edge.source]].append(edge)
    plans = [_planned(part, edges[at], pairs, sizes) for at, part in enumerate(parts)]
    boxes: dict[int, Box] = {}
    routes: dict[Edge, Route] = {}
    shelves = _Shelves([(plan.right, plan.rows[-1].below) for plan in plans])
    for at, plan in enumerate(plans):
        found = routed(plan, edges[at], back)
        corner = shelves.corner
        boxes.update((block, box.moved(*corner)) for block, box in plan.boxes.items())
        routes.update((route.edge, route.moved(*corner)) for route in found)
        shelves.put(_right(plan, found), plan.rows[-1].below)
    return Layout(
        tuple(boxes[block.id] for block in graph.blocks),
        tuple(routes[edge] for edge in graph.edges),
        shelves.width,
        shelves.height,
    )


def back_edges(graph: FlowGraph) -> frozenset[Edge]:
    """Those from inside a loop to its head; without them nothing goes in circles."""
    inside: defaultdict[int, list[frozenset[int]]] = defaultdict(list)
    for loop in graph.loops:
        inside[loop.head].append(loop.blocks)
    return frozenset(
        edge
        for edge in graph.edges
        if any(edge.source in blocks for blocks in inside.get(edge.target, ()))
    )


def _upper_first(edge: Edge, back: frozenset[Edge]) -> Pair:
    return (edge.target, edge.source) if edge in back else (edge.source, edge.target)


def _planned(
    part: Sequence[int], edges: Sequence[Edge], pairs: dict[Edge, Pair], sizes: Sequence[Size]
) -> Plan:
    """Connected blocks in their places, from 0, 0 on."""
    numbers = {block: number for number, block in enumerate(part)}
    wanted = {pairs[edge]: None for edge in edges if edge in pairs}
    layers = layered(len(part), [(numbers[upper], numbers[lower]) for upper, lower in wanted])
    passing = len(layers.above) - len(part)
    widths = [sizes[block].width + GAP for block in part] + [LANE] * passing
    middles = columns(layers, widths)
    heights = [
        max(sizes[part[n]].height if n < len(part) else 0.0 for n in row) for row in layers.rows
    ]
    rows = list(_rows(layers, heights))
    depth = {node: at for at, row in enumerate(layers.rows) for node in row}
    boxes = {
        block: Box(middles[n] - sizes[block].width / 2, rows[depth[n]].top, *sizes[block])
        for n, block in enumerate(part)
    }
    courses = {
        (part[upper], part[lower]): tuple((middles[node], depth[node]) for node in chain)
        for (upper, lower), chain in layers.chains.items()
    }
    right = max(x + width / 2 for x, width in zip(middles, widths, strict=True))
    return Plan(boxes, {block: depth[n] for n, block in enumerate(part)}, rows, courses, right)


def _rows(layers: Layers, heights: Sequence[float]) -> Iterator[Row]:
    # Edges may turn above the first layer, too.
    top = _LAYER_GAP / 2
    for row, height in zip(layers.rows, heights, strict=True):
        leaving = sum(len(layers.below[node]) for node in row)
        room = _LAYER_GAP + min(_MOST_ROOM, _ROOM_PER_EDGE * leaving)
        yield Row(top, top + height, top + height + room)
        top += height + room


def _right(plan: Plan, routes: Sequence[Route]) -> float:
    steps = (step[-2] + LANE for route in routes for step in route.steps)
    return max(plan.right, max(steps, default=0.0))


class _Shelves:
    """Puts parts beside each other, and below where the row is full."""

    def __init__(self, sizes: Sequence[tuple[float, float]]) -> None:
        self.width = self.height = 0.0
        self.corner = (0.0, 0.0)
        area = sum(width * height for width, height in sizes)
        self._limit = max((math.sqrt(_WIDE * area), *(width for width, _ in sizes)))

    def put(self, width: float, height: float) -> None:
        """Something that large was put at the corner."""
        right = self.corner[0] + width
        self.width = max(self.width, right)
        self.height = max(self.height, self.corner[1] + height)
        full = right >= self._limit
        self.corner = (0.0, self.height) if full else (right, self.corner[1])
