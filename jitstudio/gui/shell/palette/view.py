"""A field and a list over the middle of the window: type a few letters, press Enter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QHideEvent,
    QIcon,
    QKeyEvent,
    QPainter,
    QPalette,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from jitstudio.gui.kit.fuzzy import Span
from jitstudio.gui.shell.palette.model import (
    DETAIL_ROLE,
    DETAIL_SPANS_ROLE,
    ENTRY_ROLE,
    TITLE_SPANS_ROLE,
    PaletteEntry,
    PaletteModel,
)

_WIDEST = 640
_MARGIN = 12
_MOST_ROWS = 12
_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Palette(QFrame):
    """Offers entries, and closes as soon as an entry is chosen or the keyboard is elsewhere.

    Signals:
        chosen: With the payload of the entry, after the keyboard is back where it was.
    """

    chosen = Signal(object)

    # On the class too: it is hidden for the last time when Python may have emptied it.
    _is_whole = False

    def __init__(
        self,
        name: str,
        title: str,
        nothing: str,
        window: QWidget,
        last: Callable[[str], PaletteEntry] | None = None,
    ) -> None:
        """Makes the palette, hidden.

        Args:
            name: Its object name; field and list are called `<name>Field` and `<name>List`.
            title: The prompt; shown in the empty field.
            nothing: The text where no entry matches.
            window: The window below the palette.
            last: Makes the last entry of a query, which is there whatever else matches.
        """
        super().__init__(window)
        self.setObjectName(name)
        self.setProperty("isPalette", True)
        self.setAccessibleName(title)
        self.setAutoFillBackground(True)
        self._window = window
        self._before: QWidget | None = None
        self._model = PaletteModel(self, last)
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
        """The model of the entries."""
        return self._model

    def offer(self, entries: Sequence[PaletteEntry]) -> None:
        """Opens with entries and an empty field, and takes the keyboard."""
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
        """Offers other or late entries, for the text typed already; the current one stays so."""
        before = self._list.currentIndex()
        current = _words(before) if before.row() > 0 else None
        self._model.set_entries(entries)
        self._on_query_changed(self._field.text())
        rows = (self._model.index(row, 0) for row in range(self._model.rowCount()))
        if current and (same := next((row for row in rows if _words(row) == current), None)):
            self._list.setCurrentIndex(same)

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
        entries = QListView(self)
        entries.setObjectName(f"{self.objectName()}List")
        entries.setAccessibleName(title)
        entries.setModel(self._model)
        entries.setItemDelegate(PaletteDelegate(entries))
        entries.setUniformItemSizes(True)
        entries.setFrameShape(QFrame.Shape.NoFrame)
        entries.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        entries.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return entries

    def _take(self, event: QKeyEvent) -> bool:
        """Applies a key; returns whether the key was for the palette."""
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


# ---- One row: icon, title with the matched letters bold, detail, shortcut

_ICON_SIDE = 16
_ROW_PADDING = 10
_ROW_MARGIN = 10
_GAP = 12
_VERTICALLY = Qt.AlignmentFlag.AlignVCenter


class PaletteDelegate(QStyledItemDelegate):
    """Knows the roles of `PaletteModel`."""

    def sizeHint(
        self, option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Gives all rows the same height."""
        return QSize(0, max(option.fontMetrics.height(), _ICON_SIDE) + _ROW_PADDING)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draws the row; title and detail are cut to the room, the shortcut never."""
        entry: PaletteEntry = index.data(ENTRY_ROLE)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if selected:
            painter.fillRect(option.rect, option.palette.color(QPalette.ColorRole.Highlight))
        text, muted = _colors(option.palette, selected, entry.enabled)
        area = option.rect.adjusted(_ROW_MARGIN, 0, -_ROW_MARGIN, 0)
        place = QRect(area.left(), area.top(), _ICON_SIDE, area.height())
        _draw_icon(painter, place, entry, text if selected else None)
        area.setLeft(area.left() + _ICON_SIDE + _GAP)
        if entry.keys:
            painter.setPen(muted)
            painter.drawText(area, int(_VERTICALLY | Qt.AlignmentFlag.AlignRight), entry.keys)
            area.setRight(area.right() - option.fontMetrics.horizontalAdvance(entry.keys) - _GAP)
        painter.setPen(text)
        used = _draw(painter, area, entry.title, index.data(TITLE_SPANS_ROLE), option.font)
        painter.setPen(muted)
        area.setLeft(area.left() + used + _GAP)
        _draw(painter, area, index.data(DETAIL_ROLE), index.data(DETAIL_SPANS_ROLE), option.font)
        painter.restore()


def _words(index: QModelIndex) -> tuple[str, str]:
    entry: PaletteEntry = index.data(ENTRY_ROLE)
    return entry.title, entry.detail


def _colors(palette: QPalette, selected: bool, enabled: bool) -> tuple[QColor, QColor]:
    if selected:
        text = palette.color(QPalette.ColorRole.HighlightedText)
        return text, text
    if not enabled:
        text = palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
        return text, text
    return (
        palette.color(QPalette.ColorRole.Text),
        palette.color(QPalette.ColorRole.PlaceholderText),
    )


def _draw_icon(painter: QPainter, area: QRect, entry: PaletteEntry, color: QColor | None) -> None:
    """Draws the icon of an entry, recoloured in `color` unless None."""
    if entry.icon is None:
        return
    mode = QIcon.Mode.Normal if entry.enabled else QIcon.Mode.Disabled
    ratio = painter.device().devicePixelRatioF()
    picture = entry.icon.pixmap(QSize(_ICON_SIDE, _ICON_SIDE), ratio, mode)
    if color is not None:
        tint = QPainter(picture)
        tint.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        tint.fillRect(picture.rect(), color)
        tint.end()
    painter.drawPixmap(area.left(), area.top() + (area.height() - _ICON_SIDE) // 2, picture)


def _draw(painter: QPainter, area: QRect, text: str, spans: Sequence[Span], font: QFont) -> int:
    """Draws a text with bold parts; returns the width."""
    bold = QFont(font)
    bold.setBold(True)
    left = area.left()
    for part, is_bold in _parts(text, spans):
        used = bold if is_bold else font
        metrics = QFontMetrics(used)
        room = area.right() - left + 1
        shown = metrics.elidedText(part, Qt.TextElideMode.ElideRight, room)
        painter.setFont(used)
        painter.drawText(QRect(left, area.top(), room, area.height()), int(_VERTICALLY), shown)
        left += metrics.horizontalAdvance(shown)
        if shown != part:
            break
    return left - area.left()


def _parts(text: str, spans: Sequence[Span]) -> list[tuple[str, bool]]:
    parts: list[tuple[str, bool]] = []
    done = 0
    for begin, end in spans:
        parts += [(text[done:begin], False), (text[begin:end], True)]
        done = end
    parts.append((text[done:], False))
    return [part for part in parts if part[0]]
