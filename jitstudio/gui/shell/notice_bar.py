"""Notices about problems outside a build, across the window until the user has dealt with each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.parts import show_icon
from jitstudio.gui.kit.theme import current_theme, follow_theme

_ICON_SIZE = 16
# Two lines of text at least, and a quarter of the window at most.
_LEAST_HEIGHT, _PART_OF_WINDOW = 48, 4


class NoticeAction(NamedTuple):
    """An action that the user can take on a notice.

    Attributes:
        name: The object name of its button.
        text: The text of the button.
        act: Does it.
    """

    name: str
    text: str
    act: Callable[[], object]


class NoticeBar(QFrame):
    """Hidden until there is a message; never modal, so that typing goes on.

    Lists all notices, the latest last, and is left by each when it is closed; more than fit into a
    part of the window are scrolled. The widgets inside are made with the first notice.

    Signals:
        left: The widget here that had the keyboard is gone.
    """

    left = Signal()

    def __init__(self, parent: QWidget | None = None, name: str = "noticeBar") -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._rows: dict[str, _Row] = {}
        self.hide()

    def _lay_out(self) -> None:
        self._head = QWidget(self)
        self._count = QLabel(self._head)
        self._close_all = QPushButton(self.tr("Dismiss all"), self._head)
        self._close_all.setObjectName("dismissNotices")
        self._close_all.clicked.connect(self._on_close_all)
        self._scroll = QScrollArea(self, widgetResizable=True)
        self._list = QWidget()
        self._list.setObjectName("notices")
        self._column = QVBoxLayout(self._list)
        head = QHBoxLayout(self._head)
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(self._count)
        head.addStretch()
        head.addWidget(self._close_all)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._scroll.setWidget(self._list)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # The keyboard of the bar is for its buttons.
        self._scroll.viewport().setFocusProxy(None)  # type: ignore[arg-type]
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 5, 6, 5)
        column.setSpacing(4)
        column.addWidget(self._head)
        column.addWidget(self._scroll)
        follow_theme(self, NoticeBar._apply_theme)

    @property
    def text(self) -> str:
        """The messages; empty while the bar is hidden."""
        return "\n".join(row.text for row in self._rows.values())

    @Slot(str)
    def show_message(self, message: str) -> None:
        """Shows a message below the earlier messages; an equal message moves to the end."""
        self.ask(message, message)

    def ask(self, key: str, message: str, choices: Sequence[NoticeAction] = ()) -> None:
        """Shows a message with choices, in place of the message with this key."""
        if self.layout() is None:
            self._lay_out()
        self.withdraw(key)
        row = _Row(key, message, choices)
        row.closed.connect(self.withdraw)
        self._rows[key] = row
        self._column.addWidget(row)
        row.show()
        self.show()
        self._fit()
        # The list is as long as it will be once events have been handled.
        QTimer.singleShot(0, row, partial(self._scroll.ensureWidgetVisible, row))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Makes room for text that wraps now."""
        super().resizeEvent(event)
        if self._rows:
            self._fit()

    def _fit(self) -> None:
        """Is as high as the notices need, up to a part of the window."""
        self._head.setVisible(len(self._rows) > 1)
        self._count.setText(self.tr("{count} notices").format(count=len(self._rows)))
        wanted = self._column.totalHeightForWidth(self._scroll.viewport().width())
        most = max(_LEAST_HEIGHT, self.window().height() // _PART_OF_WINDOW)
        self._scroll.setFixedHeight(max(0, min(wanted, most)))

    @Slot(str)
    def withdraw(self, key: str) -> None:
        """Removes a message by key."""
        row = self._rows.pop(key, None)
        if row is None:
            return
        had_keyboard = _has_keyboard(row)
        place = self._column.indexOf(row)
        self._discard(row)
        self._fit()
        self.setVisible(bool(self._rows))
        if had_keyboard and self._rows:
            # Ready for the next one.
            list(self._rows.values())[min(place, len(self._rows) - 1)].take_keyboard()
        elif had_keyboard:
            self.left.emit()

    @Slot()
    def _on_close_all(self) -> None:
        had_keyboard = _has_keyboard(self)
        self.hide()
        for row in self._rows.values():
            self._discard(row)
        self._rows.clear()
        if had_keyboard:
            self.left.emit()

    def _discard(self, row: _Row) -> None:
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _apply_theme(self) -> None:
        theme = current_theme()
        bar, ground = f"#{self.objectName()}", theme.code.banner.name()
        self.setStyleSheet(
            f"{bar} {{ background: {ground}; border-bottom: 1px solid {theme.ui.border.name()}; }}"
            f"{bar} QLabel {{ color: {theme.code.banner_text.name()}; }}"
            f"{bar} QScrollArea, #notices {{ background: {ground}; }}"
        )


class _Row(QWidget):
    """A message with the choices of the user.

    Signals:
        closed: The user has read the message with this key.
    """

    closed = Signal(str)

    def __init__(self, key: str, message: str, choices: Sequence[NoticeAction]) -> None:
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
        show_icon(self._close, "close", "code.banner_text")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(self._icon, 0, top)
        column = QVBoxLayout()
        column.addWidget(self._text)
        if choices:
            # Below the text, which a narrow window would squeeze next to them.
            column.addLayout(_buttons(choices))
        row.addLayout(column, 1)
        row.addWidget(self._close, 0, top)
        self._close.clicked.connect(self._on_close)
        follow_theme(self, _Row._apply_theme)

    @property
    def text(self) -> str:
        """The message."""
        return self._text.text()

    def take_keyboard(self) -> None:
        """Takes the keyboard focus, so that a key can close the message."""
        self._close.setFocus()

    def _apply_theme(self) -> None:
        theme = current_theme()
        self._icon.setPixmap(icon("warning", theme.code.banner_text).pixmap(_ICON_SIZE))
        # One line of text is in the middle of the row, and so are the signs at its ends.
        self._icon.setFixedHeight(self._close.sizeHint().height())

    @Slot()
    def _on_close(self) -> None:
        self.closed.emit(self._key)


def _has_keyboard(widget: QWidget) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and widget.isAncestorOf(focus)


def _buttons(choices: Sequence[NoticeAction]) -> QHBoxLayout:
    row = QHBoxLayout()
    for choice in choices:
        button = QPushButton(choice.text)
        button.setObjectName(choice.name)
        button.clicked.connect(choice.act)
        row.addWidget(button)
    row.addStretch()
    return row
