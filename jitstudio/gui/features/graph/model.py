"""A flow graph ready to be drawn, and what is said of it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF

from jitstudio.analysis.control_flow import BasicBlock, FlowGraph
from jitstudio.analysis.ptx_cfg import ptx_graph
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.core.code import CodeKind
from jitstudio.gui.features.graph.layout import EdgeRoute, GraphLayout, Size, Step, lay_out
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP, counted
from jitstudio.listing.functions import Function
from jitstudio.listing.lines import NOWHERE

_MOST_ROWS = 14
_MOST_CELLS = 56
_CUT = "…"
_CODE = re.compile(r"\s*+(?!//|\.|[{}()]\s*+(?://.*)?\Z|[\w$%]++:\s*+\Z)\S")


@dataclass(frozen=True, slots=True)
class Caption:
    """The words of a block.

    Attributes:
        title: Its name.
        rows: Its code; of a long one the beginning, how much is left out, and the last row.
        count: How many rows there are in full.
    """

    title: str
    rows: tuple[str, ...]
    count: int


@dataclass(frozen=True)
class TextMetrics:
    """The room that text takes.

    Attributes:
        width: Of a letter.
        height: Of a row.
        above: From the top of a row to the line that its letters are on.
    """

    width: float
    height: float
    above: float

    @property
    def margin(self) -> float:
        """Between text and the frame around it."""
        return self.width

    def size(self, caption: Caption) -> Size:
        """Returns how large a block with this caption is."""
        cells = max(map(len, (caption.title, *caption.rows)))
        rows = 1 + len(caption.rows)
        return Size((cells + 2) * self.width, rows * self.height + 2 * self.margin)

    def row_top(self, row: int) -> float:
        """Returns where a row begins below the top of its block; the title is 0."""
        return row * self.height + self.margin * (0.5 if row == 0 else 1.5)


def sass_captions(graph: FlowGraph, function: SassFunction) -> tuple[Caption, ...]:
    """Returns the instructions of each block, without their addresses."""
    return tuple(
        _caption(block.name, range(block.start, block.end), lambda at: function[at].text)
        for block in graph.blocks
    )


def ptx_captions(graph: FlowGraph, lines: Sequence[str]) -> tuple[Caption, ...]:
    """Returns the instructions of each block, without comments and what only declares something."""
    return tuple(
        _caption(
            block.name,
            [at for at in range(block.start, block.end) if _CODE.match(lines[at])],
            lambda at: lines[at].partition("//")[0],
        )
        for block in graph.blocks
    )


def _caption(title: str, places: Sequence[int], text: Callable[[int], str]) -> Caption:
    count = len(places)
    if count <= _MOST_ROWS:
        rows = [text(at) for at in places]
    else:
        left_out = count - _MOST_ROWS + 1
        rows = [text(at) for at in places[: _MOST_ROWS - 2]]
        # Where a block leads is said at its end.
        rows += [f"{_CUT} {left_out} more {_CUT}", text(places[-1])]
    return Caption(_short(title), tuple(map(_short, rows)), count)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_CELLS else text[: _MOST_CELLS - 1] + _CUT


ROOM = 8.0
"""What an edge may take next to its way, with its head and its pen."""

_ARROW = 7.0


class EdgeShape:
    """One edge; its curve and its head are made when it is first in sight from near.

    Attributes:
        route: How it runs.
        rect: What it takes.
        lines: Its way without curves.
    """

    def __init__(self, route: EdgeRoute) -> None:
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
        along = (tip - before) * (_ARROW / length)
        across = QPointF(-along.y(), along.x()) * 0.5
        return QPolygonF([tip, tip - along + across, tip - along - across])

    def _before(self) -> QPointF:
        """Returns where the edge comes from, close to its end."""
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
    """A graph in its place, with its words.

    Attributes:
        kind: PTX or SASS.
        graph: The blocks, edges and loops.
        layout: Where they are.
        captions: What the blocks say.
        letters: What the layout was made for.
        rects, edges: The same for Qt: there are thousands, and made here the window need not wait.
    """

    kind: CodeKind
    graph: FlowGraph
    layout: GraphLayout
    captions: tuple[Caption, ...]
    letters: TextMetrics
    rects: Sequence[QRectF]
    edges: Sequence[EdgeShape]


def sass_picture(function: SassFunction, letters: TextMetrics) -> GraphPicture:
    """Returns the graph of machine code."""
    graph = sass_graph(function)
    return _picture(CodeKind.SASS, graph, sass_captions(graph, function), letters)


def ptx_picture(lines: Sequence[str], function: Function, letters: TextMetrics) -> GraphPicture:
    """Returns the graph of a function in a PTX text."""
    graph = ptx_graph(lines, function)
    return _picture(CodeKind.PTX, graph, ptx_captions(graph, lines), letters)


def _picture(
    kind: CodeKind, graph: FlowGraph, captions: tuple[Caption, ...], letters: TextMetrics
) -> GraphPicture:
    layout = lay_out(graph, [letters.size(caption) for caption in captions])
    rects = [QRectF(*box) for box in layout.boxes]
    edges = [EdgeShape(route) for route in layout.routes if route.steps]
    return GraphPicture(kind, graph, layout, captions, letters, rects, edges)


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
_AWAY = QT_TRANSLATE_NOOP("Graph", "may lead where the code does not tell")
_ENDS = QT_TRANSLATE_NOOP("Graph", "ends here")


def summary(picture: GraphPicture) -> str:
    """Returns how much there is of it, in a line."""
    graph = picture.graph
    words = [_counted(len(graph.blocks), *_BLOCKS), _counted(len(graph.loops), *_LOOPS)]
    deepest = max((loop.depth for loop in graph.loops), default=0)
    if deepest > 1:
        words.append(_tr(_NESTED).format(depth=deepest))
    if any(len(loop.entries) > 1 for loop in graph.loops):
        words.append(_tr(_SEVERAL_ENTRIES))
    return ", ".join(words)


def description(picture: GraphPicture, block: BasicBlock) -> str:
    """Returns what a block is, for a tip and for screen readers."""
    graph = picture.graph
    words = [
        _tr(_BLOCK).format(name=block.name, number=block.id + 1, all=len(graph.blocks)),
        _counted(picture.captions[block.id].count, *_INSTRUCTIONS),
    ]
    if (inner := graph.innermost[block.id]) != NOWHERE:
        loop = graph.loops[inner]
        words.append(_tr(_HEAD if loop.head == block.id else _INSIDE).format(depth=loop.depth))
    if following := [graph.blocks[other].name for other in graph.successors[block.id]]:
        words.append(_tr(_LEADS).format(names=", ".join(following)))
    if block.leads_away:
        words.append(_tr(_AWAY))
    elif not following:
        words.append(_tr(_ENDS))
    return "; ".join(words)


def _counted(count: int, one: str, many: str) -> str:
    return counted(count, _tr(one), _tr(many))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Graph", text)
