"""The strip left of the code: line numbers, and a sign for lines with an error or warning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Slot
from PySide6.QtGui import (
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from jitstudio.gui.editor.marks import PlacedMark, told
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.theme import STALE_BAR

if TYPE_CHECKING:
    from jitstudio.gui.editor.code_editor import CodeEditor

_FEWEST_DIGITS = 3
# Left of the sign, between sign and number, number and fold mark, mark and text; in pixels.
_LEFT, _GAP, _RIGHT = 4, 4, 6


class EditorMargin(QWidget):
    """Draws the margin of one `CodeEditor`.

    A click in it selects the line, one on the mark beside the text folds or opens a block of code.
    """

    def __init__(self, editor: CodeEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._pressed: int | None = None
        editor.pressure.changed.connect(self.fit)

    @Slot()
    def fit(self) -> None:
        """Take as much room as is needed."""
        width = self.wanted_width()
        self._editor.setViewportMargins(width, 0, 0, 0)
        self.resize(width, self.height())
        self.update()

    def wanted_width(self) -> int:
        """How wide it must be for the last line's number."""
        digits = max(_FEWEST_DIGITS, len(str(self._editor.blockCount())))
        metrics = self._editor.fontMetrics()
        numbers = digits * metrics.horizontalAdvance("9")
        signs = _LEFT + self._sign_side() + _GAP + numbers + _GAP + self._fold_side() + _RIGHT
        return self._editor.pressure.width + signs

    def sizeHint(self) -> QSize:
        """The width that the numbers need."""
        return QSize(self.wanted_width(), 0)

    def _sign_side(self) -> int:
        return max(10, round(self._editor.fontMetrics().ascent()))

    def _fold_side(self) -> int:
        return max(8, round(self._editor.fontMetrics().ascent() * 0.8))

    def _fold_place(self, top: int) -> QRect:
        side, height = self._fold_side(), self._editor.fontMetrics().height()
        return QRect(self.width() - _RIGHT - side, top + (height - side) // 2, side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines that are in sight."""
        editor, theme = self._editor, self._editor.theme
        painter = QPainter(self)
        painter.fillRect(event.rect(), theme.code.margin)
        painter.setFont(editor.font())
        by_line, bars = editor.marks.by_line(), editor.pressure
        current = editor.textCursor().blockNumber()
        side, height = self._sign_side(), editor.fontMetrics().height()
        for block, rect in editor.visible_blocks():
            number = block.blockNumber()
            top = round(rect.top())
            is_folded = editor.folds.is_folded(block)
            marks = self._marks_of(block) if is_folded else by_line.get(number)
            if marks:
                severity = marks[0].mark.severity.value
                sign = QRect(bars.width + _LEFT, top + (height - side) // 2, side, side)
                icon(severity, getattr(theme.marks, severity)).paint(painter, sign)
            if is_folded or editor.folds.can_fold(block):
                color = theme.code.margin_current if is_folded else theme.code.margin_text
                mark = icon("chevron-right" if is_folded else "chevron-down", color)
                mark.paint(painter, self._fold_place(top))
            bars.paint(painter, number, top)
            is_current = number == current
            painter.setPen(theme.code.margin_current if is_current else theme.code.margin_text)
            place = QRect(0, top, self._fold_place(top).left() - _GAP, height)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight, str(number + 1))
        if bars.is_old:
            painter.fillRect(0, 0, bars.width, STALE_BAR, theme.marks.warning)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Tell what the sign under the mouse means."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            block, bars = self._block_at(event.pos().y()), self._editor.pressure
            is_bar = event.pos().x() < bars.width
            words = bars.tip(block.blockNumber()) if is_bar else told(self._marks_of(block))
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Fold or open a block of code, or select the line."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position().toPoint()
        block = self._block_at(at.y())
        is_head = self._editor.folds.is_folded(block) or self._editor.folds.can_fold(block)
        if is_head and at.x() >= self._fold_place(0).left() - _GAP:
            self._editor.toggle_fold(block)
        else:
            self._pressed = block.blockNumber()
            self._select(self._pressed, self._pressed)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select all lines from the one where the button went down."""
        if self._pressed is not None:
            block = self._block_at(round(event.position().y()))
            self._select(self._pressed, block.blockNumber())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """End the selection."""
        self._pressed = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the text."""
        self._editor.wheelEvent(event)

    def _block_at(self, y: int) -> QTextBlock:
        return self._editor.cursorForPosition(QPoint(0, y)).block()

    def _marks_of(self, block: QTextBlock) -> list[PlacedMark]:
        """The marks of a line and of those that are folded behind it."""
        return self._editor.marks.of_lines(block, self._editor.folds.last_of(block))

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
