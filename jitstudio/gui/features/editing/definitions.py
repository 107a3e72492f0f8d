"""Leads from a name to where it is defined, by F12 or Ctrl+click."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication, QWidget

from jitstudio.core.code import TEXT_KINDS
from jitstudio.gui.features.editing.definitions_state import Answer, Asked, OpenText, Spot
from jitstudio.gui.features.editing.navigation import NavigationController
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.late import Late
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.shell.palette.model import Entry
from jitstudio.gui.shell.palette.view import Palette
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.workspace import Workspace
from jitstudio.gui.window.panes import Panes


class DefinitionsController(QObject):
    """Looks for definitions in the background, and goes there."""

    def __init__(
        self,
        workspace: Workspace,
        panes: Panes,
        places: NavigationController,
        actions: Actions,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._workspace = workspace
        self._panes = panes
        self._places = places
        self._search = Background(self)
        self._search.done.connect(self._on_found)
        self._search.failed.connect(panes.notice.tell)
        self._palette = Palette(
            "definitionPalette",
            self.tr("Choose one of the definitions"),
            self.tr("No definition is like this"),
            window,
        )
        self._palette.chosen.connect(self._go)
        workspace.documents.each(self._on_added)
        actions.bind({"goToDefinitionAction": self._on_wanted})

    @Slot(Document)
    def _on_added(self, document: Document) -> None:
        page = self._panes.tabs.page_of(document)
        if page is not None and page.editor is not None:
            page.editor.word_link.followed.connect(self._on_wanted)

    @Slot()
    def _on_wanted(self) -> None:
        focus = QApplication.focusWidget()
        for pane in self._panes.outputs.values():
            if focus is not None and pane.isAncestorOf(focus):
                pane.code_view.links.follow()
                return
        page = self._panes.tabs.page
        if page is None or page.document.kind not in TEXT_KINDS:
            told = self.tr("Definitions are looked for in a source: go there first")
            self._panes.status.tell(told)
            return
        asked = self._asked(page.document, *page.code_view.search_start())
        self._search.start(partial(_find, asked))

    def _asked(self, document: Document, line: int, column: int) -> Asked:
        settings = self._workspace.settings
        others = [d for d in self._workspace.documents if d is not document and d.text is not None]
        return Asked(
            _open_text(document),
            line,
            column,
            tuple(map(_open_text, others)),
            settings.options,
            settings.origin.folder,
        )

    @Slot(object)
    def _on_found(self, answer: Answer) -> None:
        if answer.told:
            self._panes.status.tell(answer.told)
        if len(answer.spots) == 1:
            self._go(answer.spots[0])
        elif answer.spots:
            line = self.tr("line {line}")
            entries = [
                Entry(spot.shown, spot, spot.file, line.format(line=spot.line))
                for spot in answer.spots
            ]
            self._palette.offer(entries)

    @Slot(object)
    def _go(self, spot: Spot) -> None:
        self._panes.uncover(self._panes.tabs)
        self._places.go_to(spot.file, spot.line, spot.column)


def _find(asked: Asked, stop: object) -> Answer:
    answer: Answer = Late.DEFINITIONS.get()(asked, stop)
    return answer


def _open_text(document: Document) -> OpenText:
    folder = str(document.path.parent) if document.path else ""
    # What can only be looked at has no other text than its file.
    content = document.content if document.text is None else b""
    raw = document.text.toRawText() if document.text else content.decode("utf-8", "replace")
    return OpenText(document.name, document.kind, raw, folder, document.is_header)
