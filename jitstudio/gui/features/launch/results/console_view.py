"""The Console pane: the output of the kernel, as printed."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.parts import icon_button, text_label
from jitstudio.gui.kit.text_limits import LONGEST_LINE
from jitstudio.gui.kit.translating import counted

MOST_KEPT = 1 << 20
"""Characters that the console keeps; the oldest go first."""

_FONT_SIZE = 9.5
_MARGIN = 8
# A kernel prints faster than a window can draw; so often it is drawn.
_REFRESH_MS = 40


class ConsoleView(QWidget):
    """Read-only text that grows at the end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("consoleView")
        self._waiting: list[str] = []
        self._waiting_length = 0
        self._dropped = 0
        self._column = 0
        self._text = QPlainTextEdit(self, readOnly=True)
        self._text.setObjectName("consoleText")
        self._text.setAccessibleName(self.tr("What the kernel printed"))
        self._text.setPlaceholderText(
            self.tr(
                "What the kernel prints with printf, and asserts that fail, "
                "appear here as they come."
            )
        )
        self._text.setUndoRedoEnabled(False)
        self._text.setTabChangesFocus(True)
        self._text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._text.document().setDocumentMargin(_MARGIN)
        show_as_code(self._text, _FONT_SIZE)
        self._facts = text_label(self, "consoleFacts")
        self._copy = icon_button(self, self.tr("Copy"), self.tr("Copy all that is kept"), "copy")
        self._copy.clicked.connect(self.copy_all)
        self._clear = icon_button(self, self.tr("Clear"), self.tr("Empty the console"), "trash")
        self._clear.clicked.connect(self.clear)
        self._timer = QTimer(self, interval=_REFRESH_MS, singleShot=True)
        self._timer.timeout.connect(self.flush)
        self._lay_out()
        self._update_facts()

    @property
    def text(self) -> str:
        """The text, as far as not dropped."""
        self.flush()
        return self._text.toPlainText()

    @property
    def facts(self) -> str:
        """The amount of shown and of dropped text."""
        self.flush()
        return self._facts.text()

    @Slot(str)
    def append_text(self, text: str) -> None:
        """Adds newly printed text."""
        self._waiting.append(text)
        self._waiting_length += len(text)
        if self._waiting_length > 2 * MOST_KEPT:
            self._drop_waiting()
        if not self._timer.isActive():
            self._timer.start()

    @Slot(str)
    def set_text(self, text: str) -> None:
        """Replaces the shown text."""
        self.clear()
        self.append_text(text)
        self.flush()

    @Slot()
    def clear(self) -> None:
        """Drops the whole text."""
        self._waiting.clear()
        self._waiting_length = self._dropped = self._column = 0
        self._text.clear()
        self._update_facts()

    @Slot()
    def copy_all(self) -> None:
        """Puts all that is kept on the clipboard."""
        QGuiApplication.clipboard().setText(self.text)

    @Slot()
    def flush(self) -> None:
        """Shows the text that has come since the last time."""
        if not self._waiting:
            return
        self._drop_waiting()
        text = self._broken("".join(self._waiting))
        self._waiting.clear()
        self._waiting_length = 0
        bar = self._text.verticalScrollBar()
        follows = bar.value() >= bar.maximum() - 1
        cursor = QTextCursor(self._text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)
        self._drop_oldest()
        if follows:
            bar.setValue(bar.maximum())
        self._update_facts()

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 3, 6, 3)
        bar.addWidget(self._facts, 1)
        bar.addWidget(self._copy)
        bar.addWidget(self._clear)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self._text, 1)
        self.setFocusProxy(self._text)

    def _drop_waiting(self) -> None:
        """Drops text that would be dropped again as soon as shown."""
        surplus = self._waiting_length - MOST_KEPT
        if surplus > 0:
            self._waiting = ["".join(self._waiting)[surplus:]]
            self._waiting_length = MOST_KEPT
            self._dropped += surplus

    def _drop_oldest(self) -> None:
        surplus = self._text.document().characterCount() - 1 - MOST_KEPT
        if surplus <= 0:
            return
        cursor = QTextCursor(self._text.document())
        cursor.setPosition(surplus)
        # To the end of the line: half of one would be read as a whole one.
        cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
        count = cursor.position()
        cursor.movePosition(QTextCursor.MoveOperation.Start, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._dropped += count

    def _broken(self, text: str) -> str:
        """Returns the text with line ends where Qt could not lay out a longer line in time."""
        lines = []
        for number, line in enumerate(text.split("\n")):
            start = self._column if number == 0 else 0
            room = max(0, LONGEST_LINE - start)
            parts = [line[:room]]
            parts += [line[n : n + LONGEST_LINE] for n in range(room, len(line), LONGEST_LINE)]
            self._column = len(parts[-1]) + (start if len(parts) == 1 else 0)
            lines.append("\n".join(parts))
        return "\n".join(lines)

    def _update_facts(self) -> None:
        count = self._text.document().characterCount() - 1
        message = counted(count, self.tr("{count:,} character"), self.tr("{count:,} characters"))
        if self._dropped:
            dropped = self.tr("{count:,} before them were dropped").format(count=self._dropped)
            message = f"{message} · {dropped}"
        self._facts.setText(message if count else "")
        for button in (self._copy, self._clear):
            button.setEnabled(bool(count))
