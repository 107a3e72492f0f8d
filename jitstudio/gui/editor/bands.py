"""The bands of an editor, and the ground of its current line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QPainter

from jitstudio.gui.code.line_colours import NO_LINE, LineColours

if TYPE_CHECKING:
    from jitstudio.gui.editor.code_editor import CodeEditor


class EditorLineColours(LineColours):
    """Draws what lies behind the text of one `CodeEditor`."""

    def __init__(self, editor: CodeEditor) -> None:
        super().__init__(editor, self._line_below)
        self._editor = editor

    def paint(self) -> None:
        """Draw the current line, and over it what belongs together."""
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
        painter.end()

    def bring_into_sight(self, line: int) -> None:
        """Scroll to a line, to the middle if it is out of sight."""
        editor = self._editor
        seen = [block.blockNumber() for block, _ in editor.visible_blocks()]
        if seen and not seen[0] <= line < seen[-1]:
            first = editor.document().findBlockByNumber(line).firstLineNumber()
            editor.verticalScrollBar().setValue(first - len(seen) // 2)

    def _line_below(self, at: QPoint) -> int:
        block = self._editor.cursorForPosition(at).block()
        below = self._editor.cursorRect(self._editor.cursorForPosition(at)).bottom()
        return block.blockNumber() if at.y() <= below else NO_LINE
