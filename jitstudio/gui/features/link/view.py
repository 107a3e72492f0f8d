"""The Link panel: the mode of the link, the modules that take part, and the outcome.

Holds nothing that belongs to a document: every change is reported by a signal.
"""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.gui.features.link.inlined import InlinedList
from jitstudio.gui.features.link.model import ModuleRow, ModulesModel, link_summary, link_warning
from jitstudio.gui.kit.fonts import follow_letters, scaled
from jitstudio.gui.kit.parts import icon_button, mark_as, muted, text_label
from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

# What each choice is called and what it means, in the order shown.
_MODES = {
    LinkMode.NONE: (
        QT_TRANSLATE_NOOP("LinkView", "Do not link"),
        QT_TRANSLATE_NOOP("LinkView", "Each module is built separately."),
    ),
    LinkMode.PTX: (
        QT_TRANSLATE_NOOP("LinkView", "Link PTX"),
        QT_TRANSLATE_NOOP(
            "LinkView",
            "Modules become PTX, and nvJitLink joins them; a call to another module stays a call.",
        ),
    ),
    LinkMode.LTO: (
        QT_TRANSLATE_NOOP("LinkView", "Link LTO"),
        QT_TRANSLATE_NOOP(
            "LinkView",
            "Modules become LTO-IR, and nvJitLink optimises across them; calls can be inlined.",
        ),
    ),
}
_INDENT = 24
_MARGIN = 10
# From this ratio of width to height on, the modules are next to the choice, unless the pane has
# less than so many pixels for both.
_WIDE, _LEAST_WIDE = 1.3, 480
# So much of a table is in sight in a low pane, which is scrolled.
_LEAST_TABLE = 110


class LinkView(QScrollArea):
    """The choice of a link, the modules that take part, and the result.

    Attributes:
        inlined: The calls that an LTO link inlined.

    Signals:
        link_mode_changed: The user chose another `LinkMode`.
        inclusion_changed: The user ticked or unticked the module of this key.
        order_changed: The user moved a module; all keys in their new order.
        files_requested: The user wants to add files.
        linked_sass_requested: The user wants to see the SASS of the linked cubin.
        comparison_requested: The user wants the PTX link and the LTO link side by side.
    """

    link_mode_changed = Signal(LinkMode)
    inclusion_changed = Signal(object, bool)
    order_changed = Signal(tuple)
    files_requested = Signal()
    linked_sass_requested = Signal()
    comparison_requested = Signal()

    def __init__(self, model: ModulesModel | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("linkView")
        self._model = ModulesModel(self) if model is None else model
        self._mode = LinkMode.NONE
        self._group = QButtonGroup(self)
        self._radios = {mode: self._radio(mode) for mode in _MODES}
        self._result = text_label(self, "linkResult")
        self._show_sass = QPushButton(self.tr("Show linked SASS"), self)
        self._show_sass.setObjectName("showLinkedSass")
        self._compare = QPushButton(self.tr("Compare both links…"), self)
        self._compare.setObjectName("compareLinks")
        self._add = icon_button(self, self.tr("Add file…"), self.tr("Add files to link"), "plus")
        self._up = icon_button(
            self, self.tr("Move up"), self.tr("Link the module earlier"), "chevron-up", "Alt+Up"
        )
        self._down = icon_button(
            self, self.tr("Move down"), self.tr("Link the module later"), "chevron-down", "Alt+Down"
        )
        for button in (self._up, self._down):
            # Beside a word, both would not fit into a narrow pane.
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self._table = self._make_table()
        self.inlined = InlinedList(self)
        self.inlined.hide()
        self._warning = mark_as(text_label(self, "linkWarning"), "warning")
        content = QWidget()
        self._layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, content)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(self._make_choice())
        self._layout.addWidget(self._make_modules(), 1)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(content)
        self._connect()
        self.set_link_mode(LinkMode.NONE)
        self.show_result(None)
        follow_letters(self, LinkView._turn)

    @property
    def model(self) -> ModulesModel:
        """The model of the modules."""
        return self._model

    @property
    def table(self) -> PanelTable:
        """The table of modules."""
        return self._table

    @Slot(tuple)
    def set_modules(self, modules: tuple[ModuleRow, ...]) -> None:
        """Shows the modules that could take part; the chosen row stays chosen."""
        current = self._table.currentIndex()
        key = self._model.modules[current.row()].key if current.isValid() else None
        self._model.set_modules(modules)
        row = None if key is None else self._model.row_of(key)
        if row is not None:
            self._table.selectRow(row)
        self._update()

    @Slot(LinkMode)
    def set_link_mode(self, mode: LinkMode) -> None:
        """Shows another mode, without reporting a choice of the user."""
        self._mode = mode
        self._model.set_mode(mode)
        self._radios[mode].setChecked(True)
        # With the keyboard one begins at the choice; Tab leads on to the modules.
        self.setFocusProxy(self._radios[mode])
        self._update()

    @Slot(object)
    def show_result(self, result: BuildResult | None) -> None:
        """Shows the outcome of a link; None before the first, or after a change."""
        text = link_summary(result)
        self._result.setText(text)
        self._result.setVisible(bool(text))
        linked = result is not None and result.artifact(CodeKind.SASS, LINKED) is not None
        self._show_sass.setEnabled(linked)
        self._show_sass.setToolTip("" if linked else self.tr("There is no linked SASS yet."))

    @Slot()
    def move_up(self) -> None:
        """Links the chosen module before the module above."""
        self._move(-1)

    @Slot()
    def move_down(self) -> None:
        """Links the chosen module after the module below."""
        self._move(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts the modules next to the choice in a wide dock, below the choice in a high dock."""
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        width, direction = self.width(), QBoxLayout.Direction
        wide = width > max(_WIDE * self.height(), scaled(_LEAST_WIDE))
        for table in (self._table, self.inlined):
            table.setMinimumHeight(scaled(_LEAST_TABLE))
        self._layout.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        of_buttons = self._show_sass.sizeHint().width() + self._compare.sizeHint().width()
        in_column = wide or of_buttons + 3 * _MARGIN > width
        self._buttons.setDirection(direction.TopToBottom if in_column else direction.LeftToRight)
        self._layout.setStretch(0, 2 if wide else 0)
        self._layout.setStretch(1, 3 if wide else 1)

    def _radio(self, mode: LinkMode) -> QRadioButton:
        title, meaning = map(self.tr, _MODES[mode])
        radio = QRadioButton(title, self)
        radio.setObjectName(f"linkMode-{mode.value}")
        radio.setAccessibleName(title)
        radio.setAccessibleDescription(meaning)
        self._group.addButton(radio)
        return radio

    def _make_table(self) -> PanelTable:
        table = PanelTable(self.tr("Modules to link"), self)
        table.setObjectName("linkTable")
        table.setModel(self._model)
        table.set_columns(stretched=0, widths={1: 14, 2: 20})
        table.hide_when_narrow(1)
        table.set_hint(
            self.tr(
                "No modules are open.\nOpen a source, or add a cubin, an object file or a library."
            )
        )
        table.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        table.setDragDropOverwriteMode(False)
        table.setDropIndicatorShown(True)
        # Keys of the table alone: in the editor they move lines.
        table.add_command(self.tr("Move &up"), self.move_up, "Alt+Up")
        table.add_command(self.tr("Move &down"), self.move_down, "Alt+Down")
        return table

    def _make_choice(self) -> QWidget:
        choice = QWidget(self)
        layout = QVBoxLayout(choice)
        layout.setContentsMargins(_MARGIN, 8, _MARGIN, 8)
        layout.setSpacing(2)
        for radio in self._radios.values():
            meaning = QLabel(radio.accessibleDescription(), choice)
            meaning.setWordWrap(True)
            meaning.setContentsMargins(_INDENT, 0, 0, 5)
            muted(meaning)
            layout.addWidget(radio)
            layout.addWidget(meaning)
        layout.addWidget(self._result)
        layout.addSpacing(4)
        self._show_sass.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._buttons = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        for button in (self._show_sass, self._compare):
            self._buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self._buttons.addStretch(1)
        layout.addLayout(self._buttons)
        layout.addStretch(1)
        return choice

    def _make_modules(self) -> QWidget:
        modules = QWidget(self)
        bar = QHBoxLayout()
        bar.setContentsMargins(6, 4, 6, 4)
        bar.setSpacing(4)
        bar.addWidget(self._add)
        bar.addStretch(1)
        bar.addWidget(self._up)
        bar.addWidget(self._down)
        self._warning.setContentsMargins(8, 0, 8, 5)
        layout = QVBoxLayout(modules)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self._warning)
        layout.addWidget(self._table, 1)
        layout.addWidget(self.inlined, 1)
        return modules

    def _connect(self) -> None:
        self._group.buttonToggled.connect(self._on_radio_toggled)
        self._compare.clicked.connect(self.comparison_requested)
        self._show_sass.clicked.connect(self.linked_sass_requested)
        self._add.clicked.connect(self.files_requested)
        self._up.clicked.connect(self.move_up)
        self._down.clicked.connect(self.move_down)
        self._model.inclusion_changed.connect(self._on_inclusion_changed)
        self._model.order_changed.connect(self._on_order_changed)
        self._table.selectionModel().selectionChanged.connect(self._on_selection_changed)

    def _move(self, step: int) -> None:
        index = self._table.currentIndex()
        if index.isValid():
            self._model.move(index.row(), index.row() + step)

    def _update(self) -> None:
        row = self._table.currentIndex().row()
        self._up.setEnabled(row > 0)
        self._down.setEnabled(0 <= row < self._model.rowCount() - 1)
        warning = link_warning(self._model.modules, self._mode)
        self._warning.setText(warning)
        self._warning.setVisible(bool(warning))

    @Slot(QRadioButton, bool)
    def _on_radio_toggled(self, button: QRadioButton, checked: bool) -> None:
        mode = next(mode for mode, radio in self._radios.items() if radio is button)
        if checked and mode is not self._mode:
            self.set_link_mode(mode)
            self.link_mode_changed.emit(mode)

    @Slot(object, bool)
    def _on_inclusion_changed(self, key: int, included: bool) -> None:
        self._update()
        self.inclusion_changed.emit(key, included)

    @Slot(tuple)
    def _on_order_changed(self, keys: tuple[int, ...]) -> None:
        self._update()
        self.order_changed.emit(keys)

    @Slot(QItemSelection, QItemSelection)
    def _on_selection_changed(self) -> None:
        self._update()
