"""The tooltip of the word below the mouse, or at the cursor, of an editor."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QTextCursor

from jitstudio.analysis.word_at import openings
from jitstudio.core.code import CodeKind
from jitstudio.gui.code.hover import Tip, WordHover
from jitstudio.gui.editor.changes import cursor_over
from jitstudio.gui.editor.editor_area import EditorArea
from jitstudio.gui.editor.matching import in_prose
from jitstudio.gui.kit.code_units import from_units, to_units


class EditorHover(WordHover):
    """Shows the tips of one `CodeEditor`; what a compiler says of a place comes first.

    Args:
        editor: The editor.
        want: Called with the language when the mouse enters, as tips may be wanted.
        find: The tip for a column of a line of a language, if there is one.
    """

    def __init__(
        self,
        editor: EditorArea,
        want: Callable[[CodeKind], None],
        find: Callable[[CodeKind, str, int], Tip | None],
    ) -> None:
        self._editor = editor
        super().__init__(editor, want, find)

    @property
    def kind(self) -> CodeKind:
        """The language of the text."""
        return self._editor.kind

    def _visible_cursor(self) -> tuple[int, int]:
        self._editor.ensureCursorVisible()
        cursor = self._editor.textCursor()
        return cursor.blockNumber(), cursor.positionInBlock()

    def _below(self, at: QPoint) -> Iterator[tuple[int, int]]:
        cursor = self._editor.cursorForPosition(at)
        if not self._editor.marks.at_position(cursor.position()):
            # The cursor is the gap nearest to the mouse, on either side of the letter below it.
            yield cursor.blockNumber(), cursor.positionInBlock()
            yield cursor.blockNumber(), cursor.positionInBlock() - 1

    def _tip(self, line: int, column: int) -> Tip | None:
        block = self._editor.document().findBlockByNumber(line)
        if column < 0 or in_prose(block, column):
            return None
        text = block.text()
        return self._find(self.kind, text, from_units(text, column))

    def _openings(self, line: int) -> Iterator[int]:
        text = self._editor.document().findBlockByNumber(line).text()
        return (to_units(text, column) for column in openings(self.kind, text))

    def _area(self, line: int, tip: Tip) -> QRect:
        editor = self._editor
        word = cursor_over(editor.document(), line, tip.span)
        end = editor.cursorRect(word)
        start = QTextCursor(word)
        start.setPosition(word.selectionStart())
        return editor.cursorRect(start).united(end)
