"""What flows from one node into another, as a curve with a head."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from jitstudio.gui.features.pipeline.graph import Node
from jitstudio.gui.features.pipeline.look import flow_of
from jitstudio.gui.kit.theme import Theme

_HEAD = 6.0
# From this height on an edge climbs straight up rather than as a curve.
_STEEP = 80.0
_TURN = 9.0


class EdgeItem(QGraphicsItem):
    """Shows one edge in the colours of the node that it leads to."""

    def __init__(self, points: Sequence[QPointF], end: Node, theme: Theme) -> None:
        super().__init__()
        *rest, tip = points
        self._tip = tip
        self._path = _curve([*rest, tip - QPointF(_HEAD, 0)])
        self._flow = flow_of(end, theme)
        self.setZValue(-1)

    def show_end(self, end: Node, theme: Theme) -> None:
        """Follow the state of the node it leads to."""
        self._flow = flow_of(end, theme)
        self.update()

    def boundingRect(self) -> QRectF:
        """The curve with its head."""
        head = QRectF(self._tip - QPointF(_HEAD, _HEAD), self._tip + QPointF(0, _HEAD))
        return self._path.boundingRect().united(head).adjusted(-2, -2, 2, 2)

    def shape(self) -> QPainterPath:
        """Nothing: what lies under an edge can be pointed at."""
        return QPainterPath()

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Draw the curve and its head."""
        color, style, width = self._flow
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, width, style))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        back = self._tip - QPointF(_HEAD + 1, 0)
        across = QPointF(0, _HEAD * 0.6)
        painter.drawPolygon(QPolygonF([self._tip, back - across, back + across]))


def _curve(points: Sequence[QPointF]) -> QPainterPath:
    """Level at every point, and straight where two lie at one height."""
    path = QPainterPath(points[0])
    for one, other in zip(points[::2], points[1::2], strict=True):
        path.lineTo(one)
        draw = _climb if abs(other.y() - one.y()) > _STEEP else _sway
        draw(path, one, other)
    return path


def _sway(path: QPainterPath, one: QPointF, other: QPointF) -> None:
    half = QPointF((other.x() - one.x()) / 2, 0)
    path.cubicTo(one + half, other - half, other)


def _climb(path: QPainterPath, one: QPointF, other: QPointF) -> None:
    """Along a line that all that climb between these columns share, so that many stay tidy."""
    middle = (one.x() + other.x()) / 2
    turn = _TURN if other.y() > one.y() else -_TURN
    path.lineTo(middle - _TURN, one.y())
    path.quadTo(middle, one.y(), middle, one.y() + turn)
    path.lineTo(middle, other.y() - turn)
    path.quadTo(middle, other.y(), middle + _TURN, other.y())
    path.lineTo(other)
