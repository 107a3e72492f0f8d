"""The button that chooses what stands beside the instructions of a listing."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.listing.columns.columns import Columns


class ColumnsButton(QToolButton):
    """Opens the menu of columns."""

    def __init__(self, columns: Columns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = columns
        self.setObjectName("sassColumnsButton")
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setAccessibleName(self.tr("Columns of SASS"))
        self.clicked.connect(self._on_clicked)
        columns.fitted.connect(self._on_fitted)
        self._on_fitted()

    @Slot()
    def _on_fitted(self) -> None:
        """Say which columns there is no room for."""
        tip, left_out = (
            self.tr("Choose what is shown with each instruction"),
            self._columns.left_out,
        )
        if left_out:
            said = self.tr("No room in this width: {columns}").format(columns=", ".join(left_out))
            tip = f"{tip}\n{said}"
        self.setToolTip(plain_tooltip(tip))
        self.setText(f"+{len(left_out)}" if left_out else "")

    @Slot()
    def _on_clicked(self) -> None:
        self._columns.menu().popup(self.mapToGlobal(QPoint(0, self.height())))
