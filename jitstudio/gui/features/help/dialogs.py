"""Dialogs of the Help menu: about this program, and the tools with their versions."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QSize, Qt, Slot, qVersion
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from jitstudio import __version__
from jitstudio.commands.versions import (
    Version,
    markdown_table,
    package_versions,
    program_versions,
    tool_versions,
)
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.toolchain_info import ToolchainInfo, gpu_findings
from jitstudio.gui.kit.fonts import fit_dialog
from jitstudio.gui.kit.parts import text_label
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.system.paths import resource


def versions(info: ToolchainInfo | None, devices: DeviceList | None) -> tuple[Version, ...]:
    """Returns the versions of all parts, and the GPUs.

    Args:
        info: The tools; None while they are not known.
        devices: The GPUs; None before anything has looked for them.
    """
    translate = QCoreApplication.translate
    unknown = translate("Versions", "not checked yet")
    rows = (
        *program_versions(),
        ("Qt", f"{qVersion()}, {QGuiApplication.platformName()}"),
        *(tool_versions(info) if info else ((translate("Versions", "Tools"), unknown),)),
        *(_gpus(devices) if devices else (("GPU", unknown),)),
        *package_versions(),
    )
    missing = translate("Versions", "not found")
    return tuple((name, version or missing) for name, version in rows)


def _gpus(devices: DeviceList) -> Iterator[Version]:
    return ((finding.name, finding.state) for finding in gpu_findings(devices))


_SIZE = (560, 660)
_MARGIN = 16
_ICON = QSize(56, 56)


class AboutDialog(QDialog):
    """Shows versions; they can be copied for a bug report."""

    def __init__(self, versions: tuple[Version, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("aboutDialog")
        self.setWindowTitle(self.tr("About jitstudio"))
        fit_dialog(self, _SIZE)
        self._versions = versions
        licences = text_label(self, "licences")
        licences.setText(
            self.tr(
                "jitstudio is under the Apache License 2.0. The font JetBrains Mono is under the "
                "SIL Open Font License 1.1. Qt and PySide6 are used under the LGPL 3."
            )
        )
        self._hint = text_label(self, "copiedHint")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton(
            self.tr("&Copy for a bug report"), QDialogButtonBox.ButtonRole.ActionRole
        )
        copy.setObjectName("copyReport")
        copy.clicked.connect(self._on_copy)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        column.setSpacing(10)
        column.addLayout(self._head())
        column.addWidget(self._table(), 1)
        column.addWidget(licences)
        column.addWidget(self._hint)
        column.addWidget(buttons)

    def _head(self) -> QHBoxLayout:
        picture = QLabel(self)
        picture.setPixmap(QIcon(str(resource("icons/jitstudio.svg"))).pixmap(_ICON))
        words = QLabel(self)
        words.setTextFormat(Qt.TextFormat.RichText)
        words.setWordWrap(True)
        sentence = self.tr(
            "Write CUDA C++, LLVM IR and PTX, see what NVRTC, libNVVM and nvJitLink make of it, "
            "and run it."
        )
        words.setText(f"<h3>jitstudio {__version__}</h3>{sentence}")
        row = QHBoxLayout()
        row.setSpacing(_MARGIN)
        row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(words, 1)
        return row

    def _table(self) -> QTreeWidget:
        table = QTreeWidget(self)
        table.setObjectName("versionsTable")
        table.setAccessibleName(self.tr("Versions"))
        table.setWhatsThis(self.tr("All tools that builds and launches use."))
        table.setRootIsDecorated(False)
        table.setAlternatingRowColors(True)
        table.setHeaderLabels((self.tr("Part"), self.tr("Version")))
        for row in self._versions:
            QTreeWidgetItem(table, row)
        table.resizeColumnToContents(0)
        return table

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(markdown_table(self._versions))
        self._hint.setText(
            self.tr("Copied. It holds no paths, and no names of you or your machine.")
        )


# ---- Which tools are here, where they came from, and what is missing

_TOOLCHAIN_SIZE = (860, 420)


class ToolchainDialog(QDialog):
    """A table of tools."""

    def __init__(self, info: ToolchainInfo | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Toolchain"))
        fit_dialog(self, _TOOLCHAIN_SIZE)
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
