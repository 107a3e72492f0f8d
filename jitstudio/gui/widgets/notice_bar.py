"""Lines across the window for what went wrong outside a build, until the user has dealt with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.icons import icon
from jitstudio.gui.theme import Theme

_ICON_SIZE = 16


@dataclass(frozen=True)
class Choice:
    """What the user can do about something.

    Attributes:
        name: The object name of its button.
        text: What the button says.
        act: Does it.
    """

    name: str
    text: str
    act: Callable[[], object]


class NoticeBar(QFrame):
    """Hidden until something is to be told; never modal, so that typing goes on.

    Signals:
        left: What had the keyboard here is gone.
    """

    left = Signal()

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, name: str = "noticeBar"
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._theme = theme
        self._rows: dict[str, _Row] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(10, 5, 6, 5)
        self._column.setSpacing(4)
        self.set_theme(theme)
        self.hide()

    @property
    def text(self) -> str:
        """What is told; empty while the bar is hidden."""
        return "\n".join(row.text for row in self._rows.values())

    @Slot(str)
    def tell(self, message: str) -> None:
        """Show a message, below an earlier one that is still there."""
        row = self._rows.get("")
        before = row.text.split("\n") if row is not None else []
        self.ask("", "\n".join([*(line for line in before if line != message), message]))

    def ask(self, key: str, message: str, choices: Sequence[Choice] = ()) -> None:
        """Show a message in a line of its own, in place of the one with this key."""
        self.withdraw(key)
        row = _Row(key, message, choices)
        row.set_theme(self._theme)
        row.closed.connect(self.withdraw)
        self._rows[key] = row
        self._column.addWidget(row)
        row.show()
        self.show()

    @Slot(str)
    def withdraw(self, key: str) -> None:
        """What was told with this key is true no longer, or done with."""
        row = self._rows.pop(key, None)
        if row is None:
            return
        focus = QApplication.focusWidget()
        had_keyboard = focus is not None and row.isAncestorOf(focus)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
        self.setVisible(bool(self._rows))
        if had_keyboard:
            self.left.emit()

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        for row in self._rows.values():
            row.set_theme(theme)
        self.setStyleSheet(
            f"#{self.objectName()} {{ background: {theme.code.banner.name()};"
            f" border-bottom: 1px solid {theme.ui.border.name()}; }}"
            f"#{self.objectName()} QLabel {{ color: {theme.code.banner_text.name()}; }}"
        )


class _Row(QWidget):
    """One message with what can be done about it.

    Signals:
        closed: The user has read the message with this key.
    """

    closed = Signal(str)

    def __init__(self, key: str, message: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._key = key
        self._icon = QLabel()
        self._text = QLabel(message, wordWrap=True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close = QToolButton(autoRaise=True)
        self._close.setToolTip(self.tr("Close this message"))
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._close.setAccessibleName(self.tr("Close this message"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(self._icon, 0, top)
        column = QVBoxLayout()
        column.addWidget(self._text)
        if choices:
            # Below the text, which a narrow window would squeeze beside them.
            column.addLayout(_buttons(choices))
        row.addLayout(column, 1)
        row.addWidget(self._close, 0, top)
        self._close.clicked.connect(self._on_close)

    @property
    def text(self) -> str:
        """What is told."""
        return self._text.text()

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._icon.setPixmap(icon("warning", theme.code.banner_text).pixmap(_ICON_SIZE))
        self._close.setIcon(icon("close", theme.code.banner_text))

    @Slot()
    def _on_close(self) -> None:
        self.closed.emit(self._key)


def _buttons(choices: Sequence[Choice]) -> QHBoxLayout:
    row = QHBoxLayout()
    for choice in choices:
        button = QPushButton(choice.text)
        button.setObjectName(choice.name)
        button.clicked.connect(choice.act)
        row.addWidget(button)
    row.addStretch()
    return row
