"""Gives editors what they cannot know: the words of other texts, and a place for messages."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.completion.library import WordLibrary
from jitstudio.gui.features.editing.carets import CaretCommands
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.workspace import Workspace
from jitstudio.gui.window.panes import Panes


class EditingController(QObject):
    """Serves each editor from when its document is opened."""

    def __init__(self, workspace: Workspace, panes: Panes, actions: Actions) -> None:
        super().__init__(panes.tabs)
        self._tabs = panes.tabs
        self._status = panes.status
        self._library = WordLibrary(workspace.documents, self)
        self._preferences = workspace.preferences
        self._told = ""
        CaretCommands(panes.tabs, actions).told.connect(panes.status.tell)
        workspace.preferences.changed.connect(self._on_preference_changed)
        workspace.documents.each(self._on_added)

    @Slot(Document)
    def _on_added(self, document: Document) -> None:
        page = self._tabs.page_of(document)
        if page is not None and page.editor is not None:
            page.editor.completer.set_source(self._library)
            page.editor.message_changed.connect(self._on_message_changed)
            self._carry_preferences(page.editor)

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
        """Say in the status bar what the compiler says of the cursor's line."""
        page = self._tabs.page
        if page is None or page.editor is not self.sender():
            return
        if message:
            self._status.tell(message)
        elif self._status.currentMessage() == self._told:
            self._status.clearMessage()
        self._told = message
