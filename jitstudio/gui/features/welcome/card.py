"""A button of two lines: what it is, and below it a sentence about it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.theme import Theme

_PADDING, _GAP, _RADIUS = 10, 10, 6
_ICON = 18
_LEAST_WIDTH = 200
_WRAPPED = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignTop)


class Card(QAbstractButton):
    """Opens something; Enter and Space press it.

    Args:
        title: What it opens.
        detail: One sentence, or the folder of a file.
        icon_name: A file in `resources/icons`.
        theme: Its colours.
        is_path: Whether the detail is a path: one line, of which the middle can be left out.
    """

    def __init__(
        self,
        title: str,
        detail: str,
        icon_name: str,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        is_path: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setText(title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(detail)
        self.setWhatsThis(f"{title}. {detail}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._detail = detail
        self._icon_name = icon_name
        self._theme = theme
        self._is_path = is_path
        if is_path:
            self.setToolTip(detail)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Narrow; the sentence is wrapped where it must be."""
        return QSize(_LEAST_WIDTH * 2, self.heightForWidth(_LEAST_WIDTH * 2))

    def minimumSizeHint(self) -> QSize:
        """What a title needs."""
        return QSize(_LEAST_WIDTH, 0)

    def hasHeightForWidth(self) -> bool:
        """The sentence is wrapped."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Two paddings, the title and the lines of the sentence."""
        title = QFontMetrics(self._title_font()).height()
        return title + self._detail_rect(width).height() + 2 * _PADDING

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses it as Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A frame, which is brighter under mouse and keyboard, the icon, and the two lines."""
        ui = self._theme.ui
        active = self.underMouse() or self.hasFocus()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(ui.accent if self.hasFocus() else ui.border, 1))
        painter.setBrush(ui.button_hover if active else ui.base)
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), _RADIUS, _RADIUS)
        square = QRect(_PADDING, _PADDING, _ICON, _ICON)
        icon(self._icon_name, ui.accent).paint(painter, square)
        painter.setFont(self._title_font())
        painter.setPen(ui.text)
        left, height = _text_left(), painter.fontMetrics().height()
        title = QRect(left, _PADDING, self._text_width(self.width()), height)
        painter.drawText(title, int(Qt.AlignmentFlag.AlignVCenter), self._elided(painter, title))
        painter.setFont(self.font())
        painter.setPen(ui.muted_text)
        detail = self._detail_rect(self.width()).translated(left, _PADDING + height)
        painter.drawText(detail, _WRAPPED, self._detail_text(painter, detail))
        painter.end()

    def _elided(self, painter: QPainter, room: QRect) -> str:
        metrics = painter.fontMetrics()
        return metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())

    def _detail_text(self, painter: QPainter, room: QRect) -> str:
        if not self._is_path:
            return self._detail
        metrics = painter.fontMetrics()
        return metrics.elidedText(self._detail, Qt.TextElideMode.ElideMiddle, room.width())

    def _detail_rect(self, width: int) -> QRect:
        room, metrics = self._text_width(width), QFontMetrics(self.font())
        if self._is_path:
            return QRect(0, 0, room, metrics.height())
        lines = metrics.boundingRect(QRect(0, 0, room, 0), _WRAPPED, self._detail)
        return QRect(0, 0, room, lines.height())

    def _text_width(self, width: int) -> int:
        return max(1, width - _text_left() - _PADDING)

    def _title_font(self) -> QFont:
        font = QFont(self.font())
        font.setBold(True)
        return font


def _text_left() -> int:
    return _PADDING + _ICON + _GAP
