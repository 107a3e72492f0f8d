"""The button that chooses what stands beside the instructions of a listing."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from jitstudio.gui.viewer.columns.columns import Columns


class ColumnsButton(QToolButton):
    """Opens the menu of columns."""

    def __init__(self, columns: Columns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = columns
        self.setObjectName("sassColumnsButton")
        self.setAutoRaise(True)
        self.setToolTip(self.tr("Choose what stands beside each instruction"))
        self.setAccessibleName(self.tr("Columns of SASS"))
        self.clicked.connect(self._on_clicked)

    @Slot()
    def _on_clicked(self) -> None:
        self._columns.menu().popup(self.mapToGlobal(QPoint(0, self.height())))
