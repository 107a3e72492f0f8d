"""A field and a list over the middle of the window: type a few letters, press Enter."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from jitstudio.gui.shell.palette.delegate import PaletteDelegate
from jitstudio.gui.shell.palette.model import ENTRY_ROLE, PaletteEntry, PaletteModel

_WIDEST = 640
_MARGIN = 12
_MOST_ROWS = 12
_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Palette(QFrame):
    """Offers entries, and goes away as soon as one is chosen or the keyboard is elsewhere.

    Signals:
        chosen: With the payload of the entry, after the keyboard is back where it was.
    """

    chosen = Signal(object)

    # On the class too: it is hidden for the last time when Python may have emptied it.
    _is_whole = False

    def __init__(self, name: str, title: str, nothing: str, window: QWidget) -> None:
        """Makes it, hidden.

        Args:
            name: Its object name; field and list are called `<name>Field` and `<name>List`.
            title: What to type; shown in the empty field.
            nothing: What is said where no entry matches.
            window: What it lies over.
        """
        super().__init__(window)
        self.setObjectName(name)
        self.setProperty("isPalette", True)
        self.setAccessibleName(title)
        self.setAutoFillBackground(True)
        self._window = window
        self._before: QWidget | None = None
        self._model = PaletteModel(self)
        self._field = QLineEdit(self, placeholderText=title, clearButtonEnabled=True)
        self._field.setObjectName(f"{name}Field")
        self._field.setAccessibleName(title)
        self._list = self._make_list(title)
        self._nothing = QLabel(nothing, self)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.setEnabled(False)
        self._nothing.setMargin(_MARGIN)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 8, 8, 8)
        self._column.setSpacing(6)
        for part in (self._field, self._list, self._nothing):
            self._column.addWidget(part)
        self._field.textChanged.connect(self._on_query_changed)
        self._list.clicked.connect(self._on_clicked)
        self._is_whole = True
        self._field.installEventFilter(self)
        self.hide()

    @property
    def model(self) -> PaletteModel:
        """What is offered."""
        return self._model

    def offer(self, entries: Sequence[PaletteEntry]) -> None:
        """Comes up with these entries and an empty field, and takes the keyboard."""
        if self.isHidden():
            self._before = QApplication.focusWidget()
            self._window.installEventFilter(self)
        self._model.set_entries(entries)
        self._field.clear()
        self._show_found()
        self.show()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    def fill(self, entries: Sequence[PaletteEntry]) -> None:
        """Offers other entries, or those that took a while, for what is typed already."""
        self._model.set_entries(entries)
        self._on_query_changed(self._field.text())

    def dismiss(self) -> None:
        """Goes away, and gives the keyboard back."""
        before, self._before = self._before, None
        self.hide()
        if before is not None and isValid(before):
            before.setFocus(Qt.FocusReason.PopupFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        """Follows the window no longer."""
        if self._is_whole:
            self._window.removeEventFilter(self)
        super().hideEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Takes the keys of the list from the field, and follows the window's size."""
        if not self._is_whole:
            return False
        match event:
            case QKeyEvent() if watched is self._field and event.type() == QEvent.Type.KeyPress:
                return self._take(event)
            case QFocusEvent() if watched is self._field and event.lostFocus():
                self._leave(event.reason())
            case _ if watched is self._window and event.type() == QEvent.Type.Resize:
                self._place()
        return super().eventFilter(watched, event)

    def _make_list(self, title: str) -> QListView:
        made = QListView(self)
        made.setObjectName(f"{self.objectName()}List")
        made.setAccessibleName(title)
        made.setModel(self._model)
        made.setItemDelegate(PaletteDelegate(made))
        made.setUniformItemSizes(True)
        made.setFrameShape(QFrame.Shape.NoFrame)
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return made

    def _take(self, event: QKeyEvent) -> bool:
        """Does what a key means here; returns whether it meant anything."""
        if event.key() in _LIST_KEYS:
            QApplication.sendEvent(self._list, event)
        elif event.key() in _ENTER_KEYS:
            self._choose(self._list.currentIndex())
        elif event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            # Tab would lead behind the palette.
            return event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
        return True

    def _leave(self, reason: Qt.FocusReason) -> None:
        # A menu of the field, or another program: the user is coming back.
        if reason not in (
            Qt.FocusReason.PopupFocusReason,
            Qt.FocusReason.ActiveWindowFocusReason,
        ):
            self._before = None
            self.hide()

    def _choose(self, index: QModelIndex) -> None:
        entry = index.data(ENTRY_ROLE) if index.isValid() else None
        if entry is not None and entry.enabled:
            self.dismiss()
            self.chosen.emit(entry.payload)

    def _show_found(self) -> None:
        count = self._model.rowCount()
        self._list.setVisible(count > 0)
        self._nothing.setVisible(count == 0)
        if count:
            self._list.setFixedHeight(self._list.sizeHintForRow(0) * min(count, _MOST_ROWS))
            self._list.setCurrentIndex(self._model.index(0, 0))
            self._list.scrollToTop()
        self._place()

    def _place(self) -> None:
        """Lies in the middle, a little below the upper edge."""
        width = min(_WIDEST, self._window.width() - 2 * _MARGIN)
        self._column.activate()
        height = self._column.sizeHint().height()
        self.setGeometry((self._window.width() - width) // 2, _MARGIN, width, height)

    @Slot(str)
    def _on_query_changed(self, query: str) -> None:
        self._model.set_query(query)
        self._show_found()

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        self._choose(index)
