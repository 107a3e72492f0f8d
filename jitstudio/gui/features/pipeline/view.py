"""The build as a picture, with a line that sums it up and buttons to look closer."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from jitstudio.gui.features.pipeline.canvas import PipelineCanvas
from jitstudio.gui.features.pipeline.graph import Node, Pipeline, State
from jitstudio.gui.features.pipeline.look import mark_of
from jitstudio.gui.features.pipeline.model import summary
from jitstudio.gui.features.pipeline.picture import image_of, save_picture
from jitstudio.gui.kit.command_keys import COMMAND_KEYS, follow_keys
from jitstudio.gui.kit.diagrams.export import PictureButtons
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import Theme

_ICON_SIZE = 16


class PipelineView(QWidget):
    """Shows a `Pipeline`; holds nothing but how it is looked at.

    Signals:
        activated: The user wants to see what this node stands for.
        picture_requested: The user wants the picture in a file.
    """

    activated = Signal(Node)
    picture_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pipelineView")
        self._theme = theme
        self.canvas = PipelineCanvas(theme, self)
        self._mark = QLabel(self)
        self._summary = QLabel(self)
        self._summary.setObjectName("pipelineSummary")
        self._summary.setTextFormat(Qt.TextFormat.PlainText)
        self._summary.setMinimumWidth(1)
        self._buttons = PictureButtons("pipeline", self.canvas, self.tr("Save the picture…"), self)
        self._buttons.picture_requested.connect(self.picture_requested)
        self._lay_out()
        self.setFocusProxy(self.canvas)
        self.canvas.activated.connect(self.activated)
        follow_keys(self, PipelineView._show_hint)
        self.set_theme(theme)
        self.show_pipeline(Pipeline())

    def _show_hint(self) -> None:
        hint = self.tr(
            "The build will be drawn here: each tool that runs, what it reads and what it "
            "makes.\nOpen or write a kernel; it is built as you type, or with {keys}."
        )
        self.canvas.set_hint(hint.format(keys=COMMAND_KEYS.words("buildAction")))

    @Slot(Pipeline)
    def show_pipeline(self, pipeline: Pipeline) -> None:
        """Show this picture."""
        self.canvas.show_pipeline(pipeline)
        self._show_summary()
        self._buttons.setEnabled(bool(pipeline.nodes))

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self.canvas.set_theme(theme)
        self._buttons.set_theme(theme)
        self._show_summary()

    def save_picture(self, path: Path) -> None:
        """Write the picture to a file: SVG, or PNG where the name says so.

        Raises:
            PictureError: The file cannot be written.
        """
        save_picture(self.canvas.pipeline, self._theme, path)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu where the mouse is."""
        if self.canvas.pipeline.nodes:
            self.open_menu(event.globalPos())

    def open_menu(self, place: QPoint) -> None:
        """Offer what can be done with the node at the keyboard and with the picture."""
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
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.canvas, 1)

    def _show_summary(self) -> None:
        state, told = summary(self.canvas.pipeline)
        name, color = mark_of(state, self._theme)
        self._mark.setVisible(bool(name))
        if name:
            self._mark.setPixmap(icon(name, color).pixmap(_ICON_SIZE))
        self._summary.setText(told)
        self._summary.setToolTip(plain_tooltip(told))
        ink = color if state is State.FAILED else self._theme.ui.text
        self._summary.setStyleSheet(f"color: {ink.name()}")

    @Slot()
    def _on_copy(self) -> None:
        image = image_of(self.canvas.pipeline, self._theme)
        QGuiApplication.clipboard().setImage(image)
