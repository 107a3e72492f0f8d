"""Where the picture of a build is looked at: zoomed, walked through by keyboard, clicked on."""

from __future__ import annotations

import time

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QFocusEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from jitstudio.gui.features.pipeline.graph import Node, Pipeline, State
from jitstudio.gui.features.pipeline.model import description
from jitstudio.gui.features.pipeline.node_item import NodeItem
from jitstudio.gui.features.pipeline.scene import PipelineScene
from jitstudio.gui.features.pipeline.steps import step
from jitstudio.gui.kit.diagrams.canvas import PictureCanvas, Way
from jitstudio.gui.kit.fonts import LETTERS
from jitstudio.gui.kit.theme import Theme

_TICK_MS = 60
# Smaller than this nobody reads it, so that it is scrolled instead; larger looks coarse.
_FITTED = (0.7, 1.8)
_ZOOMED = (0.3, 4.0)
_NEAR = 30


class PipelineCanvas(PictureCanvas):
    """Shows one picture, as large as it fits until the user zooms.

    Signals:
        activated: The user wants to see what this node stands for.
    """

    activated = Signal(Node)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(_ZOOMED, parent)
        # With a parent it ends in this thread: Python may collect what has none in another one,
        # where Qt cannot stop the timer of its index.
        self._scene = PipelineScene(theme, self)
        self.setScene(self._scene)
        self.setObjectName("pipelineCanvas")
        self.setAccessibleName(self.tr("Pipeline of the build"))
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setMouseTracking(True)
        self._theme = theme
        self._current = ""
        self._pressed: NodeItem | None = None
        self._fits = True
        self._ticker = QTimer(self, interval=_TICK_MS)
        self._ticker.timeout.connect(self._on_tick)
        self.set_theme(theme)

    @property
    def pipeline(self) -> Pipeline:
        """What is shown."""
        return self._scene.pipeline

    @property
    def picture(self) -> PipelineScene:
        """All that is drawn."""
        return self._scene

    @property
    def current(self) -> Node | None:
        """The node that the keyboard is at."""
        return self.pipeline.node(self._current)

    @property
    def is_ticking(self) -> bool:
        """Whether time is being told."""
        return self._ticker.isActive()

    def set_hint(self, hint: str) -> None:
        """Say this where there is nothing to show."""
        self._hint = hint
        self._describe()

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self.setBackgroundBrush(theme.ui.base)
        self._scene.set_theme(theme)

    def show_pipeline(self, pipeline: Pipeline) -> None:
        """Show this picture; one of the same shape changes in place."""
        failed = {n.key for n in self.pipeline.nodes if n.state is State.FAILED}
        if self._scene.show_pipeline(pipeline):
            failed = set()
            self._current = self._current if pipeline.node(self._current) else ""
            self._mark_current()
            if self._fits:
                self.fit()
        running = any(node.state is State.RUNNING for node in pipeline.nodes)
        if running != self.is_ticking:
            self._ticker.start() if running else self._ticker.stop()
        if self.hasFocus():
            self._begin_walk()
        self._reveal_new_failure(failed)
        self._describe()

    @Slot()
    def fit(self) -> None:
        """Show all of it, as far as it can be read."""
        self._fits = True
        rect, room = self._scene.sceneRect(), self.maximumViewportSize()
        if rect.isEmpty():
            return
        least, most = (each * LETTERS.zoom for each in _FITTED)
        wide, high = room.width() / rect.width(), room.height() / rect.height()
        # What is too high to be seen at once may as well be scrolled at its usual size.
        scale = min(wide, high) if high >= least else min(wide, LETTERS.zoom)
        self.resetTransform()
        self.scale(*[max(least, min(most, scale))] * 2)
        self.centerOn(QPointF(rect.left(), rect.center().y()))

    @Slot()
    def activate_current(self) -> None:
        """Open what the node at the keyboard stands for."""
        if self.current is not None:
            self.activated.emit(self.current)

    def go_to(self, key: str) -> None:
        """Bring the keyboard to this node."""
        self._current = key
        self._mark_current()
        if (item := self._scene.item(key)) is not None:
            self.ensureVisible(item, _NEAR, _NEAR)
        self._describe()

    def walk(self, way: Way) -> bool:
        """Take the keyboard to the node that lies there; whether there is one at all."""
        if not self.pipeline.nodes:
            return False
        self.go_to(step(self._scene.places, self._current, way))
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember what was pressed."""
        self._pressed = self._node_at(event)
        if self._pressed is not None:
            self.go_to(self._pressed.node.key)
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the node that was pressed, if the mouse is still over it."""
        super().mouseReleaseEvent(event)
        left = event.button() is Qt.MouseButton.LeftButton
        if left and self._pressed is not None and self._pressed is self._node_at(event):
            self.activated.emit(self._pressed.node)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit again, unless the user has zoomed."""
        super().resizeEvent(event)
        if self._fits:
            self.fit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is: at what failed, or at the first node."""
        super().focusInEvent(event)
        self._begin_walk()
        self._mark_current()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self._mark_current()

    def drawForeground(self, painter: QPainter, _rect: QRectF | object) -> None:
        """Say what will be here where there is nothing yet."""
        if not self.pipeline.nodes and self._hint:
            self._paint_hint(painter, self._theme.ui.muted_text)

    def fit_letters(self) -> None:
        """Scale the picture along with the rest of the window; what was fitted is fitted anew."""
        fits = self._fits
        super().fit_letters()
        if fits:
            self.fit()

    def _zoom(self, factor: float) -> None:
        self._fits = False
        super()._zoom(factor)

    def _node_at(self, event: QMouseEvent) -> NodeItem | None:
        item = self.itemAt(event.position().toPoint())
        return item if isinstance(item, NodeItem) else None

    def _begin_walk(self) -> None:
        nodes = self.pipeline.nodes
        if self.current is None and nodes:
            failed = (node for node in nodes if node.state is State.FAILED)
            self.go_to(next(failed, nodes[0]).key)

    def _mark_current(self) -> None:
        for node in self.pipeline.nodes:
            if (item := self._scene.item(node.key)) is not None:
                item.set_current(node.key == self._current and self.hasFocus())

    def _reveal_new_failure(self, before: set[str]) -> None:
        failed = (n.key for n in self.pipeline.nodes if n.state is State.FAILED)
        key = next((key for key in failed if key not in before), None)
        if key is not None and (item := self._scene.item(key)) is not None:
            self.ensureVisible(item, _NEAR, _NEAR)

    def _describe(self) -> None:
        """Tell those who hear the window where the keyboard is."""
        node = self.current
        told = description(node, time.monotonic()) if node is not None else ""
        if not self.pipeline.nodes:
            told = self._hint
        self._tell(told)

    @Slot()
    def _on_tick(self) -> None:
        if self.isVisible():
            self._scene.tick(time.monotonic())
