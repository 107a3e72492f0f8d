"""All edges of a graph: from far away as straight lines, from near as curves with heads."""

from __future__ import annotations

from collections import defaultdict

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from jitstudio.analysis.control_flow import EdgeKind
from jitstudio.gui.features.graph.look import Look
from jitstudio.gui.features.graph.model import GraphPicture
from jitstudio.gui.features.graph.shapes import ROOM, EdgeShape

_CURVED = 0.3
_WIDTH = 1.5
_LEAST_WIDTH = 1.1


class EdgesItem(QGraphicsItem):
    """One item for all edges."""

    def __init__(self, picture: GraphPicture, look: Look) -> None:
        super().__init__()
        self._layout = picture.layout
        self._look = look
        self._edges = picture.edges
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.setZValue(-1)

    def set_look(self, look: Look) -> None:
        """Wear other colours."""
        self._look = look
        self.update()

    def boundingRect(self) -> QRectF:
        """All of it."""
        return QRectF(-ROOM, -ROOM, self._layout.width + 2 * ROOM, self._layout.height + 2 * ROOM)

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
        groups: defaultdict[tuple[EdgeKind, bool], list[EdgeShape]] = defaultdict(list)
        for edge in self._edges:
            if edge.rect.intersects(exposed):
                groups[edge.route.edge.kind, edge.route.is_back].append(edge)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, near)
        for seen in groups.values():
            color = self._look.edge(seen[0].route)
            pen = QPen(color, max(_WIDTH, _LEAST_WIDTH / scale) if near else 1.0)
            pen.setCosmetic(not near)
            painter.setPen(pen)
            if near:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                for edge in seen:
                    painter.drawPath(edge.path)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                for edge in seen:
                    painter.drawPolygon(edge.head)
            else:
                painter.drawLines([line for edge in seen for line in edge.lines])
