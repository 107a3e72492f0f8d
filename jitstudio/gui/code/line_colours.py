"""Colours of lines that belong together in two texts, and the line below the mouse."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractScrollArea

from jitstudio.analysis.correlation.hues import HUES, PLAIN, UNMAPPED
from jitstudio.gui.kit.theme import Theme

NO_LINE = -1
"""The number of no line."""

# Of the edge of a line, and of one that matches the line below the mouse.
_EDGE, _BAR = 3, 5
_DASH = 2


class LineColours(QObject):
    """The colours of the lines of one text; lines count from 0.

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
        """The lines that match the one below the mouse, in their order."""
        return self._matched

    def is_matched(self, line: int) -> bool:
        """Returns whether a line is one of those."""
        at = bisect_left(self._matched, line)
        return at < len(self._matched) and self._matched[at] == line

    def hue(self, line: int) -> int:
        """Returns the colour of a line, as `analysis.correlation.line_hues` counts them."""
        return self._hue_of(line) if self._hue_of is not None else PLAIN

    def scroll_to(self, line: int) -> None:
        """Scrolls to a line, to the middle if it is out of sight; for subclasses."""
        raise NotImplementedError

    def show_hues(self, hue_of: Callable[[int], int] | None) -> None:
        """Colours the lines, or leaves them plain."""
        self._hue_of = hue_of
        self._viewport.update()
        self.changed.emit()

    def show_matched(self, lines: Sequence[int]) -> None:
        """Highlights these lines, in ascending order, as matched."""
        if lines != self._matched:
            self._matched = lines
            self._viewport.update()
            self.changed.emit()

    def paint_line(self, painter: QPainter, place: QRect, line: int, theme: Theme) -> None:
        """Draws the background of a line, and its edge."""
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
        """Draws the background of a line in its columns, without its edge."""
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
