"""Marks of lines: colours of corresponding lines, breakpoints, and the place of a thread."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPolygonF
from PySide6.QtWidgets import QAbstractScrollArea

from jitstudio.analysis.correlation.hues import HUES, PLAIN, UNMAPPED
from jitstudio.gui.kit.theme import Theme

# ---- Colours of lines that belong together in two texts, and the line below the mouse

NO_LINE = -1
"""The number of no line."""

# Of the edge of a line, and of one that matches the line below the mouse.
_EDGE, _BAR = 3, 5
_DASH = 2


class LineColours(QObject):
    """The colours of the lines of a text; lines count from 0.

    Attributes:
        is_watched: Whether the line below the mouse is followed.

    Signals:
        pointed: The mouse is on another line; `NO_LINE` for none.
        changed: The colours are others.
    """

    pointed = Signal(int)
    changed = Signal()

    # On the class too: the mouse leaves for the last time when Python may have emptied this object.
    _line = NO_LINE

    def __init__(self, area: QAbstractScrollArea, line_at: Callable[[QPoint], int]) -> None:
        super().__init__(area)
        self._viewport = area.viewport()
        self._line_at = line_at
        self._hue_of: Callable[[int], int] | None = None
        self._matched: Sequence[int] = ()
        self.is_watched = False
        # Else only a mouse with a button down says where it is.
        self._viewport.setMouseTracking(True)
        self._viewport.installEventFilter(self)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return self._hue_of is None and not self._matched

    @property
    def matched(self) -> Sequence[int]:
        """The lines that match the line below the mouse, in their order."""
        return self._matched

    def is_matched(self, line: int) -> bool:
        """Returns whether a line is among the matched lines."""
        at = bisect_left(self._matched, line)
        return at < len(self._matched) and self._matched[at] == line

    def hue(self, line: int) -> int:
        """Returns the colour of a line, as `analysis.correlation.line_hues` counts colours."""
        return self._hue_of(line) if self._hue_of is not None else PLAIN

    def scroll_to(self, line: int) -> None:
        """Scrolls to a line, to the middle if out of sight; for subclasses."""
        raise NotImplementedError

    def show_hues(self, hue_of: Callable[[int], int] | None) -> None:
        """Colours the lines, or leaves all lines plain."""
        self._hue_of = hue_of
        self._viewport.update()
        self.changed.emit()

    def show_matched(self, lines: Sequence[int]) -> None:
        """Highlights `lines`, in ascending order, as matched."""
        if lines != self._matched:
            self._matched = lines
            self._viewport.update()
            self.changed.emit()

    def paint_line(self, painter: QPainter, place: QRect, line: int, theme: Theme) -> None:
        """Draws the background of a line, and the edge."""
        self.paint_background(painter, place, line, theme)
        hue, edge = self.hue(line), QRect(place.left(), place.top(), _EDGE, place.height())
        if self.is_matched(line):
            edge.setWidth(_BAR)
            painter.fillRect(edge, theme.ui.accent)
        elif PLAIN < hue <= HUES:
            painter.fillRect(edge, theme.edges[hue - 1])
        elif hue == UNMAPPED:
            # A row of dots: there is code, and nothing is known of where it comes from.
            for top in range(edge.top() + _DASH, edge.bottom(), 2 * _DASH):
                painter.fillRect(QRect(edge.left(), top, _DASH, _DASH), theme.code.margin_text)

    def paint_background(self, painter: QPainter, place: QRect, line: int, theme: Theme) -> None:
        """Draws the background of a line in the line's columns, without the edge."""
        hue, is_matched = self.hue(line), self.is_matched(line)
        colours = theme.matched if is_matched else theme.bands
        if PLAIN < hue <= HUES:
            painter.fillRect(place, colours[hue - 1])
        elif is_matched:
            painter.fillRect(place, theme.code.occurrence)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Follows the mouse."""
        if event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._point(self._line_at(event.position().toPoint()))
        elif event.type() == QEvent.Type.Leave:
            self._point(NO_LINE)
        return False

    def _point(self, line: int) -> None:
        if line != self._line:
            self._line = line
            self.pointed.emit(line)


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
    """The breakpoints of a text, and the line of the current thread.

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
        """The lines of the thread's position."""
        return self._position

    @property
    def breakpoints(self) -> Mapping[int, bool]:
        """Whether the breakpoint has a condition, by line, from 0."""
        return self._breakpoints

    def show_position(self, position: LinePosition) -> None:
        """Marks the lines of the thread's position."""
        if position != self._position:
            self._position = position
            self.changed.emit()

    def show_breakpoints(self, breakpoints: Mapping[int, bool]) -> None:
        """Marks lines with a breakpoint; True for a breakpoint with a condition."""
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
