"""The other versions of the compilers, among the settings: a list of folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.tools import Tool
from jitstudio.gui.kit.fonts import follow_letters
from jitstudio.gui.kit.parts import explain_by, muted, text_label
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.state.toolchain import OtherToolchains
from jitstudio.toolchain_folders import COMPILERS, ToolchainFolder

_FOLDER = Qt.ItemDataRole.UserRole
_MOST_LINES = 5


class ToolchainsRow(QWidget):
    """Shows the folders with what they hold; some are added and removed.

    Args:
        toolchains: The folders.
        ask: Asks the user for one.
    """

    def __init__(
        self,
        toolchains: OtherToolchains,
        ask: Callable[[], Path | None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._toolchains, self._ask = toolchains, ask
        title = QLabel(self.tr("Other versions of the compilers"), self)
        sentence = text_label(self, "toolchainsSentence")
        sentence.setText(
            self.tr(
                "Folders with another NVRTC, nvJitLink or libNVVM: a virtual environment, a folder "
                "of packages or a CUDA toolkit. Compare Targets and Options builds with them, and "
                "--toolchain in the terminal."
            )
        )
        muted(sentence)
        self._list = QListWidget(self)
        self._list.setObjectName("toolchains")
        self._list.setAccessibleName(title.text())
        explain_by(self, "toolchains")
        self._list.setWhatsThis(sentence.text())
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        title.setBuddy(self._list)
        self._add = _button(self.tr("Add &Folder…"), "addToolchain")
        self._remove = _button(self.tr("Re&move"), "removeToolchain")
        self._problem = text_label(self, "toolchainsProblem")
        self._problem.hide()
        buttons = QHBoxLayout()
        buttons.addWidget(self._add)
        buttons.addWidget(self._remove)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(4)
        for widget in (title, sentence, self._list, self._problem):
            column.addWidget(widget)
        column.addLayout(buttons)
        self._words = f"{title.text()} {sentence.text()} nvcc cuda".casefold()
        self._add.clicked.connect(self._on_add)
        self._remove.clicked.connect(self._on_remove)
        self._list.itemSelectionChanged.connect(self._on_selected)
        toolchains.changed.connect(self._on_changed)
        toolchains.failed.connect(self._on_failed)
        follow_letters(self, ToolchainsRow._fit)
        self._on_changed()
        toolchains.read()

    def matches(self, wanted: list[str]) -> bool:
        """Whether all these words are somewhere in its texts."""
        return all(word in self._words for word in wanted)

    @Slot()
    def _on_changed(self) -> None:
        self._problem.hide()
        self._list.clear()
        for name, found in (self._toolchains.found or {}).items():
            item = QListWidgetItem(self._line(name, found), self._list)
            item.setData(_FOLDER, found.folder)
            item.setToolTip(plain_tooltip("\n".join(filter(None, (found.folder, *_wrong(found))))))
        self._list.setVisible(self._list.count() > 0)
        self._on_selected()
        self._fit()

    @Slot(str)
    def _on_failed(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.show()

    @Slot()
    def _on_selected(self) -> None:
        self._remove.setEnabled(bool(self._list.selectedItems()))

    @Slot()
    def _on_add(self) -> None:
        if folder := self._ask():
            self._toolchains.add(str(folder))

    @Slot()
    def _on_remove(self) -> None:
        for item in self._list.selectedItems():
            self._toolchains.remove(str(item.data(_FOLDER)))

    def _line(self, name: str, found: ToolchainFolder) -> str:
        tools = ", ".join(tool.value for tool in COMPILERS if tool in found.files)
        what = tools or self.tr("no compilers there")
        if Tool.NVRTC in found.files and found.header_problem:
            what = self.tr("{tools}, no headers").format(tools=what)
        return "   ".join(dict.fromkeys((name, found.folder, what)))

    def _fit(self) -> None:
        lines = min(self._list.count(), _MOST_LINES)
        height = max(self._list.sizeHintForRow(0), self.fontMetrics().height())
        self._list.setFixedHeight(lines * height + 2 * self._list.frameWidth() + 2)


def _wrong(found: ToolchainFolder) -> tuple[str, ...]:
    return found.problem, found.header_problem


def _button(text: str, name: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.setAutoDefault(False)
    return button
