"""Offers in the menus of editors, listings and tables which commands do something there."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from jitstudio.gui.kit.tables import PanelTable
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.workspace import Workspace
from jitstudio.gui.window.panes import Panes

# By groups; those of texts come before what every text has, such as Copy.
_OF_EDITORS = (
    ("goToDefinitionAction", "renameSymbolAction"),
    ("showInPtxAction", "showInSassAction", "explainAction", "showMessageAction"),
    ("pinBaselineAction", "copyPictureAction", "copyCommandAction"),
    ("commentAction",),
)
_OF_LISTINGS = (
    ("showInSourceAction", "showInPtxAction", "showInSassAction", "explainAction"),
    ("pinBaselineAction", "copyPictureAction", "copyCommandAction"),
)
_OF_TABLES = ("pinBaselineAction", "copyPictureAction", "copyCommandAction")
_OF_LAUNCHES = ("copyPictureAction", "copyRunCommandAction", "copySweepCommandAction")
_OF_PICTURES = ("pinBaselineAction", "copyCommandAction")


class ContextMenus(QObject):
    """Adds the commands of the window to the menus of views, by their ids.

    An id that no command has is left out.
    """

    def __init__(self, workspace: Workspace, panes: Panes, actions: Actions) -> None:
        super().__init__(panes.tabs)
        self._panes = panes
        self._actions = actions
        for output in panes.outputs.values():
            output.code_view.menu_opening.connect(self._on_listing_menu)
        workspace.documents.each(self._on_document)
        offered = {panes.launch: _OF_LAUNCHES} | dict.fromkeys(
            (panes.kernels, panes.report, panes.names, panes.problems), _OF_TABLES
        )
        for pane, names in offered.items():
            for table in pane.findChildren(PanelTable):
                table.add_separator()
                table.addActions([actions[name] for name in names])
        for picture in (panes.pipeline, panes.graph):
            picture.addActions([actions[name] for name in _OF_PICTURES])
        actions.bind({"copyPictureAction": self._on_copy_picture})

    def _add(self, menu: QMenu, groups: tuple[tuple[str, ...], ...]) -> None:
        for group in groups:
            if not menu.isEmpty():
                menu.addSeparator()
            for name in group:
                if name in self._actions:
                    self._add_command(menu, name)

    def _add_command(self, menu: QMenu, name: str) -> None:
        """One that does what the command does, and says whether there is anything to do here."""
        command = self._actions[name]
        action = menu.addAction(command.text(), command.trigger)
        action.setObjectName(f"{name}Here")
        # For the eye only: a menu that is open takes no keys of the window.
        action.setShortcut(command.shortcut())
        action.setShortcutVisibleInContextMenu(True)
        action.setEnabled(self._actions.is_possible(name))

    @Slot(Document)
    def _on_document(self, document: Document) -> None:
        page = self._panes.tabs.page_of(document)
        if page is not None:
            fill = self._on_editor_menu if page.editor is not None else self._on_listing_menu
            page.code_view.menu_opening.connect(fill)

    @Slot(QMenu)
    def _on_editor_menu(self, menu: QMenu) -> None:
        self._add(menu, _OF_EDITORS)

    @Slot(QMenu)
    def _on_listing_menu(self, menu: QMenu) -> None:
        self._add(menu, _OF_LISTINGS)

    @Slot()
    def _on_copy_picture(self) -> None:
        part = self._part(QApplication.focusWidget())
        QApplication.clipboard().setPixmap(part.grab())
        self._panes.status.tell(self.tr("Copied the picture of what is seen here"))

    def _part(self, focus: QWidget | None) -> QWidget:
        """The pane that a widget is in, or the editor."""
        dock = self._panes.stage.dock_of(focus)
        page = self._panes.tabs.page
        if dock is not None:
            return dock.content
        return page.code_view if page is not None else self._panes.tabs
