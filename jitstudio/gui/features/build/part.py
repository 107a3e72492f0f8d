"""Tells in the front tab that the tab is not part of the build, and offers to change that."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.editor.source_page import SourcePage
from jitstudio.gui.shell.notice_bar import NoticeAction, NoticeBar
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents, takes_part_alone

_KEY = "part"


class PartController(QObject):
    """Keeps the notice of the tab in front in step with the link."""

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        build_controller: BuildController,
        editors: EditorTabs,
        shell: Shell,
    ) -> None:
        super().__init__(editors)
        self._documents = documents
        self._settings = settings
        self._build_controller = build_controller
        self._tabs = editors
        self._bars: dict[SourcePage, NoticeBar] = {}
        # Where it is shown, and its words.
        self._shown: tuple[SourcePage | None, str] = (None, "")
        for signal in (
            self._documents.current_changed,
            self._documents.edited,
            self._documents.changed,
            self._settings.link_changed,
            self._build_controller.module_changed,
        ):
            signal.connect(self._update)
        self._documents.removed.connect(self._on_removed)
        self._update()

    @Slot()
    def _update(self) -> None:
        document = self._documents.current
        page = self._tabs.page_of(document) if document is not None else None
        message = self._text(document) if document is not None else ""
        if (page, message) == self._shown:
            return
        self._shown = (page, message)
        if page is None:
            return
        if not message:
            if (bar := self._bars.get(page)) is not None:
                bar.withdraw(_KEY)
            return
        if page not in self._bars:
            self._bars[page] = bar = NoticeBar(page, "tabNotice")
            bar.left.connect(page.setFocus)
            page.column.insertWidget(0, bar)
        choices = (
            NoticeAction("buildTabAlone", self.tr("Build this tab alone"), self._build_alone),
            NoticeAction("addTabToLink", self.tr("Add it to the link"), self._add_to_link),
        )
        is_choice = document is not None and takes_part_alone(document)
        self._bars[page].ask(_KEY, message, choices if is_choice else ())

    def _text(self, document: Document) -> str:
        """Returns why a document is not part of the build; empty where there is nothing to tell."""
        is_linked = self._settings.link is not LinkMode.NONE
        names = ", ".join(f"'{module.name}'" for module in self._build_controller.modules())
        if takes_part_alone(document):
            if not is_linked or document.included:
                return ""
            message = self.tr("This tab is not in the link. What is built and shown is {modules}.")
            none = self.tr("This tab is not in the link, and no other is: nothing is built.")
            return message.format(modules=names) if names else none
        if document.kind is CodeKind.SASS and not document.is_preview and names:
            message = self.tr("No tool builds SASS. What is built and shown is {modules}.")
            return message.format(modules=names)
        return ""

    @Slot()
    def _on_removed(self) -> None:
        pages = self._tabs.pages()
        self._bars = {page: bar for page, bar in self._bars.items() if page in pages}
        self._update()

    def _build_alone(self) -> None:
        """Makes the tab a program of its own, which is not linked."""
        document = self._documents.current
        if document is not None:
            program = self._documents.unique_program(document.name)
            self._settings.set_link(program, LinkMode.NONE)
            document.program, document.included = program, True
            self._build_controller.build()

    def _add_to_link(self) -> None:
        document = self._documents.current
        if document is not None:
            document.included = True
            self._build_controller.build()
