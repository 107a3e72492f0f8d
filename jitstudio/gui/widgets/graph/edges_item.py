"""All edges of a graph: from far away as straight lines, from near as curves with heads."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cached_property
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from jitstudio.analysis.flow.graph import EdgeKind
from jitstudio.analysis.flow.routes import Route, Step
from jitstudio.gui.models.graph import GraphPicture
from jitstudio.gui.widgets.graph.look import Look

_CURVED = 0.3
_WIDTH = 1.5
_LEAST_WIDTH = 1.1
_HEAD = 7.0
_ROOM = 8.0


class _Drawn:
    """One edge; how it is drawn is found out when it is first in sight."""

    def __init__(self, route: Route) -> None:
        self.route = route
        across, down = zip(*self._points(), strict=True)
        left, top = min(across) - _ROOM, min(down) - _ROOM
        self.rect = QRectF(left, top, max(across) + _ROOM - left, max(down) + _ROOM - top)

    @cached_property
    def lines(self) -> list[QLineF]:
        return [QLineF(*one, *other) for one, other in pairwise(self._points())]

    @cached_property
    def path(self) -> QPainterPath:
        path = QPainterPath(QPointF(*self.route.start))
        for step in self.route.steps:
            if len(step) == 2:
                path.lineTo(*step)
            else:
                path.cubicTo(*step)
        return path

    @cached_property
    def head(self) -> QPolygonF:
        tip = QPointF(*self.route.steps[-1][-2:])
        before = self._before()
        length = math.hypot(tip.x() - before.x(), tip.y() - before.y()) or 1.0
        along = (tip - before) * (_HEAD / length)
        across = QPointF(-along.y(), along.x()) * 0.5
        return QPolygonF([tip, tip - along + across, tip - along - across])

    def _points(self) -> list[Step]:
        return [self.route.start, *(step[-2:] for step in self.route.steps)]

    def _before(self) -> QPointF:
        """Where the edge comes from, close to its end."""
        last = self.route.steps[-1]
        tip = last[-2:]
        for at in range(len(last) - 4, -1, -2):
            if last[at : at + 2] != tip:
                return QPointF(*last[at : at + 2])
        return self.lines[-1].p1()


class EdgesItem(QGraphicsItem):
    """One item for all edges."""

    def __init__(self, picture: GraphPicture, look: Look) -> None:
        super().__init__()
        self._layout = picture.layout
        self._look = look
        self._drawn = [_Drawn(route) for route in picture.layout.routes if route.steps]
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.setZValue(-1)

    def set_look(self, look: Look) -> None:
        """Wear other colours."""
        self._look = look
        self.update()

    def boundingRect(self) -> QRectF:
        """All of it."""
        return QRectF(-_ROOM, -_ROOM, self._layout.width + 16, self._layout.height + 16)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Draw the edges in sight."""
        exposed = option.exposedRect
        scale = option.levelOfDetailFromTransform(painter.worldTransform())
        near = scale >= _CURVED
        groups: defaultdict[tuple[EdgeKind, bool], list[_Drawn]] = defaultdict(list)
        for drawn in self._drawn:
            if drawn.rect.intersects(exposed):
                groups[drawn.route.edge.kind, drawn.route.is_back].append(drawn)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, near)
        for seen in groups.values():
            color = self._look.edge(seen[0].route)
            pen = QPen(color, max(_WIDTH, _LEAST_WIDTH / scale) if near else 1.0)
            pen.setCosmetic(not near)
            painter.setPen(pen)
            if near:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                for drawn in seen:
                    painter.drawPath(drawn.path)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                for drawn in seen:
                    painter.drawPolygon(drawn.head)
            else:
                painter.drawLines([line for drawn in seen for line in drawn.lines])
