"""The export formats, each with a preview of the files; the dialog for imports."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.code import CodeKind
from jitstudio.core.plain_files import read_file
from jitstudio.export.compiler_explorer import (
    LARGEST,
    ForeignStateError,
    ImportedProject,
    project_from_file,
    project_from_link,
)
from jitstudio.export.formats import FORMATS, ExportedFiles, ExportFormat
from jitstudio.export.recipe import Recipe
from jitstudio.gui.code.languages import LANGUAGES
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.field_rows import CODE_SIZE
from jitstudio.gui.kit.fonts import fit_dialog, scaled, show_as_code
from jitstudio.gui.kit.parts import explain_by, text_label
from jitstudio.gui.listing.listing_view import ListingView

_SIZE = (980, 640)
_LIST_WIDTH = 260
_LANGUAGES = {"python": CodeKind.PYTHON, "cpp": CodeKind.CUDA}
_SHOWN_LINES = 20_000
"""The most lines of the preview; copies and saved files have all lines."""


class ExportAsDialog(QDialog):
    """A list of formats, and the text in the chosen format.

    Signals:
        save_requested: These files of this format are to be saved.
        code_wanted: The machine code is to be read, for `set_code`.
    """

    save_requested = Signal(object, object)
    code_wanted = Signal()

    def __init__(self, recipe: Recipe, note: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("exportAsDialog")
        explain_by(self, "exports")
        self.setWindowTitle(self.tr("Export {title}").format(title=recipe.title))
        fit_dialog(self, _SIZE)
        self._recipe = recipe
        self._files: ExportedFiles | None = None
        self._making = Background(self)
        self._making.done.connect(self._on_made)
        self._making.failed.connect(self._on_failed)
        self.formats = QListWidget(self)
        self.formats.setObjectName("exportFormats")
        self.formats.setSpacing(scaled(2))
        self.formats.setAccessibleName(self.tr("Formats"))
        for export_format in FORMATS:
            title = QCoreApplication.translate("Exports", export_format.title)
            item = QListWidgetItem(title, self.formats)
            item.setToolTip(QCoreApplication.translate("Exports", export_format.summary))
            item.setData(Qt.ItemDataRole.UserRole, export_format.name)
        self.summary = text_label(self, "exportSummary")
        self.code = ListingView(self)
        self.code.setObjectName("exportText")
        self.code.setAccessibleName(self.tr("What is written"))
        self.notes = text_label(self, "exportNotes")
        self._note = note
        self._lay_out()
        self.formats.currentRowChanged.connect(self._on_chosen)
        self.formats.setCurrentRow(0)

    @property
    def format(self) -> ExportFormat:
        """The chosen format."""
        return FORMATS[max(0, self.formats.currentRow())]

    def choose(self, name: str) -> None:
        """Shows a format by name."""
        self.formats.setCurrentRow([export_format.name for export_format in FORMATS].index(name))

    def set_code(self, code: Disassembly | str) -> None:
        """Adds the machine code to the recipe, or shows why that cannot be read."""
        if isinstance(code, str):
            self._on_failed(code)
            return
        self._recipe = replace(self._recipe, code=code)
        if self.format.reads_code:
            self._on_chosen()

    @property
    def recipe(self) -> Recipe:
        """The recipe to export."""
        return self._recipe

    def _lay_out(self) -> None:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self._save = self._button(buttons, self.tr("&Save…"), "exportSave")
        self._save.clicked.connect(self._on_save)
        self._copy = self._button(buttons, self.tr("&Copy"), "exportCopy")
        self._copy.clicked.connect(self._on_copy)
        buttons.rejected.connect(self.reject)
        right = QWidget(self)
        column = QVBoxLayout(right)
        column.setContentsMargins(scaled(10), 0, 0, 0)
        column.setSpacing(8)
        for part in (self.summary, self.code, self.notes):
            column.addWidget(part, int(part is self.code))
        splitter = QSplitter(self)
        splitter.addWidget(self.formats)
        splitter.addWidget(right)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([scaled(_LIST_WIDTH), scaled(_SIZE[0] - _LIST_WIDTH)])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 14, 14, 14)
        layout.setSpacing(10)
        layout.addWidget(splitter, 1)
        row = QHBoxLayout()
        row.addWidget(buttons)
        layout.addLayout(row)

    @staticmethod
    def _button(box: QDialogButtonBox, text: str, name: str) -> QPushButton:
        button = box.addButton(text, QDialogButtonBox.ButtonRole.ActionRole)
        button.setObjectName(name)
        return button

    @Slot()
    def _on_chosen(self) -> None:
        chosen, recipe = self.format, self._recipe
        self.summary.setText(QCoreApplication.translate("Exports", chosen.summary))
        self._show(None)
        self.notes.hide()
        if chosen.reads_code and recipe.code is None:
            self._making.stop()
            self.code_wanted.emit()
            return

        def make(_stop: Event) -> ExportedFiles:
            return chosen.write(recipe)

        self._making.start(make)

    @Slot(object)
    def _on_made(self, files: ExportedFiles) -> None:
        self._show(files)
        said = [self._note] if self._note else []
        said += [self.tr("Not exported: {note}").format(note=note) for note in files.notes]
        if not self.format.is_text:
            said.append(self.tr("This is not text: save it, and open it with another program."))
        if len(files.files) > 1:
            names = ", ".join(files.files)
            said.append(self.tr("A folder with {names}").format(names=names))
        self.notes.setText("\n".join(said))
        self.notes.setVisible(bool(said))

    @Slot(str)
    def _on_failed(self, problem: str) -> None:
        self.notes.setText(problem)
        self.notes.show()

    def _show(self, files: ExportedFiles | None) -> None:
        self._files = files
        kind = _LANGUAGES.get(self.format.language)
        lexer = LANGUAGES[kind].lexer if kind else None
        is_text = files is not None and self.format.is_text
        lines = files.text.rstrip("\n").split("\n") if files and is_text else [""]
        self.code.set_lines(lines[:_SHOWN_LINES], lexer)
        self._save.setEnabled(files is not None)
        self._copy.setEnabled(is_text)

    @Slot()
    def _on_copy(self) -> None:
        if self._files is not None:
            QApplication.clipboard().setText(self._files.text)

    @Slot()
    def _on_save(self) -> None:
        if self._files is not None:
            self.save_requested.emit(self.format, self._files)


def write_files(files: ExportedFiles, place: Path, *, is_folder: bool) -> tuple[Path, ...]:
    """Writes exported files, and returns their paths.

    Args:
        files: The files to write.
        place: The file, or the folder of several.
        is_folder: Which of the two it is.

    Raises:
        OSError: One of them cannot be written.
    """
    written = []
    for name, content in files.files.items():
        path = place / name if is_folder else place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written.append(path)
    return tuple(written)


# ---- A link of Compiler Explorer, or a file that was downloaded there

_IMPORT_SIZE = (620, 320)


class ImportDialog(QDialog):
    """A field for the link, and a way to a file.

    Signals:
        wanted: The function to call that reads the link or the file; raises an error about bad
            input.
    """

    wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("importDialog")
        explain_by(self, "exports")
        self.setWindowTitle(self.tr("Import from Compiler Explorer"))
        fit_dialog(self, _IMPORT_SIZE)
        what = text_label(self, "importWhat")
        what.setText(
            self.tr(
                "Paste a link that has the program in it: one with /clientstate/, or a long one "
                "with a #. A short link (/z/…) has a number only: open it in a browser and choose "
                "Share > Full link. Nothing is sent from here."
            )
        )
        self.link = QPlainTextEdit(self)
        self.link.setObjectName("importLink")
        self.link.setAccessibleName(self.tr("Link"))
        self.link.setPlaceholderText("https://godbolt.org/clientstate/…")
        show_as_code(self.link, CODE_SIZE)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self._import = buttons.addButton(
            self.tr("&Import…"), QDialogButtonBox.ButtonRole.AcceptRole
        )
        self._import.setObjectName("importStart")
        self._import.clicked.connect(self._on_link)
        file = buttons.addButton(self.tr("From a &file…"), QDialogButtonBox.ButtonRole.ActionRole)
        file.setObjectName("importFile")
        file.clicked.connect(self._on_file)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 14, 14, 14)
        layout.setSpacing(10)
        for part in (what, self.link, buttons):
            layout.addWidget(part, int(part is self.link))
        self.link.textChanged.connect(self._show_state)
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        self._import.setEnabled(bool(self.link.toPlainText().strip()))

    @Slot()
    def _on_link(self) -> None:
        self.wanted.emit(partial(project_from_link, self.link.toPlainText()))
        self.close()

    @Slot()
    def _on_file(self) -> None:
        title = self.tr("A file from Compiler Explorer")
        kinds = self.tr("Files of Compiler Explorer ({kinds})").format(
            kinds="*.cu *.cuh *.ptx *.ll *.zip *.json"
        )
        name, _ = QFileDialog.getOpenFileName(self, title, "", kinds)
        if name:
            self.wanted.emit(partial(read_foreign_file, Path(name)))
            self.close()


def read_foreign_file(path: Path) -> ImportedProject:
    """Returns the project in a file from Compiler Explorer.

    Raises:
        ForeignStateError: It cannot be read, or holds nothing for these compilers.
    """
    try:
        content = read_file(path, LARGEST)
    except OSError as error:
        raise ForeignStateError(f"'{path}' cannot be read: {error.strerror}.") from None
    return project_from_file(path.name, content)
