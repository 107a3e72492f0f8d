"""Where a flow graph is looked at: zoomed, moved, walked through by keyboard, clicked on."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import QGraphicsScene, QGraphicsView, QToolTip, QWidget

from jitstudio.analysis.flow.captions import Letters
from jitstudio.analysis.sass.model import NOWHERE
from jitstudio.gui.features.graph.blocks_item import READABLE, BlocksItem
from jitstudio.gui.features.graph.edges_item import EdgesItem
from jitstudio.gui.features.graph.look import look_of
from jitstudio.gui.features.graph.model import GraphPicture, description
from jitstudio.gui.features.graph.walk import step
from jitstudio.gui.kit.diagrams.canvas import PictureCanvas, Way
from jitstudio.gui.kit.fonts import LETTERS, code_font
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import Theme

_POINTS = 9.0
_ZOOMED = (0.01, 3.0)
_MARGIN = 40
_NEAR = 60


class GraphCanvas(PictureCanvas):
    """Shows one graph.

    Signals:
        block_chosen: The user walked to this block.
        block_clicked: The user wants to see the text of it.
        block_activated: The user wants to go on in the text of it.
    """

    block_chosen = Signal(int)
    block_clicked = Signal(int)
    block_activated = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
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
        self._theme = theme
        self._font = code_font(_POINTS, zoomed=False)
        self._picture: GraphPicture | None = None
        self._blocks: BlocksItem | None = None
        self._edges: EdgesItem | None = None
        self._current = NOWHERE
        self._pressed = QPoint()
        self.set_theme(theme)

    @property
    def letters(self) -> Letters:
        """The room that the text in blocks takes."""
        metrics = QFontMetricsF(self._font)
        return Letters(metrics.horizontalAdvance("0"), metrics.height(), metrics.ascent())

    @property
    def picture(self) -> GraphPicture | None:
        """What is shown."""
        return self._picture

    @property
    def current(self) -> int:
        """The block that is marked, or `NOWHERE`."""
        return self._current

    def set_hint(self, hint: str) -> None:
        """Say this where there is nothing to show."""
        if hint != self._hint:
            self._hint = hint
            self._describe()
            self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        look = look_of(theme)
        self.setBackgroundBrush(look.ground)
        for item in (self._blocks, self._edges):
            if item is not None:
                item.set_look(look)

    def show_picture(self, picture: GraphPicture | None) -> None:
        """Show this graph, or none; one of the same function stays where it is looked at."""
        before = self._picture
        self._picture = picture
        self._scene.clear()
        self._blocks = self._edges = None
        self._current = NOWHERE
        if picture is not None:
            look = look_of(self._theme)
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
        """Mark a block, or none, and bring it into sight."""
        if block == self._current or self._blocks is None:
            return
        self._current = block
        self._blocks.set_current(block)
        if block != NOWHERE:
            self.ensureVisible(self._blocks.rect(block), _NEAR, _NEAR)
        self._describe()

    @Slot()
    def fit(self) -> None:
        """Show all of it."""
        if self._picture is not None:
            self.fitInView(self._scene.sceneRect(), Qt.AspectRatioMode.KeepAspectRatio)
            if self.transform().m11() > LETTERS.zoom:
                self._show_at_usual_size()

    @Slot()
    def activate_current(self) -> None:
        """Go on in the text of the block that is marked."""
        if self._current != NOWHERE:
            self.block_activated.emit(self._current)

    def walk(self, way: Way) -> bool:
        """Take the keyboard to the block that lies there; whether there is one at all."""
        picture = self._picture
        if picture is None or not picture.graph.blocks:
            return False
        self.mark(step(picture.graph, picture.layout, self._current, way))
        self.block_chosen.emit(self._current)
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to move the graph, or to click on a block."""
        self._pressed = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go to a block that was clicked on, unless the graph was moved."""
        super().mouseReleaseEvent(event)
        place = event.position().toPoint()
        still = (place - self._pressed).manhattanLength() < 4
        if event.button() is Qt.MouseButton.LeftButton and still:
            block = self._block_at(place)
            if block != NOWHERE:
                self.mark(block)
                self.block_clicked.emit(block)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Go on in the text."""
        if self._block_at(event.position().toPoint()) != NOWHERE:
            self.activate_current()

    def viewportEvent(self, event: QHelpEvent | object) -> bool:
        """Tell what the block under the mouse is."""
        if isinstance(event, QHelpEvent) and event.type() == QHelpEvent.Type.ToolTip:
            block = self._block_at(event.pos())
            picture = self._picture
            if block == NOWHERE or picture is None:
                QToolTip.hideText()
            else:
                told = description(picture, picture.graph.blocks[block])
                QToolTip.showText(event.globalPos(), plain_tooltip(told), self)
            return True
        return super().viewportEvent(event)  # type: ignore[arg-type]

    def drawForeground(self, painter: QPainter, _rect: QRectF | object) -> None:
        """Say what will be here where there is nothing yet."""
        if self._picture is None and self._hint:
            self._paint_hint(painter, self._theme.code.hint)

    def _look_at_beginning(self) -> None:
        """All of it if it can be read so, else its first block at its usual size."""
        self.fit()
        if self.transform().m11() < READABLE * LETTERS.zoom and self._blocks is not None:
            self._show_at_usual_size()
            first = self._blocks.rect(0)
            self.centerOn(first.center().x(), first.top() + self.viewport().height() / 2 - _NEAR)

    def _show_at_usual_size(self) -> None:
        self.resetTransform()
        self.scale(LETTERS.zoom, LETTERS.zoom)

    def _block_at(self, place: QPoint) -> int:
        return self._blocks.block_at(self.mapToScene(place)) if self._blocks else NOWHERE

    def _describe(self) -> None:
        """Tell those who hear the window where the keyboard is."""
        told = self._hint
        if self._picture is not None:
            blocks = self._picture.graph.blocks
            told = (
                description(self._picture, blocks[self._current])
                if self._current != NOWHERE
                else ""
            )
        self._tell(told)


def _subject(picture: GraphPicture) -> tuple[object, str]:
    return picture.kind, picture.graph.name
