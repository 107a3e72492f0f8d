"""Leads from what is clicked to the place that it is about, and from keys to panes."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from jitstudio.analysis.correlation.modules import spellings
from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.result import Kernel
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.shell.commands.table import ACTIONS
from jitstudio.gui.shell.file_commands import FileCommands
from jitstudio.gui.state.asides import open_aside, told_of_opened
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.files import DocumentError
from jitstudio.gui.state.workspace import Workspace
from jitstudio.gui.window.panes import Panes


class NavigationController(QObject):
    """Brings up editors and panes at a line, a kernel, or as they are."""

    def __init__(
        self, workspace: Workspace, panes: Panes, files: FileCommands, actions: Actions
    ) -> None:
        super().__init__(panes.tabs)
        self._documents = workspace.documents
        self._panes = panes
        self._files = files
        self._reader = FileReader(self)
        self._reader.waits.connect(lambda: panes.status.tell(self.tr("Waiting for the disk")))
        panes.problems.location_activated.connect(self.go_to)
        panes.launch.results.location_activated.connect(self._on_line_activated)
        panes.report.location_activated.connect(self._on_line_activated)
        panes.kernels.kernel_activated.connect(partial(self._show_kernel, CodeKind.SASS))
        panes.kernels.ptx_requested.connect(partial(self._show_kernel, CodeKind.PTX))
        panes.link.linked_sass_requested.connect(self._on_linked_sass_requested)
        panes.link.inlined.location_activated.connect(self._on_line_activated)
        panes.link.inlined.ptx_line_activated.connect(self._on_linked_ptx_wanted)
        self._panes_of = {spec.id: spec.pane for spec in ACTIONS if spec.pane}
        actions.bind(dict.fromkeys(self._panes_of, self._on_focus_wanted))
        actions.bind(
            {
                "nextProblemAction": panes.problems.go_to_next,
                "previousProblemAction": panes.problems.go_to_previous,
            }
        )
        panes.status.problems_requested.connect(actions["focusProblemsAction"].trigger)

    @Slot(str, int, int)
    def go_to(self, file: str, line: int, column: int) -> None:
        """Show a place in a source, or in the PTX of one.

        Args:
            file: The name of a tab, or a path; a file that is in no tab is opened.
            line: Counted from 1; 0 where it is unknown.
            column: The same, in characters.
        """
        documents = self._documents
        document = documents.named(file) or documents.at_path(Path(file)) or self._spelt(file)
        # Not pathlib's, which fails at what can be no name: `#line` takes any text.
        try:
            if document is None and self._reader.outcome(partial(os.path.isfile, file)):
                # A header that was found in a folder.
                document = open_aside(documents, Path(file), self._reader)
                self._panes.status.tell(told_of_opened(document))
        except DocumentError as error:
            self._files.failed.emit(str(error))
        page = self._panes.tabs.page_of(document) if document else None
        if page is not None:
            documents.current = document
            page.go_to(line, column)
        elif self._panes.outputs[CodeKind.PTX].go_to(file, line):
            self._panes.bring_up(self._panes.outputs[CodeKind.PTX])

    def _spelt(self, file: str) -> Document | None:
        """The document that a line table calls so."""
        for document in self._documents:
            folder = str(document.path.parent) if document.path else ""
            if file in spellings(document.name, folder):
                return document
        return None

    @Slot(str, int)
    def _on_line_activated(self, file: str, line: int) -> None:
        self.go_to(file, line, 0)

    def _show_kernel(self, kind: CodeKind, kernel: Kernel) -> None:
        pane = self._panes.outputs[kind]
        pane.go_to_kernel(kernel.module, kernel.name)
        self._panes.bring_up(pane)

    @Slot()
    def _on_linked_sass_requested(self) -> None:
        pane = self._panes.outputs[CodeKind.SASS]
        pane.choose(LINKED)
        self._panes.bring_up(pane)

    @Slot(int)
    def _on_linked_ptx_wanted(self, line: int) -> None:
        pane = self._panes.outputs[CodeKind.PTX]
        if pane.go_to(LINKED, line):
            self._panes.bring_up(pane)

    @Slot()
    def _on_focus_wanted(self) -> None:
        pane = self._panes_of[self.sender().objectName()]
        self._panes.bring_up(self._panes.named(pane))
