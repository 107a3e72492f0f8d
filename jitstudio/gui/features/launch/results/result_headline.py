"""How a launch ended, in one line with its mark, and its figures below."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.parts import text_label
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_ICON_SIDE = 20
_WORDS = {
    "success": QT_TRANSLATE_NOOP("ResultHeadline", "good"),
    "error": QT_TRANSLATE_NOOP("ResultHeadline", "error"),
    "warning": QT_TRANSLATE_NOOP("ResultHeadline", "warning"),
    "info": QT_TRANSLATE_NOOP("ResultHeadline", "remark"),
}


class ResultHeadline(QWidget):
    """An icon, a sentence, and a line of facts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark = "info"
        self._theme: Theme | None = None
        self._icon = QLabel(self)
        self._icon.setObjectName("resultMark")
        self._icon.setFixedSize(_ICON_SIDE, _ICON_SIDE)
        self._text = text_label(self, "resultHeadline")
        font = self._text.font()
        font.setBold(True)
        self._text.setFont(font)
        self._facts = text_label(self, "resultFacts")
        self._facts.setForegroundRole(self._facts.palette().ColorRole.PlaceholderText)
        for label in (self._text, self._facts):
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 9, 12, 9)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(3)
        grid.addWidget(self._icon, 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self._text, 0, 1)
        grid.addWidget(self._facts, 1, 1)
        grid.setColumnStretch(1, 1)

    @property
    def mark(self) -> str:
        """The mark shown."""
        return self._mark

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()

    @property
    def facts(self) -> str:
        """The facts shown."""
        return self._facts.text()

    def say(self, mark: str, text: str, facts: str = "") -> None:
        """Show this, with a mark that is a field of `theme.MarkColors`."""
        self._mark = mark
        self._text.setText(text)
        word = self.tr(_WORDS[mark])
        self._text.setAccessibleName(f"{word}: {text}")
        self._icon.setAccessibleName(word)
        self._facts.setText(facts)
        self._facts.setVisible(bool(facts))
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self._draw()

    def _draw(self) -> None:
        if self._theme is not None:
            drawn = icon(self._mark, getattr(self._theme.marks, self._mark))
            self._icon.setPixmap(drawn.pixmap(_ICON_SIDE, _ICON_SIDE))
