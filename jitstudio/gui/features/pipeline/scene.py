"""The drawing of a build: nodes, edges, the whole on a page, and the page as a file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QCoreApplication, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QImageWriter,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsItem,
    QGraphicsScene,
    QGraphicsSceneHoverEvent,
    QStyleOptionGraphicsItem,
    QWidget,
)

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.languages import icon_name
from jitstudio.gui.features.pipeline.graph import (
    GridPosition,
    Node,
    NodeRole,
    NodeState,
    Pipeline,
    PipelineEdge,
    PipelineLayout,
    lay_out,
)
from jitstudio.gui.features.pipeline.model import description, facts
from jitstudio.gui.kit.diagrams.canvas import mixed
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import Theme

_SOLID, _DASHED = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine


@dataclass(frozen=True)
class _Style:
    """A row of the table of styles: colour in the theme, strength of the fill, and mark."""

    color: str
    tint: float
    line: Qt.PenStyle
    width: float
    mark: str


_STYLES = {
    NodeState.GIVEN: _Style("ui.muted_text", 0.07, _SOLID, 1.0, ""),
    NodeState.WAITING: _Style("ui.muted_text", 0.0, _DASHED, 1.0, "waiting"),
    NodeState.RUNNING: _Style("ui.link", 0.14, _SOLID, 2.0, ""),
    NodeState.DONE: _Style("marks.success", 0.12, _SOLID, 1.4, "success"),
    NodeState.CACHED: _Style("marks.success", 0.12, _SOLID, 1.4, "cached"),
    NodeState.STALE: _Style("marks.warning", 0.08, _DASHED, 1.2, "reset"),
    NodeState.FAILED: _Style("marks.error", 0.14, _SOLID, 2.2, "error"),
    NodeState.STOPPED: _Style("marks.warning", 0.08, _SOLID, 1.2, "stop"),
    NodeState.SKIPPED: _Style("ui.muted_text", 0.0, _DASHED, 1.0, "skipped"),
}
# Nodes that something has come of, or that are at work; the others are paler.
_FAINT = frozenset({NodeState.WAITING, NodeState.SKIPPED})
_TOOL_ICONS = {NodeRole.TOOL: "build", NodeRole.LINK: "link", NodeRole.LAUNCH: "run"}


@dataclass(frozen=True)
class NodeStyle:
    """The colours, frame and icons that a node is drawn with.

    Attributes:
        line: The colour of its frame and its mark.
        fill: Its ground.
        title: The colour of its first line.
        facts: The colour of its second line.
        style: How the frame is drawn.
        width: How thick the frame is.
        mark: The icon of the state; empty for none.
        icon: The icon of the node's role and kind.
    """

    line: QColor
    fill: QColor
    title: QColor
    facts: QColor
    style: Qt.PenStyle
    width: float
    mark: str
    icon: str


def look_of(node: Node, theme: Theme) -> NodeStyle:
    """Returns the style of a node in a theme."""
    style = _STYLES[node.state]
    color = theme.color(style.color)
    faint = node.state in _FAINT
    return NodeStyle(
        line=color,
        fill=mixed(theme.ui.base, color, style.tint),
        title=theme.ui.muted_text if faint else theme.ui.text,
        facts=color if node.state in (NodeState.FAILED, NodeState.RUNNING) else theme.ui.muted_text,
        style=style.line,
        width=style.width,
        mark=style.mark,
        icon=_icon(node),
    )


def flow_of(end: Node, theme: Theme) -> tuple[QColor, Qt.PenStyle, float]:
    """Returns the drawing of an edge into `end`: colour, style and width of the line."""
    style = _STYLES[end.state]
    still = end.state in _FAINT
    color = theme.ui.muted_text if still else theme.color(style.color)
    return mixed(theme.ui.base, color, 0.5 if still else 0.8), style.line, style.width + 0.2


def mark_of(state: NodeState, theme: Theme) -> tuple[str, QColor]:
    """Returns the icon of a state, empty for none, and the icon's colour."""
    style = _STYLES[state]
    return style.mark, theme.color(style.color)


def _icon(node: Node) -> str:
    if node.runs:
        return _TOOL_ICONS[node.role]
    return icon_name(node.code or CodeKind.HEADER, node.role is NodeRole.HEADER)


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
_UNFILLED = 0.3
_HOVERED = 0.8


class NodeItem(QGraphicsItem):
    """Shows a node; a new state is drawn in the same place."""

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
        """The shown node."""
        return self._node

    @property
    def theme(self) -> Theme:
        """The theme that the node is drawn in."""
        return self._theme

    @property
    def facts(self) -> str:
        """The second line."""
        return self._facts

    @property
    def look(self) -> NodeStyle:
        """The look of the node in this state."""
        return self._look

    def show_node(self, node: Node, theme: Theme) -> None:
        """Shows a new state of the node, in a theme."""
        self._node, self._theme = node, theme
        self._look = look_of(node, theme)
        self.tick(time.monotonic())
        self.setToolTip(plain_tooltip(description(node, time.monotonic())))
        self.update()

    def tick(self, now: float) -> None:
        """Updates the elapsed time."""
        self._facts = facts(self._node, now)
        self.update()

    def set_current(self, current: bool) -> None:
        """Sets whether the keyboard is at the node."""
        if current != self._is_current:
            self._is_current = current
            self.update()

    def hoverEnterEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Emphasises the node while the mouse is over the node."""
        super().hoverEnterEvent(event)
        self._is_hovered = True
        self.update()

    def hoverLeaveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Draws the node as usual again."""
        super().hoverLeaveEvent(event)
        self._is_hovered = False
        self.update()

    def boundingRect(self) -> QRectF:
        """Returns the node with the surrounding ring and the mark on the corner."""
        room = _RING + 1
        return _BODY.adjusted(-room, -room, room, room).united(_MARK)

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Draws ring, background, icon, both lines and the mark of the state."""
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
        """Draws the mark of the state on the corner, where no word needs the room."""
        running = self._node.state is NodeState.RUNNING
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
        for share, angle in ((_UNFILLED, 360), (1.0, _ARC)):
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


_HEAD = 6.0
# From this height on an edge climbs straight up rather than as a curve.
_STEEP = 80.0
_TURN = 9.0


class EdgeItem(QGraphicsItem):
    """Shows an edge in the colours of the node at the end."""

    def __init__(self, points: Sequence[QPointF], end: Node, theme: Theme) -> None:
        super().__init__()
        *rest, tip = points
        self._tip = tip
        self._path = _curve([*rest, tip - QPointF(_HEAD, 0)])
        self._flow = flow_of(end, theme)
        self.setZValue(-1)

    def show_end(self, end: Node, theme: Theme) -> None:
        """Follows the state of the node at the end."""
        self._flow = flow_of(end, theme)
        self.update()

    def boundingRect(self) -> QRectF:
        """Returns the curve with the arrow head."""
        head = QRectF(self._tip - QPointF(_HEAD, _HEAD), self._tip + QPointF(0, _HEAD))
        return self._path.boundingRect().united(head).adjusted(-2, -2, 2, 2)

    def shape(self) -> QPainterPath:
        """Returns an empty path: items below an edge can be pointed at."""
        return QPainterPath()

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Draws the curve with the arrow head."""
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
    """Returns a curve that is level at every point, and straight between points of equal height."""
    path = QPainterPath(points[0])
    for start, end in zip(points[::2], points[1::2], strict=True):
        path.lineTo(start)
        draw = _climb if abs(end.y() - start.y()) > _STEEP else _sway
        draw(path, start, end)
    return path


def _sway(path: QPainterPath, start: QPointF, end: QPointF) -> None:
    half = QPointF((end.x() - start.x()) / 2, 0)
    path.cubicTo(start + half, end - half, end)


def _climb(path: QPainterPath, start: QPointF, end: QPointF) -> None:
    """Climbs along a line that all climbs between two columns share: many edges stay tidy."""
    middle = (start.x() + end.x()) / 2
    turn = _TURN if end.y() > start.y() else -_TURN
    path.lineTo(middle - _TURN, start.y())
    path.quadTo(middle, start.y(), middle, start.y() + turn)
    path.lineTo(middle, end.y() - turn)
    path.quadTo(middle, end.y(), middle + _TURN, end.y())
    path.lineTo(end)


_COLUMN, _ROW = WIDTH + 30, HEIGHT + 20
_MARGIN = 10.0


class PipelineScene(QGraphicsScene):
    """Keeps the items as long as the shape of the picture is the same."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pipeline = Pipeline()
        self._layout = PipelineLayout({}, {})
        self._nodes: dict[str, NodeItem] = {}
        self._edges: dict[PipelineEdge, EdgeItem] = {}

    @property
    def pipeline(self) -> Pipeline:
        """The shown picture."""
        return self._pipeline

    @property
    def places(self) -> PipelineLayout:
        """The places of the nodes."""
        return self._layout

    def item(self, key: str) -> NodeItem | None:
        """Returns the item of a node by key."""
        return self._nodes.get(key)

    def show_pipeline(self, pipeline: Pipeline) -> bool:
        """Shows a picture; returns whether the shape has changed."""
        reshaped = pipeline.shape != self._pipeline.shape
        self._pipeline = pipeline
        if reshaped:
            self._rebuild()
        else:
            self._refresh()
        return reshaped

    def set_theme(self, theme: Theme) -> None:
        """Applies another theme."""
        self._theme = theme
        self._refresh()

    def tick(self, now: float) -> None:
        """Updates the times of running nodes."""
        for item in self._nodes.values():
            if item.node.state is NodeState.RUNNING:
                item.tick(now)

    def _refresh(self) -> None:
        changed = set()
        for node in self._pipeline.nodes:
            if (item := self._nodes[node.key]).node != node or item.theme is not self._theme:
                item.show_node(node, self._theme)
                changed.add(node.key)
        for edge, line in self._edges.items():
            if edge.end in changed:
                line.show_end(self._nodes[edge.end].node, self._theme)

    def _rebuild(self) -> None:
        self.clear()
        self._layout = lay_out(self._pipeline)
        self._nodes = {node.key: NodeItem(node, self._theme) for node in self._pipeline.nodes}
        for key, item in self._nodes.items():
            item.setPos(_corner(self._layout.places[key]))
            self.addItem(item)
        self._edges = {edge: self._line(edge) for edge in self._pipeline.edges}
        for line in self._edges.values():
            self.addItem(line)
        size = _corner(GridPosition(self._layout.columns, self._layout.rows))
        gaps = QPointF(_COLUMN - WIDTH, _ROW - HEIGHT)
        rect = QRectF(QPointF(0, 0), size - gaps)
        self.setSceneRect(rect.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN))

    def _line(self, edge: PipelineEdge) -> EdgeItem:
        """Out of the right side of a node, along the middle of each stop, into the left side."""
        middle, across = QPointF(0, HEIGHT / 2), QPointF(WIDTH, 0)
        start, end = (_corner(self._layout.places[key]) for key in (edge.start, edge.end))
        points = [start + across + middle]
        for stop in self._layout.routes[edge]:
            points += [_corner(stop) + middle, _corner(stop) + middle + across]
        points.append(end + middle)
        return EdgeItem(points, self._nodes[edge.end].node, self._theme)


def _corner(place: GridPosition) -> QPointF:
    return QPointF(place.column * _COLUMN, place.row * _ROW)


_SCALE = 2


class PictureError(RuntimeError):
    """The picture cannot be written; the message is fit for a person."""


def save_picture(pipeline: Pipeline, theme: Theme, path: Path) -> None:
    """Writes a picture to a file: SVG, or PNG where the name says so.

    Raises:
        PictureError: The file cannot be written.
    """
    png = path.suffix.lower() == ".png"
    content = _png(pipeline, theme) if png else _svg(pipeline, theme)
    try:
        path.write_bytes(content)
    except OSError as error:
        text = QCoreApplication.translate(
            "Picture", "'{path}' cannot be written: {problem}. Choose another folder."
        )
        raise PictureError(text.format(path=path, problem=error.strerror)) from error


def image_of(pipeline: Pipeline, theme: Theme) -> QImage:
    """Returns a picture with two pixels for each unit."""
    scene = _scene(pipeline, theme)
    image = QImage(scene.sceneRect().size().toSize() * _SCALE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    scene.render(painter)
    painter.end()
    return image


def _png(pipeline: Pipeline, theme: Theme) -> bytes:
    buffer = QBuffer()
    QImageWriter(buffer, b"png").write(image_of(pipeline, theme))
    return bytes(buffer.data().data())


def _svg(pipeline: Pipeline, theme: Theme) -> bytes:
    scene = _scene(pipeline, theme)
    size = scene.sceneRect().size().toSize()
    whole = QRectF(0, 0, size.width(), size.height())
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(whole)
    # Else letters would be drawn for another resolution than the frames around them.
    generator.setResolution(round(QGuiApplication.primaryScreen().logicalDotsPerInch()))
    painter = QPainter(generator)
    scene.render(painter, whole)
    painter.end()
    return bytes(buffer.data().data())


def _scene(pipeline: Pipeline, theme: Theme) -> PipelineScene:
    """Returns a scene drawn anew: items for the screen are cached as pixels."""
    scene = PipelineScene(theme)
    scene.show_pipeline(pipeline)
    scene.setBackgroundBrush(theme.ui.base)
    for item in scene.items():
        item.setCacheMode(QGraphicsItem.CacheMode.NoCache)
    return scene
