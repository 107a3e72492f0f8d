"""Gives editors parts from outside: words of other texts, a place for messages, carets."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication

from jitstudio.gui.context import Context
from jitstudio.gui.editor.carets import MOST
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.completion.word_pools import WordLibrary
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.editing.definitions import DefinitionsController
from jitstudio.gui.features.editing.formatting import FormattingController
from jitstudio.gui.features.editing.host_code import HostCodeController
from jitstudio.gui.features.editing.hover import HoverController
from jitstudio.gui.features.editing.renaming import RenamingController
from jitstudio.gui.features.editing.symbols import SymbolsController
from jitstudio.gui.features.editing.views import ViewCommands
from jitstudio.gui.shell.commands.actions import Actions
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
    HoverController(
        state.documents, state.constant_namings, context.editors, context.listings, shell
    )
    HostCodeController(state.documents, state.settings, state.outputs, context.editors)
    SymbolsController(state.documents, context.editors, shell)


class EditingController(QObject):
    """Serves each editor from the moment its document is opened."""

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
        self._message = ""
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
        self._status.show_message(self.tr("Copied this view as a picture"))

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
        """Shows the compiler's message about the cursor's line in the status bar."""
        page = self._tabs.page
        if page is None or page.editor is not self.sender():
            return
        if message:
            self._status.show_message(message)
        elif self._status.currentMessage() == self._message:
            self._status.clearMessage()
        self._message = message


# ---- What the menu of carets does in the current editor


class CaretCommands(QObject):
    """Adds carets, and selects with carets.

    Signals:
        reported: A result that cannot be seen.
    """

    reported = Signal(str)

    def __init__(self, tabs: EditorTabs, actions: Actions) -> None:
        super().__init__(tabs)
        self._tabs = tabs
        actions.bind(
            {
                "selectNextAction": self.select_next,
                "selectOccurrencesAction": self.select_all,
                "caretAboveAction": self._do(lambda editor: editor.carets.add_line(down=False)),
                "caretBelowAction": self._do(lambda editor: editor.carets.add_line(down=True)),
                "columnUpAction": self._do(lambda editor: editor.columns.extend(-1, 0)),
                "columnDownAction": self._do(lambda editor: editor.columns.extend(1, 0)),
                "columnLeftAction": self._do(lambda editor: editor.columns.extend(0, -1)),
                "columnRightAction": self._do(lambda editor: editor.columns.extend(0, 1)),
            }
        )

    @Slot()
    def select_next(self) -> None:
        """Adds the next occurrence of the selected text to the selection."""
        editor = self._editor()
        if editor is not None and not editor.carets.select_next():
            self._report_missing(editor)

    @Slot()
    def select_all(self) -> None:
        """Selects all places of the text that is selected."""
        editor = self._editor()
        if editor is None:
            return
        if not editor.carets.select_all():
            message = self.tr("There are more places than {count:,}, the most carets possible")
            self.reported.emit(message.format(count=MOST))
        elif editor.carets.is_many:
            self.reported.emit(self.tr("{count:,} carets").format(count=editor.carets.count))
        else:
            self._report_missing(editor)

    def _report_missing(self, editor: CodeEditor) -> None:
        if not editor.textCursor().hasSelection():
            self.reported.emit(self.tr("There is no word at the cursor"))
        elif editor.carets.count >= MOST:
            self.reported.emit(self.tr("At most {count:,} carets are possible").format(count=MOST))
        else:
            self.reported.emit(self.tr("The selection occurs nowhere else"))

    def _editor(self) -> CodeEditor | None:
        return self._tabs.page.editor if self._tabs.page is not None else None

    def _do(self, act: Callable[[CodeEditor], None]) -> Callable[[], None]:
        def do() -> None:
            editor = self._editor()
            if editor is not None:
                act(editor)

        return do
