"""Saves a buffer into a file of the user's choice, off the GUI thread."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from jitstudio.gui.features.launch.models.image_choice import Colouring
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

if TYPE_CHECKING:
    from jitstudio.gui.features.launch.models.buffer_data import BufferData

# Of the pictures that every viewer opens.
_LARGEST = 16384


class SavedAs(Enum):
    """What a buffer can be saved as; the value is the ending."""

    NPY = ".npy"
    CSV = ".csv"
    PNG = ".png"


_WORDS = {
    SavedAs.NPY: QT_TRANSLATE_NOOP("SavedAs", "NumPy array"),
    SavedAs.CSV: QT_TRANSLATE_NOOP("SavedAs", "Comma-separated values"),
    SavedAs.PNG: QT_TRANSLATE_NOOP("SavedAs", "Picture"),
}

Image = tuple[int, int, Colouring]
"""Leaf, elements a row, and colouring of the picture to save."""


def file_words(kind: SavedAs) -> str:
    """What a file is, with its ending."""
    return f"{QCoreApplication.translate('SavedAs', _WORDS[kind])} (*{kind.value})"


class BufferSaver(QObject):
    """Asks where to, without holding up the window, and saves.

    Signals:
        told: What became of it, a sentence.
    """

    told = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._work: Callable[[Path, Event], object] | None = None
        self._background = Background(self)
        self._background.done.connect(self._on_saved)
        self._background.failed.connect(self._on_failed)

    def ask(self, data: BufferData, kind: SavedAs, image: Image) -> QFileDialog:
        """Ask for a file; it is written once the user has chosen one."""
        self._work = _writer(data, kind, image)
        name = data.result.name
        dialog = QFileDialog(
            self._window,
            self.tr("Save '{name}'").format(name=name),
            f"{name}{kind.value}",
            self.tr("{words};;All files (*)").format(words=file_words(kind)),
        )
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(kind.value)
        dialog.fileSelected.connect(self.save)
        open_dialog(dialog)
        return dialog

    @Slot(str)
    def save(self, name: str) -> None:
        """Write what was asked for into this file."""
        work, path = self._work, Path(name)
        if work is None:
            return
        self.told.emit(self.tr("Saving {name}…").format(name=path.name))

        def write(stop: Event) -> object:
            work(path, stop)
            return path

        self._background.start(write)

    @Slot(object)
    def _on_saved(self, path: Path) -> None:
        self.told.emit(self.tr("Saved {path}").format(path=path))

    @Slot(str)
    def _on_failed(self, problem: str) -> None:
        self.told.emit(self.tr("The buffer cannot be saved: {problem}").format(problem=problem))


def _writer(data: BufferData, kind: SavedAs, image: Image) -> Callable[[Path, Event], object]:
    match kind:
        case SavedAs.NPY:
            return partial(_save_npy, data)
        case SavedAs.CSV:
            return partial(_save_csv, data)
        case SavedAs.PNG:
            return partial(_save_png, data, image)


def _save_npy(data: BufferData, path: Path, stop: Event) -> None:
    from jitstudio.gui.features.launch.models.buffer_files import save_npy

    save_npy(data, path, stop)


def _save_csv(data: BufferData, path: Path, stop: Event) -> None:
    from jitstudio.gui.features.launch.models.buffer_files import save_csv

    save_csv(data, path, stop)


def _save_png(data: BufferData, image: Image, path: Path, _stop: Event) -> None:
    from jitstudio.gui.features.launch.models.buffer_image import picture

    pixels = picture(data, *image, _LARGEST).pixels
    height, width, channels = pixels.shape
    made = QImage(pixels.tobytes(), width, height, channels * width, QImage.Format.Format_RGBA8888)
    # The stub asks for bytes, which the function refuses.
    if not made.save(str(path), "PNG"):  # type: ignore[call-overload]
        told = QCoreApplication.translate("BufferSaver", "{path} cannot be written.")
        raise OSError(told.format(path=path))
