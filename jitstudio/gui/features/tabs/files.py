"""Ties documents, their files and their tabs to each other."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.shell.file_commands import FileCommands
from jitstudio.gui.shell.fixer import Fixer
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController


class FilesController(QObject):
    """Lets tabs and panes open, close and mend documents, and tells what failed."""

    def __init__(
        self,
        build_controller: BuildController,
        editors: EditorTabs,
        files: FileCommands,
        fixer: Fixer,
        shell: Shell,
    ) -> None:
        super().__init__(editors)
        actions = shell.actions
        self._shell = shell
        self._editors = editors
        self._files = files
        tell, complain = shell.status.tell, shell.notices.tell
        files.failed.connect(complain)
        files.told.connect(tell)
        editors.close_requested.connect(files.close)
        editors.refused.connect(complain)
        editors.cursor_moved.connect(shell.status.show_position)
        shell.status.show_position(*editors.position())
        files.opened.connect(self._on_opened)
        fixer.applied.connect(build_controller.build)
        fixer.refused.connect(complain)
        actions.bind(
            {
                "newCudaAction": files.new_cuda,
                "newLlvmAction": files.new_llvm,
                "newPtxAction": files.new_ptx,
                "newHeaderAction": files.new_header,
                "openAction": files.open,
                "saveAction": files.save,
                "saveAsAction": files.save_as,
                "closeTabAction": files.close_current,
            }
        )

    @Slot()
    def _on_opened(self) -> None:
        """The keyboard shall be in what was opened, wherever it was."""
        self._shell.layout.bring_up(self._editors)
