"""The arguments of the kernel to launch: a table of texts, and their problems."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.launch.host_words import words_on_host_launch
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import Direction, KernelForm
from jitstudio.gui.features.launch.models.arguments_model import (
    DIRECTION,
    FILL,
    SAMPLING_ROLE,
    TINT_ROLE,
    TYPE,
    VALUE,
    ArgumentsModel,
)
from jitstudio.gui.kit.cell_table import (
    CellDelegate,
    CellTable,
    WordEditor,
    can_edit,
)
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.kit.field_rows import CODE_SIZE, ProblemLabel
from jitstudio.gui.kit.fonts import code_font, follow_letters, scaled
from jitstudio.gui.kit.parts import icon_button, mark_as, muted, text_label
from jitstudio.gui.kit.tables import ENTER_KEYS
from jitstudio.gui.kit.theme import current_theme
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

CHOOSE_FILE = QT_TRANSLATE_NOOP("Cells", "file…")
"""The word for a fill that asks for its file."""

# What each fill is written like; what is in the brackets is for the user to change.
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
    "unfilled": QT_TRANSLATE_NOOP(
        "Cells", "Nothing, so that what the kernel reads before it writes it is found."
    ),
}
_DIRECTIONS = {
    Direction.IN.value: QT_TRANSLATE_NOOP("Cells", "The kernel only reads it."),
    Direction.OUT.value: QT_TRANSLATE_NOOP(
        "Cells", "The kernel only writes it; it is poisoned before the launch."
    ),
    Direction.INOUT.value: QT_TRANSLATE_NOOP("Cells", "The kernel reads and writes it."),
}
_SAMPLINGS = {
    "point,clamp": QT_TRANSLATE_NOOP(
        "Cells", "The texel that a coordinate is in; outside, the nearest one."
    ),
    "point,border": QT_TRANSLATE_NOOP("Cells", "The texel that a coordinate is in; outside, zero."),
    "linear,clamp": QT_TRANSLATE_NOOP(
        "Cells", "Between the texels around a coordinate; outside, the nearest one."
    ),
    "linear,border": QT_TRANSLATE_NOOP(
        "Cells", "Between the texels around a coordinate; outside, zero."
    ),
    "linear,wrap,normalizedCoords": QT_TRANSLATE_NOOP(
        "Cells", "Coordinates from 0 to 1, again and again."
    ),
    "linear,mirror,normalizedCoords": QT_TRANSLATE_NOOP(
        "Cells", "Coordinates from 0 to 1, forth and back."
    ),
    "linear,clamp,normalizedFloat": QT_TRANSLATE_NOOP(
        "Cells", "Integers of 8 or 16 bits as floats up to 1."
    ),
    "linearMemory": QT_TRANSLATE_NOOP("Cells", "Linear memory, which tex1Dfetch reads by index."),
}
_WORDS = {FILL: _FILLS, DIRECTION: _DIRECTIONS}
_NAMES = {
    VALUE: QT_TRANSLATE_NOOP("Cells", "value of {parameter}"),
    FILL: QT_TRANSLATE_NOOP("Cells", "fill of {parameter}"),
    DIRECTION: QT_TRANSLATE_NOOP("Cells", "access of {parameter}"),
}
_TYPED_ROOM = 38
# Letters of the type and of the access, and where there is a texture or surface.
_TYPE, _HANDLE_TYPE = 16, 21
_ACCESS, _SAMPLING = 8, 14
# Of the longest name of a parameter, in letters; and what is left and right of it.
_MOST_LETTERS, _BESIDE_NAME = 18, 24
_TINT = 28


_Index = QModelIndex | QPersistentModelIndex


def _translated(text: str) -> str:
    return QCoreApplication.translate("Cells", text)


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
        """Tints rows with problems."""
        mark = index.data(TINT_ROLE)
        if mark:
            tint = getattr(current_theme().marks, mark).toRgb()
            tint.setAlpha(_TINT)
            painter.fillRect(option.rect, tint)
        super().paint(painter, option, index)

    def has_words(self, index: _Index) -> bool:
        """Returns whether a cell has words to choose from."""
        return index.column() in _WORDS and can_edit(index)

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index
    ) -> QWidget:
        """Returns a line, or a line with words."""
        column = index.column()
        is_sampling = column == DIRECTION and bool(index.data(SAMPLING_ROLE))
        words = _SAMPLINGS if is_sampling else _WORDS.get(column)
        editor: QWidget
        if words is None:
            editor = self._line(parent, index)
        else:
            meanings = {_translated(word): _translated(sense) for word, sense in words.items()}
            editor = self._words(
                parent,
                meanings,
                free=column == FILL or is_sampling,
                file_word=_translated(CHOOSE_FILE),
            )
            editor.file_wanted.connect(self._on_file_wanted)
        parameter = index.sibling(index.row(), 0).data(Qt.ItemDataRole.DisplayRole)
        self._open = QPersistentModelIndex(index)
        return self._fitted(editor, _translated(_NAMES[column]).format(parameter=parameter))

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        """Fills the cell; a line with words to choose from is wider."""
        place = QRect(option.rect)
        viewport = editor.parentWidget()
        if isinstance(editor, WordEditor) and editor.isEditable() and viewport is not None:
            wanted = editor.fontMetrics().horizontalAdvance("0") * _TYPED_ROOM
            place.setWidth(max(place.width(), min(wanted, viewport.width())))
            place.moveRight(min(place.right(), viewport.width() - 1))
        editor.setGeometry(place)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        """Takes the text from the editor; the word for a file is none yet."""
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


class ArgumentsTable(CellTable):
    """A row for each parameter."""

    def __init__(self, model: ArgumentsModel, parent: QWidget | None = None) -> None:
        super().__init__(QCoreApplication.translate("ArgumentsTable", "Arguments"), parent)
        self._arguments = model
        self._cells = ArgumentDelegate(self)
        self.setObjectName("argumentsView")
        self.setItemDelegate(self._cells)
        self.setModel(model)
        self.set_columns(stretched=VALUE, widths={0: 10, TYPE: _TYPE, FILL: 13, DIRECTION: _ACCESS})
        self.hide_when_narrow(TYPE, least=7)
        self.add_command(self.tr("&Edit"), self._on_edit, *ENTER_KEYS)
        model.modelReset.connect(self._on_reset)

    @property
    def cells(self) -> ArgumentDelegate:
        """The delegate that draws and edits the cells."""
        return self._cells

    @Slot()
    def _on_edit(self) -> None:
        index = self.currentIndex()
        if index.isValid() and not can_edit(index):
            index = index.siblingAtColumn(VALUE)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    @Slot()
    def _on_reset(self) -> None:
        self._widen()
        model = self._arguments
        rows = range(model.rowCount())
        self.set_width(DIRECTION, _SAMPLING if any(map(model.is_texture, rows)) else _ACCESS)
        self.set_width(TYPE, _HANDLE_TYPE if any(map(model.has_texels, rows)) else _TYPE)
        self.clearSpans()
        for row in range(model.rowCount()):
            if not model.is_buffer(row):
                self.setSpan(row, VALUE, 1, DIRECTION - VALUE + 1)
        first = model.index(0, VALUE)
        self.selectionModel().setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.updateGeometry()

    def _widen(self) -> None:
        """Gives the names their room, where they are not as long as sentences."""
        names = (self._arguments.parameter(row).name for row in range(self._arguments.rowCount()))
        letters = min(max(map(len, names), default=0), _MOST_LETTERS)
        width = self.fontMetrics().horizontalAdvance("0") * letters + scaled(_BESIDE_NAME)
        if self.columnWidth(0) < width:
            self.horizontalHeader().resizeSection(0, width)


def no_kernel() -> str:
    """Returns the words in place of a kernel."""
    return QCoreApplication.translate("ArgumentsView", "Build a kernel to launch it.")


class ArgumentsView(QWidget):
    """The table of arguments between notes on the kernel and problems of arguments.

    Signals:
        arguments_changed: The user changed the text of an argument.
    """

    arguments_changed = Signal()

    def __init__(self, model: ArgumentsModel | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("argumentsPane")
        self._model = ArgumentsModel(self) if model is None else model
        follow_letters(self._model, lambda model: model.set_code_font(code_font(CODE_SIZE)))
        self._notes = mark_as(text_label(self, "argumentsNotes"), "warning")
        self._origin = muted(text_label(self, "argumentsOrigin"))
        self._table = ArgumentsTable(self._model, self)
        self._problems = ProblemLabel(self)
        self._problems.setObjectName("argumentsProblem")
        self._file = icon_button(
            self,
            self.tr("Fill from file…"),
            self.tr("Fill the chosen buffer from a .npy, .npz, .csv or raw file"),
            "open",
        )
        self._target: QPersistentModelIndex | None = None
        self._lay_out()
        self.setFocusProxy(self._table)
        self._model.arguments_changed.connect(self.arguments_changed)
        self._model.dataChanged.connect(self._update)
        self._table.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self._table.cells.file_wanted.connect(self._on_file_wanted)
        self._file.clicked.connect(self._on_file_clicked)
        self.show_form(None, ())

    @property
    def model(self) -> ArgumentsModel:
        """The model of the arguments."""
        return self._model

    @property
    def table(self) -> ArgumentsTable:
        """The table of arguments."""
        return self._table

    @property
    def places(self) -> frozenset[str]:
        """The places of problems that are shown here."""
        return frozenset(self._model.places)

    def show_form(self, form: KernelForm | None, arguments: tuple[tuple[str, str], ...]) -> None:
        """Shows the parameters of a kernel with these texts; None where there is no kernel."""
        self._table.set_hint(self.tr("This kernel has no parameters.") if form else no_kernel())
        notes = form.notes if form else ()
        self._notes.setText("\n".join(notes))
        self._notes.setVisible(bool(notes))
        remarks = list(form.remarks) if form else []
        remarks += words_on_host_launch(form) if form is not None else ()
        self._origin.setText("\n".join(remarks))
        self._origin.setVisible(bool(remarks))
        self._model.show(form, dict(arguments))
        self._table.updateGeometry()
        self._update()

    def show_problems(self, problems: tuple[SpecProblem, ...]) -> None:
        """Marks the rows with problems, and says these below the table."""
        mine = tuple(p for place in self._model.places for p in problems if p.where == place)
        self._model.show_problems(mine)
        self._problems.show_problems(mine)

    @Slot(object)
    def choose_file(self, row: int) -> None:
        """Asks for the file that fills the buffer of this row, without waiting for the answer."""
        self._target = QPersistentModelIndex(self._model.index(row, FILL))
        name = self._model.parameter(row).name
        title = self.tr("Fill '{name}' from a file").format(name=name)
        files = self.tr("Numbers (*.npy *.npz *.csv *.txt);;All files (*)")
        dialog = QFileDialog(self, title, "", files)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._on_file_selected)
        open_dialog(dialog)

    def _lay_out(self) -> None:
        below = QHBoxLayout()
        below.setContentsMargins(0, 0, 0, 0)
        below.addWidget(self._problems, 1)
        below.addStretch()
        below.addWidget(self._file, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._notes)
        layout.addWidget(self._origin)
        layout.addWidget(self._table, 1)
        layout.addLayout(below)

    @property
    def _row(self) -> int:
        return self._table.currentIndex().row()

    @Slot()
    def _update(self) -> None:
        row = self._row
        can = bool(self._model.index(row, FILL).flags() & Qt.ItemFlag.ItemIsEditable)
        self._file.setEnabled(can)
        if can:
            name = self._model.parameter(row).name
            self._file.setText(self.tr("Fill '{name}' from file…").format(name=name))
        else:
            self._file.setText(self.tr("Fill from file…"))

    @Slot(QItemSelection, QItemSelection)
    def _on_selection_changed(self) -> None:
        self._update()

    @Slot()
    def _on_file_clicked(self) -> None:
        self.choose_file(self._row)

    @Slot(int)
    def _on_file_wanted(self, row: int) -> None:
        self.choose_file(row)

    @Slot(str)
    def _on_file_selected(self, path: str) -> None:
        if self._target is not None and self._target.isValid():
            index = self._model.index(self._target.row(), FILL)
            self._model.setData(index, f"file({path})")
