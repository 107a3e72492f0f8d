"""Selecting columns: a rectangle of text, which is a caret in each of its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QTextCursor

from jitstudio.gui.editor.carets import MOST
from jitstudio.gui.editor.keys import tab_width
from jitstudio.gui.kit.code_units import in_units

if TYPE_CHECKING:
    from jitstudio.gui.editor.code_editor import CodeEditor

_ALT, _SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier
_KEEP = QTextCursor.MoveMode.KeepAnchor


class _Corner(NamedTuple):
    """A line and a column as they are seen, tabs counted in full, both from 0."""

    line: int
    column: int


class ColumnSelection:
    """Selects columns in one `CodeEditor`, by Alt+Shift and the mouse or by keys."""

    def __init__(self, editor: CodeEditor) -> None:
        self._editor = editor
        self._anchor = self._active = _Corner(0, 0)
        # Where the text cursor was left: elsewhere a selection begins anew.
        self._left: tuple[int, int, int] | None = None
        self._pressed: _Corner | None = None

    def extend(self, lines: int, columns: int) -> None:
        """Select so many lines and columns more, from the cursor or what is selected so."""
        if self._left != self._state():
            cursor = self._editor.textCursor()
            self._anchor, self._active = self._seen(cursor.anchor()), self._seen(cursor.position())
        line, column = self._active
        last = self._editor.blockCount() - 1
        line = min(max(line + lines, 0), last)
        first, end = sorted((self._anchor.line, line))
        widest = max(self._width(at) for at in range(first, min(end, first + MOST) + 1))
        self._select(self._anchor, _Corner(line, min(max(column + columns, 0), widest)))

    def press(self, event: QMouseEvent) -> bool:
        """With Alt put another caret, with Shift, too, select columns; whether either is held."""
        if not event.modifiers() & _ALT or self._editor.isReadOnly():
            return False
        if event.modifiers() & _SHIFT:
            self._pressed = self._corner(event.position())
            if self._left != self._state():
                self._anchor = self._seen(self._editor.textCursor().anchor())
            self._select(self._anchor, self._pressed)
        else:
            self._editor.carets.toggle(self._editor.cursorForPosition(event.position().toPoint()))
        return True

    def drag(self, event: QMouseEvent) -> bool:
        """Select columns from where the mouse was pressed; whether it was for that."""
        if self._pressed is None:
            return False
        corner = self._corner(event.position())
        if corner != self._pressed or self._anchor == self._pressed:
            self._select(self._pressed, corner)
        return True

    def release(self) -> bool:
        """Select no more; whether columns were being selected."""
        was_pressed, self._pressed = self._pressed is not None, None
        return was_pressed

    def _select(self, anchor: _Corner, active: _Corner) -> None:
        self._anchor, self._active = anchor, active
        down = 1 if active.line >= anchor.line else -1
        lines = range(anchor.line, active.line + down, down)[:MOST]
        left = min(anchor.column, active.column)
        cursors = []
        for line in lines:
            block = self._editor.document().findBlockByNumber(line)
            # A line that ends before the rectangle has no part of it.
            if block.isVisible() and self._width(line) >= left:
                cursor = QTextCursor(block)
                cursor.setPosition(block.position() + self._units(line, anchor.column))
                cursor.setPosition(block.position() + self._units(line, active.column), _KEEP)
                cursors.append(cursor)
        if cursors:
            self._editor.carets.set_all(cursors)
        self._left = self._state()

    def _state(self) -> tuple[int, int, int]:
        editor = self._editor
        return editor.document().revision(), editor.textCursor().position(), editor.carets.count

    def _corner(self, place: QPointF) -> _Corner:
        block = self._editor.cursorForPosition(place.toPoint()).block()
        left = self._editor.cursorRect(QTextCursor(block)).left()
        advance = QFontMetricsF(self._editor.font()).horizontalAdvance(" ")
        return _Corner(block.blockNumber(), max(0, round((place.x() - left) / advance)))

    def _seen(self, position: int) -> _Corner:
        block = self._editor.document().findBlock(position)
        before = in_units(block.text())[: position - block.position()]
        return _Corner(block.blockNumber(), self._cells(before))

    def _width(self, line: int) -> int:
        return self._cells(self._text(line))

    def _text(self, line: int) -> str:
        return in_units(self._editor.document().findBlockByNumber(line).text())

    def _cells(self, text: str) -> int:
        return len(text.expandtabs(tab_width(self._editor.document())))

    def _units(self, line: int, column: int) -> int:
        """The place in a line that is seen at a column; the end of a shorter line."""
        text = self._text(line)
        tab, reached = tab_width(self._editor.document()), 0
        for at, char in enumerate(text):
            width = tab - reached % tab if char == "\t" else 1
            if column < reached + (width + 1) // 2:
                return at
            reached += width
        return len(text)
