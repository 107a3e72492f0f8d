"""The arguments of the kernel to launch: a table of texts, and what is wrong with them."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QItemSelection, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import KernelForm
from jitstudio.gui.features.launch.form.arguments_table import ArgumentsTable
from jitstudio.gui.features.launch.models.arguments import FILL, ArgumentsModel
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.kit.field_rows import ProblemLabel
from jitstudio.gui.kit.fonts import code_font, follow_letters
from jitstudio.gui.kit.number_field import CODE_SIZE
from jitstudio.gui.kit.parts import icon_button, show_icons, text_label
from jitstudio.gui.kit.theme import Theme


def no_kernel() -> str:
    """What to do while there is none."""
    return QCoreApplication.translate("ArgumentsView", "Build a kernel to launch it.")


class ArgumentsView(QWidget):
    """The table of arguments between what is odd about the kernel and what is wrong with them.

    Signals:
        arguments_changed: The user changed the text of an argument.
    """

    arguments_changed = Signal()

    def __init__(self, model: ArgumentsModel | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("argumentsPane")
        self._model = ArgumentsModel(self) if model is None else model
        follow_letters(self._model, lambda it: it.set_code_font(code_font(CODE_SIZE)))
        self._notes = text_label(self, "argumentsNotes")
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
        """What is shown."""
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
        """Show the parameters of a kernel with these texts; None where there is no kernel."""
        self._table.set_hint(self.tr("This kernel has no parameters.") if form else no_kernel())
        notes = form.notes if form else ()
        self._notes.setText("\n".join(notes))
        self._notes.setVisible(bool(notes))
        self._model.show(form, dict(arguments))
        self._table.updateGeometry()
        self._update()

    def show_problems(self, problems: tuple[SpecProblem, ...]) -> None:
        """Mark the rows with problems, and say these below the table."""
        mine = tuple(p for place in self._model.places for p in problems if p.where == place)
        self._model.show_problems(mine)
        self._problems.show_problems(mine)

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._table.set_theme(theme)
        self._problems.set_theme(theme)
        self._notes.setStyleSheet(f"color: {theme.marks.warning.name()}")
        show_icons((self._file,), theme)

    def choose_file(self, row: int) -> None:
        """Ask for the file that fills the buffer of this row, without waiting for the answer."""
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
