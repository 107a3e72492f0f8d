"""The margin next to the code of an editor: line numbers, signs, folds, live registers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal, Slot
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

from jitstudio.gui.editor.editor_area import EditorArea
from jitstudio.gui.editor.marks import PlacedMark, tooltip
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import STALE_BAR

_BAR_LEFT, _BAR_GAP, _BAR_WIDTH = 4, 6, 36
# Above and below a bar; the distance of its frame.
_AIR, _FRAME = 4, 2
_SIGN = "…"
# Between text and sign, and left and right within it; in widths of a character.
_BEFORE, _INSIDE = 1, 0.5
_ROUNDING = 4
_FEWEST_DIGITS = 3
# Left of the sign, between sign and number, number and fold mark, mark and text; in pixels.
_LEFT, _GAP, _RIGHT = 4, 4, 6


class LineBar(NamedTuple):
    """The bar of a line, of live registers or executions.

    Attributes:
        number: The figure in front of the bar.
        share: The length of the bar, from 0 to 1.
        cost: The cost of the live registers, from 0 to 1: see `analysis.occupancy.calculate`.
        tip: The tooltip.
        holds: Whether the line holds registers at the peak that is looked at.
    """

    number: int
    share: float
    cost: float
    tip: str
    holds: bool = False


class PressureBars(QObject):
    """The bars of a `CodeEditor`, which stay with the lines while text is edited.

    Signals:
        changed: There are other bars.
    """

    changed = Signal()

    def __init__(self, editor: EditorArea) -> None:
        super().__init__(editor)
        self._editor = editor
        self._bars: dict[int, LineBar] | None = None
        self._is_old = False
        self._digits = 1
        self._line_count = editor.blockCount()
        editor.document().contentsChange.connect(self._on_contents_change)

    @property
    def bars(self) -> Mapping[int, LineBar]:
        """The bars by line, counted from 0."""
        return self._bars or {}

    @property
    def width(self) -> int:
        """The width of the strip of bars; 0 while there are none."""
        if self._bars is None:
            return 0
        digit = self._editor.fontMetrics().horizontalAdvance("0")
        return _BAR_LEFT + self._digits * digit + _BAR_GAP + _BAR_WIDTH

    def show_bars(self, bars: Mapping[int, LineBar] | None) -> None:
        """Shows bars by line from 0; an empty mapping keeps the room for bars, None does not."""
        self._bars = dict(bars) if bars is not None else None
        self._digits = max((len(str(bar.number)) for bar in self.bars.values()), default=2)
        self.changed.emit()

    @property
    def is_old(self) -> bool:
        """Whether the bars are not of the newest text."""
        return self._is_old and self._bars is not None

    def set_old(self, is_old: bool) -> None:
        """Marks the bars as of an older text, or of the present text."""
        if is_old != self._is_old:
            self._is_old = is_old
            self.changed.emit()

    def tip(self, line: int) -> str:
        """Returns the tooltip of the bar of a line."""
        bar = self.bars.get(line)
        return plain_tooltip(bar.tip) if bar is not None else ""

    def paint(self, painter: QPainter, line: int, top: int) -> None:
        """Draws the bar of a line that begins at a height."""
        bar = self.bars.get(line)
        if bar is None:
            return
        theme, metrics = self._editor.theme, self._editor.fontMetrics()
        number = str(bar.number)
        digit = metrics.horizontalAdvance("0")
        x = _BAR_LEFT + (self._digits - len(number)) * digit
        painter.setPen(theme.code.margin_current if bar.holds else theme.code.margin_text)
        painter.drawText(QPointF(x, top + metrics.ascent()), number)
        left = _BAR_LEFT + self._digits * digit + _BAR_GAP
        place = QRectF(left, top + _AIR, _BAR_WIDTH - _BAR_GAP, metrics.height() - 2 * _AIR)
        if bar.holds:
            ring = place.adjusted(-_FRAME, -_FRAME, _FRAME, _FRAME)
            painter.fillRect(ring, theme.code.margin_current)
            painter.fillRect(ring.adjusted(1, 1, -1, -1), theme.code.margin)
        place.setWidth(max(1.0, place.width() * bar.share))
        painter.fillRect(place, theme.step(bar.cost))

    @Slot(int, int, int)
    def _on_contents_change(self, position: int, _removed: int, _added: int) -> None:
        """Moves the bars below an edit along with their lines."""
        count = self._editor.document().blockCount()
        moved, self._line_count = count - self._line_count, count
        if not moved or not self._bars:
            return
        block = self._editor.document().findBlock(position)
        # At the start of a line, that line itself is moved.
        at_start = position == block.position() and moved > 0
        edited = block.blockNumber() - (1 if at_start else 0)
        gone = range(edited + 1, edited + 1 - moved) if moved < 0 else range(0)
        self._bars = {
            line + moved if line > edited else line: bar
            for line, bar in self._bars.items()
            if line not in gone
        }


class FoldSigns:
    """Draws the fold signs of a `CodeEditor`."""

    def __init__(self, editor: EditorArea) -> None:
        self._editor = editor

    def paint(self) -> None:
        """Draws the visible fold signs."""
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
        """Returns the line whose fold sign is at a place of the viewport."""
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


class EditorMargin(QWidget):
    """Draws the margin of a `CodeEditor`.

    A click in it selects the line, one on the fold mark folds or opens a block of code, and one
    left of the number sets or removes a breakpoint where there can be any.
    """

    def __init__(self, editor: EditorArea, pressure: PressureBars) -> None:
        super().__init__(editor)
        self._editor = editor
        self._pressure = pressure
        self._pressed: int | None = None
        pressure.changed.connect(self.fit)
        editor.line_marks.changed.connect(self.update)

    @Slot()
    def fit(self) -> None:
        """Takes as much room as is needed."""
        width = self.wanted_width()
        self._editor.setViewportMargins(width, 0, 0, 0)
        self.resize(width, self.height())
        self.update()

    def wanted_width(self) -> int:
        """Returns the width that the last line's number needs."""
        digits = max(_FEWEST_DIGITS, len(str(self._editor.blockCount())))
        metrics = self._editor.fontMetrics()
        numbers = digits * metrics.horizontalAdvance("9")
        signs = _LEFT + self._sign_side() + _GAP + numbers + _GAP + self._fold_side() + _RIGHT
        return self._pressure.width + signs

    def sizeHint(self) -> QSize:
        """Returns the width that the numbers need."""
        return QSize(self.wanted_width(), 0)

    def _sign_side(self) -> int:
        return max(10, round(self._editor.fontMetrics().ascent()))

    def _is_sign(self, x: int) -> bool:
        left = self._pressure.width
        return left <= x < left + _LEFT + self._sign_side() + _GAP // 2

    def _fold_side(self) -> int:
        return max(8, round(self._editor.fontMetrics().ascent() * 0.8))

    def _fold_place(self, top: int) -> QRect:
        side, height = self._fold_side(), self._editor.fontMetrics().height()
        return QRect(self.width() - _RIGHT - side, top + (height - side) // 2, side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the visible lines."""
        editor, theme = self._editor, self._editor.theme
        painter = QPainter(self)
        painter.fillRect(event.rect(), theme.code.margin)
        painter.setFont(editor.font())
        by_line, bars = editor.marks.by_line(), self._pressure
        current = editor.textCursor().blockNumber()
        side, height = self._sign_side(), editor.fontMetrics().height()
        for block, rect in editor.visible_blocks():
            number = block.blockNumber()
            top = round(rect.top())
            is_folded = editor.folds.is_folded(block)
            marks = self._marks_of(block) if is_folded else by_line.get(number)
            sign = QRect(bars.width + _LEFT, top + (height - side) // 2, side, side)
            editor.line_marks.paint_sign(painter, sign, number, theme)
            if marks:
                severity = marks[0].mark.severity.value
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
        """Shows a tip about the sign under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            block, bars = self._block_at(event.pos().y()), self._pressure
            is_bar = event.pos().x() < bars.width
            words = bars.tip(block.blockNumber()) if is_bar else tooltip(self._marks_of(block))
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Folds or opens a block of code, or selects the line."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position().toPoint()
        block = self._block_at(at.y())
        is_head = self._editor.folds.is_folded(block) or self._editor.folds.can_fold(block)
        if is_head and at.x() >= self._fold_place(0).left() - _GAP:
            self._editor.toggle_fold(block)
        elif self._editor.line_marks.can_break and self._is_sign(at.x()):
            self._editor.line_marks.toggled.emit(block.blockNumber())
        else:
            self._pressed = block.blockNumber()
            self._select(self._pressed, self._pressed)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Selects all lines from the line of the button press."""
        if self._pressed is not None:
            block = self._block_at(round(event.position().y()))
            self._select(self._pressed, block.blockNumber())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Ends the selection."""
        self._pressed = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolls the text."""
        self._editor.wheelEvent(event)

    def _block_at(self, y: int) -> QTextBlock:
        return self._editor.cursorForPosition(QPoint(0, y)).block()

    def _marks_of(self, block: QTextBlock) -> list[PlacedMark]:
        """Returns the marks of a line and of the lines folded behind."""
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
