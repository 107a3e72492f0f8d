"""A flow graph ready to be drawn, with the words about blocks and graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF

from jitstudio.analysis.control_flow import BasicBlock, FlowGraph
from jitstudio.analysis.diagrams.captions import Caption, TextMetrics, ptx_captions, sass_captions
from jitstudio.analysis.diagrams.flow_layout import EdgeRoute, GraphLayout, Step, lay_out
from jitstudio.analysis.ptx_cfg import ptx_graph
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP, counted
from jitstudio.listing.functions import Function
from jitstudio.listing.lines import NOWHERE

ROOM = 8.0
"""The room that an edge may take next to its path, for head and pen."""

_ARROW = 7.0


class EdgeShape:
    """The shape of an edge; curve and head are made when the edge first comes into near sight.

    Attributes:
        route: How it runs.
        rect: The rectangle that the edge takes.
        lines: Its way without curves.
    """

    def __init__(self, route: EdgeRoute) -> None:
        self.route = route
        points = _points(route)
        across, down = zip(*points, strict=True)
        left, top = min(across) - ROOM, min(down) - ROOM
        self.rect = QRectF(left, top, max(across) + ROOM - left, max(down) + ROOM - top)
        self.lines = [QLineF(*start, *end) for start, end in pairwise(points)]

    @cached_property
    def path(self) -> QPainterPath:
        """The path of the edge."""
        path = QPainterPath(QPointF(*self.route.start))
        for step in self.route.steps:
            if len(step) == 2:
                path.lineTo(*step)
            else:
                path.cubicTo(*step)
        return path

    @cached_property
    def head(self) -> QPolygonF:
        """The arrow head at the end of the edge."""
        tip = QPointF(*self.route.steps[-1][-2:])
        before = self._before()
        length = math.hypot(tip.x() - before.x(), tip.y() - before.y()) or 1.0
        along = (tip - before) * (_ARROW / length)
        across = QPointF(-along.y(), along.x()) * 0.5
        return QPolygonF([tip, tip - along + across, tip - along - across])

    def _before(self) -> QPointF:
        """Returns the point of the edge shortly before the end."""
        last = self.route.steps[-1]
        tip = last[-2:]
        for at in range(len(last) - 4, -1, -2):
            if last[at : at + 2] != tip:
                return QPointF(*last[at : at + 2])
        return self.lines[-1].p1()


def _points(route: EdgeRoute) -> list[Step]:
    return [route.start, *(step[-2:] for step in route.steps)]


@dataclass(frozen=True, eq=False)
class GraphPicture:
    """A graph with layout and captions.

    Attributes:
        kind: PTX or SASS.
        graph: The blocks, edges and loops.
        layout: Where they are.
        captions: The words in the blocks.
        letters: The letters that the layout was made for.
        spell: Returns a name in it as people write it.
        rects, edges: The same for Qt: there are thousands, and made here the window need not wait.
    """

    kind: CodeKind
    graph: FlowGraph
    layout: GraphLayout
    captions: tuple[Caption, ...]
    letters: TextMetrics
    spell: Callable[[str], str]
    rects: Sequence[QRectF]
    edges: Sequence[EdgeShape]


def sass_picture(
    function: SassFunction, letters: TextMetrics, spell: Callable[[str], str] = str
) -> GraphPicture:
    """Returns the graph of machine code."""
    graph = sass_graph(function)
    return _picture(CodeKind.SASS, graph, sass_captions(graph, function, spell), letters, spell)


def ptx_picture(
    lines: Sequence[str],
    function: Function,
    letters: TextMetrics,
    spell: Callable[[str], str] = str,
) -> GraphPicture:
    """Returns the graph of a function in a PTX text."""
    graph = ptx_graph(lines, function)
    return _picture(CodeKind.PTX, graph, ptx_captions(graph, lines, spell), letters, spell)


def _picture(
    kind: CodeKind,
    graph: FlowGraph,
    captions: tuple[Caption, ...],
    letters: TextMetrics,
    spell: Callable[[str], str],
) -> GraphPicture:
    layout = lay_out(graph, [letters.size(caption) for caption in captions])
    rects = [QRectF(*box) for box in layout.boxes]
    edges = [EdgeShape(route) for route in layout.routes if route.steps]
    return GraphPicture(kind, graph, layout, captions, letters, spell, rects, edges)


_BLOCKS = (
    QT_TRANSLATE_NOOP("Graph", "{count} block"),
    QT_TRANSLATE_NOOP("Graph", "{count} blocks"),
)
_LOOPS = (QT_TRANSLATE_NOOP("Graph", "{count} loop"), QT_TRANSLATE_NOOP("Graph", "{count} loops"))
_INSTRUCTIONS = (
    QT_TRANSLATE_NOOP("Graph", "{count} instruction"),
    QT_TRANSLATE_NOOP("Graph", "{count} instructions"),
)
_NESTED = QT_TRANSLATE_NOOP("Graph", "nested {depth} deep")
_SEVERAL_ENTRIES = QT_TRANSLATE_NOOP("Graph", "one with several entries")
_BLOCK = QT_TRANSLATE_NOOP("Graph", "Block {name}, {number} of {all}")
_HEAD = QT_TRANSLATE_NOOP("Graph", "the head of a loop, depth {depth}")
_INSIDE = QT_TRANSLATE_NOOP("Graph", "in a loop, depth {depth}")
_LEADS = QT_TRANSLATE_NOOP("Graph", "leads to {names}")
_AWAY = QT_TRANSLATE_NOOP("Graph", "may lead to places that are known only when it runs")
_ENDS = QT_TRANSLATE_NOOP("Graph", "ends here")


def summary(picture: GraphPicture) -> str:
    """Returns the size of the graph, in a line: blocks, loops, nesting."""
    graph = picture.graph
    words = [_counted(len(graph.blocks), *_BLOCKS), _counted(len(graph.loops), *_LOOPS)]
    deepest = max((loop.depth for loop in graph.loops), default=0)
    if deepest > 1:
        words.append(_tr(_NESTED).format(depth=deepest))
    if any(len(loop.entries) > 1 for loop in graph.loops):
        words.append(_tr(_SEVERAL_ENTRIES))
    return ", ".join(words)


def description(picture: GraphPicture, block: BasicBlock) -> str:
    """Returns the description of a block, for a tip and for screen readers."""
    graph = picture.graph
    words = [
        _tr(_BLOCK).format(
            name=picture.spell(block.name), number=block.id + 1, all=len(graph.blocks)
        ),
        _counted(picture.captions[block.id].count, *_INSTRUCTIONS),
    ]
    if (inner := graph.innermost[block.id]) != NOWHERE:
        loop = graph.loops[inner]
        words.append(_tr(_HEAD if loop.head == block.id else _INSIDE).format(depth=loop.depth))
    if following := [
        picture.spell(graph.blocks[other].name) for other in graph.successors[block.id]
    ]:
        words.append(_tr(_LEADS).format(names=", ".join(following)))
    if block.leads_away:
        words.append(_tr(_AWAY))
    elif not following:
        words.append(_tr(_ENDS))
    return "; ".join(words)


def _counted(count: int, singular: str, many: str) -> str:
    return counted(count, _tr(singular), _tr(many))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Graph", text)
