"""Leads from a name to the definition, by F12 or Ctrl+click."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from threading import Event

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import TEXT_KINDS, CodeKind
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.editing.definitions_state import (
    DefinitionLocation,
    DefinitionQuery,
    DefinitionResult,
    OpenText,
)
from jitstudio.gui.kit.background import Background
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.navigation import Navigator
from jitstudio.gui.shell.palette.model import PaletteEntry
from jitstudio.gui.shell.palette.view import Palette
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.tab_options import options_of


class DefinitionsController(QObject):
    """Looks for definitions in the background, and goes there."""

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        editors: EditorTabs,
        listings: Mapping[CodeKind, OutputPane],
        navigator: Navigator,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        self._documents = documents
        self._settings = settings
        self._shell = shell
        self._editors = editors
        self._listings = listings
        self._navigator = navigator
        self._search = Background(self)
        self._search.done.connect(self._on_found)
        self._search.failed.connect(shell.notices.show_message)
        self._palette = Palette(
            "definitionPalette",
            self.tr("Choose one of the definitions"),
            self.tr("No definition matches"),
            shell.window,
        )
        self._palette.chosen.connect(self._go)
        documents.each(self._on_added)
        shell.actions.bind({"goToDefinitionAction": self._on_wanted})

    @Slot(Document)
    def _on_added(self, document: Document) -> None:
        page = self._editors.page_of(document)
        if page is not None and page.editor is not None:
            page.editor.word_link.followed.connect(self._on_wanted)

    @Slot()
    def _on_wanted(self) -> None:
        focus = QApplication.focusWidget()
        for pane in self._listings.values():
            if focus is not None and pane.isAncestorOf(focus):
                pane.code_view.links.follow()
                return
        page = self._editors.page
        if page is None or page.document.kind not in TEXT_KINDS:
            message = self.tr("Definitions are looked for in a source: go there first")
            self._shell.status.show_message(message)
            return
        query = self._query_at(page.document, *page.code_view.search_start())
        self._search.start(partial(_find, query))

    def _query_at(self, document: Document, line: int, column: int) -> DefinitionQuery:
        settings = self._settings
        others = [d for d in self._documents if d is not document and d.text is not None]
        return DefinitionQuery(
            _open_text(document),
            line,
            column,
            tuple(map(_open_text, others)),
            options_of(document, settings),
            settings.trust.folder,
        )

    @Slot(object)
    def _on_found(self, answer: DefinitionResult) -> None:
        if answer.message:
            self._shell.status.show_message(answer.message)
        if len(answer.spots) == 1:
            self._go(answer.spots[0])
        elif answer.spots:
            line = self.tr("line {line}")
            entries = [
                PaletteEntry(spot.shown, spot, spot.file, line.format(line=spot.line))
                for spot in answer.spots
            ]
            self._palette.offer(entries)

    @Slot(object)
    def _go(self, spot: DefinitionLocation) -> None:
        self._shell.layout.uncover(self._editors)
        self._navigator.go_to_source(spot.file, spot.line, spot.column)


def _find(query: DefinitionQuery, stop: Event) -> DefinitionResult:
    from jitstudio.gui.features.editing.definition_search import find

    return find(query, stop)


def _open_text(document: Document) -> OpenText:
    folder = str(document.path.parent) if document.path else ""
    # What can only be looked at has no other text than its file.
    content = document.content if document.text is None else b""
    raw = document.text.toRawText() if document.text else content.decode("utf-8", "replace")
    return OpenText(document.name, document.kind, raw, folder, document.is_header)
