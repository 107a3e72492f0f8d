"""The questions of commands to the user, a method for each, so that a test can answer instead."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QInputDialog, QMessageBox, QWidget

from jitstudio.core import library
from jitstudio.core.code import ENDINGS, PROJECT_ENDING
from jitstudio.gui.kit.fonts import follow_letters, scale_margins
from jitstudio.system.paths import fallback_folder

_CODE_FILES = " ".join(f"*{ending}" for ending in ENDINGS)
_Button = QMessageBox.StandardButton
# With the numbers of versions that shared libraries have behind their endings.
_LIBRARIES = " ".join(("*.so.*", *(f"*{ending}" for ending in library.ENDINGS), "*.a", "*.fatbin"))
# More names than this make no message that anybody reads.
_MOST_NAMES = 5


class UnsavedChoice(Enum):
    """The choice for text that is in no file."""

    SAVE = _Button.Save
    DISCARD = _Button.Discard
    KEEP_OPEN = _Button.Cancel


class ChangedFile(Enum):
    """The choice for a file that another program has changed."""

    REPLACE = _Button.Save
    SAVE_AS = _Button.Open
    LEAVE = _Button.Cancel


class Dialogs:
    """Asks in dialogs over a window."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def files_to_open(self, folder: str) -> list[Path]:
        """Returns the files to open; none if the user thinks better of that."""
        title = QCoreApplication.translate("Dialogs", "Open")
        text = QCoreApplication.translate(
            "Dialogs",
            "CUDA code and projects ({kinds});;Programs, libraries and wheels ({libraries});;"
            "All files (*)",
        )
        kinds = text.format(kinds=f"{_CODE_FILES} *{PROJECT_ENDING}", libraries=_LIBRARIES)
        names, _ = QFileDialog.getOpenFileNames(self._window, title, folder, kinds)
        return [Path(name) for name in names]

    def file_to_save(self, proposed: Path) -> Path | None:
        """Returns where to save a document; the dialog asks before a file is replaced."""
        title = QCoreApplication.translate("Dialogs", "Save as")
        name, _ = QFileDialog.getSaveFileName(self._window, title, str(proposed))
        return Path(name) if name else None

    def project_to_open(self, folder: str) -> Path | None:
        """Returns the project to open."""
        title = QCoreApplication.translate("Dialogs", "Open project")
        name, _ = QFileDialog.getOpenFileName(self._window, title, folder, _projects())
        return Path(name) if name else None

    def project_to_save(self, proposed: Path) -> Path | None:
        """Returns where to save a project; the dialog asks before a file is replaced."""
        title = QCoreApplication.translate("Dialogs", "Save project as")
        dialog = QFileDialog(self._window, title, str(proposed), _projects())
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(PROJECT_ENDING.lstrip("."))
        return Path(dialog.selectedFiles()[0]) if dialog.exec() else None

    def about_all_unsaved(self, names: Sequence[str]) -> UnsavedChoice:
        """Returns whether to save all unsaved texts before other work takes their place."""
        text = QCoreApplication.translate(
            "Dialogs", "These have changes that are in no file: {names}. Save them first?"
        )
        answer = self._ask(
            QCoreApplication.translate("Dialogs", "Unsaved changes"),
            text.format(names=_listed(names)),
            _Button.Save | _Button.Discard | _Button.Cancel,
            _Button.Save,
        )
        return UnsavedChoice(answer)

    def about_unkept(self, names: Sequence[str], problem: str) -> UnsavedChoice:
        """Returns whether to save text that will not be back at the next start.

        Args:
            names: The names of the documents with the text.
            problem: Why the session cannot keep it; empty where it is only kept for a while.
        """
        if problem:
            word = QCoreApplication.translate("Dialogs", "Discard")
            text = QCoreApplication.translate(
                "Dialogs",
                "Unsaved text cannot be kept for the next start: {problem}. Without being saved, "
                "the changes in these are lost: {names}.",
            ).format(problem=problem, names=_listed(names))
        else:
            word = QCoreApplication.translate("Dialogs", "Quit Without Saving")
            text = QCoreApplication.translate(
                "Dialogs",
                "The home folder cannot be written to. The changes in these are kept in "
                "'{folder}' only, which may be emptied when the machine starts: {names}.",
            ).format(folder=fallback_folder(), names=_listed(names))
        title = QCoreApplication.translate("Dialogs", "Unsaved changes")
        box = self._box(QMessageBox.Icon.Warning, title, text)
        box.addButton(_Button.Save).setText(QCoreApplication.translate("Dialogs", "Save As…"))
        box.addButton(_Button.Discard).setText(word)
        box.addButton(_Button.Cancel)
        box.setDefaultButton(_Button.Save)
        return UnsavedChoice(_Button(box.exec()))

    def new_name(self, name: str) -> str:
        """Returns the new name of a document; empty if the user thinks better of that."""
        title = QCoreApplication.translate("Dialogs", "Rename")
        label = QCoreApplication.translate(
            "Dialogs", "Name, with the extension that shows what it holds:"
        )
        typed, is_wanted = QInputDialog.getText(self._window, title, label, text=name)
        return typed.strip() if is_wanted else ""

    def folder_to_open(self, folder: str) -> Path | None:
        """Returns the folder whose files to choose from."""
        title = QCoreApplication.translate("Dialogs", "Open folder")
        name = QFileDialog.getExistingDirectory(self._window, title, folder)
        return Path(name) if name else None

    def folder_of_class(self, folder: str) -> Path | None:
        """Returns the folder that has a folder for each pupil."""
        title = QCoreApplication.translate("Dialogs", "Folder of the class")
        name = QFileDialog.getExistingDirectory(self._window, title, folder)
        return Path(name) if name else None

    def folder_of_lesson(self, folder: str) -> Path | None:
        """Returns the folder of a lesson by which others are judged."""
        title = QCoreApplication.translate("Dialogs", "Folder of the teacher's lesson")
        name = QFileDialog.getExistingDirectory(self._window, title, folder)
        return Path(name) if name else None

    def folder_for_results(self, folder: str) -> Path | None:
        """Returns the folder for the results of a build."""
        title = QCoreApplication.translate("Dialogs", "All results to a folder")
        name = QFileDialog.getExistingDirectory(self._window, title, folder)
        return Path(name) if name else None

    def folder_of_compilers(self) -> Path | None:
        """Returns a folder that holds another version of the compilers."""
        title = QCoreApplication.translate("Dialogs", "Folder with other compilers")
        name = QFileDialog.getExistingDirectory(self._window, title)
        return Path(name) if name else None

    def folder_of_header(self, header: str) -> Path | None:
        """In which folder `#include` shall look for a header."""
        title = QCoreApplication.translate("Dialogs", "Folder that holds {header}")
        name = QFileDialog.getExistingDirectory(self._window, title.format(header=header))
        return Path(name) if name else None

    def about_unsaved(self, name: str) -> UnsavedChoice:
        """Returns whether to save a document before closing."""
        text = QCoreApplication.translate(
            "Dialogs", "'{name}' has changes that are in no file. Save them first?"
        )
        answer = self._ask(
            QCoreApplication.translate("Dialogs", "Close tab"),
            text.format(name=name),
            _Button.Save | _Button.Discard | _Button.Cancel,
            _Button.Save,
        )
        return UnsavedChoice(answer)

    def about_changed_file(self, path: Path) -> ChangedFile:
        """Returns whether to save over a file that has changed since the last read."""
        text = QCoreApplication.translate(
            "Dialogs", "Another program has changed '{path}' since it was read. Replace it?"
        )
        title = QCoreApplication.translate("Dialogs", "Save")
        box = self._box(QMessageBox.Icon.Warning, title, text.format(path=path))
        words = {
            ChangedFile.REPLACE: QCoreApplication.translate("Dialogs", "Replace"),
            ChangedFile.SAVE_AS: QCoreApplication.translate("Dialogs", "Save As…"),
        }
        for answer, word in words.items():
            box.addButton(answer.value).setText(word)
        box.addButton(ChangedFile.LEAVE.value)
        box.setDefaultButton(ChangedFile.SAVE_AS.value)
        return ChangedFile(_Button(box.exec()))

    def may_save_as_utf_8(self, name: str, problem: str) -> bool:
        """Returns whether a document may become UTF-8, as the encoding lacks characters."""
        text = QCoreApplication.translate(
            "Dialogs", "'{name}' cannot be saved as it was: {problem}. Save it as UTF-8?"
        )
        answer = self._ask(
            QCoreApplication.translate("Dialogs", "Save"),
            text.format(name=name, problem=problem),
            _Button.Yes | _Button.No,
            _Button.Yes,
        )
        return answer == _Button.Yes

    def may_replace(self, names: Sequence[str], folder: Path) -> bool:
        """Returns whether files of a folder may be replaced."""
        text = QCoreApplication.translate(
            "Dialogs", "'{folder}' holds these files already: {names}. Replace them?"
        )
        answer = self._ask(
            QCoreApplication.translate("Dialogs", "All results to a folder"),
            text.format(folder=folder, names=_listed(names)),
            _Button.Yes | _Button.No,
            _Button.No,
        )
        return answer == _Button.Yes

    def _ask(self, title: str, text: str, buttons: _Button, default: _Button) -> _Button:
        box = self._box(QMessageBox.Icon.Question, title, text)
        box.setStandardButtons(buttons)
        box.setDefaultButton(default)
        return _Button(box.exec())

    def _box(self, icon: QMessageBox.Icon, title: str, text: str) -> QMessageBox:
        """Returns a message box with plain text: names of files may look like HTML."""
        box = QMessageBox(icon, title, text, parent=self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        return box


def _projects() -> str:
    text = QCoreApplication.translate("Dialogs", "Projects ({ending})")
    return text.format(ending=f"*{PROJECT_ENDING}")


def _listed(names: Sequence[str]) -> str:
    """Returns the names, or the first names and the number of the rest."""
    shown = [*names[:_MOST_NAMES]]
    if more := len(names) - len(shown):
        shown.append(QCoreApplication.translate("Dialogs", "and {count} more").format(count=more))
    return ", ".join(shown)


def open_dialog(dialog: QDialog) -> None:
    """Shows a dialog over the parent window, and deletes the dialog once closed."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    follow_letters(dialog, scale_margins)
    dialog.open()
