"""All commands and their keys in a list that can be searched."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

_SIZE = (520, 560)


class ShortcutsDialog(QDialog):
    """Shows the actions it is given."""

    def __init__(self, actions: Iterable[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.resize(*_SIZE)
        self._filter = QLineEdit(clearButtonEnabled=True)
        self._filter.setPlaceholderText(self.tr("Filter commands"))
        self._filter.setAccessibleName(self.tr("Filter commands"))
        self._table = QTreeWidget()
        self._table.setRootIsDecorated(False)
        self._table.setAlternatingRowColors(True)
        self._table.setAccessibleName(self.tr("Commands and their keys"))
        self._table.setHeaderLabels((self.tr("Command"), self.tr("Keys")))
        self._items = [QTreeWidgetItem(self._table, _words(action)) for action in actions]
        self._table.resizeColumnToContents(0)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(10)
        column.addWidget(self._filter)
        column.addWidget(self._table, 1)
        column.addWidget(buttons)
        self._filter.textChanged.connect(self._on_filter_changed)

    @Slot(str)
    def _on_filter_changed(self, text: str) -> None:
        wanted = text.casefold()
        for item in self._items:
            words = f"{item.text(0)} {item.text(1)}".casefold()
            item.setHidden(wanted not in words)


def _words(action: QAction) -> tuple[str, str]:
    text = action.text().replace("&", "").rstrip("…")
    keys = QKeySequence.listToString(action.shortcuts(), QKeySequence.SequenceFormat.NativeText)
    return text, keys
