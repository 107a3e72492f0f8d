"""Tables: the models of their rows, and how each looks and is worked by keyboard.

The views know no model by name: marks and muted text come by the roles of `kit.presentation`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QItemSelectionModel,
    QKeyCombination,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
    Slot,
)
from PySide6.QtGui import (
    QAction,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from jitstudio.gui.kit.fonts import scaled
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.presentation import MARK_ROLE, MUTED_ROLE, ModelIndex, TableColumn, title_of
from jitstudio.gui.kit.theme import current_theme

_ICON_SIDE = 16
_ROW_PADDING = 8
_HINT_MARGIN = 20
# In characters: of a column that stretches, and of any.
_LEAST_CHARACTERS, _LEAST_SECTION = 16, 5
ENTER_KEYS = ("Return", "Enter")
"""Both keys that people call Enter, as `add_command` takes them."""


class MarkDelegate(QStyledItemDelegate):
    """Draws the icon that a row's mark names, and muted text."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Adds marks and tints of the roles of `kit.presentation` to Qt's own roles."""
        super().initStyleOption(option, index)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        theme = current_theme()
        if mark := index.data(MARK_ROLE):
            # A red icon on the blue of a selected row could not be made out.
            color = theme.ui.highlight_text if selected else getattr(theme.marks, mark)
            option.icon = icon(mark, color)
            option.decorationSize = QSize(scaled(_ICON_SIDE), scaled(_ICON_SIDE))
            option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        # As in `apply_theme`, for tick boxes in cells.
        option.palette.setColor(QPalette.ColorRole.Window, theme.ui.muted_text)
        if index.data(MUTED_ROLE) and not selected:
            color = option.palette.color(QPalette.ColorRole.PlaceholderText)
            option.palette.setColor(QPalette.ColorRole.Text, color)


class PanelTable(QTableView):
    """A table of whole rows, with a hint while empty."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hint = ""
        self._stretched, self._least = 0, 0
        self._optional: tuple[int, ...] = ()
        self._absent: frozenset[int] = frozenset()
        self._sizes: dict[int, int] = {}
        self._character = self.fontMetrics().horizontalAdvance("0")
        self._delegate = MarkDelegate(self)
        self.setAccessibleName(name)
        self.setItemDelegate(self._delegate)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        # Tab leaves the table; otherwise the keyboard could never get out of it.
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self._fit_rows()

    def selectRow(self, row: int) -> None:
        """Selects a row and goes there, whatever keys are down.

        They may be those of the shortcut that led here: with Shift, Qt selects nothing where
        several rows can be selected.
        """
        column = self.horizontalHeader().logicalIndexAt(0)
        flags = QItemSelectionModel.SelectionFlag
        index = self.model().index(row, column)
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Shows the rows of a model."""
        super().setModel(model)
        if model is not None:
            for signal in (model.modelReset, model.rowsInserted, model.rowsRemoved):
                signal.connect(self._describe)
        self._describe()

    def set_hint(self, hint: str) -> None:
        """Says why there are no rows, while there are none."""
        self._hint = hint
        self._describe()
        self.viewport().update()

    @Slot()
    def _describe(self) -> None:
        """Says the same to screen readers."""
        self.setAccessibleDescription("" if self._has_rows else self._hint)

    @property
    def _has_rows(self) -> bool:
        model = self.model()
        return model is not None and model.rowCount() > 0

    @property
    def hint(self) -> str:
        """The hint that is shown while there are no rows."""
        return self._hint

    def set_columns(self, stretched: int, widths: dict[int, int]) -> None:
        """Lays out the columns of the model set before.

        Args:
            stretched: The column that takes the room left by the others.
            widths: The widths of others at the start, in characters.
        """
        self._stretched = stretched
        header, character = self.horizontalHeader(), self._character
        header.setMinimumSectionSize(character * _LEAST_SECTION)
        header.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)
        for column, width in widths.items():
            self.set_width(column, width)

    def set_width(self, column: int, letters: int) -> None:
        """Makes a column as wide as `letters` characters, and at least as the title."""
        header = self.horizontalHeader()
        width = max(self._character * letters, header.sectionSizeHint(column))
        header.resizeSection(column, width)

    def hide_when_narrow(self, *columns: int, least: int = _LEAST_CHARACTERS) -> None:
        """Leaves out columns, the last first, until the stretched column has enough room.

        Args:
            columns: Those that matter less; the last of them matters least.
            least: How many characters the stretched column has at least.
        """
        self._optional, self._least = columns, least
        self._fit_columns()

    def set_absent(self, *columns: int) -> None:
        """Hides columns without meaning for the present rows, however much room there is.

        Args:
            columns: Some of those that `hide_when_narrow` was told of; any others show again.
        """
        self._absent = frozenset(columns)
        self._fit_columns()

    def add_command(self, text: str, do: Callable[[], object], *keys: str) -> QAction:
        """Adds a command to the context menu, with keys that hold while the table has the focus."""
        action = QAction(text, self)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.setShortcutVisibleInContextMenu(True)
        action.triggered.connect(do)
        self.addAction(action)
        return action

    def sort_by_headers(self) -> None:
        """Lets a click on a header sort, and a third one restore the order of the model."""
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicatorClearable(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)

    def add_separator(self) -> None:
        """Adds a line to the end of the context menu."""
        line = QAction(self)
        line.setSeparator(True)
        self.addAction(line)

    def event(self, event: QEvent) -> bool:
        """Claims the keys of the commands before the shortcuts of the window get the keys.

        The window's own Copy and the table's would else be ambiguous, and neither would happen.
        """
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if self._command_of(event) is not None:
                event.accept()
                return True
        elif event.type() == QEvent.Type.FontChange:
            self._fit_rows()
            # The header comes to know of it later.
            QTimer.singleShot(0, self, self._scale_columns)
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Does the command of the keys."""
        command = self._command_of(event)
        if command is None:
            super().keyPressEvent(event)
        else:
            command.trigger()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leaves the room of a narrow dock to the most important columns."""
        self._fit_columns()
        super().resizeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the rows, or the hint where there are none."""
        super().paintEvent(event)
        if not self._hint or self._has_rows:
            return
        margin = _HINT_MARGIN
        area: QRect = self.viewport().rect().adjusted(margin, margin // 2, -margin, -margin // 2)
        painter = QPainter(self.viewport())
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        # Words are no code, whatever the rows are.
        painter.setFont(QApplication.font(self))
        painter.drawText(area, int(flags), self._hint)
        painter.end()

    def _command_of(self, event: QKeyEvent) -> QAction | None:
        if self.state() is QTableView.State.EditingState:
            # The editor of a cell lets Enter through to the table after it has taken it.
            return None
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        pressed = QKeySequence(QKeyCombination(modifiers, Qt.Key(event.key())))
        # Commands of the window that the menu offers have their keys from the window.
        own = (action for action in self.actions() if action.parent() is self)
        return next((action for action in own if pressed in action.shortcuts()), None)

    def _fit_columns(self) -> None:
        if not self._optional:
            return
        self._keep_sizes()
        room = self.width() - self._least * self._character
        fixed = {*self._sizes} - {self._stretched, *self._optional}
        room -= sum(self._sizes[column] for column in fixed)
        for column in self._optional:
            room -= 0 if column in self._absent else self._sizes[column]
            self.setColumnHidden(column, room < 0 or column in self._absent)

    def _scale_columns(self) -> None:
        """Lets columns grow and shrink with the letters."""
        before, self._character = self._character, self.fontMetrics().horizontalAdvance("0")
        header, factor = self.horizontalHeader(), self._character / before
        if factor == 1:
            return
        self._keep_sizes()
        header.setMinimumSectionSize(self._character * _LEAST_SECTION)
        for column, size in self._sizes.items():
            if header.sectionResizeMode(column) == QHeaderView.ResizeMode.Interactive:
                least = header.sectionSizeHint(column)
                self._sizes[column] = max(round(size * factor), least)
                header.resizeSection(column, self._sizes[column])
        self._fit_columns()

    def _keep_sizes(self) -> None:
        """Keeps how wide columns are: hidden ones do not know."""
        header = self.horizontalHeader()
        shown = (n for n in range(header.count()) if not header.isSectionHidden(n))
        self._sizes |= {column: header.sectionSize(column) for column in shown}

    def _fit_rows(self) -> None:
        self.verticalHeader().setMinimumSectionSize(scaled(_ICON_SIDE))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + _ROW_PADDING)


# ---- Models of tables: frozen values with one `TableColumn` a column, or titles and nothing more

_Row = TypeVar("_Row")


class RowsModel(QAbstractTableModel, Generic[_Row]):
    """Shows values as rows; the columns turn values into cells."""

    def __init__(
        self, columns: tuple[TableColumn[_Row], ...], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._columns = columns
        self._rows: tuple[_Row, ...] = ()

    @property
    def rows(self) -> tuple[_Row, ...]:
        """The values shown."""
        return self._rows

    def set_rows(self, rows: tuple[_Row, ...]) -> None:
        """Shows other values."""
        if rows != self._rows:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the number of values."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the number of columns."""
        return 0 if parent is not None and parent.isValid() else len(self._columns)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns the column's data for the value."""
        if not index.isValid():
            return None
        return self._columns[index.column()].data(self._rows[index.row()], role)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Returns the titles of the columns."""
        if orientation == Qt.Orientation.Horizontal and 0 <= section < len(self._columns):
            return self._columns[section].header(role)
        return None


class TitledModel(QAbstractTableModel):
    """A model with titled columns; subclasses give the cells."""

    _titles: Sequence[str] = ()
    _help: Mapping[int, str] = MappingProxyType({})

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the number of titles."""
        return 0 if parent is not None and parent.isValid() else len(self._titles)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Returns the titles of the columns."""
        return title_of(self._titles, section, orientation, role, self._help)
