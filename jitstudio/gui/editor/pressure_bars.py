"""Bars beside the line numbers: how many registers are alive where a line's code runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, Signal, Slot
from PySide6.QtGui import QPainter

from jitstudio.gui.kit.presentation import plain_tooltip

if TYPE_CHECKING:
    from jitstudio.gui.editor.code_editor import CodeEditor

_LEFT, _GAP, _BAR = 4, 6, 36
# Above and below a bar; how far its frame stands off.
_AIR, _FRAME = 4, 2


@dataclass(frozen=True)
class LineBar:
    """What is alive on a line.

    Attributes:
        number: What is written in front of the bar.
        share: The length of the bar, from 0 to 1.
        strain: What they cost, from 0 to 1: see `analysis.occupancy.strain`.
        tip: All of it in words.
        holds: Whether the line holds registers at the peak that is looked at.
    """

    number: int
    share: float
    strain: float
    tip: str
    holds: bool = False


class PressureBars(QObject):
    """The bars of one `CodeEditor`; they stay with their lines while text is edited.

    Signals:
        changed: There are other bars.
    """

    changed = Signal()

    def __init__(self, editor: CodeEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._bars: dict[int, LineBar] | None = None
        self._is_old = False
        self._digits = 1
        self._line_count = editor.blockCount()
        editor.document().contentsChange.connect(self._on_contents_change)

    @property
    def bars(self) -> Mapping[int, LineBar]:
        """By the line, counted from 0."""
        return self._bars or {}

    @property
    def width(self) -> int:
        """Of the strip that they take; nothing while there are none."""
        if self._bars is None:
            return 0
        digit = self._editor.fontMetrics().horizontalAdvance("0")
        return _LEFT + self._digits * digit + _GAP + _BAR

    def show_bars(self, bars: Mapping[int, LineBar] | None) -> None:
        """Show these, by the line from 0; without any there is room for them, with None not."""
        self._bars = dict(bars) if bars is not None else None
        self._digits = max((len(str(bar.number)) for bar in self.bars.values()), default=2)
        self.changed.emit()

    @property
    def is_old(self) -> bool:
        """Whether the bars are not of the newest text."""
        return self._is_old and self._bars is not None

    def set_old(self, is_old: bool) -> None:
        """Mark the bars as of an older text, or of this one."""
        if is_old != self._is_old:
            self._is_old = is_old
            self.changed.emit()

    def tip(self, line: int) -> str:
        """What the bar of a line says in words."""
        bar = self.bars.get(line)
        return plain_tooltip(bar.tip) if bar is not None else ""

    def paint(self, painter: QPainter, line: int, top: int) -> None:
        """Draw the bar of a line that begins at a height."""
        bar = self.bars.get(line)
        if bar is None:
            return
        theme, metrics = self._editor.theme, self._editor.fontMetrics()
        number = str(bar.number)
        digit = metrics.horizontalAdvance("0")
        x = _LEFT + (self._digits - len(number)) * digit
        painter.setPen(theme.code.margin_current if bar.holds else theme.code.margin_text)
        painter.drawText(QPointF(x, top + metrics.ascent()), number)
        left = _LEFT + self._digits * digit + _GAP
        place = QRectF(left, top + _AIR, _BAR - _GAP, metrics.height() - 2 * _AIR)
        if bar.holds:
            ring = place.adjusted(-_FRAME, -_FRAME, _FRAME, _FRAME)
            painter.fillRect(ring, theme.code.margin_current)
            painter.fillRect(ring.adjusted(1, 1, -1, -1), theme.code.margin)
        place.setWidth(max(1.0, place.width() * bar.share))
        painter.fillRect(place, theme.step(bar.strain))

    @Slot(int, int, int)
    def _on_contents_change(self, position: int, _removed: int, _added: int) -> None:
        """Move the bars below an edit along with their lines."""
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
