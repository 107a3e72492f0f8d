"""Searches all tabs and outputs: a field over a table of hits."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.code.find_bar import QueryOptions
from jitstudio.gui.code.search import Query
from jitstudio.gui.features.search.find_all import MARKED_ROLE, HitsModel, SearchHit
from jitstudio.gui.kit.fonts import code_font
from jitstudio.gui.kit.tables import ENTER_KEYS, PanelTable
from jitstudio.gui.kit.theme import code_palette, current_theme

_REST_MS = 250
_MARGIN = 5
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class SearchView(QWidget):
    """Asks for a query, and shows hits.

    Signals:
        wanted: This shall be searched for; an empty text, for nothing.
        stop_wanted: Nothing more shall be searched.
        activated: The user wants to see this hit.
    """

    wanted = Signal(Query)
    stop_wanted = Signal()
    activated = Signal(SearchHit)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("searchView")
        self._model = HitsModel(self)
        self._field = QLineEdit(self, clearButtonEnabled=True)
        self._field.setObjectName("searchField")
        self._field.setPlaceholderText(self.tr("Find in all tabs, PTX, SASS and the log"))
        self._field.setAccessibleName(self.tr("Find in all tabs and outputs"))
        self._field.installEventFilter(self)
        self._options = QueryOptions(self)
        self._status = QLabel(self, textFormat=Qt.TextFormat.PlainText)
        self._stop = QToolButton(self)
        self._stop.setText(self.tr("Stop"))
        self._stop.setToolTip(self.tr("Stop the search (Esc)"))
        self._stop.clicked.connect(self.stop_wanted)
        self._delegate = _HitDelegate(self)
        self._table = self._make_table()
        self._lay_out()
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._want)
        self._field.textChanged.connect(self._rest.start)
        self._options.changed.connect(self._want)
        self.setFocusProxy(self._field)
        self.begin()
        self.show_message("", is_busy=False)

    @property
    def model(self) -> HitsModel:
        """The model of the hits."""
        return self._model

    @property
    def table(self) -> PanelTable:
        """The table of hits."""
        return self._table

    @property
    def field(self) -> QLineEdit:
        """The field for the text to find."""
        return self._field

    @property
    def status(self) -> str:
        """The status text about the hits."""
        return self._status.text()

    def open_search(self, text: str) -> None:
        """Takes the keyboard, and searches a text, or the last text."""
        if text:
            self._field.setText(text)
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._want()

    def begin(self) -> None:
        """Shows no hits: there is a new search."""
        self._model.set_rows(())

    def add(self, hits: tuple[SearchHit, ...]) -> None:
        """Adds hits."""
        self._model.add(hits)

    def show_message(self, text: str, *, is_busy: bool, is_problem: bool = False) -> None:
        """Says how far the search is."""
        self._status.setText(text)
        role = QPalette.ColorRole.WindowText
        color = current_theme().marks.error if is_problem else self.palette().color(role)
        colors = self._status.palette()
        colors.setColor(role, color)
        self._status.setPalette(colors)
        self._stop.setVisible(is_busy)
        nothing = self.tr("Nothing was found") if self._field.text() else ""
        self._table.set_hint("" if is_busy or is_problem else nothing)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Searches on Enter, goes to the hits on Enter and Down, switches on Alt and a letter."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if event.key() in _ENTER and self._rest.isActive():
            self._want()
            return True
        if event.key() in (*_ENTER, Qt.Key.Key_Down):
            if self._model.rowCount():
                if not self._table.currentIndex().isValid():
                    self._table.selectRow(0)
                self._table.setFocus()
            return True
        return self._options.take_key(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Stops on Esc."""
        if event.key() == Qt.Key.Key_Escape and not self._stop.isHidden():
            self.stop_wanted.emit()
        else:
            super().keyPressEvent(event)

    def _make_table(self) -> PanelTable:
        table = PanelTable(self.tr("Search results"), self)
        table.setObjectName("searchTable")
        table.setModel(self._model)
        table.setItemDelegateForColumn(0, self._delegate)
        table.set_columns(stretched=0, widths={1: 26, 2: 8})
        table.hide_when_narrow(2)
        table.clicked.connect(self._activate)
        table.add_command(self.tr("&Go there"), self._on_enter_pressed, *ENTER_KEYS)
        return table

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(6, 4, 6, 4)
        bar.setSpacing(4)
        bar.addWidget(self._field, 2)
        bar.addWidget(self._options)
        bar.addSpacing(6)
        bar.addWidget(self._status, 3)
        bar.addWidget(self._stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self._table, 1)

    @Slot()
    def _want(self) -> None:
        self._rest.stop()
        self.wanted.emit(self._options.query(self._field.text()))

    @Slot(QModelIndex)
    def _activate(self, index: QModelIndex) -> None:
        if index.isValid():
            self.activated.emit(self._model.rows[index.row()])

    @Slot()
    def _on_enter_pressed(self) -> None:
        self._activate(self._table.currentIndex())


class _HitDelegate(QStyledItemDelegate):
    """Draws a line of code with the hits on a ground of another colour."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draws the row; the end is cut where there is no room."""
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        theme = current_theme()
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        start, end = index.data(MARKED_ROLE)
        painter.save()
        painter.setFont(code_font(option.font.pointSizeF()))
        metrics = painter.fontMetrics()
        area = option.rect.adjusted(_MARGIN, 0, -_MARGIN, 0)
        painter.setClipRect(area)
        left = area.left() + metrics.horizontalAdvance(text[:start])
        if not selected:
            ground = area.adjusted(0, 2, 0, -2)
            ground.setLeft(left)
            ground.setWidth(metrics.horizontalAdvance(text[start:end]))
            painter.fillRect(ground, theme.code.match)
        colors = code_palette(theme, option.palette)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        painter.setPen((option.palette if selected else colors).color(role))
        painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()
