"""The texts that a recording was made of, with the line of the thread."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.theme import current_theme, follow_theme

_FONT_SIZE = 9.5


class RecordedTextView(QWidget):
    """Source or PTX as recorded, read-only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts: tuple[tuple[str, str], ...] = ()
        self._is_filled = False
        self._lines: dict[str, int] = {}
        self._choice = QComboBox(self)
        self._choice.setObjectName("stepRecordedChoice")
        self._choice.setAccessibleName(self.tr("Recorded text"))
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("stepRecordedText")
        self.text.setAccessibleName(self.tr("Recorded text"))
        self.text.setReadOnly(True)
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.document().setDocumentMargin(10)
        show_as_code(self.text, _FONT_SIZE)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 6, 8, 6)
        bar.addWidget(self._choice)
        bar.addStretch(1)
        column.addLayout(bar)
        column.addWidget(self.text, 1)
        self._choice.currentIndexChanged.connect(self._show)
        follow_theme(self, RecordedTextView._mark)
        self.setFocusProxy(self.text)

    def show_texts(self, texts: Sequence[tuple[str, str]]) -> None:
        """Offers texts by their names."""
        if tuple(texts) == self._texts:
            return
        self._texts = tuple(texts)
        self._choice.clear()
        self._choice.addItems([name for name, _text in texts])

    def show_lines(self, lines: dict[str, int]) -> None:
        """Marks the line of the thread in each text, from 1."""
        self._lines = lines
        self._mark()

    def showEvent(self, event: QShowEvent) -> None:
        """Fills the text at the first look: a large text takes a while."""
        super().showEvent(event)
        self._fill()

    @Slot()
    def _show(self) -> None:
        self._is_filled = False
        self.text.clear()
        self._fill()

    def _fill(self) -> None:
        index = self._choice.currentIndex()
        if self.isVisible() and not self._is_filled and index >= 0:
            self._is_filled = True
            self.text.setPlainText(self._texts[index][1])
            self._mark()

    def _mark(self) -> None:
        block = self.text.document().findBlockByNumber(
            self._lines.get(self._choice.currentText(), 0) - 1
        )
        if not block.isValid():
            self.text.setExtraSelections([])
            return
        mark = QTextEdit.ExtraSelection()
        mark.cursor = QTextCursor(block)
        mark.format.setBackground(current_theme().code.selection)
        mark.format.setForeground(current_theme().code.selection_text)
        mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        self.text.setExtraSelections([mark])
        self.text.setTextCursor(mark.cursor)
        self.text.centerCursor()
