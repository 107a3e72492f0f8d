"""What Qt draws of the edges of a graph, made where nobody waits for it."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF

from jitstudio.analysis.flow.routes import Route, Step

ROOM = 8.0
"""What an edge may take beside its way, with its head and its pen."""

_HEAD = 7.0


class EdgeShape:
    """One edge; its curve and its head are made when it is first in sight from near.

    Attributes:
        route: How it runs.
        rect: What it takes.
        lines: Its way without curves.
    """

    def __init__(self, route: Route) -> None:
        self.route = route
        points = _points(route)
        across, down = zip(*points, strict=True)
        left, top = min(across) - ROOM, min(down) - ROOM
        self.rect = QRectF(left, top, max(across) + ROOM - left, max(down) + ROOM - top)
        self.lines = [QLineF(*one, *other) for one, other in pairwise(points)]

    @cached_property
    def path(self) -> QPainterPath:
        """Its way."""
        path = QPainterPath(QPointF(*self.route.start))
        for step in self.route.steps:
            if len(step) == 2:
                path.lineTo(*step)
            else:
                path.cubicTo(*step)
        return path

    @cached_property
    def head(self) -> QPolygonF:
        """The arrow at its end."""
        tip = QPointF(*self.route.steps[-1][-2:])
        before = self._before()
        length = math.hypot(tip.x() - before.x(), tip.y() - before.y()) or 1.0
        along = (tip - before) * (_HEAD / length)
        across = QPointF(-along.y(), along.x()) * 0.5
        return QPolygonF([tip, tip - along + across, tip - along - across])

    def _before(self) -> QPointF:
        """Where the edge comes from, close to its end."""
        last = self.route.steps[-1]
        tip = last[-2:]
        for at in range(len(last) - 4, -1, -2):
            if last[at : at + 2] != tip:
                return QPointF(*last[at : at + 2])
        return self.lines[-1].p1()


def _points(route: Route) -> list[Step]:
    return [route.start, *(step[-2:] for step in route.steps)]
