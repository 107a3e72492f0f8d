"""Leads to tabs and to places inside, and ties documents to files and tabs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.languages import icon_name
from jitstudio.gui.context import Context
from jitstudio.gui.editor.editor_tabs import EditorTabs, opened_message
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.files.fixer import Fixer
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.theme import current_theme
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.shell.navigation import DocumentPlace, ListingPlace, Navigator, SourcePlace
from jitstudio.gui.shell.palette.model import PaletteEntry
from jitstudio.gui.shell.palette.view import Palette
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.document_files import DocumentError
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.file_text import FileContent, FileText
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.previews import open_preview
from jitstudio.gui.state.session import content_of, reopened, saved_document
from jitstudio.gui.state.session_format import SavedDocument


def install(context: Context) -> None:
    """Ties tabs to documents and their files."""
    state, shell = context.state, context.shell
    PlacesController(state.documents, context.editors, context.navigator, shell)
    FilesController(state.build_controller, context.editors, context.files, context.fixer, shell)
    TabsController(
        state.documents,
        state.preferences,
        state.settings,
        context.editors,
        context.files,
        context.navigator,
        shell,
    )


class FilesController(QObject):
    """Lets tabs and panes open, close and mend documents, and reports failures."""

    def __init__(
        self,
        build_controller: BuildController,
        editors: EditorTabs,
        files: FileCommands,
        fixer: Fixer,
        shell: Shell,
    ) -> None:
        super().__init__(editors)
        self._shell = shell
        self._editors = editors
        self._files = files
        tell, complain = shell.status.show_message, shell.notices.show_message
        files.failed.connect(complain)
        files.mended.connect(shell.notices.withdraw)
        files.reported.connect(tell)
        editors.close_requested.connect(files.close)
        editors.refused.connect(complain)
        editors.cursor_moved.connect(shell.status.show_position)
        shell.status.show_position(*editors.position())
        files.opened.connect(self._on_opened)
        fixer.applied.connect(build_controller.build)
        fixer.refused.connect(complain)
        shell.actions.bind(
            {
                "newCudaAction": files.new_cuda,
                "newLlvmAction": files.new_llvm,
                "newPtxAction": files.new_ptx,
                "newPythonAction": files.new_python,
                "newHeaderAction": files.new_header,
                "openAction": files.open,
                "openCacheAction": files.open_cache,
                "saveAction": files.save,
                "saveAsAction": files.save_as,
                "closeTabAction": editors.close_current,
            }
        )

    @Slot()
    def _on_opened(self) -> None:
        """Brings up the editor of the opened document, so that the keyboard is there."""
        self._shell.layout.bring_up(self._editors)


class PlacesController(QObject):
    """Leads to places in sources, which are opened if they are in no tab."""

    def __init__(
        self, documents: Documents, editors: EditorTabs, navigator: Navigator, shell: Shell
    ) -> None:
        super().__init__(editors)
        self._documents = documents
        self._editors = editors
        self._navigator = navigator
        self._shell = shell
        self._reader = FileReader(self)
        self._reader.waits.connect(self._on_waits)
        navigator.lead(SourcePlace, self._go_to)
        navigator.lead(DocumentPlace, self._go_to_document)

    def _go_to(self, place: SourcePlace) -> None:
        documents, file = self._documents, place.file
        document = documents.named(file) or documents.at_path(Path(file)) or documents.spelt(file)
        # Not pathlib's, which fails at what can be no name: `#line` takes any text.
        try:
            if document is None and self._reader.outcome(partial(os.path.isfile, file)):
                # A header that was found in a folder.
                document = open_preview(documents, Path(file), self._reader)
                self._shell.status.show_message(opened_message(document))
        except DocumentError as error:
            self._shell.notices.show_message(str(error))
        page = self._editors.page_of(document) if document else None
        if page is not None:
            documents.current = document
            page.go_to(place.line, place.column)
        else:
            self._navigator.go_to(ListingPlace(CodeKind.PTX, file, place.line))

    def _go_to_document(self, place: DocumentPlace) -> None:
        if place.document in self._documents:
            self._documents.current = place.document
            self._shell.layout.bring_up(self._editors)

    @Slot()
    def _on_waits(self) -> None:
        self._shell.status.show_message(self.tr("Waiting for the disk"))


class TabsController(QObject):
    """Knows in which order the tabs were looked at last."""

    def __init__(
        self,
        documents: Documents,
        preferences: Preferences,
        settings: BuildSettings,
        editors: EditorTabs,
        files: FileCommands,
        navigator: Navigator,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        actions = shell.actions
        window = shell.window
        self._editors = editors
        self._documents = documents
        self._preferences = preferences
        self._files = files
        self._navigator = navigator
        self._commands = TabCommands(documents, settings, files, actions, window)
        self._commands.reported.connect(shell.status.show_message)
        self._commands.failed.connect(shell.notices.show_message)
        self._commands.opened.connect(files.opened)
        # The last one first.
        self._visited: list[Document] = []
        self._documents.current_changed.connect(self._on_current_changed)
        self._on_current_changed(self._documents.current)
        editors.menu_requested.connect(self._on_menu_requested)
        self._palette = Palette(
            "tabPalette",
            self.tr("Type the name of a tab or of a recent file"),
            self.tr("No tab or recent file matches"),
            window,
        )
        self._palette.chosen.connect(self._on_chosen)
        actions.bind({"goToTabAction": self._on_wanted})

    def _entries(self) -> Iterator[PaletteEntry]:
        """Yields the tabs, the previous tab first and the current last; then recent files."""
        order = {document: place for place, document in enumerate(self._visited)}
        order |= dict.fromkeys(self._visited[:1], len(self._documents))
        color = current_theme().ui.muted_text
        for document in sorted(self._documents, key=lambda d: order.get(d, len(order))):
            yield PaletteEntry(
                title=self._documents.title(document),
                payload=partial(self._navigator.go_to, DocumentPlace(document)),
                detail=str(document.path.parent) if document.path else self.tr("in no file yet"),
                keys=self.tr("unsaved") if document.is_modified else "",
                icon=icon(icon_name(document.kind, document.is_named_as_header), color),
            )
        for path in self._preferences.recent_files:
            if self._documents.at_path(path) is None:
                opens = partial(self._files.open_paths, [path])
                yield PaletteEntry(path.name, opens, str(path.parent), self.tr("recent file"))

    @Slot()
    def _on_wanted(self) -> None:
        self._palette.offer(tuple(self._entries()))

    @Slot(object)
    def _on_chosen(self, go: partial[None]) -> None:
        go()

    @Slot(object)
    def _on_current_changed(self, document: Document | None) -> None:
        # Those that were closed are forgotten, too.
        others = [d for d in self._documents if d is not document]
        seen = [d for d in self._visited if d in others]
        self._visited = [document, *seen] if document is not None else seen

    @Slot(Document, QPoint)
    def _on_menu_requested(self, document: Document, place: QPoint) -> None:
        self._commands.menu_for(document, self._editors).popup(place)


# ---- What can be done with tabs: close several, open again, rename, copy a path

_MOST = 20


class ClosedTab(NamedTuple):
    """A closed tab with the state at closing.

    Attributes:
        document: The document; with text only where no file had the text.
        place: How many tabs were left of it.
        untrusted: The folder of the untrusted project that was open; empty for the user's own.
    """

    document: SavedDocument
    place: int
    untrusted: str


class ClosedTabs(QObject):
    """Remembers the tabs closed since the start, the last on top."""

    def __init__(
        self, documents: Documents, settings: BuildSettings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._documents = documents
        self._settings = settings
        self._closed: list[ClosedTab] = []
        self._order = list(documents)
        documents.removed.connect(self._on_removed)
        documents.added.connect(self._on_added)
        documents.moved.connect(self._on_moved)

    def __len__(self) -> int:
        return len(self._closed)

    def take(self) -> ClosedTab:
        """Removes and returns the tab closed last, which is about to be opened."""
        return self._closed.pop()

    def confined_to(self, closed: ClosedTab) -> str:
        """Returns the `Document.confined_to` of a closed tab; an open project decides alone."""
        is_open = closed.untrusted == self._settings.trust.folder
        return closed.document.confined_to or ("" if is_open else closed.untrusted)

    @Slot(Document)
    def _on_removed(self, document: Document) -> None:
        entry = saved_document(document)
        was_only_looked_at = document.is_preview and not document.is_modified
        # Of bytes that came from no file nothing is kept.
        if not was_only_looked_at and (entry.path or entry.content is not None):
            place, untrusted = self._order.index(document), self._settings.trust.confined_to
            self._closed.append(ClosedTab(entry, place, untrusted))
            del self._closed[:-_MOST]
        self._on_moved()

    @Slot(Document)
    def _on_added(self, document: Document) -> None:
        if document.path is not None:
            # It is open again.
            self._closed = [c for c in self._closed if Path(c.document.path) != document.path]
        self._on_moved()

    @Slot()
    def _on_moved(self) -> None:
        self._order = list(self._documents)


class _Command(NamedTuple):
    """The action of a command on a tab, and the condition for enabling.

    Attributes:
        action: Its id.
        act: Does it.
        can: Whether there is anything to do.
    """

    action: str
    act: Callable[[Document], object]
    can: Callable[[Document], bool]


class TabCommands(QObject):
    """Acts on the current tab from the File menu, and on any tab by a context menu.

    Signals:
        reported: Something was done that cannot be seen.
        failed: A tab cannot be brought back.
        opened: A tab is back, and the user wants to write in it.
    """

    reported = Signal(str)
    failed = Signal(str)
    opened = Signal()

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        files: FileCommands,
        actions: Actions,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._documents = documents
        self._files = files
        self._actions = actions
        self._closed = ClosedTabs(documents, settings, self)
        self._reader = FileReader(self)
        self._commands = (
            _Command("closeTabAction", files.close, lambda _: True),
            _Command("closeOtherTabsAction", self._close_others, lambda _: len(documents) > 1),
            _Command(
                "closeTabsToTheRightAction", self._close_right, lambda d: bool(self._right_of(d))
            ),
            _Command("closeAllTabsAction", self._close_all, lambda _: True),
            _Command("renameTabAction", files.rename, files.can_rename),
            _Command("copyPathAction", self._copy_path, lambda d: d.path is not None),
        )
        # What closes a tab closes the welcome page, too, which is no document.
        self._shared = self._commands[1:]
        for command in self._shared:
            actions.bind({command.action: partial(self._on_current, command)})
        actions.bind({"reopenTabAction": self._on_reopen})
        for signal in (
            documents.added,
            documents.removed,
            documents.moved,
            documents.changed,
            documents.current_changed,
        ):
            signal.connect(self._update)
        self._update()

    def menu_for(self, document: Document, parent: QWidget) -> QMenu:
        """Returns the menu of the actions on a tab; the menu is deleted when closed."""
        menu = QMenu(parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for command in self._commands:
            shared = self._actions[command.action]
            if command.act == self._files.rename:
                menu.addAction(self._actions["reopenTabAction"])
                menu.addSeparator()
            action = menu.addAction(shared.text(), partial(command.act, document))
            action.setObjectName(f"{command.action}OfTab")
            action.setEnabled(command.can(document))
        return menu

    def _close_others(self, document: Document) -> None:
        self._files.close_all([other for other in self._documents if other is not document])

    def _close_right(self, document: Document) -> None:
        self._files.close_all(self._right_of(document))

    def _close_all(self, _document: Document) -> None:
        self._files.close_all(list(self._documents))

    def _right_of(self, document: Document) -> list[Document]:
        order = list(self._documents)
        return order[order.index(document) + 1 :]

    def _copy_path(self, document: Document) -> None:
        path = str(document.path)
        QApplication.clipboard().setText(path)
        self.reported.emit(self.tr("Copied {path}").format(path=path))

    def _on_current(self, command: _Command) -> None:
        document = self._documents.current
        if document is not None and command.can(document):
            command.act(document)

    @Slot()
    def _on_reopen(self) -> None:
        closed = self._closed.take()
        self._update()
        self._reader.start(partial(content_of, closed.document), partial(self._on_read, closed))
        if not self._reader.settle():
            self.reported.emit(self.tr("Waiting for the disk"))

    def _on_read(self, closed: ClosedTab, content: FileText | FileContent | DocumentError) -> None:
        if isinstance(content, DocumentError):
            self.failed.emit(str(content))
            return
        others = list(self._documents)
        document = reopened(closed.document, content, self._documents)
        document.confined_to = self._closed.confined_to(closed)
        self._documents.add(document)
        self._documents.reorder([*others[: closed.place], document, *others[closed.place :]])
        self.opened.emit()

    @Slot()
    def _update(self) -> None:
        """Enables the commands that apply to the current tab."""
        current = self._documents.current
        for command in self._shared:
            can = current is not None and command.can(current)
            self._actions[command.action].setEnabled(can)
        self._actions["reopenTabAction"].setEnabled(len(self._closed) > 0)
