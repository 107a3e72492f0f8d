"""How the cells of an argument are edited: a line, or a line with the words there are."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QStyleOptionViewItem,
    QWidget,
)

from jitstudio.core.launch.request import Direction
from jitstudio.gui.features.launch.models.arguments import DIRECTION, FILL, TINT_ROLE, VALUE
from jitstudio.gui.kit.cell_table import IN_A_CELL, can_edit, paint_chevron
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.number_field import CODE_SIZE
from jitstudio.gui.kit.tables import MarkDelegate
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

CHOOSE_FILE = QT_TRANSLATE_NOOP("Cells", "file…")
"""The word for a fill that asks for its file."""

# What each fill is written like; what stands in the brackets is for the user to change.
_FILLS = {
    "zeros": QT_TRANSLATE_NOOP("Cells", "Every byte is zero."),
    "constant(1)": QT_TRANSLATE_NOOP("Cells", "Every element is this value."),
    "range": QT_TRANSLATE_NOOP(
        "Cells", "0, 1, 2 and so on; range(START,STEP) begins and goes otherwise."
    ),
    "random": QT_TRANSLATE_NOOP(
        "Cells", "Random numbers; random(SEED) or random(SEED,LOW,HIGH) chooses them."
    ),
    CHOOSE_FILE: QT_TRANSLATE_NOOP("Cells", "The content of a .npy, .npz, .csv or raw file."),
    "expr(i)": QT_TRANSLATE_NOOP(
        "Cells", "A NumPy expression over the other arguments; i is the index of each element."
    ),
}
_DIRECTIONS = {
    Direction.IN.value: QT_TRANSLATE_NOOP("Cells", "The kernel only reads it."),
    Direction.OUT.value: QT_TRANSLATE_NOOP(
        "Cells", "The kernel only writes it; it is poisoned before the launch."
    ),
    Direction.INOUT.value: QT_TRANSLATE_NOOP("Cells", "The kernel reads and writes it."),
}
_WORDS = {FILL: _FILLS, DIRECTION: _DIRECTIONS}
_NAMES = {
    VALUE: QT_TRANSLATE_NOOP("Cells", "value of {parameter}"),
    FILL: QT_TRANSLATE_NOOP("Cells", "fill of {parameter}"),
    DIRECTION: QT_TRANSLATE_NOOP("Cells", "direction of {parameter}"),
}
_BARE = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_FILL_ROOM = 30
_TINT = 28

_Index = QModelIndex | QPersistentModelIndex


def _translated(text: str) -> str:
    return QCoreApplication.translate("Cells", text)


class WordEditor(QComboBox):
    """A line that offers words and takes others.

    Signals:
        chosen: The user took a word that needs no more typing.
        file_wanted: The user took the word that asks for a file.
    """

    chosen = Signal()
    file_wanted = Signal()

    def __init__(self, words: dict[str, str], *, free: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._is_typed_into = False
        self.setEditable(free)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        for place, (word, meaning) in enumerate(words.items()):
            self.addItem(word)
            self.setItemData(place, meaning, Qt.ItemDataRole.ToolTipRole)
        show_as_code(self, CODE_SIZE)
        line = self.lineEdit()
        if line is not None:
            show_as_code(line, CODE_SIZE)
            self.setCompleter(None)  # type: ignore[arg-type]  # it would take `r` for `range`
        self.textActivated.connect(self._on_activated)

    def show_text(self, text: str) -> None:
        """Show what the argument has."""
        self.setCurrentIndex(self.findText(text))
        if self.isEditable():
            self.setEditText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the list by the arrows, which would else take one word after the other."""
        arrows = (Qt.Key.Key_Down, Qt.Key.Key_Up)
        if event.key() in arrows and event.modifiers() in _BARE:
            self.showPopup()
        else:
            self._is_typed_into = True
            super().keyPressEvent(event)
            self._is_typed_into = False

    @Slot(str)
    def _on_activated(self, word: str) -> None:
        if self._is_typed_into:
            # A word of the list is found by its first letters: more of them may follow.
            return
        line = self.lineEdit()
        if word == _translated(CHOOSE_FILE):
            self.file_wanted.emit()
        elif line is not None and "(" in word:
            start = word.index("(") + 1
            line.setSelection(start, len(word) - start - 1)
        else:
            self.chosen.emit()


class CellDelegate(MarkDelegate):
    """Opens a line in a cell, or a line with words that is done with once one is chosen."""

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        """Show the text in the editor, before anybody types into it."""
        if editor.isVisible():
            # A problem was found in its row meanwhile.
            return
        text = index.data(Qt.ItemDataRole.EditRole)
        if isinstance(editor, WordEditor):
            editor.show_text(text)
        elif isinstance(editor, QLineEdit):
            editor.setText(text)

    def _line(self, parent: QWidget, index: _Index) -> QLineEdit:
        line = QLineEdit(parent)
        show_as_code(line, CODE_SIZE)
        if not index.data(Qt.ItemDataRole.EditRole):
            line.setPlaceholderText(index.data(Qt.ItemDataRole.DisplayRole))
        return line

    def _words(self, parent: QWidget, words: dict[str, str], *, free: bool) -> WordEditor:
        editor = WordEditor(words, free=free, parent=parent)
        editor.chosen.connect(self._on_chosen)
        return editor

    def _fitted(self, editor: QWidget, name: str) -> QWidget:
        """The editor as it looks in a cell, with a name for screen readers."""
        editor.setAccessibleName(name)
        editor.setStyleSheet(IN_A_CELL)
        editor.setAutoFillBackground(True)
        return editor

    @Slot()
    def _on_chosen(self) -> None:
        editor = self.sender()
        if isinstance(editor, QWidget):
            self.commitData.emit(editor)
            self.closeEditor.emit(editor)


class ArgumentDelegate(CellDelegate):
    """Draws the rows of the arguments, and opens the editor that fits a cell.

    Signals:
        file_wanted: The user asked for a file as the content of this row.
    """

    file_wanted = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._open: QPersistentModelIndex | None = None

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Tint rows with problems; show where there are words to choose from."""
        theme = self._theme
        mark = index.data(TINT_ROLE)
        if theme is not None and mark:
            tint = getattr(theme.marks, mark).toRgb()
            tint.setAlpha(_TINT)
            painter.fillRect(option.rect, tint)
        super().paint(painter, option, index)
        if theme is not None and index.column() in _WORDS and can_edit(index):
            paint_chevron(painter, option, theme)

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index
    ) -> QWidget:
        """A line, or a line with words."""
        column = index.column()
        words = _WORDS.get(column)
        editor: QWidget
        if words is None:
            editor = self._line(parent, index)
        else:
            meanings = {_translated(word): _translated(told) for word, told in words.items()}
            editor = self._words(parent, meanings, free=column == FILL)
            editor.file_wanted.connect(self._on_file_wanted)
        parameter = index.sibling(index.row(), 0).data(Qt.ItemDataRole.DisplayRole)
        self._open = QPersistentModelIndex(index)
        return self._fitted(editor, _translated(_NAMES[column]).format(parameter=parameter))

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        """Fill the cell; a fill with its numbers, file or expression gets more room than that."""
        place = QRect(option.rect)
        viewport = editor.parentWidget()
        if index.column() == FILL and viewport is not None:
            wanted = editor.fontMetrics().horizontalAdvance("0") * _FILL_ROOM
            edge = viewport.width() - place.left()
            place.setWidth(max(place.width(), min(wanted, edge)))
        editor.setGeometry(place)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        """Take the text from the editor; the word for a file is none yet."""
        text = ""
        if isinstance(editor, WordEditor):
            text = editor.currentText()
        elif isinstance(editor, QLineEdit):
            text = editor.text()
        # What an editor was opened with is no edit: a default stays a default.
        if text not in (_translated(CHOOSE_FILE), index.data(Qt.ItemDataRole.EditRole)):
            model.setData(index, text, Qt.ItemDataRole.EditRole)

    @Slot()
    def _on_file_wanted(self) -> None:
        editor = self.sender()
        row = self._open.row() if self._open is not None else -1
        if isinstance(editor, QWidget):
            self.closeEditor.emit(editor)
        self.file_wanted.emit(row)
