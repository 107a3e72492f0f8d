"""A line across the window for what went wrong outside a build, until the user closes it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from jitstudio.gui.icons import icon
from jitstudio.gui.theme import Theme

_ICON_SIZE = 16


class NoticeBar(QFrame):
    """Hidden until something is to be told; never modal, so that typing goes on."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("noticeBar")
        self._icon = QLabel()
        self._text = QLabel(wordWrap=True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close = QToolButton(autoRaise=True)
        self._close.setToolTip("Close this message")
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._close.setAccessibleName("Close this message")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 5, 6, 5)
        row.setSpacing(8)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._text, 1)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self._close.clicked.connect(self.hide)
        self.set_theme(theme)
        self.hide()

    @property
    def text(self) -> str:
        """What is told; empty while the bar is hidden."""
        return "" if self.isHidden() else self._text.text()

    @Slot(str)
    def tell(self, message: str) -> None:
        """Show a message, below an earlier one that is still there."""
        before = self.text.split("\n") if self.text else []
        self._text.setText("\n".join([*(line for line in before if line != message), message]))
        self.show()

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._icon.setPixmap(icon("warning", theme.code.banner_text).pixmap(_ICON_SIZE))
        self._close.setIcon(icon("close", theme.code.banner_text))
        self.setStyleSheet(
            f"#noticeBar {{ background: {theme.code.banner.name()};"
            f" border-bottom: 1px solid {theme.ui.border.name()}; }}"
            f"#noticeBar QLabel {{ color: {theme.code.banner_text.name()}; }}"
        )
