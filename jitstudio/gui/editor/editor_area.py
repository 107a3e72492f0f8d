"""The text of an editor with tokens, marks and folds: the base that the parts work on."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF, Signal, Slot
from PySide6.QtGui import QTextBlock, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.languages import CodeLexer, SourceHighlighter
from jitstudio.gui.code.line_marks import LineMarks
from jitstudio.gui.editor.changes import lines, place_of
from jitstudio.gui.editor.completion.completer import Completer
from jitstudio.gui.editor.folding import Folds
from jitstudio.gui.editor.keys import ClosingPairs
from jitstudio.gui.editor.marks import MarkList
from jitstudio.gui.kit.theme import Theme, current_theme


class EditorArea(QPlainTextEdit):
    """Edits a text of its own, or `document`: with `QPlainTextDocumentLayout`, and outliving this.

    Attributes:
        marks: The errors and warnings shown, and where they have moved to.
        highlighter: Colours the text.
        folds: Which lines are hidden.
        completer: Offers words while they are typed.
        pairs: Closes brackets and quotes.
        line_marks: Breakpoints, and where a simulated thread is.

    Signals:
        highlights_outdated: The highlights behind the text have changed.
    """

    highlights_outdated = Signal()

    def __init__(
        self,
        lexer: CodeLexer | None,
        kind: CodeKind,
        document: QTextDocument | None,
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent)
        if document is not None:
            self.setDocument(document)
        self.marks = MarkList(self.document())
        # Before the folds, which ask it what is a comment.
        self.highlighter = SourceHighlighter(self.document(), lexer)
        self.folds = Folds(self.document(), kind)
        self.completer = Completer(self, kind)
        self.pairs = ClosingPairs()
        self.line_marks = LineMarks(self)

    @property
    def theme(self) -> Theme:
        """The theme of the text and the surrounding parts."""
        return current_theme()

    @property
    def kind(self) -> CodeKind:
        """The language of the text."""
        return self.folds.kind

    def position(self) -> tuple[int, int]:
        """Line and column of the cursor, counted from 1, the column in characters."""
        line, column = place_of(self.document(), self.textCursor().position())
        return line + 1, column + 1

    def visible_blocks(self) -> Iterator[tuple[QTextBlock, QRectF]]:
        """Yields the visible lines and where they are."""
        block, bottom = self.firstVisibleBlock(), self.viewport().height()
        rect = self.blockBoundingGeometry(block).translated(self.contentOffset())
        while block.isValid() and rect.top() <= bottom:
            yield block, rect
            # Of hidden lines there may be thousands; they count none.
            line = block.firstLineNumber() + block.lineCount()
            block = block.next()
            if block.isValid() and not block.isVisible():
                block = self.document().findBlockByLineNumber(line)
            rect = QRectF(rect.left(), rect.bottom(), rect.width(), rect.height())

    # What folds: jitstudio.gui.code.code_view.Foldable.

    @Slot()
    def fold(self) -> None:
        """Folds the block of code that the cursor is in."""
        self._leave_fold(self.folds.fold_around(self.textCursor().block()))

    @Slot()
    def unfold(self) -> None:
        """Opens the fold at the cursor."""
        self.folds.unfold(self.textCursor().block())

    @Slot()
    def fold_all(self) -> None:
        """Folds all blocks of code."""
        self.folds.fold_all()
        self._leave_fold()

    @Slot()
    def unfold_all(self) -> None:
        """Opens all folds."""
        self.folds.unfold_all()

    def toggle_fold(self, block: QTextBlock) -> None:
        """Folds or opens the block that begins in a line."""
        self.folds.toggle(block)
        self._leave_fold()

    def _leave_fold(self, head: QTextBlock | None = None) -> None:
        """Puts a cursor that a fold has hidden to the end of the fold's first line."""
        cursor = self.textCursor()
        block = head if head is not None else cursor.block()
        if cursor.block().isVisible():
            return
        while block.isValid() and not block.isVisible():
            block = block.previous()
        cursor.setPosition(block.position() + block.length() - 1)
        self.setTextCursor(cursor)

    # What the find bar asks for: jitstudio.gui.code.code_view.Searchable.

    def search_line_count(self) -> int:
        """Returns how many lines there are."""
        return self.blockCount()

    def search_lines(self, first: int, count: int) -> list[str]:
        """Returns some lines, counted from 0."""
        return lines(self.document(), first, count)

    def search_start(self) -> tuple[int, int]:
        """Line and column where the selection begins, counted from 0."""
        return place_of(self.document(), self.textCursor().selectionStart())

    def search_selection(self) -> str:
        """Returns the selected text if within a single line."""
        text = self.textCursor().selectedText()
        return "" if "\u2029" in text else text
