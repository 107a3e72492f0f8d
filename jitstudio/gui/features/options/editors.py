"""How the value of an option is edited: one small widget per kind, opened in its cell."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QSpinBox,
    QStyleOptionViewItem,
    QWidget,
)

from jitstudio.core.options import Kind, OptionSpec, join_options, split_options
from jitstudio.gui.features.options.model import SPEC_ROLE, default_words, value_words
from jitstudio.gui.features.options.values import Values
from jitstudio.gui.kit.cell_table import IN_A_CELL
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.tables import MarkDelegate

_Index = QModelIndex | QPersistentModelIndex
_PADDING = 11
_CODE_SIZE = 9.5
_TRUTH = ("true", "false")


class ChoiceEditor(QComboBox):
    """The default, or one of the values there are."""

    chosen = Signal()

    def __init__(self, spec: OptionSpec, parent: QWidget) -> None:
        super().__init__(parent)
        self.addItem(default_words(spec), ())
        for value in spec.value.choices or _TRUTH:
            self.addItem(value_words(spec, value), (value,))
        self.activated.connect(self._on_activated)

    def show_values(self, values: Values) -> None:
        """Show what the option has."""
        values = tuple(values)
        places = (place for place in range(self.count()) if tuple(self.itemData(place)) == values)
        self.setCurrentIndex(next(places, 0))

    @property
    def values(self) -> Values:
        """What was chosen."""
        return tuple(self.currentData())

    @Slot()
    def _on_activated(self) -> None:
        self.chosen.emit()


class NumberEditor(QSpinBox):
    """A number in its bounds; below the least one stands the default."""

    def __init__(self, spec: OptionSpec, parent: QWidget) -> None:
        super().__init__(parent)
        self.setRange(spec.value.low - 1, spec.value.high)
        self.setSpecialValueText(default_words(spec))

    def show_values(self, values: Values) -> None:
        """Show what the option has."""
        self.setValue(int(values[0] or 0) if values else self.minimum())

    @property
    def values(self) -> Values:
        """What was entered."""
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
        """Show what the option has."""
        words = [value or "" for value in values]
        self.setText(join_options(words) if self._repeated else "".join(words))

    @property
    def values(self) -> Values:
        """What was typed; a text with an open quote is one value, so that it is not lost."""
        text = self.text().strip()
        if not self._repeated:
            return (text,) if text else ()
        try:
            return split_options(text)
        except ValueError:
            return (text,)


Editor = ChoiceEditor | NumberEditor | TextEditor
_EDITORS: dict[Kind, type[Editor]] = {
    Kind.TRUTH: ChoiceEditor,
    Kind.CHOICE: ChoiceEditor,
    Kind.NUMBER: NumberEditor,
    Kind.TEXT: TextEditor,
    Kind.PATH: TextEditor,
    Kind.OPTION: TextEditor,
}


class OptionDelegate(MarkDelegate):
    """Gives rows room for an editor, and opens the one that fits an option."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """High enough for any editor."""
        size: QSize = super().sizeHint(option, index)
        return size.expandedTo(QSize(0, option.fontMetrics.height() + _PADDING))

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index
    ) -> QWidget:
        """The editor of the option's kind."""
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
        """Show the values in the editor."""
        if isinstance(editor, Editor):
            editor.show_values(tuple(index.data(Qt.ItemDataRole.EditRole)))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        """Take the values from the editor."""
        if isinstance(editor, Editor):
            values: Any = editor.values
            model.setData(index, values, Qt.ItemDataRole.EditRole)

    @Slot()
    def _on_chosen(self) -> None:
        editor = self.sender()
        if isinstance(editor, ChoiceEditor):
            self.commitData.emit(editor)
            self.closeEditor.emit(editor)
