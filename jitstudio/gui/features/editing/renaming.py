"""Renames the symbol at the cursor; the search for all places runs in the background."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor import changes
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.translating import counted
from jitstudio.gui.shell.shell import Shell

_WIDTH = 420
_REST_MS = 150


class RenameDialog(QDialog):
    """Asks for a name.

    Signals:
        named: The user wants this name.
    """

    named = Signal(str)

    def __init__(
        self, name: str, count: int, refusal: Callable[[str], str], parent: QWidget
    ) -> None:
        """Makes the dialog.

        Args:
            name: The present name of the symbol.
            count: In how many places.
            refusal: Says why a name cannot be taken; empty for one that can.
            parent: The window below the dialog.
        """
        super().__init__(parent)
        self.setObjectName("renameDialog")
        self.setWindowTitle(self.tr("Rename {name}").format(name=name))
        self.setMinimumWidth(_WIDTH)
        self._refusal = refusal
        singular = self.tr("It is in {count} place of this file; strings and comments stay.")
        many = self.tr("It is in {count} places of this file; strings and comments stay.")
        self._where = counted(count, singular, many)
        self._field = QLineEdit(name)
        self._field.setAccessibleName(self.tr("New name"))
        self._field.selectAll()
        self._message = QLabel(self._where, wordWrap=True)
        self._message.setMinimumHeight(2 * self._message.fontMetrics().lineSpacing())
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self._take = buttons.button(kinds.Ok)
        self._take.setText(self.tr("Rename"))
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(10)
        for part in (self._field, self._message, buttons):
            column.addWidget(part)
        # To look for a name takes a moment in a long text.
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._check)
        self._field.textChanged.connect(self._on_typed)
        buttons.accepted.connect(self._on_accepted)
        buttons.rejected.connect(self.reject)
        self.finished.connect(self.deleteLater)

    @Slot()
    def _on_typed(self) -> None:
        self._rest.start()

    @Slot()
    def _check(self) -> bool:
        problem = self._refusal(self._field.text().strip())
        self._message.setText(problem or self._where)
        self._take.setEnabled(not problem)
        return not problem

    @Slot()
    def _on_accepted(self) -> None:
        if self._check():
            self.named.emit(self._field.text().strip())
            self.accept()


if TYPE_CHECKING:
    # Loaded late: see `banned-module-level-imports` in pyproject.toml.
    from jitstudio.listing.scopes.renaming import SymbolRenaming


class RenamingController(QObject):
    """Finds all places of a name, asks for another, and replaces all in a single undo step."""

    def __init__(
        self,
        editors: EditorTabs,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        self._shell = shell
        self._editors = editors
        self._window = shell.window
        self._editor: CodeEditor | None = None
        self._revision = -1
        self._search = Background(self)
        self._search.done.connect(self._on_found)
        self._search.failed.connect(shell.status.show_message)
        shell.actions.bind({"renameSymbolAction": self._on_wanted})

    @Slot()
    def _on_wanted(self) -> None:
        focus = QApplication.focusWidget()
        if isinstance(focus, QAbstractItemView):
            # What the key does in tables and lists.
            if focus.currentIndex().flags() & Qt.ItemFlag.ItemIsEditable:
                focus.edit(focus.currentIndex())
            return
        page = self._editors.page
        if page is None or page.editor is None:
            self._shell.status.show_message(
                self.tr("Symbols are renamed in a source: go there first")
            )
            return
        editor = self._editor = page.editor
        self._revision = editor.document().revision()
        line, column = editor.position()
        raw = editor.document().toRawText()
        self._search.start(partial(_find, page.document.kind, raw, line - 1, column - 1))

    @Slot(object)
    def _on_found(self, renaming: SymbolRenaming) -> None:
        editor = self._editor
        if editor is None or not self._is_unchanged(editor):
            return
        dialog = RenameDialog(renaming.name, len(renaming.places), renaming.refusal, self._window)
        dialog.named.connect(partial(self._rename, editor, renaming))
        dialog.open()

    def _is_unchanged(self, editor: CodeEditor) -> bool:
        """Returns whether the text is unchanged since the search; says so where not."""
        unchanged = isValid(editor) and editor.document().revision() == self._revision
        if not unchanged:
            self._shell.status.show_message(
                self.tr("The text has changed meanwhile: rename once more")
            )
        return unchanged

    def _rename(self, editor: CodeEditor, renaming: SymbolRenaming, name: str) -> None:
        # Its file may have been read anew while the user was asked.
        if name == renaming.name or not self._is_unchanged(editor):
            return
        cursor = editor.textCursor()
        line, column = changes.place_of(editor.document(), cursor.position())
        # The cursor stays in the name, or where it was next to it.
        grown = len(name) - len(renaming.name)
        before = sum(at == line and span[1] <= column for at, span in renaming.places)
        editor.carets.clear()
        if not editor.replace_matches([(at, span, name) for at, span in renaming.places]):
            return
        start = column + before * grown
        editor.setTextCursor(changes.cursor_over(editor.document(), line, (start, start)))
        self._shell.status.show_message(
            self.tr("Renamed {old} to {new} in {count:,} places").format(
                old=renaming.name, new=name, count=len(renaming.places)
            )
        )


def _find(kind: CodeKind, raw: str, line: int, column: int, _stop: Event) -> SymbolRenaming:
    from jitstudio.listing.scopes.renaming import renaming

    return renaming(kind, raw.replace("\u2029", "\n"), line, column)
