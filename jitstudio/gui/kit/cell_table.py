"""Tables whose cells are edited: as high as their rows, and worked by keyboard cell by cell."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFocusEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QStyle,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.kit.theme import current_theme

IN_A_CELL = "QLineEdit { padding: 0 3px; border-radius: 2px; }"
"""For editors: the padding of fields elsewhere would cut off their text in a row of a table."""

_ROW_PADDING = 12
_CHEVRON = 12
_MOST_ROWS = 12
_FEWEST_ROWS = 2
_STEPS = {
    QAbstractItemDelegate.EndEditHint.EditNextItem: 1,
    QAbstractItemDelegate.EndEditHint.EditPreviousItem: -1,
}


def can_edit(index: QModelIndex | QPersistentModelIndex) -> bool:
    """Returns whether a cell can be edited."""
    return bool(index.flags() & Qt.ItemFlag.ItemIsEditable)


def paint_chevron(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """Shows that a cell has words to choose from."""
    selected = bool(option.state & QStyle.StateFlag.State_Selected)
    place = QRect(0, 0, _CHEVRON, _CHEVRON)
    place.moveCenter(option.rect.center())
    place.moveRight(option.rect.right() - 4)
    ui = current_theme().ui
    color = ui.highlight_text if selected else ui.muted_text
    icon("chevron-down", color).paint(painter, place)


class CellTable(PanelTable):
    """A table whose Tab goes from one cell that can be edited to the next."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectItems)
        triggers = QTableView.EditTrigger
        self.setEditTriggers(triggers.AllEditTriggers & ~triggers.CurrentChanged)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFrameShape(QTableView.Shape.StyledPanel)

    def sizeHint(self) -> QSize:
        """As high as its rows, within reason."""
        rows = min(max(self.model().rowCount(), _FEWEST_ROWS), _MOST_ROWS)
        height = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth()
        row = self.verticalHeader().defaultSectionSize()
        return QSize(super().sizeHint().width(), height + rows * row)

    def minimumSizeHint(self) -> QSize:
        """No cell of a short list is ever out of sight."""
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def finish_editing(self) -> None:
        """Takes what is being typed into a cell."""
        if self.state() is QTableView.State.EditingState:
            self.setFocus()

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Goes on to the next cell that can be edited, and not to one that cannot."""
        super().closeEditor(editor, QAbstractItemDelegate.EndEditHint.NoHint)
        target = self._neighbour(_STEPS[hint]) if hint in _STEPS else None
        if target is not None:
            self.setCurrentIndex(target)
            self.edit(target)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows which cell the keys are for, which is of no use before."""
        super().focusInEvent(event)
        if self.currentIndex().isValid() and not self.selectionModel().hasSelection():
            self.setCurrentIndex(self.currentIndex())

    def _fit_rows(self) -> None:
        # Any editor fits in.
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + _ROW_PADDING)

    def _neighbour(self, step: int) -> QModelIndex | None:
        model, current = self.model(), self.currentIndex()
        columns = model.columnCount()
        place = current.row() * columns + current.column() + step
        while 0 <= place < model.rowCount() * columns:
            index = model.index(*divmod(place, columns))
            if can_edit(index):
                return index
            place += step
        return None
