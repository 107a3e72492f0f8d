"""The tab of a document: the base of all, and the tab of an editable document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QTextBlock
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.gui.code.code_view import CodeView, TextFinder
from jitstudio.gui.code.languages import LANGUAGES
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.marks import DiagnosticMark
from jitstudio.gui.kit.parts import StripRoom
from jitstudio.gui.state.documents import Document

if TYPE_CHECKING:
    # The window comes up without any.
    from jitstudio.core.captured import CapturedKernel, KernelLanguage


class SourcePage(QWidget):
    """Shows a document.

    Attributes:
        document: The shown document.
        strip_room: Room for a strip over the text.
        editor: Edits it; None for a document that cannot be edited.

    Signals:
        refused: An input was not taken; with the reason.
        stage_changed: Another representation of a captured kernel is shown.
        line_changed: The caret of a read-only text is on another line, or in another text.
    """

    refused = Signal(str)
    stage_changed = Signal()
    line_changed = Signal()

    editor: CodeEditor | None = None

    def __init__(
        self,
        document: Document,
        text: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.document = document
        self._text = text
        self._find_bar: TextFinder | None = None
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self.strip_room = StripRoom(self)
        self.column.addWidget(self.strip_room)
        self.column.addWidget(text, 1)
        self.setFocusProxy(text)

    @property
    def code_view(self) -> CodeView:
        """The editor, or the read-only view."""
        raise NotImplementedError

    @property
    def shown(self) -> Sequence[tuple[CodeView, KernelLanguage | None]]:
        """All texts of the page, each with the representation of a captured kernel or None."""
        return ((self.code_view, self.stage),)

    @property
    def line(self) -> int:
        """The line of the cursor, counted from 1."""
        return self.position()[0]

    @property
    def find_bar(self) -> TextFinder:
        """Searches the text; made when first asked for."""
        if self._find_bar is None:
            from jitstudio.gui.code.find_bar import FindBar

            bar = FindBar()
            bar.set_target(self.code_view)
            self.column.insertWidget(self.column.indexOf(self._text), bar)
            self._find_bar = bar
        return self._find_bar

    def aim_find_bar(self) -> None:
        """Lets the find bar search the text that the user works in now."""
        if self._find_bar is not None:
            self._find_bar.set_target(self.code_view)

    @property
    def stage(self) -> KernelLanguage | None:
        """The shown representation of a captured kernel; None for any other document."""
        return None

    @property
    def kernel(self) -> CapturedKernel | None:
        """The shown captured kernel; None until read, and for other documents."""
        return None

    def offer(self, edit_copy: QAction) -> None:
        """Shows a button for a command about captured kernels, if the page shows a kernel."""

    def show_stage(self, stage: KernelLanguage) -> None:
        """Shows another representation of a captured kernel, if available."""

    def show_beside(self) -> bool:
        """Shows or hides a second representation of a captured kernel; returns if that can be."""
        return False

    def follow_kind(self) -> None:
        """Follows the kind of the document, which saving may have changed."""

    def set_marks(self, marks: list[DiagnosticMark]) -> None:
        """Shows errors and warnings; a read-only document shows none."""

    def go_to(self, line: int, column: int) -> None:
        """Puts the cursor to a place, counted from 1; 0 where unknown."""
        raise NotImplementedError

    def position(self) -> tuple[int, int]:
        """Line and column of the cursor, counted from 1; zeros where there is none."""
        return 0, 0


class EditorPage(SourcePage):
    """Lets a document be edited."""

    editor: CodeEditor

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        assert document.text is not None
        language = LANGUAGES[document.kind]
        self.editor = editor = CodeEditor(
            language.lexer,
            language.comment,
            document=document.text,
            kind=document.kind,
        )
        super().__init__(document, editor, parent)
        self._top = QTextBlock()
        editor.setAccessibleName(self.tr("Source code of {name}").format(name=document.name))
        editor.input_refused.connect(self.refused)
        cursor = editor.textCursor()
        cursor.setPosition(max(0, min(document.cursor, document.text.characterCount() - 1)))
        editor.setTextCursor(cursor)
        editor.cursorPositionChanged.connect(self._on_cursor_moved)
        document.reloading.connect(self._on_reloading)
        document.reloaded.connect(self._on_reloaded)

    @property
    def code_view(self) -> CodeEditor:
        """The editor."""
        return self.editor

    def follow_kind(self) -> None:
        """Highlights and comments as the kind of the document demands."""
        language = LANGUAGES[self.document.kind]
        if self.editor.highlighter.lexer is not language.lexer:
            self.editor.set_language(language.lexer, language.comment, self.document.kind)

    def set_marks(self, marks: list[DiagnosticMark]) -> None:
        """Shows errors and warnings."""
        self.editor.set_marks(marks)

    def go_to(self, line: int, column: int) -> None:
        """Puts the cursor to a place."""
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
