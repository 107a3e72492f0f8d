"""Tables whose cells are edited, their editors, and how they are worked by keyboard."""

from __future__ import annotations

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QComboBox,
    QLineEdit,
    QStyle,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from jitstudio.gui.kit.field_rows import CODE_SIZE
from jitstudio.gui.kit.fonts import show_as_code
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.tables import MarkDelegate, PanelTable
from jitstudio.gui.kit.theme import current_theme

IN_A_CELL = "QLineEdit { padding: 0 3px; border-radius: 2px; }"
"""For editors: the padding of fields elsewhere would cut off their text in a row of a table."""

_ROW_PADDING = 12
_CHEVRON, _CHEVRON_GAP = 12, 4
_MOST_ROWS = 12
_FEWEST_ROWS = 2
_STEPS = {
    QAbstractItemDelegate.EndEditHint.EditNextItem: 1,
    QAbstractItemDelegate.EndEditHint.EditPreviousItem: -1,
}


def can_edit(index: QModelIndex | QPersistentModelIndex) -> bool:
    """Returns whether a cell can be edited."""
    return bool(index.flags() & Qt.ItemFlag.ItemIsEditable)


def _chevron(cell: QRect) -> QRect:
    """Returns the place of the arrow in a cell with words to choose from."""
    place = QRect(0, 0, _CHEVRON, _CHEVRON)
    place.moveCenter(cell.center())
    place.moveRight(cell.right() - _CHEVRON_GAP)
    return place


def _paint_chevron(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """Shows that a cell has words to choose from."""
    selected = bool(option.state & QStyle.StateFlag.State_Selected)
    ui = current_theme().ui
    color = ui.highlight_text if selected else ui.muted_text
    icon("chevron-down", color).paint(painter, _chevron(option.rect))


class CellTable(PanelTable):
    """A table whose Tab goes from an editable cell to the next."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectItems)
        triggers = QTableView.EditTrigger
        self.setEditTriggers(triggers.AllEditTriggers & ~triggers.CurrentChanged)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFrameShape(QTableView.Shape.StyledPanel)

    def sizeHint(self) -> QSize:
        """Returns a height for all rows, within limits."""
        rows = min(max(self.model().rowCount(), _FEWEST_ROWS), _MOST_ROWS)
        height = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth()
        row = self.verticalHeader().defaultSectionSize()
        return QSize(super().sizeHint().width(), height + rows * row)

    def minimumSizeHint(self) -> QSize:
        """No cell of a short list is ever out of sight."""
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Opens the list of words by the first click on its arrow."""
        index, cells = self.indexAt(event.position().toPoint()), self.itemDelegate()
        if (
            event.button() != Qt.MouseButton.LeftButton
            or not (isinstance(cells, CellDelegate) and cells.has_words(index))
            or event.position().x() < _chevron(self.visualRect(index)).left() - _CHEVRON_GAP
        ):
            super().mousePressEvent(event)
            return
        self.setCurrentIndex(index)
        self.edit(index)
        for editor in self.viewport().findChildren(WordEditor):
            # Once it is shown: a list opens below its line.
            QTimer.singleShot(0, editor, editor.showPopup)

    def finish_editing(self) -> None:
        """Takes the text being typed into a cell."""
        if self.state() is QTableView.State.EditingState:
            self.setFocus()

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Goes on to the next editable cell, and past other cells."""
        super().closeEditor(editor, QAbstractItemDelegate.EndEditHint.NoHint)
        target = self._neighbour(_STEPS[hint]) if hint in _STEPS else None
        if target is not None:
            self.setCurrentIndex(target)
            self.edit(target)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows which cell the keys are for, which is of no use before."""
        super().focusInEvent(event)
        if self.currentIndex().isValid() and not self.selectionModel().hasSelection():
            self.setCurrentIndex(self.currentIndex())

    def _fit_rows(self) -> None:
        # Any editor fits in.
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + _ROW_PADDING)

    def _neighbour(self, step: int) -> QModelIndex | None:
        model, current = self.model(), self.currentIndex()
        columns = model.columnCount()
        place = current.row() * columns + current.column() + step
        while 0 <= place < model.rowCount() * columns:
            index = model.index(*divmod(place, columns))
            if can_edit(index):
                return index
            place += step
        return None


# ---- How the cells of an argument are edited: a line, or a line with the words there are

_BARE = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)

_Index = QModelIndex | QPersistentModelIndex


class WordEditor(QComboBox):
    """A line that offers words and takes others.

    Signals:
        chosen: The user took a word that needs no more typing.
        file_wanted: The user took the word that asks for a file.

    Args:
        words: The words to choose from, with the meaning of each.
        free: Whether other text can be typed.
        file_word: The word that asks for a file.
    """

    chosen = Signal()
    file_wanted = Signal()

    def __init__(
        self, words: dict[str, str], *, free: bool, parent: QWidget, file_word: str = ""
    ) -> None:
        super().__init__(parent)
        self._file_word = file_word
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
        """Shows the text of the argument."""
        self.setCurrentIndex(self.findText(text))
        if self.isEditable():
            self.setEditText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Opens the list by the arrows, which would otherwise choose word after word."""
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
        if word == self._file_word:
            self.file_wanted.emit()
        elif line is not None and "(" in word:
            start = word.index("(") + 1
            line.setSelection(start, len(word) - start - 1)
        else:
            self.chosen.emit()


class CellDelegate(MarkDelegate):
    """Opens a line in a cell, or a line with words that closes once a word is chosen."""

    def has_words(self, index: _Index) -> bool:
        """Returns whether a cell has words to choose from."""
        raise NotImplementedError

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Shows where there are words to choose from."""
        super().paint(painter, option, index)
        if self.has_words(index):
            _paint_chevron(painter, option)

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        """Shows the text in the editor, before anybody types there."""
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

    def _words(
        self, parent: QWidget, words: dict[str, str], *, free: bool, file_word: str = ""
    ) -> WordEditor:
        editor = WordEditor(words, free=free, parent=parent, file_word=file_word)
        editor.chosen.connect(self._on_chosen)
        return editor

    def _fitted(self, editor: QWidget, name: str) -> QWidget:
        """Returns the editor with the look of a cell, and with a name for screen readers."""
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
