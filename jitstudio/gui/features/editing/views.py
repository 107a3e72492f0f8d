"""The actions of the Edit menu and of zooming, on the view that was used last."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication, QInputDialog, QWidget

from jitstudio.gui.code.code_view import Foldable
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.editor.source_page import SourcePage
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.state.preferences import Preferences


class ViewCommands(QObject):
    """Sends commands to the editor or listing that has, or had last, the keyboard.

    Args:
        tabs: The editors.
        panes: The listings.
        preferences: Where the size of the text is remembered.
        actions: The commands that these are.
        window: The parent of dialogs.
    """

    def __init__(
        self,
        tabs: EditorTabs,
        panes: Sequence[OutputPane],
        preferences: Preferences,
        actions: Actions,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._tabs = tabs
        self._panes = panes
        self._preferences = preferences
        self._window = window
        self._last_pane: OutputPane | None = None
        tabs.font_size_changed.connect(self._on_font_size_changed)
        for pane in panes:
            pane.code_view.font_size_changed.connect(self._on_font_size_changed)
        self._on_font_size_changed(preferences.font_size)
        preferences.changed.connect(self._on_preference_changed)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus_changed)
        actions.bind(
            {
                "undoAction": self.undo,
                "redoAction": self.redo,
                "findAction": self.find,
                "replaceAction": self.replace,
                "findNextAction": self.find_next,
                "findPreviousAction": self.find_previous,
                "goToLineAction": self.go_to_line,
                "commentAction": self.toggle_comments,
                "showMessageAction": self.show_message,
                "foldAction": self.fold,
                "unfoldAction": self.unfold,
                "foldAllAction": self.fold_all,
                "unfoldAllAction": self.unfold_all,
                "zoomInAction": self.zoom_in,
                "zoomOutAction": self.zoom_out,
                "zoomResetAction": self.zoom_reset,
            }
        )

    @Slot()
    def undo(self) -> None:
        """Takes the last edit back."""
        self._edit(CodeEditor.undo)

    @Slot()
    def redo(self) -> None:
        """Restores the edit that was undone last."""
        self._edit(CodeEditor.redo)

    @Slot()
    def toggle_comments(self) -> None:
        """Comments the selected lines out or in."""
        self._edit(CodeEditor.toggle_comments)

    @Slot()
    def show_message(self) -> None:
        """Shows the message about the line with the cursor."""
        self._edit(CodeEditor.show_message)

    @Slot()
    def fold(self) -> None:
        """Folds the block at the cursor."""
        if view := self._foldable():
            view.fold()

    @Slot()
    def unfold(self) -> None:
        """Opens the fold at the cursor."""
        if view := self._foldable():
            view.unfold()

    @Slot()
    def fold_all(self) -> None:
        """Folds all blocks."""
        if view := self._foldable():
            view.fold_all()

    @Slot()
    def unfold_all(self) -> None:
        """Opens all folds."""
        if view := self._foldable():
            view.unfold_all()

    @Slot()
    def find(self) -> None:
        """Opens the find bar."""
        if page := self._page():
            page.find_bar.open_find()

    @Slot()
    def replace(self) -> None:
        """Opens the find bar of the editor with the line for replacing."""
        if self._tabs.page is not None:
            self._tabs.page.find_bar.open_find(replace=True)

    @Slot()
    def find_next(self) -> None:
        """Goes to the next match."""
        if page := self._page():
            page.find_bar.find_next()

    @Slot()
    def find_previous(self) -> None:
        """Goes to the match before."""
        if page := self._page():
            page.find_bar.find_previous()

    @Slot()
    def go_to_line(self) -> None:
        """Asks for a line and goes there."""
        page = self._page()
        if page is None:
            return
        view = page.code_view
        count = view.search_line_count()
        line, chosen = QInputDialog.getInt(
            self._window,
            self.tr("Go to line"),
            self.tr("Line (1 to {count:,}):").format(count=count),
            view.search_start()[0] + 1,
            1,
            count,
        )
        if chosen:
            view.go_to(line)
            view.setFocus()

    @Slot()
    def zoom_in(self) -> None:
        """Makes code larger by a point."""
        if page := self._page():
            page.code_view.zoom_in()

    @Slot()
    def zoom_out(self) -> None:
        """Makes code smaller by a point."""
        if page := self._page():
            page.code_view.zoom_out()

    @Slot()
    def zoom_reset(self) -> None:
        """Gives code the usual size."""
        if page := self._page():
            page.code_view.zoom_reset()

    def _page(self) -> SourcePage | OutputPane | None:
        if self._last_pane is not None and self._last_pane.isVisible():
            return self._last_pane
        return self._tabs.page

    def _foldable(self) -> Foldable | None:
        page = self._page()
        return page.code_view if page is not None else None

    def _edit(self, command: Callable[[CodeEditor], None]) -> None:
        page = self._tabs.page
        if page is not None and page.editor is not None:
            command(page.editor)

    @Slot(float)
    def _on_font_size_changed(self, points: float) -> None:
        """Gives all code the same size: texts compared side by side should look alike."""
        self._tabs.set_font_size(points)
        for pane in self._panes:
            pane.code_view.set_font_size(points)
        self._preferences.font_size = points

    @Slot(str)
    def _on_preference_changed(self, _key: str) -> None:
        self._on_font_size_changed(self._preferences.font_size)

    @Slot(QWidget, QWidget)
    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is None:
            return
        pane = next((pane for pane in self._panes if pane.isAncestorOf(new)), None)
        if pane is not None or self._tabs.isAncestorOf(new):
            self._last_pane = pane
