"""The control flow of a kernel as a graph: of its PTX or of its SASS."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.features.graph.canvas import GraphCanvas
from jitstudio.gui.features.graph.model import GraphPicture, summary
from jitstudio.gui.kit.diagrams.export import PictureButtons
from jitstudio.gui.kit.parts import ShorteningLabel
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import Theme

_KINDS = (CodeKind.SASS, CodeKind.PTX)
_LEAST_LETTERS = 8
_MOST_WIDTH = 420


class GraphView(QWidget):
    """Shows one graph, and lets the user choose which.

    Attributes:
        canvas: The graph itself.

    Signals:
        kind_chosen: The user wants to see SASS or PTX.
        kernel_chosen: The user wants to see the function with this lowered name.
        picture_requested: The user wants the graph in a file.
    """

    kind_chosen = Signal(CodeKind)
    kernel_chosen = Signal(str)
    picture_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graphView")
        self._theme = theme
        self.canvas = GraphCanvas(theme, self)
        self._kinds = QComboBox(self)
        self._kinds.setObjectName("graphKindCombo")
        self._kinds.setAccessibleName(self.tr("Code of the graph"))
        for kind in _KINDS:
            self._kinds.addItem(kind.title, kind)
        self._kernels = QComboBox(self)
        self._kernels.setObjectName("graphKernelCombo")
        self._kernels.setAccessibleName(self.tr("Kernel of the graph"))
        # A name in C++ can be as long as it likes.
        shortened = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self._kernels.setSizeAdjustPolicy(shortened)
        self._kernels.setMinimumContentsLength(_LEAST_LETTERS)
        self._kernels.setMaximumWidth(_MOST_WIDTH)
        self._summary = ShorteningLabel(self)
        self._summary.setObjectName("graphSummary")
        self._summary.setTextFormat(Qt.TextFormat.PlainText)
        saving = self.tr("Save the graph as SVG…")
        self._buttons = PictureButtons("graph", self.canvas, saving, self)
        self._buttons.picture_requested.connect(self.picture_requested)
        self._lay_out()
        self.setFocusProxy(self.canvas)
        self._kinds.activated.connect(self._on_kind_activated)
        self._kernels.activated.connect(self._on_kernel_activated)
        self.set_theme(theme)
        self.show_picture(None)

    @property
    def kind(self) -> CodeKind:
        """The kind of code whose graph is shown."""
        return _KINDS[self._kinds.currentIndex()]

    def show_kernels(self, names: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer these functions: pairs of the lowered name and the one that people read."""
        with QSignalBlocker(self._kernels):
            self._kernels.clear()
            for lowered, readable in names:
                self._kernels.addItem(readable, lowered)
            self._kernels.setCurrentIndex(self._kernels.findData(chosen))
        self._kernels.setEnabled(bool(names))
        self._kernels.setToolTip(plain_tooltip(self._kernels.currentText()))

    def show_picture(self, picture: GraphPicture | None) -> None:
        """Show this graph, or none."""
        self.canvas.show_picture(picture)
        told = summary(picture) if picture is not None else ""
        self._summary.setText(told)
        self._summary.setToolTip(plain_tooltip(told))
        self._buttons.setEnabled(picture is not None)

    @property
    def theme(self) -> Theme:
        """The theme worn now."""
        return self._theme

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self.canvas.set_theme(theme)
        self._buttons.set_theme(theme)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the block at the keyboard and with the graph."""
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
        head.addWidget(self._kernels, 1)
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

    @Slot(int)
    def _on_kernel_activated(self, index: int) -> None:
        self.kernel_chosen.emit(self._kernels.itemData(index))
