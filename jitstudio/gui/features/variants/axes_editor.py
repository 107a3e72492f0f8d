"""The editor of a plan: the kernel with placeholders, the axes, and the number of builds."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.axes import Axis, AxisText, VariantDraft
from jitstudio.gui.features.variants.axes_model import (
    KIND,
    NAME,
    VALUES,
    WORDS,
    AxesModel,
    meaning,
    title,
)
from jitstudio.gui.kit.cell_table import (
    CellDelegate,
    CellTable,
    WordEditor,
    can_edit,
)
from jitstudio.gui.kit.field_rows import CODE_SIZE, code_line
from jitstudio.gui.kit.fonts import code_font, follow_letters
from jitstudio.gui.kit.parts import FieldName, icon_button, text_label
from jitstudio.gui.kit.tables import ENTER_KEYS
from jitstudio.gui.kit.theme import current_theme, when_theme_changes
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP, counted
from jitstudio.variants.plan import PlanSize

_ADD_KEYS, _DUPLICATE_KEYS, _REMOVE_KEYS = "Ctrl+N", "Ctrl+D", "Del"
_UP_KEYS, _DOWN_KEYS = "Alt+Up", "Alt+Down"
_EDITORS = {
    KIND: QT_TRANSLATE_NOOP("AxisDelegate", "Setting that varies"),
    NAME: QT_TRANSLATE_NOOP("AxisDelegate", "Name"),
    VALUES: QT_TRANSLATE_NOOP("AxisDelegate", "Values"),
}

_Index = QModelIndex | QPersistentModelIndex


class AxisDelegate(CellDelegate):
    """Opens the editor that fits a cell."""

    def has_words(self, index: _Index) -> bool:
        """Returns whether a cell has words to choose from."""
        return index.column() == KIND

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index
    ) -> QWidget:
        """Returns a list of the kinds, or a line."""
        editor: QWidget
        if index.column() == KIND:
            meanings = {title(kind): meaning(kind) for kind in WORDS}
            editor = self._words(parent, meanings, free=False)
            editor.setFont(parent.font())
        else:
            editor = self._line(parent, index)
        return self._fitted(editor, self.tr(_EDITORS[index.column()]))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        """Takes the text from the editor."""
        if isinstance(editor, WordEditor):
            model.setData(index, editor.currentText())
        elif isinstance(editor, QLineEdit):
            model.setData(index, editor.text())


class AxesTable(CellTable):
    """A row for each axis; rows are added, doubled, moved and removed by keys, too."""

    def __init__(self, model: AxesModel, parent: QWidget | None = None) -> None:
        super().__init__(QCoreApplication.translate("AxesTable", "Axes of the variants"), parent)
        self._axes = model
        self._cells = AxisDelegate(self)
        self.setObjectName("axesTable")
        self.setItemDelegate(self._cells)
        self.setModel(model)
        self.set_columns(stretched=VALUES, widths={KIND: 15, NAME: 16})
        self.set_hint(self.tr("Add an axis to choose what varies."))
        self.add_command(self.tr("&Edit"), self._on_edit, *ENTER_KEYS)
        self.add_command(self.tr("&Add an axis"), self.add, _ADD_KEYS)
        self.add_command(self.tr("&Duplicate"), self.duplicate, _DUPLICATE_KEYS)
        self.add_command(self.tr("&Remove"), self.remove, _REMOVE_KEYS)
        self.add_command(self.tr("Move &up"), self._on_up, _UP_KEYS)
        self.add_command(self.tr("Move do&wn"), self._on_down, _DOWN_KEYS)
        model.modelReset.connect(self._on_reset)

    @Slot()
    def add(self) -> None:
        """Adds an axis behind the others, ready to be filled in."""
        self._insert(self._axes.rowCount(), AxisText(self._axes.unused_kind()))

    @Slot()
    def duplicate(self) -> None:
        """Adds a copy of the current axis."""
        place = self.currentIndex().row()
        if place >= 0:
            self._insert(place + 1, self._axes.rows[place])

    @Slot()
    def remove(self) -> None:
        """Takes the current axis away."""
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


class AxesEditor(QWidget):
    """A table of axes with their problem below, and a line for the kernel to put above.

    Attributes:
        kernel_line: The name of the kernel, with its title.

    Signals:
        edited: The user changed something.
    """

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("axesEditor")
        self._is_wrong = False
        self._kernel = code_line(
            self,
            "variantsKernel",
            self.tr("Kernel"),
            self.tr(
                "The kernel's name. A name in braces takes the values of the template axis "
                "of that name: saxpy<{T}> and T = float, double"
            ),
            self.tr("such as saxpy<{T}>, for a launch or a template"),
        )
        self._model = AxesModel(self)
        follow_letters(self._model, lambda model: model.set_code_font(code_font(CODE_SIZE)))
        self._table = AxesTable(self._model, self)
        self._text = text_label(self, "variantsExtent")
        when_theme_changes(self, AxesEditor._paint)
        self._add = icon_button(self, self.tr("Add"), self.tr("Add an axis"), "plus", _ADD_KEYS)
        self._double = icon_button(
            self,
            self.tr("Duplicate"),
            self.tr("Add another axis like this one"),
            "copy",
            _DUPLICATE_KEYS,
        )
        self._remove = icon_button(
            self, self.tr("Remove"), self.tr("Remove this axis"), "trash", _REMOVE_KEYS
        )
        self._lay_out()
        self.setFocusProxy(self._table)
        self._kernel.textEdited.connect(self.edited)
        self._model.axes_changed.connect(self.edited)
        self._model.axes_changed.connect(self._on_axes_changed)
        self._add.clicked.connect(self._table.add)
        self._double.clicked.connect(self._table.duplicate)
        self._remove.clicked.connect(self._table.remove)

    @property
    def table(self) -> AxesTable:
        """The table of axes."""
        return self._table

    @property
    def model(self) -> AxesModel:
        """The model of the axes."""
        return self._model

    @property
    def text(self) -> str:
        """The number of variants and builds, or the problem of the plan."""
        return self._text.text()

    @property
    def draft(self) -> VariantDraft:
        """The typed kernel and axes."""
        return VariantDraft(self._kernel.text().strip(), self._model.rows)

    def axes(self) -> tuple[Axis, ...]:
        """Returns the axes of the typed texts.

        Raises:
            VariantError: A text names no values, or there is no axis.
        """
        return self._model.axes()

    def show_draft(self, draft: VariantDraft) -> None:
        """Shows another draft."""
        self._kernel.setText(draft.kernel)
        self._kernel.setCursorPosition(0)
        self._model.show_rows(draft.axes)
        self._on_axes_changed()

    def finish_editing(self) -> None:
        """Takes the text being typed into a cell."""
        self._table.finish_editing()

    def show_extent(self, extent: PlanSize) -> None:
        """Shows how many variants and builds the plan has."""
        variants = counted(
            extent.variants, self.tr("{count:,} variant"), self.tr("{count:,} variants")
        )
        builds = counted(extent.builds, self.tr("{count:,} build"), self.tr("{count:,} builds"))
        self._say(f"{variants}, {builds}")

    def show_problem(self, problem: str) -> None:
        """Shows why the plan cannot be run."""
        self._say(problem, is_wrong=True)

    def _say(self, text: str, *, is_wrong: bool = False) -> None:
        self._text.setText(text)
        self._is_wrong = is_wrong
        self._paint()

    def _paint(self) -> None:
        theme = current_theme()
        color = theme.marks.error if self._is_wrong else theme.ui.muted_text
        self._text.setStyleSheet(f"color: {color.name()}")

    def _lay_out(self) -> None:
        self.kernel_line = QWidget(self)
        title = FieldName(self.tr("&Kernel"), self._kernel, self.kernel_line)
        top = QHBoxLayout(self.kernel_line)
        top.setContentsMargins(0, 0, 0, 0)
        top.setSpacing(10)
        top.addWidget(title)
        top.addWidget(self._kernel, 1)
        below = QHBoxLayout()
        below.setSpacing(4)
        below.addWidget(self._text, 1)
        for button in (self._add, self._double, self._remove):
            below.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._table)
        column.addLayout(below)

    @Slot()
    def _on_axes_changed(self) -> None:
        for button in (self._double, self._remove):
            button.setEnabled(bool(self._model.rows))
