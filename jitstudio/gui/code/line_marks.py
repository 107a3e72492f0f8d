"""Where a simulated thread is in a text, and where it shall stop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPolygonF
from PySide6.QtWidgets import QAbstractScrollArea

from jitstudio.gui.kit.theme import Theme

# Opacity of the band of a line that follows from a line table only, and of one that is known.
_LIKELY, _KNOWN = 46, 90


class LinePosition(NamedTuple):
    """Lines that a thread is at, from 0.

    Attributes:
        lines: Ascending; more than one where only a line table leads to them.
        is_derived: Whether a line table leads to them, not the simulation itself.
    """

    lines: tuple[int, ...] = ()
    is_derived: bool = False


class LineMarks(QObject):
    """The breakpoints of one text, and the line of the thread that is looked at.

    Attributes:
        can_break: Whether a click left of the line numbers sets a breakpoint.

    Signals:
        toggled: A breakpoint of this line, from 0, shall be set or removed.
        changed: Something else is to be drawn.
    """

    toggled = Signal(int)
    changed = Signal()

    def __init__(self, area: QAbstractScrollArea) -> None:
        super().__init__(area)
        self.changed.connect(area.viewport().update)
        self._position = LinePosition()
        self._breakpoints: Mapping[int, bool] = {}
        self.can_break = False

    @property
    def position(self) -> LinePosition:
        """Where the thread is."""
        return self._position

    @property
    def breakpoints(self) -> Mapping[int, bool]:
        """By the line, from 0: whether it has a condition."""
        return self._breakpoints

    def show_position(self, position: LinePosition) -> None:
        """Marks these lines as those that the thread is at."""
        if position != self._position:
            self._position = position
            self.changed.emit()

    def show_breakpoints(self, breakpoints: Mapping[int, bool]) -> None:
        """Marks lines with a breakpoint; True for one with a condition."""
        if breakpoints != self._breakpoints:
            self._breakpoints = dict(breakpoints)
            self.changed.emit()

    def paint_line(self, painter: QPainter, place: QRect, line: int, theme: Theme) -> None:
        """Draws the ground of a line that the thread is at."""
        if line in self._position.lines:
            painter.fillRect(place, _wash(theme, self._position.is_derived))

    def paint_sign(self, painter: QPainter, place: QRect, line: int, theme: Theme) -> None:
        """Draws breakpoint and position into the square left of a line number."""
        is_at = line in self._position.lines
        if line not in self._breakpoints and not is_at:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        square = QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5)
        if line in self._breakpoints:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.marks.error)
            painter.drawEllipse(square)
            if self._breakpoints[line]:
                # A hole: it does not always stop.
                painter.setBrush(theme.code.margin)
                inset = square.width() * 0.3
                painter.drawEllipse(square.adjusted(inset, inset, -inset, -inset))
        if is_at:
            painter.setPen(theme.code.margin)
            painter.setBrush(theme.ui.accent)
            if self._position.is_derived:
                painter.setPen(theme.ui.accent)
                painter.setBrush(Qt.BrushStyle.NoBrush)
            inset = square.height() * 0.2
            left, right = square.left() + inset / 2, square.right()
            top, bottom = square.top() + inset, square.bottom() - inset
            tip = QPointF(right, square.center().y())
            painter.drawPolygon(QPolygonF([QPointF(left, top), tip, QPointF(left, bottom)]))
        painter.restore()


def _wash(theme: Theme, is_derived: bool) -> QColor:
    ground = QColor(theme.ui.accent)
    ground.setAlpha(_LIKELY if is_derived else _KNOWN)
    return ground
