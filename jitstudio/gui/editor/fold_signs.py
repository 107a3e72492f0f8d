"""The sign behind a line whose block is folded: a click on it opens the fold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QTextBlock

if TYPE_CHECKING:
    from jitstudio.gui.editor.code_editor import CodeEditor

_SIGN = "…"
# Between text and sign, and left and right within it; in widths of a character.
_BEFORE, _INSIDE = 1, 0.5
_ROUNDING = 4


class FoldSigns:
    """Draws the signs of one `CodeEditor`."""

    def __init__(self, editor: CodeEditor) -> None:
        self._editor = editor

    def paint(self) -> None:
        """Draw those that are in sight."""
        code = self._editor.theme.code
        painter = QPainter(self._editor.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._editor.font())
        for block, rect in self._editor.visible_blocks():
            if self._editor.folds.is_folded(block):
                place = self._place(block, rect)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(code.bracket)
                painter.drawRoundedRect(place, _ROUNDING, _ROUNDING)
                painter.setPen(code.text)
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, _SIGN)
        painter.end()

    def at(self, place: QPointF) -> QTextBlock | None:
        """The line whose sign is at this place of the viewport."""
        for block, rect in self._editor.visible_blocks():
            if rect.top() <= place.y() < rect.bottom():
                is_sign = self._editor.folds.is_folded(block) and self._place(block, rect)
                return block if is_sign and is_sign.contains(place) else None
        return None

    def _place(self, block: QTextBlock, rect: QRectF) -> QRectF:
        width = self._editor.fontMetrics().horizontalAdvance(_SIGN)
        line = block.layout().lineAt(0)
        left = rect.left() + line.x() + line.naturalTextWidth() + _BEFORE * width
        return QRectF(left, rect.top() + 2, (1 + 2 * _INSIDE) * width, rect.height() - 4)
