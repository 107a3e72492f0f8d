"""Lays a directed graph out in layers from top to bottom, as Sugiyama has it.

An edge over several layers takes a place in each that it passes, in a column of its own, so that it
meets no node. The same graph always comes out the same.
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from jitstudio.analysis.control_flow import ControlFlowEdge, FlowGraph, neighbours

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


def layered(count: int, pairs: Iterable[Pair]) -> Layers:
    """Puts blocks into layers.

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
    """Returns per block the longest way to it, or where nothing leads to, to what it leads to."""
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
    """Returns the order with the fewest crossings of all that were tried."""
    places = sum(map(len, rows))
    sweeps = next(times for most, times in _SWEEPS if places <= most)
    return ordered(rows, above, below, sweeps=sweeps, patience=_PATIENCE)


def ordered(
    rows: Sequence[Sequence[int]],
    above: _Neighbours,
    below: _Neighbours,
    *,
    sweeps: int,
    patience: int,
    upwards: bool = False,
) -> list[list[int]]:
    """Returns each layer in the order with the fewest crossings of edges that was found.

    Args:
        rows: The nodes of each layer.
        above: Per node those that it is connected with in the layer above.
        below: Per node those in the layer below.
        sweeps: How often all layers are sorted, down and up in turn.
        patience: After how many sweeps that make nothing better it ends.
        upwards: Whether the first sweep goes up.
    """
    order = [list(row) for row in rows]
    best, fewest = [list(row) for row in order], _crossings(order, below)
    idle = 0
    for sweep in range(sweeps):
        if not fewest or idle == patience:
            break
        if (sweep % 2 == 0) != upwards:
            _sweep(order, above)
        else:
            _sweep(order[::-1], below)
        idle += 1
        if (crossings := _crossings(order, below)) < fewest:
            best, fewest, idle = [list(row) for row in order], crossings, 0
    return best


def _sweep(rows: Sequence[list[int]], fixed: _Neighbours) -> None:
    """Sorts each row by the middle of its neighbours in the one before."""
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


def columns(layers: Layers, widths: Sequence[float]) -> list[float]:
    """Returns the middle of each node, from 0 on.

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
        """Moves the nodes of each row to their neighbours, as far as the others there allow."""
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
        """Returns where a node would best be, and how much."""
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


GAP = 44.0
"""Between two blocks next to each other."""

LANE = 16.0
"""What an edge takes that passes them."""

_PITCH = 22.0
_CORNER = 10.0
# Next to a block there is room for an edge that turns upwards.
_ASIDE = 13.0

Step = tuple[float, ...]


class Box(NamedTuple):
    """Where a block is."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """Its centre, from the left."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """Its lower end."""
        return self.y + self.height

    def moved(self, x: float, y: float) -> Box:
        """Returns the same, further right and down."""
        return self._replace(x=self.x + x, y=self.y + y)


class LayerRow(NamedTuple):
    """A layer, with the room for edges below it."""

    top: float
    bottom: float
    below: float


class EdgeRoute(NamedTuple):
    """How an edge runs; its arrow is at the end.

    Attributes:
        edge: The edge.
        is_back: Whether it leads to the head of a loop that it is in.
        start: x and y.
        steps: Each goes on from the end of the one before: x and y at the end of a line, or those
            of two control points and of the end of a curve.
    """

    edge: ControlFlowEdge
    is_back: bool
    start: tuple[float, float]
    steps: tuple[Step, ...]

    def moved(self, x: float, y: float) -> EdgeRoute:
        """Returns the same, further right and down."""
        return self._replace(
            start=(self.start[0] + x, self.start[1] + y),
            steps=tuple(
                tuple(at + (y if index % 2 else x) for index, at in enumerate(step))
                for step in self.steps
            ),
        )


Course = tuple[tuple[float, int], ...]
"""The columns in which an edge passes the layers between its ends, with these, from the top."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Blocks in their places, and what is known of the edges between them.

    Attributes:
        boxes: Per block.
        layers: The layer of each block.
        rows: The layers from top to bottom.
        courses: Of edges that run among the blocks, by their ends, the upper one first.
        right: Behind all blocks and columns.
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
        """Returns whether it runs among the blocks, and not around all of them."""
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
        """From the side of the last block of a loop up to the side of its head."""
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
        """Around all blocks, in a lane that all edges to one block share."""
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
        """Where edges leave their blocks, or come to them: in the order of where they go."""
        at: defaultdict[int, list[tuple[float, ControlFlowEdge]]] = defaultdict(list)
        for edge in self._edges:
            if edge in self._back and self._goes_between(edge):
                continue
            block, other = (edge.source, edge.target)[:: 1 if outgoing else -1]
            course = self._course(edge)
            towards = course[0 if outgoing else -1][0] if course else None
            at[block].append((self._plan.boxes[other].middle if towards is None else towards, edge))
        found: dict[ControlFlowEdge, float] = {}
        for block, leaving in at.items():
            box = self._plan.boxes[block]
            pitch = min(_PITCH, box.width / (len(leaving) + 1))
            first = box.middle - pitch * (len(leaving) - 1) / 2
            found |= {edge: first + pitch * n for n, (_, edge) in enumerate(sorted(leaving))}
        return found


class _Pen:
    """Draws one route."""

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = self.start = (x, y)
        self.steps: list[Step] = []

    def line(self, x: float, y: float) -> None:
        """Straight."""
        if (x, y) == (self.x, self.y):
            return
        if self.steps and len(self.steps[-1]) == 2 and x == self.x == self._before()[0]:
            self.steps.pop()
        self._add((x, y))

    def sway(self, x: float, y: float) -> None:
        """From one column to another, upright at both ends."""
        if x == self.x:
            self.line(x, y)
            return
        half = (self.y + y) / 2
        self._add((self.x, half, x, half, x, y))

    def turn(self, x: float, y: float, *, sideways: bool = False) -> None:
        """Around a corner; level at its end or at its start."""
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
# Parts that nothing connects are next to each other, as long as it is not much wider than high.
_WIDE = 1.6


class Size(NamedTuple):
    """How much room a block takes."""

    width: float
    height: float


@dataclass(frozen=True, eq=False)
class GraphLayout:
    """A flow graph in its place, from 0, 0 on.

    Attributes:
        boxes: Per block.
        routes: Per edge of the graph.
        width: Of all.
        height: Of all.
    """

    boxes: tuple[Box, ...]
    routes: tuple[EdgeRoute, ...]
    width: float
    height: float


def lay_out(graph: FlowGraph, sizes: Sequence[Size]) -> GraphLayout:
    """Places the blocks of a graph, which may have several parts and any loops.

    Args:
        graph: What to place.
        sizes: Per block.
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
        found = routed(plan, edges[at], back)
        corner = shelves.corner
        boxes.update((block, box.moved(*corner)) for block, box in plan.boxes.items())
        routes.update((route.edge, route.moved(*corner)) for route in found)
        shelves.put(_right(plan, found), plan.rows[-1].below)
    return GraphLayout(
        tuple(boxes[block.id] for block in graph.blocks),
        tuple(routes[edge] for edge in graph.edges),
        shelves.width,
        shelves.height,
    )


def back_edges(graph: FlowGraph) -> frozenset[ControlFlowEdge]:
    """Returns those from inside a loop to its head; without them nothing goes in circles."""
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
        """Something that large was put at the corner."""
        right = self.corner[0] + width
        self.width = max(self.width, right)
        self.height = max(self.height, self.corner[1] + height)
        full = right >= self._limit
        self.corner = (0.0, self.height) if full else (right, self.corner[1])
