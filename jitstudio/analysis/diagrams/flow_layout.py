"""The places of the blocks of a control-flow graph, and the routes of the edges.

An edge over several layers takes a place in each layer on the way, in a column of its own, so that
it meets no block. The same graph always has the same layout.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jitstudio.analysis.control_flow import ControlFlowEdge, FlowGraph
from jitstudio.analysis.diagrams.layers import Layers, Pair, columns, islands, layered

GAP = 44.0
"""The distance between neighbouring blocks."""

LANE = 16.0
"""The width of the column of an edge."""

_PITCH = 22.0
_CORNER = 10.0
# Next to a block there is room for an edge that turns upwards.
_ASIDE = 13.0

Step = tuple[float, ...]


class Box(NamedTuple):
    """The place and size of a block."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """The horizontal centre."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """The lower end."""
        return self.y + self.height

    def moved(self, x: float, y: float) -> Box:
        """Returns the box moved right and down."""
        return self._replace(x=self.x + x, y=self.y + y)


class LayerRow(NamedTuple):
    """A layer, with the room for edges below."""

    top: float
    bottom: float
    below: float


class EdgeRoute(NamedTuple):
    """The path of an edge; the arrow is at the end.

    Attributes:
        edge: The edge.
        is_back: Whether the edge leads from inside a loop to the head of that loop.
        start: The point where the path begins, as x and y.
        steps: The steps from the end of the step before: x and y at the end of a line, or those of
            two control points and of the end of a curve.
    """

    edge: ControlFlowEdge
    is_back: bool
    start: tuple[float, float]
    steps: tuple[Step, ...]

    def moved(self, x: float, y: float) -> EdgeRoute:
        """Returns the route moved right and down."""
        return self._replace(
            start=(self.start[0] + x, self.start[1] + y),
            steps=tuple(
                tuple(at + (y if index % 2 else x) for index, at in enumerate(step))
                for step in self.steps
            ),
        )


Course = tuple[tuple[float, int], ...]
"""The columns in which an edge passes the layers between its ends, each with its layer."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Blocks in their places, and the columns of the edges in between.

    Attributes:
        boxes: The place of each block.
        layers: The layer of each block.
        rows: The layers from top to bottom.
        courses: The courses of edges among the blocks, by their ends, the upper end first.
        right: The right end of all blocks and columns.
    """

    boxes: Mapping[int, Box]
    layers: Mapping[int, int]
    rows: Sequence[LayerRow]
    courses: Mapping[Pair, Course]
    right: float


def routed(
    plan: Plan, edges: Sequence[ControlFlowEdge], back: frozenset[ControlFlowEdge]
) -> list[EdgeRoute]:
    """Returns the routes of edges, in their order."""
    return _Router(plan, edges, back).routes()


class _Router:
    def __init__(
        self, plan: Plan, edges: Sequence[ControlFlowEdge], back: frozenset[ControlFlowEdge]
    ) -> None:
        self._plan = plan
        self._edges = edges
        self._back = back
        self._ways = {(edge.source, edge.target) for edge in edges}
        self._lanes: dict[int, float] = {}
        self._starts = self._ports(outgoing=True)
        self._ends = self._ports(outgoing=False)

    def routes(self) -> list[EdgeRoute]:
        return [self._route(edge) for edge in self._edges]

    def _route(self, edge: ControlFlowEdge) -> EdgeRoute:
        if edge in self._back and self._goes_between(edge):
            return self._upward(edge)
        pen = _Pen(self._starts[edge], self._plan.boxes[edge.source].bottom)
        if self._goes_between(edge):
            self._downward(pen, edge)
        else:
            self._outside(pen, edge)
        return EdgeRoute(edge, edge in self._back, pen.start, tuple(pen.steps))

    def _goes_between(self, edge: ControlFlowEdge) -> bool:
        """Returns whether an edge runs among the blocks, and not around all blocks."""
        return edge.source == edge.target or self._upper_first(edge) in self._plan.courses

    def _upper_first(self, edge: ControlFlowEdge) -> Pair:
        if edge in self._back:
            return edge.target, edge.source
        return edge.source, edge.target

    def _course(self, edge: ControlFlowEdge) -> Course:
        course = self._plan.courses.get(self._upper_first(edge), ())
        if (edge.target, edge.source) not in self._ways:
            return course
        # Two ways between the same blocks share their places.
        aside = LANE / 4 if edge in self._back else -LANE / 4
        return tuple((x + aside, layer) for x, layer in course)

    def _downward(self, pen: _Pen, edge: ControlFlowEdge) -> None:
        rows = self._plan.rows
        pen.line(pen.x, rows[self._plan.layers[edge.source]].bottom)
        for x, layer in self._course(edge):
            pen.sway(x, rows[layer].top)
            pen.line(x, rows[layer].bottom)
        pen.sway(self._ends[edge], self._plan.boxes[edge.target].y)

    def _upward(self, edge: ControlFlowEdge) -> EdgeRoute:
        """Routes an edge from the side of a loop's last block up to the side of the head."""
        plan = self._plan
        source, target = plan.boxes[edge.source], plan.boxes[edge.target]
        course = self._course(edge)[::-1]
        towards = course[0][0] if course else target.middle
        side = 1 if towards >= source.middle else -1
        pen = _Pen(source.middle + side * source.width / 2, source.bottom - _CORNER)
        beside = pen.x + side * _ASIDE
        pen.turn(beside, pen.y - _CORNER)
        pen.line(beside, plan.rows[plan.layers[edge.source]].top)
        for x, layer in course:
            pen.sway(x, plan.rows[layer].bottom)
            pen.line(x, plan.rows[layer].top)
        if source is not target:
            side = 1 if pen.x >= target.middle else -1
            beside = target.middle + side * (target.width / 2 + _ASIDE)
            pen.sway(beside, plan.rows[plan.layers[edge.target]].bottom)
        pen.line(beside, target.y + 2 * _CORNER)
        pen.turn(target.middle + side * target.width / 2, target.y + _CORNER, sideways=True)
        return EdgeRoute(edge, True, pen.start, tuple(pen.steps))

    def _outside(self, pen: _Pen, edge: ControlFlowEdge) -> None:
        """Routes an edge around all blocks, in a lane shared by all edges to the same block."""
        plan = self._plan
        lane = self._lanes.setdefault(edge.target, plan.right + LANE * (1 + len(self._lanes)))
        below = plan.rows[plan.layers[edge.source]]
        target = plan.boxes[edge.target]
        above = plan.layers[edge.target] - 1
        level = (plan.rows[above].bottom + target.y) / 2 if above >= 0 else target.y - _CORNER
        pen.line(pen.x, (below.bottom + below.below) / 2)
        pen.line(lane, pen.y)
        pen.line(lane, level)
        pen.line(self._ends[edge], level)
        pen.line(self._ends[edge], target.y)

    def _ports(self, *, outgoing: bool) -> dict[ControlFlowEdge, float]:
        """Returns the places at which edges leave or enter their blocks, ordered by destination."""
        at: defaultdict[int, list[tuple[float, ControlFlowEdge]]] = defaultdict(list)
        for edge in self._edges:
            if edge in self._back and self._goes_between(edge):
                continue
            block, other = (edge.source, edge.target)[:: 1 if outgoing else -1]
            course = self._course(edge)
            towards = course[0 if outgoing else -1][0] if course else None
            at[block].append((self._plan.boxes[other].middle if towards is None else towards, edge))
        ports: dict[ControlFlowEdge, float] = {}
        for block, leaving in at.items():
            box = self._plan.boxes[block]
            pitch = min(_PITCH, box.width / (len(leaving) + 1))
            first = box.middle - pitch * (len(leaving) - 1) / 2
            ports |= {edge: first + pitch * n for n, (_, edge) in enumerate(sorted(leaving))}
        return ports


class _Pen:
    """Draws a route."""

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = self.start = (x, y)
        self.steps: list[Step] = []

    def line(self, x: float, y: float) -> None:
        """Draws a straight line."""
        if (x, y) == (self.x, self.y):
            return
        if self.steps and len(self.steps[-1]) == 2 and x == self.x == self._before()[0]:
            self.steps.pop()
        self._add((x, y))

    def sway(self, x: float, y: float) -> None:
        """Draws a curve from a column to another, upright at both ends."""
        if x == self.x:
            self.line(x, y)
            return
        half = (self.y + y) / 2
        self._add((self.x, half, x, half, x, y))

    def turn(self, x: float, y: float, *, sideways: bool = False) -> None:
        """Draws a curve around a corner, level at the end or at the start."""
        corner = (self.x, y) if sideways else (x, self.y)
        self._add((*corner, *corner, x, y))

    def _before(self) -> tuple[float, float]:
        at = self.steps[-2][-2:] if len(self.steps) > 1 else self.start
        return at[0], at[1]

    def _add(self, step: Step) -> None:
        self.steps.append(step)
        self.x, self.y = step[-2:]


_LAYER_GAP = 40.0
# Where many edges cross from one layer to the next there is more room between them.
_ROOM_PER_EDGE = 1.5
_MOST_ROOM = 90.0
# Unconnected parts are next to each other, as long as the picture is not much wider than high.
_WIDE = 1.6


class Size(NamedTuple):
    """The room that a block takes."""

    width: float
    height: float


@dataclass(frozen=True, eq=False)
class GraphLayout:
    """The layout of a flow graph, from 0, 0 on.

    Attributes:
        boxes: The box of each block.
        routes: The route of each edge of the graph.
        width: The width of the whole.
        height: The height of the whole.
    """

    boxes: tuple[Box, ...]
    routes: tuple[EdgeRoute, ...]
    width: float
    height: float


def lay_out(graph: FlowGraph, sizes: Sequence[Size]) -> GraphLayout:
    """Returns the layout of a graph, which may have several parts and any loops.

    Args:
        graph: The graph to place.
        sizes: The size of each block.
    """
    back = back_edges(graph)
    pairs = {edge: _upper_first(edge, back) for edge in graph.edges if edge.source != edge.target}
    parts = islands(len(graph.blocks), pairs.values())
    home = {block: number for number, part in enumerate(parts) for block in part}
    edges: defaultdict[int, list[ControlFlowEdge]] = defaultdict(list)
    for edge in graph.edges:
        edges[home[edge.source]].append(edge)
    plans = [_planned(part, edges[at], pairs, sizes) for at, part in enumerate(parts)]
    boxes: dict[int, Box] = {}
    routes: dict[ControlFlowEdge, EdgeRoute] = {}
    shelves = _Shelves([(plan.right, plan.rows[-1].below) for plan in plans])
    for at, plan in enumerate(plans):
        part_routes = routed(plan, edges[at], back)
        corner = shelves.corner
        boxes.update((block, box.moved(*corner)) for block, box in plan.boxes.items())
        routes.update((route.edge, route.moved(*corner)) for route in part_routes)
        shelves.put(_right(plan, part_routes), plan.rows[-1].below)
    return GraphLayout(
        tuple(boxes[block.id] for block in graph.blocks),
        tuple(routes[edge] for edge in graph.edges),
        shelves.width,
        shelves.height,
    )


def back_edges(graph: FlowGraph) -> frozenset[ControlFlowEdge]:
    """Returns the edges from inside a loop to the head, without which the graph has no circles."""
    inside: defaultdict[int, list[frozenset[int]]] = defaultdict(list)
    for loop in graph.loops:
        inside[loop.head].append(loop.blocks)
    return frozenset(
        edge
        for edge in graph.edges
        if any(edge.source in blocks for blocks in inside.get(edge.target, ()))
    )


def _upper_first(edge: ControlFlowEdge, back: frozenset[ControlFlowEdge]) -> Pair:
    return (edge.target, edge.source) if edge in back else (edge.source, edge.target)


def _planned(
    part: Sequence[int],
    edges: Sequence[ControlFlowEdge],
    pairs: dict[ControlFlowEdge, Pair],
    sizes: Sequence[Size],
) -> Plan:
    """Returns the plan of connected blocks, from 0, 0 on."""
    numbers = {block: number for number, block in enumerate(part)}
    links = {pairs[edge]: None for edge in edges if edge in pairs}
    layers = layered(len(part), [(numbers[upper], numbers[lower]) for upper, lower in links])
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


def _rows(layers: Layers, heights: Sequence[float]) -> Iterator[LayerRow]:
    # Edges may turn above the first layer, too.
    top = _LAYER_GAP / 2
    for row, height in zip(layers.rows, heights, strict=True):
        leaving = sum(len(layers.below[node]) for node in row)
        room = _LAYER_GAP + min(_MOST_ROOM, _ROOM_PER_EDGE * leaving)
        yield LayerRow(top, top + height, top + height + room)
        top += height + room


def _right(plan: Plan, routes: Sequence[EdgeRoute]) -> float:
    steps = (step[-2] + LANE for route in routes for step in route.steps)
    return max(plan.right, max(steps, default=0.0))


class _Shelves:
    """Puts parts next to each other, and below where the row is full."""

    def __init__(self, sizes: Sequence[tuple[float, float]]) -> None:
        self.width = self.height = 0.0
        self.corner = (0.0, 0.0)
        area = sum(width * height for width, height in sizes)
        self._limit = max((math.sqrt(_WIDE * area), *(width for width, _ in sizes)))

    def put(self, width: float, height: float) -> None:
        """Takes the room of a part at the corner, and moves the corner."""
        right = self.corner[0] + width
        self.width = max(self.width, right)
        self.height = max(self.height, self.corner[1] + height)
        full = right >= self._limit
        self.corner = (0.0, self.height) if full else (right, self.corner[1])
