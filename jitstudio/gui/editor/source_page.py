"""One tab of the editors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QTextBlock
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.gui.code.languages import LANGUAGES
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.marks import Mark
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.state.documents import Document

if TYPE_CHECKING:
    from jitstudio.gui.code.find_bar import FindBar
    from jitstudio.gui.listing.listing_view import ListingView


class SourcePage(QWidget):
    """Shows one document.

    Attributes:
        document: What it shows.
        code_view: The editor, or the view of what cannot be edited.
        editor: Edits it; None for a document that cannot be edited.
        view: Shows it read-only; None for one that is edited.

    Signals:
        refused: An input was not taken, in words.
    """

    refused = Signal(str)

    editor: CodeEditor | None = None
    view: ListingView | None = None

    def __init__(
        self,
        document: Document,
        theme: Theme,
        code_view: CodeEditor | ListingView,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.document = document
        self.code_view = code_view
        self._theme = theme
        self._find_bar: FindBar | None = None
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self.column.addWidget(code_view, 1)
        self.setFocusProxy(code_view)

    @property
    def find_bar(self) -> FindBar:
        """Searches the text; it is made when it is first asked for."""
        if self._find_bar is None:
            from jitstudio.gui.code.find_bar import FindBar

            bar = FindBar(self._theme)
            bar.set_target(self.code_view)
            self.column.insertWidget(self.column.indexOf(self.code_view), bar)
            self._find_bar = bar
        return self._find_bar

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self.code_view.set_theme(theme)
        if self._find_bar is not None:
            self._find_bar.set_theme(theme)

    def follow_kind(self) -> None:
        """Treat the text as what the document holds now: saving may have changed its kind."""

    def set_marks(self, marks: list[Mark]) -> None:
        """Show these errors and warnings; a read-only document shows none."""

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor to a place, counted from 1; 0 where it is unknown."""
        raise NotImplementedError

    def position(self) -> tuple[int, int]:
        """Line and column of the cursor, counted from 1; zeros where there is none."""
        return 0, 0


class EditorPage(SourcePage):
    """Lets one document be edited."""

    editor: CodeEditor

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        assert document.text is not None
        language = LANGUAGES[document.kind]
        self.editor = editor = CodeEditor(
            theme,
            language.lexer,
            language.comment,
            document=document.text,
            kind=document.kind,
        )
        super().__init__(document, theme, editor, parent)
        self._top = QTextBlock()
        editor.setAccessibleName(self.tr("Source code of {name}").format(name=document.name))
        editor.input_refused.connect(self.refused)
        cursor = editor.textCursor()
        cursor.setPosition(max(0, min(document.cursor, document.text.characterCount() - 1)))
        editor.setTextCursor(cursor)
        editor.cursorPositionChanged.connect(self._on_cursor_moved)
        document.reloading.connect(self._on_reloading)
        document.reloaded.connect(self._on_reloaded)

    def follow_kind(self) -> None:
        """Treat the text as what the document holds now."""
        language = LANGUAGES[self.document.kind]
        if self.editor.highlighter.lexer is not language.lexer:
            self.editor.set_language(language.lexer, language.comment, self.document.kind)

    def set_marks(self, marks: list[Mark]) -> None:
        """Show these errors and warnings."""
        self.editor.set_marks(marks)

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor to a place."""
        if line:
            self.editor.go_to(line, column or None)
        self.editor.setFocus()

    def position(self) -> tuple[int, int]:
        """Line and column of the cursor."""
        return self.editor.position()

    @Slot()
    def _on_cursor_moved(self) -> None:
        self.document.cursor = self.editor.textCursor().position()

    @Slot()
    def _on_reloading(self) -> None:
        self._top = self.editor.firstVisibleBlock()

    @Slot()
    def _on_reloaded(self) -> None:
        if self._top.isValid():
            # The same line as before is on top, whatever came or went above it.
            self.editor.verticalScrollBar().setValue(self._top.firstLineNumber())
