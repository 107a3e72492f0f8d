"""The control flow of a kernel as a graph: of the PTX or of the SASS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QPoint, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QComboBox,
    QGraphicsScene,
    QGraphicsView,
    QHBoxLayout,
    QMenu,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from jitstudio.analysis.control_flow import FlowGraph
from jitstudio.analysis.diagrams.captions import TextMetrics
from jitstudio.analysis.diagrams.flow_layout import Box, GraphLayout
from jitstudio.core.code import CodeKind
from jitstudio.gui.features.graph.model import GraphPicture, description, summary
from jitstudio.gui.features.graph.scene import READABLE, BlocksItem, EdgesItem, look_of
from jitstudio.gui.kit.diagrams.canvas import PictureButtons, PictureCanvas, Way
from jitstudio.gui.kit.fonts import LETTERS, code_font
from jitstudio.gui.kit.parts import ShorteningLabel, show_tip
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.spoken_text import SpokenText, offer_text, text_spoken
from jitstudio.gui.kit.theme import current_theme, follow_theme
from jitstudio.gui.listing.kernel_pane import KernelView
from jitstudio.listing.lines import NOWHERE


def step(graph: FlowGraph, layout: GraphLayout, block: int, way: Way) -> int:
    """Returns the next block in a direction from `block`; `block` where there is none.

    Up and down follow the edges where there are some that lead this way.

    Args:
        graph: The graph; has a block at least.
        layout: Where its blocks are.
        block: Where to start; if that is nowhere, the way leads to the first block.
        way: Where to go.
    """
    if way is Way.LAST:
        return len(graph.blocks) - 1
    if way is Way.FIRST or not 0 <= block < len(graph.blocks):
        return 0
    linked: Iterable[int] = ()
    if way in (Way.UP, Way.DOWN):
        linked = (graph.predecessors if way is Way.UP else graph.successors)[block]
    nearest = _nearest(layout, block, linked, _THERE[way])
    return (
        _nearest(layout, block, range(len(graph.blocks)), _THERE[way])
        if nearest == block
        else nearest
    )


_THERE: dict[Way, Callable[[Box, Box], bool]] = {
    Way.LEFT: lambda here, there: _beside(here, there) and there.middle < here.middle,
    Way.RIGHT: lambda here, there: _beside(here, there) and there.middle > here.middle,
    Way.UP: lambda here, there: there.bottom <= here.y,
    Way.DOWN: lambda here, there: there.y >= here.bottom,
}


def _beside(here: Box, there: Box) -> bool:
    return there.y < here.bottom and there.bottom > here.y


def _nearest(
    layout: GraphLayout, block: int, others: Iterable[int], is_there: Callable[[Box, Box], bool]
) -> int:
    here = layout.boxes[block]
    there = [other for other in others if is_there(here, layout.boxes[other])]
    return min(there, key=lambda other: _distance(here, layout.boxes[other]), default=block)


def _distance(here: Box, there: Box) -> float:
    upright = max(there.y - here.bottom, here.y - there.bottom, 0.0)
    return upright + abs(here.middle - there.middle)


_POINTS = 9.0
_ZOOMED = (0.01, 3.0)
_MARGIN = 40
_NEAR = 60


class GraphCanvas(SpokenText, PictureCanvas):
    """Shows a graph.

    Signals:
        block_chosen: The user walked to this block.
        block_clicked: The user wants to see the text of it.
        block_activated: The user wants to go on in the text of it.
    """

    block_chosen = Signal(int)
    block_clicked = Signal(int)
    block_activated = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_ZOOMED, parent)
        # With a parent it ends in this thread.
        self._scene = QGraphicsScene(self)
        # One item for all blocks and one for all edges need no index.
        self._scene.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.setScene(self._scene)
        self.setObjectName("graphCanvas")
        self.setAccessibleName(self.tr("Control-flow graph"))
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontSavePainterState)
        self._font = code_font(_POINTS, zoomed=False)
        self._picture: GraphPicture | None = None
        # Where the view was put, until the user goes elsewhere.
        self._beginning: tuple[float, int, int] | None = None
        self._blocks: BlocksItem | None = None
        self._edges: EdgesItem | None = None
        self._current = NOWHERE
        self._pressed = QPoint()
        self._spoken: Sequence[str] = ()
        offer_text(self)
        follow_theme(self, GraphCanvas._apply_theme)

    @property
    def letters(self) -> TextMetrics:
        """The room that the text in blocks takes."""
        metrics = QFontMetricsF(self._font)
        return TextMetrics(metrics.horizontalAdvance("0"), metrics.height(), metrics.ascent())

    @property
    def picture(self) -> GraphPicture | None:
        """The shown graph."""
        return self._picture

    @property
    def current(self) -> int:
        """The block that is marked, or `NOWHERE`."""
        return self._current

    def set_hint(self, hint: str) -> None:
        """Sets the hint for when there is no graph."""
        if hint != self._hint:
            self._hint = hint
            self._describe()
            self.viewport().update()

    def _apply_theme(self) -> None:
        theme = current_theme()
        look = look_of(theme)
        self.setBackgroundBrush(look.ground)
        for item in (self._blocks, self._edges):
            if item is not None:
                item.set_look(look)

    def show_picture(self, picture: GraphPicture | None) -> None:
        """Shows a graph, or none; another graph of the same function keeps the view position."""
        before = self._picture
        self._picture = picture
        self._scene.clear()
        self._blocks = self._edges = None
        self._current = NOWHERE
        if picture is not None:
            look = look_of(current_theme())
            self._blocks = BlocksItem(picture, look, self._font)
            self._edges = EdgesItem(picture, look)
            self._scene.addItem(self._edges)
            self._scene.addItem(self._blocks)
            whole = QRectF(0, 0, picture.layout.width, picture.layout.height)
            self._scene.setSceneRect(whole.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN))
            if before is None or _subject(before) != _subject(picture):
                self._look_at_beginning()
        self._describe()

    def mark(self, block: int) -> None:
        """Marks a block, or none, and brings the block into sight."""
        if block == self._current or self._blocks is None:
            return
        self._current = block
        self._blocks.set_current(block)
        if block != NOWHERE:
            self.ensureVisible(self._blocks.rect(block), _NEAR, _NEAR)
        self._describe()

    @Slot()
    def fit(self) -> None:
        """Zooms out to the whole graph."""
        if self._picture is not None:
            self.fitInView(self._scene.sceneRect(), Qt.AspectRatioMode.KeepAspectRatio)
            if self.transform().m11() > LETTERS.zoom:
                self._show_at_usual_size()

    @Slot()
    def activate_current(self) -> None:
        """Goes on in the text of the block that is marked."""
        if self._current != NOWHERE:
            self.block_activated.emit(self._current)

    def walk(self, way: Way) -> bool:
        """Moves the keyboard to the next block in a direction; returns whether there are blocks."""
        picture = self._picture
        if picture is None or not picture.graph.blocks:
            return False
        self.mark(step(picture.graph, picture.layout, self._current, way))
        self.block_chosen.emit(self._current)
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begins to move the graph, or to click on a block."""
        self._pressed = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Goes to a block that was clicked on, unless the graph was moved."""
        super().mouseReleaseEvent(event)
        place = event.position().toPoint()
        still = (place - self._pressed).manhattanLength() < 4
        if event.button() is Qt.MouseButton.LeftButton and still:
            block = self._block_at(place)
            if block != NOWHERE:
                self.mark(block)
                self.block_clicked.emit(block)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Goes on in the text."""
        if self._block_at(event.position().toPoint()) != NOWHERE:
            self.activate_current()

    def viewportEvent(self, event: QHelpEvent | object) -> bool:
        """Shows a tip about the block under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QHelpEvent.Type.ToolTip:
            block = self._block_at(event.pos())
            picture = self._picture
            if block == NOWHERE or picture is None:
                QToolTip.hideText()
            else:
                text = description(picture, picture.graph.blocks[block])
                QToolTip.showText(event.globalPos(), plain_tooltip(text), self)
            return True
        return super().viewportEvent(event)  # type: ignore[arg-type]

    def drawForeground(self, painter: QPainter, _rect: QRectF | object) -> None:
        """Paints the hint where there is no graph yet."""
        if self._picture is None and self._hint:
            self._paint_hint(painter, current_theme().code.hint)

    def _look_at_beginning(self) -> None:
        """Shows the whole graph if that is legible, or the first block at the usual size."""
        self.fit()
        if self.transform().m11() < READABLE * LETTERS.zoom and self._blocks is not None:
            self._show_at_usual_size()
            first = self._blocks.rect(0)
            self.centerOn(first.center().x(), first.top() + self.viewport().height() / 2 - _NEAR)

        self._beginning = self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Looks at the beginning anew, unless the user has gone elsewhere since."""
        is_at_beginning = self._picture is not None and self._place() == self._beginning
        super().resizeEvent(event)
        if is_at_beginning:
            self._look_at_beginning()

    def _place(self) -> tuple[float, int, int]:
        """Returns the zoom and the place that the view is scrolled to."""
        bars = self.horizontalScrollBar(), self.verticalScrollBar()
        return self.transform().m11(), bars[0].value(), bars[1].value()

    def _show_at_usual_size(self) -> None:
        self.resetTransform()
        self.scale(LETTERS.zoom, LETTERS.zoom)

    def _block_at(self, place: QPoint) -> int:
        return self._blocks.block_at(self.mapToScene(place)) if self._blocks else NOWHERE

    def _describe(self) -> None:
        """Reports to screen readers where the keyboard is."""
        text = self._hint
        if self._picture is not None:
            blocks = self._picture.graph.blocks
            text = (
                description(self._picture, blocks[self._current])
                if self._current != NOWHERE
                else ""
            )
        self._announce(text)
        caption = None
        if self._picture is not None and self._current != NOWHERE:
            caption = self._picture.captions[self._current]
        self._spoken = (caption.title, *caption.rows) if caption is not None else (text,)
        text_spoken(self)

    def spoken_lines(self) -> Sequence[str]:
        """Returns the words of the marked block; those of the whole graph for none."""
        return self._spoken


def _subject(picture: GraphPicture) -> tuple[object, str]:
    return picture.kind, picture.graph.name


_KINDS = (CodeKind.SASS, CodeKind.PTX)
_MOST_WIDTH = 420


class GraphView(KernelView):
    """Shows a graph, and lets the user choose the kind and the kernel.

    Attributes:
        canvas: The graph itself.

    Signals:
        kind_chosen: The user wants to see SASS or PTX.
        picture_requested: The user wants the graph in a file.
        drawn: Another graph is shown.
    """

    kind_chosen = Signal(CodeKind)
    picture_requested = Signal()
    drawn = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("graph", parent)
        self.kernels.setMaximumWidth(_MOST_WIDTH)
        self.canvas = GraphCanvas(self)
        self._kinds = QComboBox(self)
        self._kinds.setObjectName("graphKindCombo")
        self._kinds.setAccessibleName(self.tr("Code of the graph"))
        for kind in _KINDS:
            self._kinds.addItem(kind.title, kind)
        self._summary = ShorteningLabel(self)
        self._summary.setObjectName("graphSummary")
        self._summary.setTextFormat(Qt.TextFormat.PlainText)
        saving = self.tr("Save the graph as SVG…")
        self._buttons = PictureButtons("graph", self.canvas, saving, self)
        self._buttons.picture_requested.connect(self.picture_requested)
        self._lay_out()
        self.setFocusProxy(self.canvas)
        self._kinds.activated.connect(self._on_kind_activated)
        self._show_picture(None)

    @property
    def kind(self) -> CodeKind:
        """The kind of code whose graph is shown."""
        return _KINDS[self._kinds.currentIndex()]

    def show_reading(self, reading: GraphPicture) -> None:
        """Shows a graph."""
        self._show_picture(reading)
        self.drawn.emit()

    def show_hint(self, words: str) -> None:
        """Says why there is no graph."""
        self.show_kernels((), "")
        self._show_picture(None)
        self.canvas.set_hint(words)

    def _show_picture(self, picture: GraphPicture | None) -> None:
        self.canvas.show_picture(picture)
        message = summary(picture) if picture is not None else ""
        self._summary.setText(message)
        show_tip(self._summary, message)
        self._buttons.setEnabled(picture is not None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offers the actions on the block at the keyboard and on the graph."""
        if self.canvas.picture is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self.canvas.current >= 0:
            show = self.tr("Show in {kind}").format(kind=self._kinds.currentText())
            menu.addAction(show, self.canvas.activate_current)
            menu.addSeparator()
        menu.addAction(self.tr("Show &all of it"), self.canvas.fit)
        menu.addAction(self.tr("&Copy as picture"), self._on_copy)
        menu.addAction(self.tr("&Save the graph as SVG…"), self.picture_requested.emit)
        menu.addActions(self.actions())
        menu.popup(event.globalPos())

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(12, 3, 8, 3)
        head.setSpacing(6)
        head.addWidget(self._kinds)
        head.addWidget(self.kernels, 1)
        head.addWidget(self._summary)
        head.addStretch()
        head.addWidget(self._buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.canvas, 1)

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setPixmap(self.canvas.grab())

    @Slot(int)
    def _on_kind_activated(self, index: int) -> None:
        self.kind_chosen.emit(_KINDS[index])
