"""One node as it is drawn: a card for code, a pill for what runs."""

from __future__ import annotations

import time

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsItem,
    QGraphicsSceneHoverEvent,
    QStyleOptionGraphicsItem,
    QWidget,
)

from jitstudio.gui.features.pipeline.graph import Node, State
from jitstudio.gui.features.pipeline.look import Look, look_of
from jitstudio.gui.features.pipeline.model import description, facts
from jitstudio.gui.kit.diagrams.canvas import mixed
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import Theme

WIDTH, HEIGHT = 164.0, 46.0
"""Of a node, in units of the scene."""

_ROUND = 7.0
_PAD = 9.0
_ICON = 18.0
_GAP = 6.0
_RING = 3.5
_TITLE_SIZE, _FACTS_SIZE = 10.0, 8.8
_TURN_MS = 1200
_ARC = 110
_FAINT = 0.3
_HOVERED = 0.8


class NodeItem(QGraphicsItem):
    """Shows one node; a state that changes is drawn in the same place."""

    def __init__(self, node: Node, theme: Theme) -> None:
        super().__init__()
        self._node = node
        self._theme = theme
        self._look = look_of(node, theme)
        self._facts = ""
        self._is_current = False
        self._is_hovered = False
        self.setAcceptHoverEvents(True)
        # Letters and icons take long to draw, and most stay as they are from paint to paint.
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._title_font = _font(_TITLE_SIZE, QFont.Weight.DemiBold)
        self._facts_font = _font(_FACTS_SIZE, QFont.Weight.Normal)
        self.show_node(node, theme)

    @property
    def node(self) -> Node:
        """What is shown."""
        return self._node

    @property
    def theme(self) -> Theme:
        """The colours it is drawn in."""
        return self._theme

    @property
    def facts(self) -> str:
        """The second line."""
        return self._facts

    @property
    def look(self) -> Look:
        """What it is drawn with."""
        return self._look

    def show_node(self, node: Node, theme: Theme) -> None:
        """Show this state of the node in this theme."""
        self._node, self._theme = node, theme
        self._look = look_of(node, theme)
        self.tick(time.monotonic())
        self.setToolTip(plain_tooltip(description(node, time.monotonic())))
        self.update()

    def tick(self, now: float) -> None:
        """Tell the time that has passed meanwhile."""
        self._facts = facts(self._node, now)
        self.update()

    def set_current(self, current: bool) -> None:
        """Whether the keyboard is at this node."""
        if current != self._is_current:
            self._is_current = current
            self.update()

    def hoverEnterEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Stand out while the mouse is over it."""
        super().hoverEnterEvent(event)
        self._is_hovered = True
        self.update()

    def hoverLeaveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Stand back again."""
        super().hoverLeaveEvent(event)
        self._is_hovered = False
        self.update()

    def boundingRect(self) -> QRectF:
        """The node with the ring around it and the mark on its corner."""
        room = _RING + 1
        return _BODY.adjusted(-room, -room, room, room).united(_MARK)

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Draw ring, ground, icon, both lines and the mark of the state."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        look = self._look
        corner = HEIGHT / 2 if self._node.runs else _ROUND
        if self._is_current:
            ring = _BODY.adjusted(-_RING, -_RING, _RING, _RING)
            painter.setPen(QPen(self._theme.ui.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(ring, corner + _RING, corner + _RING)
        painter.setPen(QPen(look.line, look.width + _HOVERED * self._is_hovered, look.style))
        painter.setBrush(look.fill)
        painter.drawRoundedRect(_BODY, corner, corner)
        inset = _PAD + (4 if self._node.runs else 0)
        square = QRectF(inset, (HEIGHT - _ICON) / 2, _ICON, _ICON)
        icon(look.icon, look.title).paint(painter, square.toRect())
        self._draw_lines(painter, inset + _ICON + _GAP, WIDTH - inset + 4)
        self._draw_mark(painter)

    def _draw_lines(self, painter: QPainter, left: float, right: float) -> None:
        middle = HEIGHT / 2
        lines = (
            (self._node.title, self._title_font, self._look.title, Qt.TextElideMode.ElideMiddle, 4),
            (self._facts, self._facts_font, self._look.facts, Qt.TextElideMode.ElideRight, middle),
        )
        for text, font, color, cut, top in lines:
            painter.setFont(font)
            painter.setPen(color)
            shown = QFontMetricsF(font).elidedText(text, cut, right - left)
            place = QRectF(left, top, right - left, middle - 4)
            flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(place, flags, shown)

    def _draw_mark(self, painter: QPainter) -> None:
        """The mark of the state sits on the corner, where it takes no room from the words."""
        running = self._node.state is State.RUNNING
        if not running and not self._look.mark:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.ui.base)
        painter.drawEllipse(_MARK)
        if running:
            self._draw_clock(painter, _MARK.adjusted(2.5, 2.5, -2.5, -2.5))
        else:
            icon(self._look.mark, self._look.line).paint(painter, _MARK.toRect())

    def _draw_clock(self, painter: QPainter, circle: QRectF) -> None:
        turn = (time.monotonic() * 1000 % _TURN_MS) / _TURN_MS
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for share, angle in ((_FAINT, 360), (1.0, _ARC)):
            color = mixed(self._theme.ui.base, self._look.line, share)
            painter.setPen(QPen(color, 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            # Qt counts sixteenths of a degree, against the clock.
            painter.drawArc(circle, int(-turn * 360 * 16), angle * 16)


_BODY = QRectF(0, 0, WIDTH, HEIGHT)
_MARK = QRectF(WIDTH - 23, -8, 17, 17)


def _font(points: float, weight: QFont.Weight) -> QFont:
    font = QFont(QApplication.font())
    font.setPointSizeF(points)
    font.setWeight(weight)
    return font
