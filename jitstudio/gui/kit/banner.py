"""The strip above a text that says why it is old, or why it cannot be edited."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QWidget

from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import current_theme, follow_theme

_MOST_LINES = 4
_MARGIN = 6


class Banner(QLabel):
    """A few lines of text on a coloured ground; hidden while there is nothing to say."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        # Contents margins would be lost when the application's style sheet is set anew.
        self.setMargin(_MARGIN)
        self.setIndent(_MARGIN)
        self.setAutoFillBackground(True)
        follow_theme(self, Banner._apply_theme)
        self.hide()

    def _apply_theme(self) -> None:
        theme = current_theme()
        colors = self.palette()
        colors.setColor(QPalette.ColorRole.Window, theme.code.banner)
        colors.setColor(QPalette.ColorRole.WindowText, theme.code.banner_text)
        self.setPalette(colors)

    def say(self, text: str) -> None:
        """Says this, or nothing; a long text is cut off and in the tool tip as a whole."""
        self.setText(text)
        self.setToolTip(plain_tooltip(text))
        self.setVisible(bool(text))

    def wanted_height(self, width: int) -> int:
        """Returns how high it must be at a width; nothing while hidden."""
        if self.isHidden():
            return 0
        most = _MOST_LINES * self.fontMetrics().lineSpacing() + 2 * _MARGIN
        return min(self.heightForWidth(width), most)
