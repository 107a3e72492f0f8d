"""How an edge runs between two blocks that have their places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jitstudio.analysis.control_flow import Edge
from jitstudio.analysis.flow.layers import Pair

GAP = 44.0
"""Between two blocks beside each other."""

LANE = 16.0
"""What an edge takes that passes them."""

_PITCH = 22.0
_CORNER = 10.0
# Beside a block there is room for an edge that turns upwards.
_ASIDE = 13.0

Step = tuple[float, ...]


class Box(NamedTuple):
    """Where a block stands."""

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
        """The same, further right and down."""
        return self._replace(x=self.x + x, y=self.y + y)


class Row(NamedTuple):
    """A layer, with the room for edges below it."""

    top: float
    bottom: float
    below: float


class Route(NamedTuple):
    """How an edge runs; its arrow stands at the end.

    Attributes:
        edge: The edge.
        is_back: Whether it leads to the head of a loop that it is in.
        start: x and y.
        steps: Each goes on from the end of the one before: x and y at the end of a line, or those
            of two control points and of the end of a curve.
    """

    edge: Edge
    is_back: bool
    start: tuple[float, float]
    steps: tuple[Step, ...]

    def moved(self, x: float, y: float) -> Route:
        """The same, further right and down."""
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
    rows: Sequence[Row]
    courses: Mapping[Pair, Course]
    right: float


def routed(plan: Plan, edges: Sequence[Edge], back: frozenset[Edge]) -> list[Route]:
    """The routes of edges, in their order."""
    return _Router(plan, edges, back).routes()


class _Router:
    def __init__(self, plan: Plan, edges: Sequence[Edge], back: frozenset[Edge]) -> None:
        self._plan = plan
        self._edges = edges
        self._back = back
        self._ways = {(edge.source, edge.target) for edge in edges}
        self._lanes: dict[int, float] = {}
        self._starts = self._ports(outgoing=True)
        self._ends = self._ports(outgoing=False)

    def routes(self) -> list[Route]:
        return [self._route(edge) for edge in self._edges]

    def _route(self, edge: Edge) -> Route:
        if edge in self._back and self._goes_between(edge):
            return self._upward(edge)
        pen = _Pen(self._starts[edge], self._plan.boxes[edge.source].bottom)
        if self._goes_between(edge):
            self._downward(pen, edge)
        else:
            self._outside(pen, edge)
        return Route(edge, edge in self._back, pen.start, tuple(pen.steps))

    def _goes_between(self, edge: Edge) -> bool:
        """Whether it runs among the blocks, and not around all of them."""
        return edge.source == edge.target or self._upper_first(edge) in self._plan.courses

    def _upper_first(self, edge: Edge) -> Pair:
        if edge in self._back:
            return edge.target, edge.source
        return edge.source, edge.target

    def _course(self, edge: Edge) -> Course:
        course = self._plan.courses.get(self._upper_first(edge), ())
        if (edge.target, edge.source) not in self._ways:
            return course
        # Two ways between the same blocks share their places.
        aside = LANE / 4 if edge in self._back else -LANE / 4
        return tuple((x + aside, layer) for x, layer in course)

    def _downward(self, pen: _Pen, edge: Edge) -> None:
        rows = self._plan.rows
        pen.line(pen.x, rows[self._plan.layers[edge.source]].bottom)
        for x, layer in self._course(edge):
            pen.sway(x, rows[layer].top)
            pen.line(x, rows[layer].bottom)
        pen.sway(self._ends[edge], self._plan.boxes[edge.target].y)

    def _upward(self, edge: Edge) -> Route:
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
        return Route(edge, True, pen.start, tuple(pen.steps))

    def _outside(self, pen: _Pen, edge: Edge) -> None:
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

    def _ports(self, *, outgoing: bool) -> dict[Edge, float]:
        """Where edges leave their blocks, or come to them: in the order of where they go."""
        at: defaultdict[int, list[tuple[float, Edge]]] = defaultdict(list)
        for edge in self._edges:
            if edge in self._back and self._goes_between(edge):
                continue
            block, other = (edge.source, edge.target)[:: 1 if outgoing else -1]
            course = self._course(edge)
            towards = course[0 if outgoing else -1][0] if course else None
            at[block].append((self._plan.boxes[other].middle if towards is None else towards, edge))
        found: dict[Edge, float] = {}
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
