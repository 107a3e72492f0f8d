"""The table of axes: kinds are chosen from a list, names and values are typed."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    Slot,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLineEdit, QStyleOptionViewItem, QWidget

from jitstudio.core.sweep.draft import AxisText
from jitstudio.gui.features.variants.axes import KIND, NAME, VALUES, AxesModel
from jitstudio.gui.features.variants.axis_text import WORDS, meaning, title
from jitstudio.gui.kit.cell_editors import CellDelegate, WordEditor
from jitstudio.gui.kit.cell_table import CellTable, can_edit, paint_chevron
from jitstudio.gui.kit.tables import ENTER_KEYS
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

ADD_KEYS, DUPLICATE_KEYS, REMOVE_KEYS = "Ctrl+N", "Ctrl+D", "Del"
_UP_KEYS, _DOWN_KEYS = "Alt+Up", "Alt+Down"
_EDITORS = {
    KIND: QT_TRANSLATE_NOOP("AxisDelegate", "What is varied"),
    NAME: QT_TRANSLATE_NOOP("AxisDelegate", "Name"),
    VALUES: QT_TRANSLATE_NOOP("AxisDelegate", "Values"),
}

_Index = QModelIndex | QPersistentModelIndex


class AxisDelegate(CellDelegate):
    """Opens the editor that fits a cell."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Show where there are words to choose from."""
        super().paint(painter, option, index)
        if self._theme is not None and index.column() == KIND:
            paint_chevron(painter, option, self._theme)

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index
    ) -> QWidget:
        """A list of the kinds, or a line."""
        editor: QWidget
        if index.column() == KIND:
            meanings = {title(kind): meaning(kind) for kind in WORDS}
            editor = self._words(parent, meanings, free=False)
            editor.setFont(parent.font())
        else:
            editor = self._line(parent, index)
        return self._fitted(editor, self.tr(_EDITORS[index.column()]))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        """Take the text from the editor."""
        if isinstance(editor, WordEditor):
            model.setData(index, editor.currentText())
        elif isinstance(editor, QLineEdit):
            model.setData(index, editor.text())


class AxesTable(CellTable):
    """A row for each axis; rows are added, doubled, moved and removed by keys, too."""

    def __init__(self, model: AxesModel, parent: QWidget | None = None) -> None:
        super().__init__(QCoreApplication.translate("AxesTable", "What is varied"), parent)
        self._axes = model
        self._cells = AxisDelegate(self)
        self.setObjectName("axesTable")
        self.setItemDelegate(self._cells)
        self.setModel(model)
        self.set_columns(stretched=VALUES, widths={KIND: 15, NAME: 16})
        self.set_hint(self.tr("Add an axis to say what is varied."))
        self.add_command(self.tr("&Edit"), self._on_edit, *ENTER_KEYS)
        self.add_command(self.tr("&Add an axis"), self.add, ADD_KEYS)
        self.add_command(self.tr("&Duplicate"), self.duplicate, DUPLICATE_KEYS)
        self.add_command(self.tr("&Remove"), self.remove, REMOVE_KEYS)
        self.add_command(self.tr("Move &up"), self._on_up, _UP_KEYS)
        self.add_command(self.tr("Move do&wn"), self._on_down, _DOWN_KEYS)
        model.modelReset.connect(self._on_reset)

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._cells.set_theme(theme)
        super().set_theme(theme)

    @Slot()
    def add(self) -> None:
        """Add an axis behind the others, ready to be filled in."""
        self._insert(self._axes.rowCount(), AxisText(self._axes.unused_kind()))

    @Slot()
    def duplicate(self) -> None:
        """Add another axis like the current one."""
        place = self.currentIndex().row()
        if place >= 0:
            self._insert(place + 1, self._axes.rows[place])

    @Slot()
    def remove(self) -> None:
        """Take the current axis away."""
        place = self.currentIndex().row()
        if place >= 0:
            self._axes.remove(place)
            self.updateGeometry()

    def _insert(self, place: int, row: AxisText) -> None:
        self._axes.insert(place, row)
        self.updateGeometry()
        self.setFocus()
        self.setCurrentIndex(self._axes.index(place, KIND))

    def _move(self, step: int) -> None:
        index = self.currentIndex()
        if index.isValid() and self._axes.move(index.row(), step):
            self.setCurrentIndex(index.siblingAtRow(index.row() + step))

    @Slot()
    def _on_up(self) -> None:
        self._move(-1)

    @Slot()
    def _on_down(self) -> None:
        self._move(1)

    @Slot()
    def _on_edit(self) -> None:
        index = self.currentIndex()
        if index.isValid() and can_edit(index):
            self.edit(index)

    @Slot()
    def _on_reset(self) -> None:
        self.updateGeometry()
        self.setCurrentIndex(self._axes.index(0, VALUES))
