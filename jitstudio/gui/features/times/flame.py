"""A flame graph: the pieces of a work over time, each below the piece that it lies in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from jitstudio.analysis.time_trace import Span
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import current_theme, follow_theme

_LEAST_WIDTH = 0.5
_LEAST_WORDS = 24
_PADDING = 4
_ROWS = 12
# Their detail is the module, or a word for NVIDIA.
_PHASES = frozenset({"CUDA C++ Front-End", "LibNVVM", "Total PTXAS Time", "Phase I", "Phase II"})


class _Box(NamedTuple):
    """A piece where it is drawn."""

    span: Span
    area: QRectF


def title_of(span: Span) -> str:
    """Returns the words for a piece: the file of a header, the name of a template or phase."""
    if not span.detail or span.name in _PHASES:
        return span.name
    return os.path.basename(span.detail) if "/" in span.detail else span.detail


class FlameGraph(QWidget):
    """Draws pieces; a click or Enter shows what is within one, Escape shows all.

    Signals:
        current_changed: The piece that the keyboard is on.
    """

    current_changed = Signal(Span)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("flameGraph")
        self.setAccessibleName(self.tr("Compile time"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._whole: Span | None = None
        self._above: list[Span] = []
        self._current: Span | None = None
        self._boxes: list[_Box] = []
        follow_theme(self, FlameGraph.update)

    @property
    def root(self) -> Span | None:
        """The piece that fills the width."""
        return self._above[-1] if self._above else None

    @property
    def above(self) -> tuple[Span, ...]:
        """The root, behind all that it lies in."""
        return tuple(self._above)

    @property
    def current(self) -> Span | None:
        """The piece that the keyboard is on."""
        return self._current

    def show_work(self, whole: Span) -> None:
        """Draws a work."""
        self._whole = whole
        self._above = [whole]
        self._choose(whole)

    def zoom(self, span: Span | None) -> None:
        """Fills the width with a piece; with all of the work for None."""
        if self._whole is None:
            return
        if span in self._above:
            self._above = self._above[: self._above.index(span) + 1]
        else:
            self._above = [*self._above, span] if span and span.inner else [self._whole]
        self._choose(self._above[-1])

    def sizeHint(self) -> QSize:
        """Returns the room for some rows."""
        return QSize(400, _ROWS * self._row_height)

    @property
    def _row_height(self) -> int:
        return self.fontMetrics().height() + _PADDING

    def _choose(self, span: Span) -> None:
        self._current = span
        self.setAccessibleDescription(self.words(span))
        self.current_changed.emit(span)
        self.update()

    def words(self, span: Span) -> str:
        """Returns what a piece is and how long it takes."""
        whole = self._whole.ms if self._whole else 0
        share = f", {span.ms / whole:.0%}" if whole else ""
        words = self.tr("{name}: {ms:,.1f} ms{share}; {own:,.1f} ms of its own")
        name = f"{span.name} {span.detail}".strip()
        return words.format(name=name, ms=span.ms, share=share, own=span.own_ms)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the pieces that are wide enough to be seen."""
        painter = QPainter(self)
        theme = current_theme()
        painter.fillRect(event.rect(), theme.code.background)
        self._boxes = list(self._laid_out())
        names = sorted({box.span.name for box in self._boxes})
        fills = {name: theme.bands[at % len(theme.bands)] for at, name in enumerate(names)}
        for box in self._boxes:
            self._draw(painter, box, fills[box.span.name])

    def _draw(self, painter: QPainter, box: _Box, fill: QColor) -> None:
        theme, area = current_theme(), box.area
        painter.fillRect(area.adjusted(0, 0, -min(1.0, area.width() / 4), -1), fill)
        if area.width() >= _LEAST_WORDS:
            painter.setPen(theme.ui.text)
            room = area.adjusted(_PADDING, 0, -_PADDING, 0)
            metrics = self.fontMetrics()
            words = metrics.elidedText(
                f"{title_of(box.span)} {box.span.ms:,.0f} ms",
                Qt.TextElideMode.ElideRight,
                int(room.width()),
            )
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        if box.span is self._current:
            color = theme.ui.accent if self.hasFocus() else theme.ui.border
            painter.setPen(QPen(color, 2))
            painter.drawRect(area.adjusted(1, 1, -2, -2))

    def _laid_out(self) -> Iterator[_Box]:
        root, height = self.root, self._row_height
        if root is None or root.ms <= 0:
            return
        scale = self.width() / root.ms
        for depth, span in enumerate(self._above):
            yield _Box(span, QRectF(0, depth * height, self.width(), height))
        waiting = [(span, len(self._above)) for span in reversed(root.inner)]
        while waiting:
            span, depth = waiting.pop()
            x, width = (span.start - root.start) * scale, span.ms * scale
            if width < _LEAST_WIDTH or depth * height > self.height():
                continue
            yield _Box(span, QRectF(x, depth * height, width, height))
            waiting += ((inner, depth + 1) for inner in reversed(span.inner))

    def _at(self, place: QPointF) -> Span | None:
        boxes = (box.span for box in reversed(self._boxes) if box.area.contains(place))
        return next(boxes, None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Shows what is within a piece, or again what is around it."""
        span = self._at(event.position())
        if span is not None:
            self.zoom(span)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walks by the arrow keys."""
        key, current = event.key(), self._current
        if current is None:
            super().keyPressEvent(event)
        elif key == Qt.Key.Key_Escape:
            self.zoom(None)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.zoom(current)
        elif (span := self._next_to(current, key)) is not None:
            self._choose(span)
        else:
            super().keyPressEvent(event)

    def _next_to(self, span: Span, key: int) -> Span | None:
        """Returns the piece that an arrow key leads to."""
        shown = [box.span for box in self._boxes]
        parents = {id(inner): outer for outer in shown for inner in outer.inner}
        parent = parents.get(id(span))
        if key == Qt.Key.Key_Down:
            return max(span.inner, key=lambda inner: inner.ms, default=None)
        if key == Qt.Key.Key_Up:
            return parent
        if parent is None or key not in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            return None
        at = parent.inner.index(span) + (1 if key == Qt.Key.Key_Right else -1)
        return parent.inner[at] if 0 <= at < len(parent.inner) else None

    def event(self, event: QEvent) -> bool:
        """Shows a tip on the piece at the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            span = self._at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), plain_tooltip(self.words(span)) if span else "")
            return True
        return super().event(event)
