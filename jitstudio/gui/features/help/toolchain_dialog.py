"""Which tools are here, where they came from, and what is missing."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.toolchain_info import ToolchainInfo
from jitstudio.gui.kit.presentation import plain_tooltip

_SIZE = (860, 420)


class ToolchainDialog(QDialog):
    """A table of tools."""

    def __init__(self, info: ToolchainInfo | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Toolchain"))
        self.resize(*_SIZE)
        table = QTreeWidget()
        table.setRootIsDecorated(False)
        table.setAlternatingRowColors(True)
        table.setAccessibleName(self.tr("Tools"))
        table.setHeaderLabels(
            (self.tr("Tool"), self.tr("Version"), self.tr("From"), self.tr("File"))
        )
        for row in _rows(info):
            item = QTreeWidgetItem(table, row)
            item.setToolTip(3, plain_tooltip(row[3]))
        for column in range(3):
            table.resizeColumnToContents(column)
        note = QLabel(_notes(info), wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column_layout = QVBoxLayout(self)
        column_layout.setContentsMargins(14, 14, 14, 14)
        column_layout.setSpacing(10)
        column_layout.addWidget(table, 1)
        column_layout.addWidget(note)
        column_layout.addWidget(buttons)


def _rows(info: ToolchainInfo | None) -> list[tuple[str, str, str, str]]:
    if info is None:
        return []
    return [
        (
            tool.tool.value,
            tool.version or QCoreApplication.translate("ToolchainDialog", "missing"),
            tool.package or tool.found_via,
            tool.path or tool.problem,
        )
        for tool in info.tools
    ]


def _notes(info: ToolchainInfo | None) -> str:
    translate = QCoreApplication.translate
    if info is None:
        return translate(
            "ToolchainDialog",
            "The compilers have not answered yet. Close this window and open it again.",
        )
    problems = [tool.problem for tool in info.tools if tool.problem]
    targets = ", ".join(arch.arch.sm for arch in info.archs)
    message = translate("ToolchainDialog", "Targets of this NVRTC: {targets}.")
    return "\n".join([*([message.format(targets=targets)] if targets else []), *problems])
