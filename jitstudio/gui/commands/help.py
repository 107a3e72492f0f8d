"""What the Help menu does."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMessageBox, QWidget

from jitstudio import __version__
from jitstudio.gui.commands.actions import Actions
from jitstudio.gui.commands.table import ACTIONS
from jitstudio.gui.dialogs import open_dialog
from jitstudio.gui.widgets.shortcuts_dialog import ShortcutsDialog
from jitstudio.gui.widgets.toolchain_dialog import ToolchainDialog
from jitstudio.gui.workspace import Workspace

_ABOUT = (
    f"<h3>jitstudio {__version__}</h3><p>Write CUDA C++, LLVM IR and PTX, and see what NVRTC, "
    "libNVVM and nvJitLink make of it.</p><p>Apache License 2.0</p>"
)


class HelpCommands(QObject):
    """Tells about the program, its keys and its tools."""

    def __init__(self, workspace: Workspace, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._workspace = workspace
        self._actions = actions
        self._window = window
        actions.bind(
            {
                "toolchainAction": self._on_toolchain,
                "shortcutsAction": self._on_shortcuts,
                "aboutAction": self._on_about,
            }
        )

    @Slot()
    def _on_toolchain(self) -> None:
        open_dialog(ToolchainDialog(self._workspace.toolchain, self._window))

    @Slot()
    def _on_shortcuts(self) -> None:
        open_dialog(ShortcutsDialog((self._actions[spec.id] for spec in ACTIONS), self._window))

    @Slot()
    def _on_about(self) -> None:
        QMessageBox.about(self._window, "About jitstudio", _ABOUT)
