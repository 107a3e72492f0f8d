"""The table of arguments: a span for what has one text, three cells for a buffer."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QItemSelectionModel, Slot
from PySide6.QtWidgets import QWidget

from jitstudio.gui.features.launch.models.arguments import (
    DIRECTION,
    FILL,
    TYPE,
    VALUE,
    ArgumentsModel,
)
from jitstudio.gui.kit.cell_editors import ArgumentDelegate
from jitstudio.gui.kit.cell_table import CellTable, can_edit
from jitstudio.gui.kit.tables import ENTER_KEYS
from jitstudio.gui.kit.theme import Theme


class ArgumentsTable(CellTable):
    """A row for each parameter."""

    def __init__(self, model: ArgumentsModel, parent: QWidget | None = None) -> None:
        super().__init__(QCoreApplication.translate("ArgumentsTable", "Arguments"), parent)
        self._arguments = model
        self._cells = ArgumentDelegate(self)
        self.setObjectName("argumentsView")
        self.setItemDelegate(self._cells)
        self.setModel(model)
        self.set_columns(stretched=VALUE, widths={0: 10, TYPE: 16, FILL: 13, DIRECTION: 8})
        self.hide_when_narrow(TYPE, least=7)
        self.add_command(self.tr("&Edit"), self._on_edit, *ENTER_KEYS)
        model.modelReset.connect(self._on_reset)

    @property
    def cells(self) -> ArgumentDelegate:
        """What draws and edits the cells."""
        return self._cells

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._cells.set_theme(theme)
        super().set_theme(theme)

    @Slot()
    def _on_edit(self) -> None:
        index = self.currentIndex()
        if index.isValid() and not can_edit(index):
            index = index.siblingAtColumn(VALUE)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

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
