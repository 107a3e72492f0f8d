"""The strip left of the code: line numbers, and a sign for lines with an error or warning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from jitstudio.gui.icons import icon

if TYPE_CHECKING:
    from jitstudio.gui.editor.code_editor import CodeEditor

_FEWEST_DIGITS = 3
# Left of the sign, between sign and number, between number and text; in pixels.
_LEFT, _GAP, _RIGHT = 4, 4, 10


class EditorMargin(QWidget):
    """Draws the margin of one `CodeEditor`; a click in it selects the line."""

    def __init__(self, editor: CodeEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._pressed: int | None = None

    def wanted_width(self) -> int:
        """How wide it must be for the last line's number."""
        digits = max(_FEWEST_DIGITS, len(str(self._editor.blockCount())))
        metrics = self._editor.fontMetrics()
        return _LEFT + self._sign_side() + _GAP + digits * metrics.horizontalAdvance("9") + _RIGHT

    def sizeHint(self) -> QSize:
        """The width that the numbers need."""
        return QSize(self.wanted_width(), 0)

    def _sign_side(self) -> int:
        return max(10, round(self._editor.fontMetrics().ascent()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines that are in sight."""
        editor, theme = self._editor, self._editor.theme
        painter = QPainter(self)
        painter.fillRect(event.rect(), theme.code.margin)
        painter.setFont(editor.font())
        marks = editor.marks.by_line()
        current = editor.textCursor().blockNumber()
        side, height = self._sign_side(), editor.fontMetrics().height()
        for block, rect in editor.visible_blocks():
            number = block.blockNumber()
            top = round(rect.top())
            if number in marks:
                severity = marks[number][0].mark.severity.value
                sign = QRect(_LEFT, top + (height - side) // 2, side, side)
                icon(severity, getattr(theme.marks, severity)).paint(painter, sign)
            is_current = number == current
            painter.setPen(theme.code.margin_current if is_current else theme.code.margin_text)
            place = QRect(0, top, self.width() - _RIGHT, height)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight, str(number + 1))
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Tell what the sign under the mouse means."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self._line_at(event.pos().y())
            placed = self._editor.marks.by_line().get(number, [])
            text = "\n".join(p.mark.message for p in placed)
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the line."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = self._line_at(round(event.position().y()))
            self._select(self._pressed, self._pressed)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select all lines from the one where the button went down."""
        if self._pressed is not None:
            self._select(self._pressed, self._line_at(round(event.position().y())))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """End the selection."""
        self._pressed = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the text."""
        self._editor.wheelEvent(event)

    def _line_at(self, y: int) -> int:
        return self._editor.cursorForPosition(QPoint(0, y)).blockNumber()

    def _select(self, first: int, last: int) -> None:
        document = self._editor.document()
        begin, end = document.findBlockByNumber(first), document.findBlockByNumber(last)
        cursor = QTextCursor(begin if last >= first else begin.next())
        target = end.next() if last >= first else end
        keep = QTextCursor.MoveMode.KeepAnchor
        if target.isValid():
            cursor.setPosition(target.position(), keep)
        else:
            cursor.movePosition(QTextCursor.MoveOperation.End, keep)
        self._editor.setTextCursor(cursor)
