"""Ties documents, their files and their tabs to each other."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.features.problems.fixes import Fixer
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.shell.file_commands import FileCommands
from jitstudio.gui.state.workspace import Workspace
from jitstudio.gui.window.panes import Panes


class FilesController(QObject):
    """Lets tabs and panes open, close and mend documents, and tells what failed."""

    def __init__(
        self,
        workspace: Workspace,
        panes: Panes,
        files: FileCommands,
        fixer: Fixer,
        actions: Actions,
    ) -> None:
        super().__init__(panes.tabs)
        self._panes = panes
        self._files = files
        tell, complain = panes.status.tell, panes.notice.tell
        files.failed.connect(complain)
        files.told.connect(tell)
        panes.tabs.close_requested.connect(files.close)
        panes.tabs.refused.connect(complain)
        panes.tabs.cursor_moved.connect(panes.status.show_position)
        panes.status.show_position(*panes.tabs.position())
        panes.link.files_requested.connect(self._on_link_wants_files)
        files.opened.connect(self._on_opened)
        panes.problems.fix_requested.connect(fixer.apply)
        panes.launch.form.fix_requested.connect(fixer.apply)
        fixer.applied.connect(workspace.build_controller.build)
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
        self._panes.bring_up(self._panes.tabs)

    @Slot()
    def _on_link_wants_files(self) -> None:
        """Open files for the link, and stay there."""
        self._files.open_to_link()
        self._panes.bring_up(self._panes.link)
