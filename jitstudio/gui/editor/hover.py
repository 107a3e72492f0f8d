"""Tells of the word below the mouse in an editor, or at its cursor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtGui import QHelpEvent, QTextBlock, QTextCursor
from PySide6.QtWidgets import QToolTip

from jitstudio.core.code import CodeKind
from jitstudio.gui.code_units import from_units
from jitstudio.gui.editor.matching import in_prose
from jitstudio.gui.editor.places import cursor_over
from jitstudio.gui.models.hover import Tip

if TYPE_CHECKING:
    from jitstudio.gui.editor.code_editor import CodeEditor


class EditorHover(QObject):
    """Shows the tips of one `CodeEditor`; what a compiler says of a place comes first.

    Args:
        editor: The editor.
        want: Called with the language when somebody comes who may want tips.
        find: The tip for a column of a line of a language, if there is one.
    """

    def __init__(
        self,
        editor: CodeEditor,
        want: Callable[[CodeKind], None],
        find: Callable[[CodeKind, str, int], Tip | None],
    ) -> None:
        super().__init__(editor)
        self._editor = editor
        self._want = want
        self._find = find
        editor.viewport().installEventFilter(self)

    @property
    def kind(self) -> CodeKind:
        """The language of the text."""
        return self._editor.completer.kind

    def explain(self) -> Tip | None:
        """Tell of the word at the cursor, or of the one that ends there."""
        self._editor.ensureCursorVisible()
        cursor = self._editor.textCursor()
        block, place = cursor.block(), cursor.positionInBlock()
        tip = self._tip(block, place) or self._tip(block, place - 1)
        if tip is not None:
            area = self._area(block, tip)
            self._show(self._editor.viewport().mapToGlobal(area.bottomLeft()), tip, area)
        return tip

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Tell of the word below the mouse, unless there is a message about it."""
        if event.type() == QEvent.Type.Enter:
            self._want(self.kind)
        elif event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            return self._point(event)
        return False

    def _point(self, event: QHelpEvent) -> bool:
        cursor = self._editor.cursorForPosition(event.pos())
        if self._editor.marks.at_position(cursor.position()):
            return False
        block = cursor.block()
        # The cursor is the gap nearest to the mouse, on either side of the letter below it.
        for place in (cursor.positionInBlock(), cursor.positionInBlock() - 1):
            tip = self._tip(block, place)
            if tip is not None and (area := self._area(block, tip)).contains(event.pos()):
                self._show(event.globalPos(), tip, area)
                return True
        return False

    def _tip(self, block: QTextBlock, place: int) -> Tip | None:
        if place < 0 or in_prose(block, place):
            return None
        text = block.text()
        return self._find(self.kind, text, from_units(text, place))

    def _show(self, at: QPoint, tip: Tip, area: QRect) -> None:
        """Show a tip until the mouse leaves its word."""
        QToolTip.showText(at, tip.html, self._editor.viewport(), area)

    def _area(self, block: QTextBlock, tip: Tip) -> QRect:
        editor = self._editor
        word = cursor_over(editor.document(), block.blockNumber(), tip.span)
        end = editor.cursorRect(word)
        start = QTextCursor(word)
        start.setPosition(word.selectionStart())
        return editor.cursorRect(start).united(end)
