"""Gives editors what they cannot know: the words of other texts, and a place for messages."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from jitstudio.gui.context import Context
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.completion.word_pools import WordLibrary
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.editing.carets import CaretCommands
from jitstudio.gui.features.editing.definitions import DefinitionsController
from jitstudio.gui.features.editing.formatting import FormattingController
from jitstudio.gui.features.editing.host_code import HostCodeController
from jitstudio.gui.features.editing.hover import HoverController
from jitstudio.gui.features.editing.renaming import RenamingController
from jitstudio.gui.features.editing.symbols import SymbolsController
from jitstudio.gui.features.editing.views import ViewCommands
from jitstudio.gui.shell.context_menus import OF_EDITORS, OF_LISTINGS
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.preferences import Preferences


def install(context: Context) -> None:
    """Serves the editors."""
    state, shell = context.state, context.shell
    ViewCommands(
        context.editors,
        tuple(context.listings.values()),
        state.preferences,
        shell.actions,
        shell.window,
    )
    DefinitionsController(
        state.documents, state.settings, context.editors, context.listings, context.navigator, shell
    )
    RenamingController(context.editors, shell)
    FormattingController(state.project, context.editors, shell)
    EditingController(state.documents, state.preferences, context.editors, shell)
    HoverController(state.documents, context.editors, context.listings, shell)
    HostCodeController(state.documents, state.settings, state.outputs, context.editors)
    SymbolsController(state.documents, context.editors, shell)


class EditingController(QObject):
    """Serves each editor from when its document is opened."""

    def __init__(
        self,
        documents: Documents,
        preferences: Preferences,
        editors: EditorTabs,
        shell: Shell,
    ) -> None:
        super().__init__(editors)
        actions = shell.actions
        self._tabs = editors
        self._status = shell.status
        self._library = WordLibrary(documents, self)
        self._preferences = preferences
        self._told = ""
        CaretCommands(editors, actions).reported.connect(shell.status.show_message)
        preferences.changed.connect(self._on_preference_changed)
        self._menus, self._layout = shell.context_menus, shell.layout
        documents.each(self._on_added)
        actions.bind({"copyPictureAction": self._on_copy_picture})

    @Slot(Document)
    def _on_added(self, document: Document) -> None:
        page = self._tabs.page_of(document)
        if page is None:
            return
        groups = OF_EDITORS if page.editor is not None else OF_LISTINGS
        for view, _ in page.shown:
            self._menus.add_to_text(view.menu_opening, groups)
        if page.editor is not None:
            page.editor.completer.set_source(self._library)
            page.editor.message_changed.connect(self._on_message_changed)
            self._carry_preferences(page.editor)

    @Slot()
    def _on_copy_picture(self) -> None:
        dock, page = self._layout.dock_of(QApplication.focusWidget()), self._tabs.page
        if dock is not None:
            picture = dock.content.grab()
        else:
            picture = page.code_view.grab() if page is not None else self._tabs.grab()
        QApplication.clipboard().setPixmap(picture)
        self._status.show_message(self.tr("Copied the picture of what is seen here"))

    @Slot()
    def _on_preference_changed(self) -> None:
        for page in self._tabs.pages():
            if page.editor is not None:
                self._carry_preferences(page.editor)

    def _carry_preferences(self, editor: CodeEditor) -> None:
        editor.completer.is_automatic = bool(self._preferences.value("editor.completion"))
        editor.pairs.is_on = bool(self._preferences.value("editor.auto_close"))
        editor.set_tab_width(int(self._preferences.value("editor.tab_width")))

    @Slot(str)
    def _on_message_changed(self, message: str) -> None:
        """Says in the status bar what the compiler says of the cursor's line."""
        page = self._tabs.page
        if page is None or page.editor is not self.sender():
            return
        if message:
            self._status.show_message(message)
        elif self._status.currentMessage() == self._told:
            self._status.clearMessage()
        self._told = message
