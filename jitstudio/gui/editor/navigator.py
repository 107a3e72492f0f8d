"""Leads to a place in a source, a listing or a log: for all that is clicked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.analysis.correlation.modules import spellings
from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.result import Kernel
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.docking.layout_manager import LayoutManager
from jitstudio.gui.shell.status_line import StatusLine
from jitstudio.gui.state.document_files import DocumentError
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.previews import open_preview, opened_message


class Navigator(QObject):
    """Brings up editors and listings at a line or a kernel.

    Signals:
        log_requested: The log of a tool is to be shown: which run of it, a `StageKey`.
        setting_requested: The settings are to be shown at the one with this key.
        first_problem_requested: The list of problems is to be shown at its first.
    """

    log_requested = Signal(object)
    setting_requested = Signal(str)
    first_problem_requested = Signal()

    def __init__(
        self,
        documents: Documents,
        editors: EditorTabs,
        listings: Mapping[CodeKind, OutputPane],
        files: FileCommands,
        layout: LayoutManager,
        status: StatusLine,
    ) -> None:
        super().__init__(editors)
        self._documents = documents
        self._editors = editors
        self._listings = listings
        self._files = files
        self._layout = layout
        self._status = status
        self._reader = FileReader(self)
        self._reader.waits.connect(lambda: status.show_message(self.tr("Waiting for the disk")))

    @Slot(str, int, int)
    def go_to(self, file: str, line: int, column: int) -> None:
        """Shows a place in a source, or in the PTX of one.

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
                document = open_preview(documents, Path(file), self._reader)
                self._status.show_message(opened_message(document))
        except DocumentError as error:
            self._files.failed.emit(str(error))
        page = self._editors.page_of(document) if document else None
        if page is not None:
            documents.current = document
            page.go_to(line, column)
        elif self._listings[CodeKind.PTX].go_to(file, line):
            self._layout.bring_up(self._listings[CodeKind.PTX])

    def _spelt(self, file: str) -> Document | None:
        """Returns the document that a line table calls so."""
        for document in self._documents:
            folder = str(document.path.parent) if document.path else ""
            if file in spellings(document.name, folder):
                return document
        return None

    @Slot(str, int)
    def go_to_line(self, file: str, line: int) -> None:
        """Shows a line; see `go_to`."""
        self.go_to(file, line, 0)

    def go_to_document(self, document: Document) -> None:
        """Shows the tab of a document, unless it has been closed."""
        if document in self._documents:
            self._documents.current = document
            self._layout.bring_up(self._editors)

    def show_kernel(self, kind: CodeKind, kernel: Kernel) -> None:
        """Shows a kernel in PTX or SASS."""
        pane = self._listings[kind]
        pane.go_to_kernel(kernel.module, kernel.name)
        self._layout.bring_up(pane)

    def show_listing(self, kind: CodeKind, name: str) -> None:
        """Shows the listing of this name."""
        pane = self._listings[kind]
        pane.choose(name)
        self._layout.bring_up(pane)

    @Slot(int)
    def go_to_linked_ptx(self, line: int) -> None:
        """Shows a line of the PTX of the link, counted from 1."""
        pane = self._listings[CodeKind.PTX]
        if pane.go_to(LINKED, line):
            self._layout.bring_up(pane)
