"""The drawing of a flow graph: colours, edges and blocks."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from pygments.token import Keyword, Name
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QStaticText
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from jitstudio.analysis.control_flow import EdgeKind
from jitstudio.analysis.diagrams.flow_layout import EdgeRoute
from jitstudio.analysis.diagrams.flow_svg import Colors
from jitstudio.gui.features.graph.model import ROOM, EdgeShape, GraphPicture
from jitstudio.gui.kit.diagrams.canvas import mixed
from jitstudio.gui.kit.fonts import CODE_FAMILY
from jitstudio.gui.kit.theme import Theme
from jitstudio.listing.lines import NOWHERE

SVG_FONT = f"{CODE_FAMILY}, DejaVu Sans Mono, Consolas, Menlo, monospace"
# How strongly the colour of a loop fills its blocks.
_TINT = 0.14
_PLAIN_TINT = 0.05
# How far along the colours of registers it is.
_ORANGE = 0.7


@dataclass(frozen=True)
class GraphStyle:
    """The colours of a graph in a theme.

    Attributes:
        ground: Behind everything.
        text: Of code.
        title: Of names.
        frame: Around blocks in no loop.
        fill: Of those blocks.
        current: Around the block that the keyboard or the caret is at.
        edges: By kind.
        back: Of edges that lead to the head of their loop.
        loops: By depth, from 1.
        loop_fills: Likewise.
    """

    ground: QColor
    text: QColor
    title: QColor
    frame: QColor
    fill: QColor
    current: QColor
    edges: dict[EdgeKind, QColor]
    back: QColor
    loops: tuple[QColor, ...]
    loop_fills: tuple[QColor, ...]

    def block(self, depth: int) -> tuple[QColor, QColor]:
        """Returns the fill and the frame of a block in so many loops."""
        if not depth:
            return self.fill, self.frame
        at = (depth - 1) % len(self.loops)
        return self.loop_fills[at], self.loops[at]

    def edge(self, route: EdgeRoute) -> QColor:
        """Returns the colour of an edge."""
        return self.back if route.is_back else self.edges[route.edge.kind]

    @property
    def svg(self) -> Colors:
        """The colours as SVG writes them."""
        return Colors(
            ground=self.ground.name(),
            text=self.text.name(),
            title=self.title.name(),
            frame=self.frame.name(),
            fill=self.fill.name(),
            edges={kind: color.name() for kind, color in self.edges.items()},
            back=self.back.name(),
            loops=tuple(color.name() for color in self.loops),
            loop_fills=tuple(color.name() for color in self.loop_fills),
        )


def look_of(theme: Theme) -> GraphStyle:
    """Returns the style of graphs in a theme."""
    ground, muted = theme.code.background, theme.ui.muted_text
    loops = (
        theme.marks.info,
        theme.step(_ORANGE),
        theme.token_style(Keyword).color,
        theme.token_style(Name.Class).color,
    )
    return GraphStyle(
        ground=ground,
        text=theme.code.text,
        title=theme.ui.text,
        frame=mixed(ground, muted, 0.6),
        fill=mixed(ground, muted, _PLAIN_TINT),
        current=theme.ui.accent,
        edges={
            EdgeKind.NEXT: muted,
            EdgeKind.BRANCH: theme.marks.success,
            EdgeKind.TABLE: theme.token_style(Keyword).color,
        },
        back=theme.marks.error,
        loops=loops,
        loop_fills=tuple(mixed(ground, color, _TINT) for color in loops),
    )


_CURVED = 0.3
_WIDTH = 1.5
_LEAST_WIDTH = 1.1


class EdgesItem(QGraphicsItem):
    """A single graphics item for all edges."""

    def __init__(self, picture: GraphPicture, look: GraphStyle) -> None:
        super().__init__()
        self._layout = picture.layout
        self._look = look
        self._edges = picture.edges
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.setZValue(-1)

    def set_look(self, look: GraphStyle) -> None:
        """Applies other colours."""
        self._look = look
        self.update()

    def boundingRect(self) -> QRectF:
        """Returns the rectangle of the whole graph."""
        return QRectF(-ROOM, -ROOM, self._layout.width + 2 * ROOM, self._layout.height + 2 * ROOM)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Draws the edges in sight."""
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


READABLE = 0.5
"""From this scale on there is code in the blocks."""

_RADIUS = 4.0
_CURRENT_WIDTH = 3.0
# On the screen, however small the rest is.
_LEAST_CURRENT = 2.0
_LEAST_TITLE = 9.0
_LEAST_LETTERS = 5


class BlocksItem(QGraphicsItem):
    """A single graphics item for all blocks: asking a thousand items takes longer than painting."""

    def __init__(self, picture: GraphPicture, look: GraphStyle, font: QFont) -> None:
        super().__init__()
        self._picture = picture
        self._look = look
        self._font = font
        self._bold = QFont(font)
        self._bold.setBold(True)
        self._rects = picture.rects
        self._texts: dict[int, tuple[QStaticText, ...]] = {}
        self._current = NOWHERE
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def set_look(self, look: GraphStyle) -> None:
        """Applies other colours."""
        self._look = look
        self.update()

    def set_current(self, block: int) -> None:
        """Marks a block, or none."""
        for changed in (self._current, block):
            if changed != NOWHERE:
                self.update(self.rect(changed).adjusted(-8, -8, 8, 8))
        self._current = block

    def rect(self, block: int) -> QRectF:
        """Returns the rectangle of a block."""
        return self._rects[block]

    def block_at(self, place: QPointF) -> int:
        """Returns the block at a place, or `NOWHERE`."""
        hits = (at for at, rect in enumerate(self._rects) if rect.contains(place))
        return next(hits, NOWHERE)

    def boundingRect(self) -> QRectF:
        """Returns the rectangle of the whole graph."""
        layout = self._picture.layout
        return QRectF(-8, -8, layout.width + 16, layout.height + 16)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Draws the blocks in sight, as far as they can be distinguished."""
        exposed = option.exposedRect
        scale = option.levelOfDetailFromTransform(painter.worldTransform())
        visible = [at for at, rect in enumerate(self._rects) if rect.intersects(exposed)]
        near = scale >= READABLE
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, near)
        self._paint_frames(painter, visible, near)
        if near:
            self._paint_code(painter, visible)
        else:
            self._paint_titles(painter, visible, scale)
        if self._current != NOWHERE:
            width = max(_CURRENT_WIDTH, _LEAST_CURRENT / scale)
            painter.setPen(QPen(self._look.current, width))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self._rects[self._current], _RADIUS, _RADIUS)

    def _paint_frames(self, painter: QPainter, visible: list[int], near: bool) -> None:
        by_depth: defaultdict[int, list[QRectF]] = defaultdict(list)
        for at in visible:
            by_depth[self._picture.graph.depth(at)].append(self._rects[at])
        for depth, rects in by_depth.items():
            fill, frame = self._look.block(depth)
            pen = QPen(frame, 1.2 if near else 1.0)
            pen.setCosmetic(not near)
            painter.setPen(pen)
            painter.setBrush(fill)
            if near:
                for rect in rects:
                    painter.drawRoundedRect(rect, _RADIUS, _RADIUS)
            else:
                painter.drawRects(rects)

    def _paint_code(self, painter: QPainter, visible: list[int]) -> None:
        letters = self._picture.letters
        painter.setFont(self._bold)
        painter.setPen(self._look.title)
        for at in visible:
            corner = self._rects[at].topLeft() + QPointF(letters.margin, letters.row_top(0))
            painter.drawStaticText(corner, self._texts_of(at)[0])
        painter.setFont(self._font)
        painter.setPen(self._look.text)
        for at in visible:
            x, y = self._rects[at].x() + letters.margin, self._rects[at].y()
            for row, text in enumerate(self._texts_of(at)[1:], 1):
                painter.drawStaticText(QPointF(x, y + letters.row_top(row)), text)

    def _paint_titles(self, painter: QPainter, visible: list[int], scale: float) -> None:
        """Paints the names in legible size, in blocks with room for the name."""
        letters = self._picture.letters
        size = _LEAST_TITLE / scale
        font = QFont(self._bold)
        font.setPixelSize(max(1, round(size)))
        painter.setFont(font)
        painter.setPen(self._look.title)
        letter = letters.width * size / letters.above
        for at in visible:
            rect, title = self._rects[at], self._picture.captions[at].title
            room = int(rect.width() / letter) - 1
            if rect.height() > size * 1.2 and room >= min(len(title), _LEAST_LETTERS):
                # What distinguishes labels is at their end.
                label = title if len(title) <= room else "…" + title[1 - room :]
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label)

    def _texts_of(self, at: int) -> tuple[QStaticText, ...]:
        texts = self._texts.get(at)
        if texts is None:
            caption = self._picture.captions[at]
            texts = self._texts[at] = tuple(map(_static, (caption.title, *caption.rows)))
        return texts


def _static(text: str) -> QStaticText:
    static = QStaticText(text)
    static.setTextFormat(Qt.TextFormat.PlainText)
    static.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    return static
