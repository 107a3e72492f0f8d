"""What is highlighted behind the code of an editor: brackets, words, matches and waves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QTimer, Slot
from PySide6.QtGui import QTextBlock, QTextCursor
from PySide6.QtWidgets import QTextEdit

from jitstudio.gui.editor.matching import bracket_pair, occurrences, word_at
from jitstudio.gui.editor.places import cursor_over, ground

if TYPE_CHECKING:
    from jitstudio.gui.code.search import Span

if TYPE_CHECKING:
    from jitstudio.gui.editor.code_editor import CodeEditor

_OCCURRENCES_DELAY = 120
_LONG_LINE = 250


class Highlights(QObject):
    """Marks what is in sight of one `CodeEditor`, and follows its cursor."""

    def __init__(self, editor: CodeEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._matches: Mapping[int, Sequence[Span]] = {}
        self._word = ""
        self._word_timer = QTimer(self, singleShot=True, interval=_OCCURRENCES_DELAY)
        self._word_timer.timeout.connect(self._on_word_timeout)
        editor.cursorPositionChanged.connect(self._on_cursor_moved)
        editor.horizontalScrollBar().valueChanged.connect(self.refresh)

    def set_matches(self, matches: Mapping[int, Sequence[Span]]) -> None:
        """Highlight what was found, by line."""
        self._matches = matches
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Mark anew what is in sight."""
        editor = self._editor
        blocks = [block for block, _ in editor.visible_blocks()]
        if not blocks:
            return
        first, last = blocks[0], blocks[-1].position() + blocks[-1].length() - 1
        marks = editor.marks.selections(first.position(), last, editor.theme)
        carets = editor.carets.grounds(first.position(), last)
        grounds = [*self._words(first, last), *self._found(blocks), *self._brackets(), *carets]
        link = editor.word_link.grounds()
        editor.setExtraSelections([*self._near(grounds), *marks, *link])

    def _near(self, grounds: Sequence[QTextEdit.ExtraSelection]) -> list[QTextEdit.ExtraSelection]:
        """Those in the columns in sight: Qt draws a line once more for each ground in it."""
        editor, right = self._editor, self._editor.viewport().width()
        seen: dict[int, tuple[int, int]] = {}
        near = []
        for one in grounds:
            block = one.cursor.block()
            if block.length() > _LONG_LINE:
                if block.blockNumber() not in seen:
                    middle = editor.cursorRect(QTextCursor(block)).center().y()
                    edges = (editor.cursorForPosition(QPoint(x, middle)) for x in (0, right))
                    seen[block.blockNumber()] = (next(edges).position(), next(edges).position())
                first, last = seen[block.blockNumber()]
                if one.cursor.selectionEnd() < first or one.cursor.selectionStart() > last:
                    continue
            near.append(one)
        return near

    def _words(self, first: QTextBlock, last: int) -> list[QTextEdit.ExtraSelection]:
        words = occurrences(self._word, first, last) if self._word else []
        color = self._editor.theme.code.occurrence
        return [ground(cursor, color) for cursor in words] if len(words) > 1 else []

    def _found(self, blocks: Sequence[QTextBlock]) -> list[QTextEdit.ExtraSelection]:
        document, color = self._editor.document(), self._editor.theme.code.match
        return [
            ground(cursor_over(document, block.blockNumber(), span), color)
            for block in (blocks if self._matches else ())
            for span in self._matches.get(block.blockNumber(), ())
        ]

    def _brackets(self) -> list[QTextEdit.ExtraSelection]:
        color = self._editor.theme.code.bracket
        found = []
        for position in bracket_pair(self._editor.textCursor()) or ():
            cursor = QTextCursor(self._editor.document())
            cursor.setPosition(position)
            cursor.movePosition(
                QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor
            )
            found.append(ground(cursor, color))
        return found

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
