"""Asks for the new name of a symbol, and says while it is typed what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from jitstudio.gui.kit.translating import counted

_WIDTH = 420
_REST_MS = 150


class RenameDialog(QDialog):
    """Asks for one name.

    Signals:
        named: The user wants this name.
    """

    named = Signal(str)

    def __init__(
        self, name: str, count: int, refusal: Callable[[str], str], parent: QWidget
    ) -> None:
        """Makes it.

        Args:
            name: What the symbol is called now.
            count: In how many places.
            refusal: Says why a name cannot be taken; empty for one that can.
            parent: What it lies over.
        """
        super().__init__(parent)
        self.setObjectName("renameDialog")
        self.setWindowTitle(self.tr("Rename {name}").format(name=name))
        self.setMinimumWidth(_WIDTH)
        self._refusal = refusal
        one = self.tr("It is in {count} place of this file; strings and comments stay.")
        many = self.tr("It is in {count} places of this file; strings and comments stay.")
        self._where = counted(count, one, many)
        self._field = QLineEdit(name)
        self._field.setAccessibleName(self.tr("New name"))
        self._field.selectAll()
        self._told = QLabel(self._where, wordWrap=True)
        self._told.setMinimumHeight(2 * self._told.fontMetrics().lineSpacing())
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self._take = buttons.button(kinds.Ok)
        self._take.setText(self.tr("Rename"))
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(10)
        for part in (self._field, self._told, buttons):
            column.addWidget(part)
        # To look for a name takes a moment in a long text.
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._check)
        self._field.textChanged.connect(self._on_typed)
        buttons.accepted.connect(self._on_accepted)
        buttons.rejected.connect(self.reject)
        self.finished.connect(self.deleteLater)

    @Slot()
    def _on_typed(self) -> None:
        self._rest.start()

    @Slot()
    def _check(self) -> bool:
        problem = self._refusal(self._field.text().strip())
        self._told.setText(problem or self._where)
        self._take.setEnabled(not problem)
        return not problem

    @Slot()
    def _on_accepted(self) -> None:
        if self._check():
            self.named.emit(self._field.text().strip())
            self.accept()
