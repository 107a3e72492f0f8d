"""One tab of the editors: the text being edited, or a view of what cannot be."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.marks import Mark
from jitstudio.gui.find.find_bar import FindBar
from jitstudio.gui.languages import LANGUAGES
from jitstudio.gui.state.documents import Document, ReadOnlyReason
from jitstudio.gui.theme import Theme
from jitstudio.gui.viewer.banner import Banner
from jitstudio.gui.viewer.listing_view import ListingView
from jitstudio.gui.viewer.text import split_lines
from jitstudio.listing.contents import contents


class SourcePage(QWidget):
    """Shows one document.

    Attributes:
        document: What it shows.
        code_view: The editor, or the view of what cannot be edited.
        editor: Edits it; None for a document that cannot be edited.
        view: Shows it read-only; None for one that is edited.
        find_bar: Searches either.

    Signals:
        refused: An input was not taken, in words.
    """

    refused = Signal(str)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.document = document
        self.editor: CodeEditor | None = None
        self.view: ListingView | None = None
        self._banner: Banner | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        if document.text is not None:
            language = LANGUAGES[document.kind]
            self.editor = CodeEditor(
                theme, language.lexer, language.comment, document=document.text
            )
            self.editor.setAccessibleName(f"Source code of {document.name}")
            self.editor.input_refused.connect(self.refused)
            self.code_view: CodeEditor | ListingView = self.editor
        else:
            self.view = self.code_view = _read_only_view(document, theme)
            self._banner = self._make_banner(document, theme)
            column.addWidget(self._banner)
        self.find_bar = FindBar(theme)
        self.find_bar.set_target(self.code_view)
        column.addWidget(self.find_bar)
        column.addWidget(self.code_view, 1)
        self.setFocusProxy(self.code_view)

    def _make_banner(self, document: Document, theme: Theme) -> Banner:
        assert document.read_only is not None
        banner = Banner(self)
        banner.set_theme(theme)
        banner.say(document.read_only.value)
        return banner

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        for part in (self.editor, self.view, self.find_bar, self._banner):
            if part is not None:
                part.set_theme(theme)

    def follow_kind(self) -> None:
        """Treat the text as what the document holds now: saving may have changed its kind."""
        if self.editor is not None:
            language = LANGUAGES[self.document.kind]
            if self.editor.highlighter.lexer is not language.lexer:
                self.editor.set_language(language.lexer, language.comment)

    def set_marks(self, marks: list[Mark]) -> None:
        """Show these errors and warnings; a read-only document shows none."""
        if self.editor is not None:
            self.editor.set_marks(marks)

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor to a place, counted from 1; 0 where it is unknown."""
        if self.editor is not None:
            if line:
                self.editor.go_to(line, column or None)
            self.editor.setFocus()
        elif self.view is not None:
            if line:
                self.view.go_to(line)
            self.view.setFocus()

    def position(self) -> tuple[int, int]:
        """Line and column of the cursor, counted from 1; zeros where there is none."""
        return self.editor.position() if self.editor is not None else (0, 0)


def _read_only_view(document: Document, theme: Theme) -> ListingView:
    view = ListingView(theme)
    view.setAccessibleName(f"Content of {document.name}")
    content = document.content
    if document.read_only is ReadOnlyReason.BINARY:
        view.clear(contents(document.kind, content))
    else:
        language = LANGUAGES[document.kind]
        text = content.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
        view.set_lines(split_lines(text), language.lexer)
    return view
