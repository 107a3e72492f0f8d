"""What can be done with the tabs of the editors: close several, open again, rename, copy a path."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from jitstudio.gui.features.tabs.closed_tabs import ClosedTab, ClosedTabs
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.shell.file_commands import FileCommands
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.editable import Found
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.file_text import FileText
from jitstudio.gui.state.files import DocumentError
from jitstudio.gui.state.session import content_of, reopened


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
        told: Something was done that cannot be seen, in words.
        failed: A tab cannot be brought back, in words.
        opened: A tab is back, and the user wants to write in it.
    """

    told = Signal(str)
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
        """What can be done with one tab; the menu is deleted when it closes."""
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
        self.told.emit(self.tr("Copied {path}").format(path=path))

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
            self.told.emit(self.tr("Waiting for the disk"))

    def _on_read(self, closed: ClosedTab, content: FileText | Found | DocumentError) -> None:
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
        """Let only what can be done be chosen."""
        current = self._documents.current
        for command in self._shared:
            can = current is not None and command.can(current)
            self._actions[command.action].setEnabled(can)
        self._actions["reopenTabAction"].setEnabled(len(self._closed) > 0)
