"""The build as a picture, with a summary line and buttons to zoom."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.features.pipeline.graph import (
    GridPosition,
    Node,
    NodeState,
    Pipeline,
    PipelineLayout,
)
from jitstudio.gui.features.pipeline.model import description, stages_text, summary
from jitstudio.gui.features.pipeline.scene import (
    NodeItem,
    PipelineScene,
    image_of,
    mark_of,
    save_picture,
)
from jitstudio.gui.kit.command_keys import COMMAND_KEYS, follow_keys
from jitstudio.gui.kit.diagrams.canvas import PictureButtons, PictureCanvas, Way
from jitstudio.gui.kit.fonts import LETTERS
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.parts import show_tip
from jitstudio.gui.kit.theme import current_theme, follow_theme

# What lies that way, and how far off it is; None for what does not.
_Distance = Callable[[GridPosition, GridPosition], tuple[float, float] | None]
_DISTANCES: dict[Way, _Distance] = {
    Way.LEFT: lambda here, there: _beside(here.column - there.column, here, there),
    Way.RIGHT: lambda here, there: _beside(there.column - here.column, here, there),
    Way.UP: lambda here, there: _along(here.row - there.row, here, there),
    Way.DOWN: lambda here, there: _along(there.row - here.row, here, there),
}


def step(layout: PipelineLayout, key: str, way: Way) -> str:
    """Returns the next node in a direction from `key`; `key` where there is none.

    Args:
        layout: Where the nodes are; there is at least one.
        key: Where to start; if that is nowhere, the way leads to the first node.
        way: Where to go.
    """
    ordered = sorted(layout.places, key=lambda k: (layout.places[k].column, layout.places[k].row))
    if way is Way.LAST:
        return ordered[-1]
    if way is Way.FIRST or key not in layout.places:
        return ordered[0]
    here, distance = layout.places[key], _DISTANCES[way]
    distances = {other: distance(here, layout.places[other]) for other in ordered}
    reachable = {other: far for other, far in distances.items() if far is not None}
    return min(reachable, key=reachable.__getitem__) if reachable else key


def _beside(columns: int, here: GridPosition, there: GridPosition) -> tuple[float, float] | None:
    return (columns, abs(there.row - here.row)) if columns > 0 else None


def _along(rows: float, here: GridPosition, there: GridPosition) -> tuple[float, float] | None:
    return (rows, 0.0) if rows > 0 and there.column == here.column else None


_TICK_MS = 60
# Smaller than this it cannot be read, so that it is scrolled instead; larger looks coarse.
_FITTED = (0.7, 1.8)
_ZOOMED = (0.3, 4.0)
_NEAR = 30


class PipelineCanvas(PictureCanvas):
    """Shows a picture, fitted to the window until the user zooms.

    Signals:
        activated: The user wants to open the object that this node represents.
    """

    activated = Signal(Node)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_ZOOMED, parent)
        # With a parent it ends in this thread: Python may collect what has none in another one,
        # where Qt cannot stop the timer of its index.
        self._scene = PipelineScene(current_theme(), self)
        self.setScene(self._scene)
        self.setObjectName("pipelineCanvas")
        self.setAccessibleName(self.tr("Pipeline of the build"))
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setMouseTracking(True)
        self._current = ""
        self._pressed: NodeItem | None = None
        self._fits = True
        self._ticker = QTimer(self, interval=_TICK_MS)
        self._ticker.timeout.connect(self._on_tick)
        follow_theme(self, PipelineCanvas._apply_theme)

    @property
    def pipeline(self) -> Pipeline:
        """The shown picture."""
        return self._scene.pipeline

    @property
    def picture(self) -> PipelineScene:
        """The whole drawn picture."""
        return self._scene

    @property
    def current(self) -> Node | None:
        """The node that the keyboard is at."""
        return self.pipeline.node(self._current)

    @property
    def is_ticking(self) -> bool:
        """Whether elapsed times are being updated."""
        return self._ticker.isActive()

    def set_hint(self, hint: str) -> None:
        """Sets the hint for when there is no picture."""
        self._hint = hint
        self._describe()

    def _apply_theme(self) -> None:
        theme = current_theme()
        self.setBackgroundBrush(theme.ui.base)
        self._scene.set_theme(theme)

    def show_pipeline(self, pipeline: Pipeline) -> None:
        """Shows a picture; a picture of equal shape changes in place."""
        failed = {n.key for n in self.pipeline.nodes if n.state is NodeState.FAILED}
        if self._scene.show_pipeline(pipeline):
            failed = set()
            self._current = self._current if pipeline.node(self._current) else ""
            self._mark_current()
            if self._fits:
                self.fit()
        running = any(node.state is NodeState.RUNNING for node in pipeline.nodes)
        if running != self.is_ticking:
            self._ticker.start() if running else self._ticker.stop()
        if self.hasFocus():
            self._begin_walk()
        self._reveal_new_failure(failed)
        self._describe()

    @Slot()
    def fit(self) -> None:
        """Fits the whole picture, as far as that is legible."""
        self._fits = True
        rect, room = self._scene.sceneRect(), self.maximumViewportSize()
        if rect.isEmpty():
            return
        least, most = (zoom * LETTERS.zoom for zoom in _FITTED)
        wide, high = room.width() / rect.width(), room.height() / rect.height()
        # What is too high to be seen at once may as well be scrolled at its usual size.
        scale = min(wide, high) if high >= least else min(wide, LETTERS.zoom)
        self.resetTransform()
        self.scale(*[max(least, min(most, scale))] * 2)
        self.centerOn(QPointF(rect.left(), rect.center().y()))

    @Slot()
    def activate_current(self) -> None:
        """Opens the object that the node at the keyboard represents."""
        if self.current is not None:
            self.activated.emit(self.current)

    def go_to(self, key: str) -> None:
        """Brings the keyboard to a node."""
        self._current = key
        self._mark_current()
        if (item := self._scene.item(key)) is not None:
            self.ensureVisible(item, _NEAR, _NEAR)
        self._describe()

    def walk(self, way: Way) -> bool:
        """Moves the keyboard to the next node in a direction; returns whether there are nodes."""
        if not self.pipeline.nodes:
            return False
        self.go_to(step(self._scene.places, self._current, way))
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remembers the pressed node."""
        self._pressed = self._node_at(event)
        if self._pressed is not None:
            self.go_to(self._pressed.node.key)
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Opens the node that was pressed, if the mouse is still over the same node."""
        super().mouseReleaseEvent(event)
        left = event.button() is Qt.MouseButton.LeftButton
        if left and self._pressed is not None and self._pressed is self._node_at(event):
            self.activated.emit(self._pressed.node)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fits again, unless the user has zoomed."""
        super().resizeEvent(event)
        if self._fits:
            self.fit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows the node with the keyboard: the failed node, or the first."""
        super().focusInEvent(event)
        self._begin_walk()
        self._mark_current()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Takes the ring away."""
        super().focusOutEvent(event)
        self._mark_current()

    def drawForeground(self, painter: QPainter, _rect: QRectF | object) -> None:
        """Paints the hint where there is no picture yet."""
        if not self.pipeline.nodes and self._hint:
            self._paint_hint(painter, current_theme().ui.muted_text)

    def fit_letters(self) -> None:
        """Scales the picture along with the rest of the window; a fitted picture is fitted anew."""
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
            failed = (node for node in nodes if node.state is NodeState.FAILED)
            self.go_to(next(failed, nodes[0]).key)

    def _mark_current(self) -> None:
        for node in self.pipeline.nodes:
            if (item := self._scene.item(node.key)) is not None:
                item.set_current(node.key == self._current and self.hasFocus())

    def _reveal_new_failure(self, before: set[str]) -> None:
        failed = (n.key for n in self.pipeline.nodes if n.state is NodeState.FAILED)
        key = next((key for key in failed if key not in before), None)
        if key is not None and (item := self._scene.item(key)) is not None:
            self.ensureVisible(item, _NEAR, _NEAR)

    def _describe(self) -> None:
        """Reports to screen readers where the keyboard is."""
        node = self.current
        text = description(node, time.monotonic()) if node is not None else ""
        if not self.pipeline.nodes:
            text = self._hint
        self._announce(text)

    @Slot()
    def _on_tick(self) -> None:
        if self.isVisible():
            self._scene.tick(time.monotonic())


_ICON_SIZE = 16


class PipelineView(QWidget):
    """Shows a `Pipeline`; keeps only the zoom and position of the view.

    Signals:
        activated: The user wants to open the object that this node represents.
        picture_requested: The user wants the picture in a file.
        folded: The user wants a line in place of the picture, or the picture.
        needs_changed: The pane needs another height, as its letters are others.
    """

    activated = Signal(Node)
    picture_requested = Signal()
    folded = Signal(bool)
    needs_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pipelineView")
        self.canvas = PipelineCanvas(self)
        self._mark = QLabel(self)
        self._summary = QLabel(self)
        self._summary.setObjectName("pipelineSummary")
        self._summary.setTextFormat(Qt.TextFormat.PlainText)
        self._summary.setMinimumWidth(1)
        self._buttons = PictureButtons("pipeline", self.canvas, self.tr("Save the picture…"), self)
        self._buttons.picture_requested.connect(self.picture_requested)
        self._fold = QToolButton(self)
        self._fold.setCheckable(True)
        self._fold.setObjectName("foldPipeline")
        self._fold.setAutoRaise(True)
        self._fold.setAccessibleName(self.tr("Pipeline as a line"))
        self._fold.setToolTip(self.tr("Show the stages in a line, to have room for the code"))
        follow_theme(self, PipelineView._show_fold)
        self._fold.clicked.connect(self._on_fold)
        self._lay_out()
        self.setFocusProxy(self.canvas)
        self.canvas.activated.connect(self.activated)
        follow_keys(self, PipelineView._show_hint)
        follow_theme(self, PipelineView._show_summary)
        self.show_pipeline(Pipeline())

    def _show_hint(self) -> None:
        hint = self.tr(
            "The build will be drawn here: each tool that runs, what it reads and what it "
            "makes.\nOpen or write a kernel; it is built as you type, or with {keys}."
        )
        self.canvas.set_hint(hint.format(keys=COMMAND_KEYS.words("buildAction")))

    @Slot(Pipeline)
    def show_pipeline(self, pipeline: Pipeline) -> None:
        """Shows a picture."""
        self.canvas.show_pipeline(pipeline)
        self._show_summary()
        self._buttons.setEnabled(bool(pipeline.nodes))
        self._fold.setEnabled(bool(pipeline.nodes))

    @property
    def is_folded(self) -> bool:
        """Whether the picture is folded to a line of stages."""
        return self.canvas.isHidden()

    def fold(self, on: bool) -> None:
        """Shows the stages in a line, or the picture."""
        self.canvas.setVisible(not on)
        self._buttons.setVisible(not on)
        self._fold.setChecked(on)
        self._show_fold()
        self.setFocusProxy(self._fold if on else self.canvas)
        self._show_summary()

    def save_picture(self, path: Path) -> None:
        """Writes the picture to a file: SVG, or PNG where the name says so.

        Raises:
            PictureError: The file cannot be written.
        """
        save_picture(self.canvas.pipeline, current_theme(), path)

    def event(self, event: QEvent) -> bool:
        """Tells that parts of the pane have other letters."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.needs_changed.emit()
        return done

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Opens the menu where the mouse is."""
        if self.canvas.pipeline.nodes:
            self.open_menu(event.globalPos())

    def open_menu(self, place: QPoint) -> None:
        """Offers the actions on the node at the keyboard and on the picture."""
        menu = QMenu(self)
        current = self.canvas.current
        if current is not None:
            opened = menu.addAction(self.tr("&Open {name}").format(name=current.title))
            opened.triggered.connect(self.canvas.activate_current)
            menu.addSeparator()
        menu.addAction(self.tr("Show &all of it")).triggered.connect(self.canvas.fit)
        menu.addAction(self.tr("&Copy as picture")).triggered.connect(self._on_copy)
        menu.addAction(self.tr("&Save picture…")).triggered.connect(self.picture_requested)
        menu.addActions(self.actions())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(10, 3, 4, 3)
        head.setSpacing(6)
        head.addWidget(self._mark)
        head.addWidget(self._summary, 1)
        head.addWidget(self._buttons)
        head.addWidget(self._fold)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.canvas, 1)

    def _show_fold(self) -> None:
        name = "chevron-down" if self.is_folded else "chevron-up"
        self._fold.setIcon(icon(name, current_theme().ui.text))

    def _show_summary(self) -> None:
        state, words = summary(self.canvas.pipeline)
        if self.is_folded:
            words = stages_text(self.canvas.pipeline) or words
        theme = current_theme()
        name, color = mark_of(state, theme)
        self._mark.setVisible(bool(name))
        if name:
            self._mark.setPixmap(icon(name, color).pixmap(_ICON_SIZE))
        self._summary.setText(words)
        show_tip(self._summary, words)
        ink = color if state is NodeState.FAILED else theme.ui.text
        self._summary.setStyleSheet(f"color: {ink.name()}")

    @Slot(bool)
    def _on_fold(self, on: bool) -> None:
        self.fold(on)
        if not on and self._fold.hasFocus():
            # Who unfolds the picture by a key wants to go on in the picture.
            self.canvas.setFocus()
        self.folded.emit(on)

    @Slot()
    def _on_copy(self) -> None:
        image = image_of(self.canvas.pipeline, current_theme())
        QGuiApplication.clipboard().setImage(image)
