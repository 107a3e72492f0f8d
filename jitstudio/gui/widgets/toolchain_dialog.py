"""Which tools are here, where they came from, and what is missing."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from jitstudio import __version__
from jitstudio.core.tools import ToolchainInfo

_TITLES = ("Tool", "Version", "From", "File")
_SIZE = (860, 420)


class ToolchainDialog(QDialog):
    """A table of tools; its text can be copied for a bug report."""

    def __init__(self, info: ToolchainInfo | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Toolchain")
        self.resize(*_SIZE)
        self._rows = _rows(info)
        table = QTreeWidget()
        table.setRootIsDecorated(False)
        table.setAlternatingRowColors(True)
        table.setAccessibleName("Tools")
        table.setHeaderLabels(_TITLES)
        for row in self._rows:
            item = QTreeWidgetItem(table, row)
            item.setToolTip(3, row[3])
        for column in range(3):
            table.resizeColumnToContents(column)
        note = QLabel(_notes(info), wordWrap=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("&Copy for a bug report", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._on_copy)
        buttons.rejected.connect(self.reject)
        column_layout = QVBoxLayout(self)
        column_layout.setContentsMargins(14, 14, 14, 14)
        column_layout.setSpacing(10)
        column_layout.addWidget(table, 1)
        column_layout.addWidget(note)
        column_layout.addWidget(buttons)

    @property
    def report(self) -> str:
        """All of it as plain text."""
        rows = (" ".join(part for part in row[:3] if part) for row in self._rows)
        return "\n".join([f"jitstudio {__version__}", *rows])

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report)


def _rows(info: ToolchainInfo | None) -> list[tuple[str, str, str, str]]:
    if info is None:
        return []
    return [
        (
            tool.tool.value,
            tool.version or "missing",
            tool.package or tool.found_via,
            tool.path or tool.problem,
        )
        for tool in info.tools
    ]


def _notes(info: ToolchainInfo | None) -> str:
    if info is None:
        return "The compilers have not answered yet. Close this window and open it again."
    problems = [tool.problem for tool in info.tools if tool.problem]
    targets = ", ".join(arch.arch.sm for arch in info.archs)
    told = [f"Targets of this NVRTC: {targets}."] if targets else []
    return "\n".join([*told, *problems])
