"""Chooses the columns next to a listing: which, in which order, and on which side."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.kit.fonts import fit_dialog, scaled
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.listing.columns.sass_columns import BY_KEY, ColumnChoice, translated

_SIZE = (440, 600)
_TIP_LINES, _ROW_HEIGHT = 3, 23
_KEY = Qt.ItemDataRole.UserRole
_STEPS = {int(Qt.Key.Key_Up): -1, int(Qt.Key.Key_Down): 1}


class _ColumnList(QListWidget):
    """A list whose rows can be dragged, and moved by Alt with the arrows.

    Signals:
        arranged: The rows are in another order.
    """

    arranged = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setDragDropMode(QListWidget.DragDropMode.InternalMove)
        self.setAlternatingRowColors(True)
        # Fusion draws the frame of a tick box darker than this role: lost on a dark background.
        colors = self.palette()
        colors.setColor(QPalette.ColorRole.Window, colors.placeholderText().color())
        self.setPalette(colors)
        self.model().rowsMoved.connect(self.arranged)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Moves the current row with Alt."""
        step = _STEPS.get(event.key())
        if step is not None and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.step(step)
        else:
            super().keyPressEvent(event)

    def step(self, step: int) -> None:
        """Moves the current row up or down."""
        row = self.currentRow()
        if row < 0 or not 0 <= row + step < self.count():
            return
        self.insertItem(row + step, self.takeItem(row))
        self.setCurrentRow(row + step)
        self.arranged.emit()


class ColumnsDialog(QDialog):
    """Shows a choice; each change is signalled at once.

    Connect `chosen` to `show_choice` as well, if changes are to be shown.

    Signals:
        chosen: The user wants columns so.
        side_chosen: The user wants them left of the text, or right.
    """

    chosen = Signal(ColumnChoice)
    side_chosen = Signal(bool)

    def __init__(self, choice: ColumnChoice, is_left: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("SASS columns"))
        fit_dialog(self, _SIZE)
        self._choice = choice
        hint = QLabel(
            self.tr(
                "Tick what stands beside each instruction. Drag a row, or press Alt with an "
                "arrow key, to move it. The edge of a name above the listing sets a width."
            )
        )
        hint.setWordWrap(True)
        self._list = _ColumnList()
        self._list.setObjectName("columnList")
        self._list.setAccessibleName(self.tr("Columns"))
        self._tip = QLabel()
        self._tip.setWordWrap(True)
        self._tip.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._tip.setMinimumHeight(_TIP_LINES * self._tip.fontMetrics().lineSpacing())
        self._up = QPushButton(self.tr("Move &up"))
        self._down = QPushButton(self.tr("Move &down"))
        self._left = QCheckBox(self.tr("&Left of the text"))
        self._left.setObjectName("columnsLeft")
        self._left.setChecked(is_left)
        self._buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.RestoreDefaults | QDialogButtonBox.StandardButton.Close
        )
        self._lay_out(hint)
        self._connect()
        self.show_choice(choice)
        self._list.setCurrentRow(0)

    def show_choice(self, choice: ColumnChoice) -> None:
        """Shows the present choice."""
        self._choice = choice
        keys = [self._key(row) for row in range(self._list.count())]
        with QSignalBlocker(self._list):
            if keys != [setting.key for setting in choice.columns]:
                self._fill()
            for row, setting in enumerate(choice.columns):
                state = Qt.CheckState.Checked if setting.is_shown else Qt.CheckState.Unchecked
                self._list.item(row).setCheckState(state)

    def _fill(self) -> None:
        current = self._list.currentRow()
        self._list.clear()
        for setting in self._choice.columns:
            column = BY_KEY[setting.key]
            item = QListWidgetItem(column.name)
            item.setSizeHint(QSize(0, scaled(_ROW_HEIGHT)))
            item.setToolTip(plain_tooltip(column.explanation))
            item.setData(_KEY, setting.key)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            self._list.addItem(item)
        self._list.setCurrentRow(current)

    def _key(self, row: int) -> str:
        return str(self._list.item(row).data(_KEY))

    def _lay_out(self, hint: QLabel) -> None:
        moves = QHBoxLayout()
        moves.addWidget(self._up)
        moves.addWidget(self._down)
        moves.addStretch(1)
        moves.addWidget(self._left)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(10)
        column.addWidget(hint)
        column.addWidget(self._list, 1)
        column.addWidget(self._tip)
        column.addLayout(moves)
        column.addWidget(self._buttons)

    def _connect(self) -> None:
        self._list.itemChanged.connect(self._on_item_changed)
        self._list.arranged.connect(self._on_arranged)
        self._list.currentRowChanged.connect(self._on_row_changed)
        self._up.clicked.connect(self._on_up)
        self._down.clicked.connect(self._on_down)
        self._left.toggled.connect(self.side_chosen)
        self._buttons.rejected.connect(self.reject)
        self._buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults).clicked.connect(
            self._on_restore
        )

    @Slot(QListWidgetItem)
    def _on_item_changed(self, item: QListWidgetItem) -> None:
        shown = item.checkState() == Qt.CheckState.Checked
        self.chosen.emit(self._choice.show(str(item.data(_KEY)), shown))

    @Slot(int)
    def _on_row_changed(self, row: int) -> None:
        self._tip.setText(translated(BY_KEY[self._key(row)].tip) if row >= 0 else "")

    @Slot()
    def _on_arranged(self) -> None:
        keys = [self._key(row) for row in range(self._list.count())]
        self.chosen.emit(ColumnChoice(tuple(self._choice.of(key) for key in keys)))

    @Slot()
    def _on_up(self) -> None:
        self._list.step(-1)

    @Slot()
    def _on_down(self) -> None:
        self._list.step(1)

    @Slot()
    def _on_restore(self) -> None:
        self._left.setChecked(False)
        self.chosen.emit(ColumnChoice.usual())
