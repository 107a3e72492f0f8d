"""The table of arguments: as high as its rows, and worked by keyboard from cell to cell."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSize, Qt, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QTableView, QWidget

from jitstudio.gui.models.arguments import DIRECTION, FILL, TYPE, VALUE, ArgumentsModel
from jitstudio.gui.tables import ENTER_KEYS, PanelTable
from jitstudio.gui.theme import Theme
from jitstudio.gui.widgets.launch.argument_editors import ROW_PADDING, ArgumentDelegate

_MOST_ROWS = 12
_FEWEST_ROWS = 2
_STEPS = {
    QAbstractItemDelegate.EndEditHint.EditNextItem: 1,
    QAbstractItemDelegate.EndEditHint.EditPreviousItem: -1,
}


class ArgumentsTable(PanelTable):
    """A table whose Tab goes from one cell that can be edited to the next."""

    def __init__(self, model: ArgumentsModel, parent: QWidget | None = None) -> None:
        super().__init__("Arguments", parent)
        self._arguments = model
        self._cells = ArgumentDelegate(self)
        self.setObjectName("argumentsView")
        self.setItemDelegate(self._cells)
        self.setModel(model)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectItems)
        triggers = QTableView.EditTrigger
        self.setEditTriggers(triggers.AllEditTriggers & ~triggers.CurrentChanged)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.set_columns(stretched=VALUE, widths={0: 10, TYPE: 16, FILL: 13, DIRECTION: 8})
        self.hide_when_narrow(TYPE, room=54)
        self.setFrameShape(QTableView.Shape.StyledPanel)
        self.add_command("&Edit", self._on_edit, *ENTER_KEYS)
        model.modelReset.connect(self._on_reset)

    @property
    def cells(self) -> ArgumentDelegate:
        """What draws and edits the cells."""
        return self._cells

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._cells.set_theme(theme)
        super().set_theme(theme)

    def sizeHint(self) -> QSize:
        """As high as its rows, within reason."""
        rows = min(max(self.model().rowCount(), _FEWEST_ROWS), _MOST_ROWS)
        height = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth()
        row = self.verticalHeader().defaultSectionSize()
        return QSize(super().sizeHint().width(), height + rows * row)

    def minimumSizeHint(self) -> QSize:
        """No cell of a short list is ever out of sight."""
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Go on to the next cell that can be edited, and not to one that cannot."""
        super().closeEditor(editor, QAbstractItemDelegate.EndEditHint.NoHint)
        target = self._neighbour(_STEPS[hint]) if hint in _STEPS else None
        if target is not None:
            self.setCurrentIndex(target)
            self.edit(target)

    def _fit_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)

    def _neighbour(self, step: int) -> QModelIndex | None:
        model, current = self.model(), self.currentIndex()
        columns = model.columnCount()
        place = current.row() * columns + current.column() + step
        while 0 <= place < model.rowCount() * columns:
            index = model.index(*divmod(place, columns))
            if index.flags() & Qt.ItemFlag.ItemIsEditable:
                return index
            place += step
        return None

    @Slot()
    def _on_edit(self) -> None:
        index = self.currentIndex()
        if index.isValid() and not index.flags() & Qt.ItemFlag.ItemIsEditable:
            index = index.siblingAtColumn(VALUE)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def finish_editing(self) -> None:
        """Take what is being typed into a cell."""
        if self.state() is QTableView.State.EditingState:
            self.setFocus()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show which cell the keys are for, which nobody needs to see before."""
        super().focusInEvent(event)
        if self.currentIndex().isValid() and not self.selectionModel().hasSelection():
            self.setCurrentIndex(self.currentIndex())

    @Slot()
    def _on_reset(self) -> None:
        model = self._arguments
        self.clearSpans()
        for row in range(model.rowCount()):
            if not model.is_buffer(row):
                self.setSpan(row, VALUE, 1, DIRECTION - VALUE + 1)
        first = model.index(0, VALUE)
        self.selectionModel().setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.updateGeometry()
