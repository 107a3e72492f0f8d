"""Leads from what is clicked to the place that it is about, and from keys to panes."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from jitstudio.analysis.correlation.modules import spellings
from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.result import Kernel
from jitstudio.gui.commands.actions import Actions
from jitstudio.gui.commands.files import FileCommands
from jitstudio.gui.panes import Panes
from jitstudio.gui.state.asides import open_aside, told_of_opened
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.files import DocumentError
from jitstudio.gui.workspace import Workspace


class PlacesPresenter(QObject):
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
        panes.kernels.kernel_activated.connect(self._on_kernel_activated)
        panes.link.linked_sass_requested.connect(self._on_linked_sass_requested)
        self._focus_targets: dict[str, QWidget] = {
            "optionsAction": panes.options,
            "focusEditorAction": panes.tabs,
            "focusPtxAction": panes.outputs[CodeKind.PTX],
            "focusSassAction": panes.outputs[CodeKind.SASS],
            "focusKernelsAction": panes.kernels,
            "focusReportAction": panes.report,
            "focusCompareAction": panes.compare,
            "focusNamesAction": panes.names,
            "focusLinkAction": panes.link,
            "focusLaunchAction": panes.launch,
            "focusPipelineAction": panes.pipeline,
            "focusGraphAction": panes.graph,
            "focusProblemsAction": panes.problems,
            "focusLogAction": panes.log,
        }
        actions.bind(dict.fromkeys(self._focus_targets, self._on_focus_wanted))
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

    @Slot(Kernel)
    def _on_kernel_activated(self, kernel: Kernel) -> None:
        pane = self._panes.outputs[CodeKind.SASS]
        pane.go_to_kernel(kernel.module, kernel.name)
        self._panes.bring_up(pane)

    @Slot()
    def _on_linked_sass_requested(self) -> None:
        pane = self._panes.outputs[CodeKind.SASS]
        pane.choose(LINKED)
        self._panes.bring_up(pane)

    @Slot()
    def _on_focus_wanted(self) -> None:
        self._panes.bring_up(self._focus_targets[self.sender().objectName()])
