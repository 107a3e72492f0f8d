"""What can be done with the tabs of the editors: close several, open again, rename, copy a path."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.document_files import DocumentError
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.editable import FileContent
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.file_text import FileText
from jitstudio.gui.state.session import content_of, reopened, saved_document
from jitstudio.gui.state.session_format import SavedDocument

_MOST = 20


class ClosedTab(NamedTuple):
    """A tab as it was.

    Attributes:
        document: What was in it; its text only where no file had it.
        place: How many tabs were left of it.
        untrusted: The folder of the untrusted project that was open; empty for the user's own.
    """

    document: SavedDocument
    place: int
    untrusted: str


class ClosedTabs(QObject):
    """Remembers what is closed while jitstudio runs, the last on top."""

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
        """Forgets the last one, which is about to be opened."""
        return self._closed.pop()

    def confined_to(self, closed: ClosedTab) -> str:
        """See `Document.confined_to`; its project, while that is open, says itself what it may."""
        is_open = closed.untrusted == self._settings.origin.folder
        return closed.document.confined_to or ("" if is_open else closed.untrusted)

    @Slot(Document)
    def _on_removed(self, document: Document) -> None:
        entry = saved_document(document)
        was_only_looked_at = document.is_preview and not document.is_modified
        # Of bytes that came from no file nothing is kept.
        if not was_only_looked_at and (entry.path or entry.content is not None):
            place, untrusted = self._order.index(document), self._settings.origin.confined_to
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
    """What a command does with a tab, and whether it can.

    Attributes:
        action: Its id.
        act: Does it.
        can: Whether there is anything to do.
    """

    action: str
    act: Callable[[Document], object]
    can: Callable[[Document], bool]


class TabCommands(QObject):
    """Acts on the current tab from the File menu, and on any by its own menu.

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
        """Returns what can be done with one tab; the menu is deleted when it closes."""
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
        """Lets only what can be done be chosen."""
        current = self._documents.current
        for command in self._shared:
            can = current is not None and command.can(current)
            self._actions[command.action].setEnabled(can)
        self._actions["reopenTabAction"].setEnabled(len(self._closed) > 0)
