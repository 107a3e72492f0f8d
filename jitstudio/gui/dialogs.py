"""What commands ask the user, one question a method, so that a test can answer instead."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QMessageBox, QWidget

from jitstudio.core.code import ENDINGS

_CODE_FILES = " ".join(f"*{ending}" for ending in ENDINGS)
_FILTER = f"CUDA code ({_CODE_FILES});;All files (*)"
_Button = QMessageBox.StandardButton
# More names than this make no message that anybody reads.
_MOST_NAMES = 5


class Unsaved(Enum):
    """What shall become of text that is in no file."""

    SAVE = _Button.Save
    DISCARD = _Button.Discard
    KEEP_OPEN = _Button.Cancel


class Dialogs:
    """Asks in dialogs over one window."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def files_to_open(self, folder: str) -> list[Path]:
        """Which files to open; none if the user thinks better of it."""
        names, _ = QFileDialog.getOpenFileNames(self._window, "Open", folder, _FILTER)
        return [Path(name) for name in names]

    def file_to_save(self, proposed: Path) -> Path | None:
        """Where to save a document; the dialog has asked before it lets a file be replaced."""
        name, _ = QFileDialog.getSaveFileName(self._window, "Save as", str(proposed))
        return Path(name) if name else None

    def folder_for_results(self, folder: str) -> Path | None:
        """Where to put what a build made."""
        name = QFileDialog.getExistingDirectory(self._window, "Save results", folder)
        return Path(name) if name else None

    def folder_of_header(self, header: str) -> Path | None:
        """In which folder `#include` shall look for a header."""
        title = f"Folder that holds {header}"
        name = QFileDialog.getExistingDirectory(self._window, title)
        return Path(name) if name else None

    def about_unsaved(self, name: str) -> Unsaved:
        """Whether to save a document before it is closed."""
        answer = QMessageBox.question(
            self._window,
            "Close tab",
            f"'{name}' has changes that are in no file. Save them first?",
            _Button.Save | _Button.Discard | _Button.Cancel,
            _Button.Save,
        )
        return Unsaved(answer)

    def may_replace(self, names: Sequence[str], folder: Path) -> bool:
        """Whether these files of a folder may be lost."""
        more = [f"and {len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
        listed = ", ".join([*names[:_MOST_NAMES], *more])
        answer = QMessageBox.question(
            self._window,
            "Save results",
            f"'{folder}' holds these files already: {listed}. Replace them?",
            _Button.Yes | _Button.No,
            _Button.No,
        )
        return answer == _Button.Yes


def open_dialog(dialog: QDialog) -> None:
    """Show a dialog over its window, and forget it once it is closed."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
