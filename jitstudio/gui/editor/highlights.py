"""The layers behind the code of an editor: line colours, brackets, words, matches, waves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, QPoint, QRect, QTimer, Slot
from PySide6.QtGui import QColor, QPainter, QTextBlock, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from jitstudio.gui.code.code_view import Span
from jitstudio.gui.code.line_marks import NO_LINE, LineColours
from jitstudio.gui.editor.carets import Carets
from jitstudio.gui.editor.changes import cursor_over
from jitstudio.gui.editor.editor_area import EditorArea
from jitstudio.gui.editor.links import WordLink
from jitstudio.gui.editor.matching import bracket_pair, occurrences, word_at

_OCCURRENCES_DELAY = 120
_LONG_LINE = 250


class EditorLineColours(LineColours):
    """Draws the layers behind the text of a `CodeEditor`."""

    def __init__(self, editor: EditorArea) -> None:
        super().__init__(editor, self._line_below)
        self._editor = editor

    def paint(self) -> None:
        """Draws the current line, and over that the colours of corresponding lines."""
        editor, theme = self._editor, self._editor.theme
        cursor = editor.textCursor()
        current = NO_LINE if cursor.hasSelection() else cursor.blockNumber()
        painter = QPainter(editor.viewport())
        for block, rect in editor.visible_blocks():
            line = block.blockNumber()
            width = editor.viewport().width()
            place = QRect(0, round(rect.top()), width, round(rect.height()))
            if line == current:
                painter.fillRect(place, theme.code.current_line)
            self.paint_line(painter, place, line, theme)
            editor.line_marks.paint_line(painter, place, line, theme)
        painter.end()

    def scroll_to(self, line: int) -> None:
        """Scrolls to a line, to the middle if not visible yet."""
        editor = self._editor
        seen = [block.blockNumber() for block, _ in editor.visible_blocks()]
        if seen and not seen[0] <= line < seen[-1]:
            first = editor.document().findBlockByNumber(line).firstLineNumber()
            editor.verticalScrollBar().setValue(first - len(seen) // 2)

    def _line_below(self, at: QPoint) -> int:
        block = self._editor.cursorForPosition(at).block()
        below = self._editor.cursorRect(self._editor.cursorForPosition(at)).bottom()
        return block.blockNumber() if at.y() <= below else NO_LINE


class Highlights(QObject):
    """Highlights the visible part of a `CodeEditor`, and follows the cursor."""

    def __init__(self, editor: EditorArea, carets: Carets, link: WordLink) -> None:
        super().__init__(editor)
        self._editor = editor
        self._carets = carets
        self._link = link
        editor.highlights_outdated.connect(self.refresh)
        self._matches: Mapping[int, Sequence[Span]] = {}
        self._word = ""
        self._word_timer = QTimer(self, singleShot=True, interval=_OCCURRENCES_DELAY)
        self._word_timer.timeout.connect(self._on_word_timeout)
        editor.cursorPositionChanged.connect(self._on_cursor_moved)
        editor.horizontalScrollBar().valueChanged.connect(self.refresh)

    def set_matches(self, matches: Mapping[int, Sequence[Span]]) -> None:
        """Highlights matches, by line."""
        self._matches = matches
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Highlights the part that is visible now."""
        editor = self._editor
        blocks = [block for block, _ in editor.visible_blocks()]
        if not blocks:
            return
        first, last = blocks[0], blocks[-1].position() + blocks[-1].length() - 1
        marks = editor.marks.selections(first.position(), last, editor.theme)
        carets = self._carets.highlights(first.position(), last)
        highlights = [
            *self._words(first, last),
            *self._match_highlights(blocks),
            *self._brackets(),
            *carets,
        ]
        link = self._link.highlights()
        editor.setExtraSelections([*self._near(highlights), *marks, *link])

    def _near(
        self, highlights: Sequence[QTextEdit.ExtraSelection]
    ) -> list[QTextEdit.ExtraSelection]:
        """Returns highlights in visible columns: Qt draws a line once more for each highlight."""
        editor, right = self._editor, self._editor.viewport().width()
        seen: dict[int, tuple[int, int]] = {}
        near = []
        for highlight in highlights:
            block = highlight.cursor.block()
            if block.length() > _LONG_LINE:
                if block.blockNumber() not in seen:
                    middle = editor.cursorRect(QTextCursor(block)).center().y()
                    edges = (editor.cursorForPosition(QPoint(x, middle)) for x in (0, right))
                    seen[block.blockNumber()] = (next(edges).position(), next(edges).position())
                first, last = seen[block.blockNumber()]
                if (
                    highlight.cursor.selectionEnd() < first
                    or highlight.cursor.selectionStart() > last
                ):
                    continue
            near.append(highlight)
        return near

    def _words(self, first: QTextBlock, last: int) -> list[QTextEdit.ExtraSelection]:
        words = occurrences(self._word, first, last) if self._word else []
        color = self._editor.theme.code.occurrence
        return [background(cursor, color) for cursor in words] if len(words) > 1 else []

    def _match_highlights(self, blocks: Sequence[QTextBlock]) -> list[QTextEdit.ExtraSelection]:
        document, color = self._editor.document(), self._editor.theme.code.match
        return [
            background(cursor_over(document, block.blockNumber(), span), color)
            for block in (blocks if self._matches else ())
            for span in self._matches.get(block.blockNumber(), ())
        ]

    def _brackets(self) -> list[QTextEdit.ExtraSelection]:
        color = self._editor.theme.code.bracket
        selections = []
        for position in bracket_pair(self._editor.textCursor()) or ():
            cursor = QTextCursor(self._editor.document())
            cursor.setPosition(position)
            cursor.movePosition(
                QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor
            )
            selections.append(background(cursor, color))
        return selections

    @Slot()
    def _on_cursor_moved(self) -> None:
        self._word = ""
        self._word_timer.start()
        self.refresh()

    @Slot()
    def _on_word_timeout(self) -> None:
        self._word = word_at(self._editor.textCursor())
        if self._word:
            self.refresh()


def background(cursor: QTextCursor, color: QColor) -> QTextEdit.ExtraSelection:
    """Returns a highlight with a background colour; the colours of the text stay."""
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor
    wash = QTextCharFormat()
    wash.setBackground(color)
    selection.format = wash
    return selection
