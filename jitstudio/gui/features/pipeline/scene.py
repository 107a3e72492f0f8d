"""All nodes and edges of one picture, each where the layout says."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRectF
from PySide6.QtWidgets import QGraphicsScene

from jitstudio.gui.features.pipeline.edge_item import EdgeItem
from jitstudio.gui.features.pipeline.graph import Edge, Pipeline, State
from jitstudio.gui.features.pipeline.layout import Layout, Place, lay_out
from jitstudio.gui.features.pipeline.node_item import HEIGHT, WIDTH, NodeItem
from jitstudio.gui.kit.theme import Theme

_COLUMN, _ROW = WIDTH + 30, HEIGHT + 20
_MARGIN = 10.0


class PipelineScene(QGraphicsScene):
    """Keeps its items as long as the shape of the picture is the same."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pipeline = Pipeline()
        self._layout = Layout({}, {})
        self._nodes: dict[str, NodeItem] = {}
        self._edges: dict[Edge, EdgeItem] = {}

    @property
    def pipeline(self) -> Pipeline:
        """What is shown."""
        return self._pipeline

    @property
    def places(self) -> Layout:
        """Where the nodes stand."""
        return self._layout

    def item(self, key: str) -> NodeItem | None:
        """The item of the node with this key."""
        return self._nodes.get(key)

    def show_pipeline(self, pipeline: Pipeline) -> bool:
        """Show this picture; whether its shape is another than before."""
        reshaped = pipeline.shape != self._pipeline.shape
        self._pipeline = pipeline
        if reshaped:
            self._rebuild()
        else:
            self._refresh()
        return reshaped

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self._refresh()

    def tick(self, now: float) -> None:
        """Let those that run tell their time."""
        for item in self._nodes.values():
            if item.node.state is State.RUNNING:
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
        size = _corner(Place(self._layout.columns, self._layout.rows))
        gaps = QPointF(_COLUMN - WIDTH, _ROW - HEIGHT)
        rect = QRectF(QPointF(0, 0), size - gaps)
        self.setSceneRect(rect.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN))

    def _line(self, edge: Edge) -> EdgeItem:
        """Out of the right side of a node, along the middle of each stop, into the left side."""
        middle, across = QPointF(0, HEIGHT / 2), QPointF(WIDTH, 0)
        start, end = (_corner(self._layout.places[key]) for key in (edge.start, edge.end))
        points = [start + across + middle]
        for stop in self._layout.routes[edge]:
            points += [_corner(stop) + middle, _corner(stop) + middle + across]
        points.append(end + middle)
        return EdgeItem(points, self._nodes[edge.end].node, self._theme)


def _corner(place: Place) -> QPointF:
    return QPointF(place.column * _COLUMN, place.row * _ROW)
