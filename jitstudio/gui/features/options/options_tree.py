"""The tree of options, with an editor for each kind of value."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QSpinBox,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from jitstudio.core.options import OptionSpec, ValueKind, join_options, split_options
from jitstudio.gui.features.options.model import (
    CHANGED_ROLE,
    FLAG,
    NAME,
    SPEC_ROLE,
    TOOLS,
    VALUE,
    OptionsFilter,
    OptionsModel,
    Values,
    default_text,
    value_text,
)
from jitstudio.gui.kit.cell_table import IN_A_CELL
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.tables import MarkDelegate
from jitstudio.gui.kit.theme import current_theme

_Index = QModelIndex | QPersistentModelIndex
_PADDING = 11
_CODE_SIZE = 9.5
_TRUTH = ("true", "false")


class ChoiceEditor(QComboBox):
    """The default, or a value of an enumeration."""

    chosen = Signal()

    def __init__(self, spec: OptionSpec, parent: QWidget) -> None:
        super().__init__(parent)
        self.addItem(default_text(spec), ())
        for value in spec.value.choices or _TRUTH:
            self.addItem(value_text(spec, value), (value,))
        self.activated.connect(self._on_activated)

    def show_values(self, values: Values) -> None:
        """Shows the values of the option."""
        values = tuple(values)
        places = (place for place in range(self.count()) if tuple(self.itemData(place)) == values)
        self.setCurrentIndex(next(places, 0))

    @property
    def values(self) -> Values:
        """The chosen values."""
        return tuple(self.currentData())

    @Slot()
    def _on_activated(self) -> None:
        self.chosen.emit()


class NumberEditor(QSpinBox):
    """A number in a range; below the least is the default."""

    def __init__(self, spec: OptionSpec, parent: QWidget) -> None:
        super().__init__(parent)
        self.setRange(spec.value.low - 1, spec.value.high)
        self.setSpecialValueText(default_text(spec))

    def show_values(self, values: Values) -> None:
        """Shows the values of the option."""
        self.setValue(int(values[0] or 0) if values else self.minimum())

    @property
    def values(self) -> Values:
        """The entered values."""
        self.interpretText()
        return (str(self.value()),) if self.value() > self.minimum() else ()


class TextEditor(QLineEdit):
    """Any text; several values with spaces between where the option may be repeated."""

    def __init__(self, spec: OptionSpec, parent: QWidget) -> None:
        super().__init__(parent)
        self._repeated = spec.repeated
        show_as_code(self, _CODE_SIZE)
        hint = self.tr("such as {example}")
        if spec.repeated:
            hint = self.tr("such as {example}, spaces between several")
        self.setPlaceholderText(hint.format(example=spec.value.example))

    def show_values(self, values: Values) -> None:
        """Shows the values of the option."""
        words = [value or "" for value in values]
        self.setText(join_options(words) if self._repeated else "".join(words))

    @property
    def values(self) -> Values:
        """The typed values; a text with an open quote is a single value: nothing is lost."""
        text = self.text().strip()
        if not self._repeated:
            return (text,) if text else ()
        try:
            return split_options(text)
        except ValueError:
            return (text,)


Editor = ChoiceEditor | NumberEditor | TextEditor
_EDITORS: dict[ValueKind, type[Editor]] = {
    ValueKind.TRUTH: ChoiceEditor,
    ValueKind.CHOICE: ChoiceEditor,
    ValueKind.NUMBER: NumberEditor,
    ValueKind.TEXT: TextEditor,
    ValueKind.PATH: TextEditor,
    ValueKind.OPTION: TextEditor,
}


class OptionDelegate(MarkDelegate):
    """Gives rows room for an editor, and opens the editor that fits an option."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """High enough for any editor."""
        size: QSize = super().sizeHint(option, index)
        return size.expandedTo(QSize(0, option.fontMetrics.height() + _PADDING))

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index
    ) -> QWidget:
        """Returns the editor of the option's kind."""
        spec: OptionSpec = index.data(SPEC_ROLE)
        editor = _EDITORS[spec.value.kind](spec, parent)
        editor.setAccessibleName(spec.name)
        editor.setAccessibleDescription(spec.help)
        editor.setAutoFillBackground(True)
        editor.setStyleSheet(IN_A_CELL)
        if isinstance(editor, ChoiceEditor):
            editor.chosen.connect(self._on_chosen)
        return editor

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        """Shows the values in the editor."""
        if isinstance(editor, Editor):
            editor.show_values(tuple(index.data(Qt.ItemDataRole.EditRole)))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        """Takes the values from the editor."""
        if isinstance(editor, Editor):
            values: Any = editor.values
            model.setData(index, values, Qt.ItemDataRole.EditRole)

    @Slot()
    def _on_chosen(self) -> None:
        editor = self.sender()
        if isinstance(editor, ChoiceEditor):
            self.commitData.emit(editor)
            self.closeEditor.emit(editor)


_BAR = 3
_INDENT = 14
# Names are longer than values.
_VALUE_LETTERS, _VALUE_SHARE = 17, 0.4
_ROOM_FOR_ALL = 140
_ROOM_FOR_FLAGS = 100
_EDIT_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_F2)


class OptionsTree(QTreeView):
    """Groups of options; Enter or a click edits a value, Del resets to the default."""

    def __init__(
        self, model: OptionsModel, shown: OptionsFilter, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("optionsTree")
        self.setAccessibleName(self.tr("Options"))
        self._model = model
        self._shown = shown
        self.setItemDelegate(OptionDelegate(self))
        self.setModel(shown)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setIndentation(_INDENT)
        self.setAlternatingRowColors(True)
        self.setAllColumnsShowFocus(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._set_columns()
        self._reset = self._command(self.tr("&Reset to default"), "Del")
        self._reset.triggered.connect(self.reset_current)
        self.clicked.connect(self._on_clicked)
        self.expandAll()

    @property
    def current_spec(self) -> OptionSpec | None:
        """The chosen option, or None."""
        return self._model.spec_at(self._shown.mapToSource(self.currentIndex()))

    @Slot()
    def enter(self) -> None:
        """Takes the focus, on the first option if none is chosen."""
        first = self._shown.index(0, NAME, self._shown.index(0, NAME))
        if not self.currentIndex().isValid() and first.isValid():
            self.setCurrentIndex(first)
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot()
    def reset_current(self) -> None:
        """Sets the chosen option to the default."""
        spec = self.current_spec
        if spec is not None and not self._model.values.problem:
            self._model.set_values(spec, ())

    @Slot()
    def edit_current(self) -> None:
        """Edits the value of the chosen option, or flips the tick."""
        index = self.currentIndex()
        value = index.siblingAtColumn(VALUE)
        flags = self._shown.flags(value)
        if self.current_spec is None:
            self.setExpanded(index.siblingAtColumn(NAME), not self.isExpanded(index))
        elif flags & Qt.ItemFlag.ItemIsEditable:
            self.setCurrentIndex(value)
            self.edit(value)
        elif flags & Qt.ItemFlag.ItemIsUserCheckable:
            checked = Qt.CheckState(value.data(Qt.ItemDataRole.CheckStateRole))
            other = {
                Qt.CheckState.Checked: Qt.CheckState.Unchecked,
                Qt.CheckState.Unchecked: Qt.CheckState.Checked,
            }[checked]
            self._shown.setData(value, other, Qt.ItemDataRole.CheckStateRole)

    def finish_editing(self) -> None:
        """Takes the text of the field that is open, and closes the field."""
        for editor in self.viewport().children():
            if isinstance(editor, Editor) and not editor.isHidden():
                self.commitData(editor)
                self.closeEditor(editor, OptionDelegate.EndEditHint.NoHint)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Edits by the usual keys."""
        editing = self.state() is QTreeView.State.EditingState
        if event.key() in _EDIT_KEYS and not event.modifiers() and not editing:
            self.edit_current()
        else:
            super().keyPressEvent(event)

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draws the row, with a bar at the left edge where the value differs from the default."""
        super().drawRow(painter, option, index)
        if index.data(CHANGED_ROLE):
            rect = option.rect
            painter.fillRect(0, rect.top() + 2, _BAR, rect.height() - 4, current_theme().ui.accent)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leaves the room of a narrow dock to names and values."""
        columns = self.width() / self.fontMetrics().horizontalAdvance("0")
        self.setColumnHidden(TOOLS, columns < _ROOM_FOR_ALL)
        self.setColumnHidden(FLAG, columns < _ROOM_FOR_FLAGS)
        wanted = _VALUE_LETTERS * self.fontMetrics().horizontalAdvance("0")
        self.header().resizeSection(VALUE, min(wanted, int(self.width() * _VALUE_SHARE)))
        super().resizeEvent(event)

    def _set_columns(self) -> None:
        header = self.header()
        character = self.fontMetrics().horizontalAdvance("0")
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column, width in {FLAG: 46, TOOLS: 36}.items():
            header.resizeSection(column, character * width)

    def _command(self, text: str, key: str) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.setShortcutVisibleInContextMenu(True)
        self.addAction(action)
        return action

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if self._shown.flags(index) & Qt.ItemFlag.ItemIsEditable:
            self.edit(index)
            for editor in self.viewport().findChildren(ChoiceEditor):
                # Once it is shown: a list opens below its line.
                QTimer.singleShot(0, editor, editor.showPopup)
