"""A frame around the text, list, table or picture that has the keyboard.

Buttons and fields show it by the style sheet; scroll areas have no frame of their own to colour.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QTabBar, QWidget
from shiboken6 import isValid

_WIDTH = 2
_FRAMED = (QAbstractScrollArea, QTabBar)
# Lists that drop down or pop up have the keyboard by being there.
_POPUPS = (Qt.WindowType.Popup, Qt.WindowType.ToolTip)


class _Ring(QWidget):
    """Lies over the whole of a widget; mouse events go through."""

    def __init__(self, framed: QWidget) -> None:
        super().__init__(framed)
        self.setObjectName("focusRing")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        framed.installEventFilter(self)
        self._fit()
        self.show()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Stays as large as the framed widget."""
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draws four lines along the edges."""
        whole, color = self.rect(), self.palette().color(QPalette.ColorRole.Accent)
        painter = QPainter(self)
        for line in (
            whole.adjusted(0, 0, 0, _WIDTH - whole.height()),
            whole.adjusted(0, whole.height() - _WIDTH, 0, 0),
            whole.adjusted(0, 0, _WIDTH - whole.width(), 0),
            whole.adjusted(whole.width() - _WIDTH, 0, 0, 0),
        ):
            painter.fillRect(line, color)
        painter.end()

    def _fit(self) -> None:
        framed = self.parentWidget()
        if framed is not None:
            self.setGeometry(framed.rect())
            self.raise_()


class FocusRing(QObject):
    """Follows the keyboard through a window and the window's dialogs."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._ring: _Ring | None = None
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus_changed)

    @Slot(QWidget, QWidget)
    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        if self._ring is not None and isValid(self._ring):
            self._ring.deleteLater()
            self._ring.hide()
        self._ring = None
        if isinstance(new, _FRAMED) and self._is_ours(new.window()):
            self._ring = _Ring(new)

    def _is_ours(self, window: QWidget) -> bool:
        is_own = window is self._window or self._window.isAncestorOf(window)
        return is_own and window.windowType() not in _POPUPS
