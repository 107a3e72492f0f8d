"""The 32 lanes of a warp as cells: which execute the instruction, which are elsewhere or ended."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from jitstudio.gui.kit.fonts import follow_letters, scaled
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import current_theme, follow_theme
from jitstudio.simulator.stepping.requests import StepState

LANES = 32
_HEIGHT, _WIDEST = 20, 26
_GROUP = 8
_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Home: -LANES,
    Qt.Key.Key_End: LANES,
}


class LaneStrip(QWidget):
    """Draws the active mask; a click, or the arrow keys, choose a lane.

    Signals:
        lane_chosen: The user wants to look at this lane.
    """

    lane_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stepLanes")
        self.setAccessibleName(self.tr("Lanes of the warp"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._lanes: tuple[int, ...] = (0,) * LANES
        self._active = 0
        self._lane = 0
        follow_theme(self, LaneStrip.update)
        follow_letters(self, LaneStrip.updateGeometry)

    def show_state(self, state: StepState | None) -> None:
        """Shows the warp of a state."""
        self._lanes = state.lanes if state is not None and state.lanes else (0,) * LANES
        self._active = state.active if state is not None else 0
        self._lane = state.lane if state is not None else 0
        count = self._active.bit_count()
        words = self.tr("{count} of 32 lanes execute the instruction; lane {lane} is selected")
        self.setAccessibleDescription(words.format(count=count, lane=self._lane))
        self.update()

    def sizeHint(self) -> QSize:
        """Wide enough to read, high enough to hit."""
        return QSize(scaled(LANES * 14), scaled(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """Fits a narrow pane."""
        return QSize(LANES * 5, scaled(_HEIGHT))

    def describe(self, lane: int) -> str:
        """Returns the activity of a lane, a sentence."""
        line = self._lanes[lane]
        if self._active >> lane & 1:
            return self.tr("Lane {lane} executes line {line:,} of the PTX").format(
                lane=lane, line=line
            )
        if line:
            return self.tr("Lane {lane} is elsewhere: at line {line:,} of the PTX").format(
                lane=lane, line=line
            )
        return self.tr("Lane {lane} has ended, or there is no such thread").format(lane=lane)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draws the cells."""
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = self.font()
        cell = self._cell(0)
        font.setPixelSize(max(6, min(round(cell.height() * 0.55), round(cell.width() * 0.62))))
        painter.setFont(font)
        for lane in range(LANES):
            place = self._cell(lane).adjusted(1, 2, -1, -2)
            is_active = bool(self._active >> lane & 1)
            color = theme.ui.highlight if is_active else theme.ui.field_border
            painter.setPen(color)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if is_active:
                painter.setBrush(theme.ui.highlight)
            elif self._lanes[lane]:
                painter.setBrush(theme.ui.button)
            painter.drawRoundedRect(place, 2, 2)
            if lane == self._lane:
                painter.setPen(theme.ui.text)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(place.adjusted(-1, -2, 1, 2), 3, 3)
            if cell.width() >= 11:
                painter.setPen(theme.ui.highlight_text if is_active else theme.ui.muted_text)
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(lane))
        if self.hasFocus():
            painter.setPen(theme.ui.accent)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Shows a tip with the activity of the lane below the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            lane = self._lane_at(event.pos().x())
            QToolTip.showText(event.globalPos(), plain_tooltip(self.describe(lane)), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Chooses the lane."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.lane_chosen.emit(self._lane_at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Chooses a neighbour."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.lane_chosen.emit(max(0, min(LANES - 1, self._lane + step)))

    def _cell(self, lane: int) -> QRectF:
        width = self._width()
        return QRectF(lane * width + lane // _GROUP * 4, 0, width, self.height())

    def _width(self) -> float:
        return float(min(scaled(_WIDEST), (self.width() - 12) / LANES))

    def _lane_at(self, x: float) -> int:
        lanes = (lane for lane in range(LANES) if x < self._cell(lane).right())
        return next(lanes, LANES - 1)
