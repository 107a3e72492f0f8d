"""The Buffers pane: the memory after a launch, as a table, a line or a picture."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QSignalBlocker, Signal, Slot
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.launch.result import BufferResult, LaunchResult, Mismatch
from jitstudio.gui.features.launch.models.image_choice import ImageColouring
from jitstudio.gui.features.launch.results.buffer_pictures import BufferImage, BufferPlot
from jitstudio.gui.features.launch.results.buffer_table import BufferTable
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.kit.parts import FieldName, icon_button, muted, text_label
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP, counted

if TYPE_CHECKING:
    # Loaded late: see `banned-module-level-imports` in pyproject.toml.
    from jitstudio.gui.features.launch.models.buffer_data import BufferData, Statistics


# Of the pictures that every viewer opens.
_LARGEST = 16384


class SavedAs(Enum):
    """The file formats of a saved buffer; the value of the enumeration is the ending."""

    NPY = ".npy"
    CSV = ".csv"
    PNG = ".png"


_WORDS = {
    SavedAs.NPY: QT_TRANSLATE_NOOP("SavedAs", "NumPy array"),
    SavedAs.CSV: QT_TRANSLATE_NOOP("SavedAs", "Comma-separated values"),
    SavedAs.PNG: QT_TRANSLATE_NOOP("SavedAs", "Picture"),
}

Image = tuple[int, int, ImageColouring]
"""Leaf, elements a row, and colouring of the picture to save."""


def file_filter(kind: SavedAs) -> str:
    """Returns the filter of a file dialog for a format."""
    return f"{QCoreApplication.translate('SavedAs', _WORDS[kind])} (*{kind.value})"


class BufferSaver(QObject):
    """Asks where to, without holding up the window, and saves.

    Signals:
        reported: The outcome of saving, a sentence.
    """

    reported = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._work: Callable[[Path, Event], object] | None = None
        self._background = Background(self)
        self._background.done.connect(self._on_saved)
        self._background.failed.connect(self._on_failed)

    def ask(self, data: BufferData, kind: SavedAs, image: Image) -> QFileDialog:
        """Asks for a file, which is written once the user has chosen."""
        self._work = _writer(data, kind, image)
        name = data.result.name
        dialog = QFileDialog(
            self._window,
            self.tr("Save '{name}'").format(name=name),
            f"{name}{kind.value}",
            self.tr("{words};;All files (*)").format(words=file_filter(kind)),
        )
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(kind.value)
        dialog.fileSelected.connect(self.save)
        open_dialog(dialog)
        return dialog

    @Slot(str)
    def save(self, name: str) -> None:
        """Writes the requested content into file `name`."""
        work, path = self._work, Path(name)
        if work is None:
            return
        self.reported.emit(self.tr("Saving {name}…").format(name=path.name))

        def write(stop: Event) -> object:
            work(path, stop)
            return path

        self._background.start(write)

    @Slot(object)
    def _on_saved(self, path: Path) -> None:
        self.reported.emit(self.tr("Saved {path}").format(path=path))

    @Slot(str)
    def _on_failed(self, problem: str) -> None:
        self.reported.emit(self.tr("The buffer cannot be saved: {problem}").format(problem=problem))


def _writer(data: BufferData, kind: SavedAs, image: Image) -> Callable[[Path, Event], object]:
    match kind:
        case SavedAs.NPY:
            return partial(_save_npy, data)
        case SavedAs.CSV:
            return partial(_save_csv, data)
        case SavedAs.PNG:
            return partial(_save_png, data, image)


def _save_npy(data: BufferData, path: Path, stop: Event) -> None:
    from jitstudio.gui.features.launch.models.buffer_data import save_npy

    save_npy(data, path, stop)


def _save_csv(data: BufferData, path: Path, stop: Event) -> None:
    from jitstudio.gui.features.launch.models.buffer_data import save_csv

    save_csv(data, path, stop)


def _save_png(data: BufferData, image: Image, path: Path, _stop: Event) -> None:
    from jitstudio.gui.features.launch.models.buffer_image import picture

    pixels = picture(data, *image, _LARGEST).pixels
    height, width, channels = pixels.shape
    png = QImage(pixels.tobytes(), width, height, channels * width, QImage.Format.Format_RGBA8888)
    # The stub asks for bytes, which the function refuses.
    if not png.save(str(path), "PNG"):  # type: ignore[call-overload]
        message = QCoreApplication.translate("BufferSaver", "{path} cannot be written.")
        raise OSError(message.format(path=path))


# A combo box of a narrow dock shows so many letters at least.
_SHORTEST = 4


class BufferView(QWidget):
    """A choice of buffers above three views of the chosen buffer.

    Signals:
        reported: Something was done that cannot be seen.
    """

    reported = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bufferView")
        self._buffers: tuple[BufferResult, ...] = ()
        self._opened: dict[str, BufferData | str] = {}
        self._shown: BufferData | None = None
        self._old = text_label(self, "oldBuffers")
        self._old.setText(self.tr("The last launch left no buffers; these are of the one before."))
        self._facts = text_label(self, "bufferFacts")
        muted(self._facts)
        self._opening = Background(self)
        self._opening.done.connect(self._on_opened)
        self._opening.failed.connect(self._on_not_opened)
        self._counting = Background(self)
        self._counting.done.connect(self._on_counted)
        self._counting.failed.connect(self._facts.setText)
        self._saver = BufferSaver(self)
        self._saver.reported.connect(self.reported)
        self._choice = QComboBox(self)
        self._choice.setObjectName("bufferCombo")
        self._choice.setAccessibleName(self.tr("Buffer that is shown"))
        self._part = QComboBox(self)
        self._part.setObjectName("bufferPart")
        self._part.setAccessibleName(self.tr("Part of each element that is drawn"))
        for combo in (self._choice, self._part):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            combo.setMinimumContentsLength(_SHORTEST)
            combo.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._save = self._make_save_button()
        self.table = BufferTable(self)
        self.plot = BufferPlot(self)
        self.image = BufferImage(self)
        self._tabs = QTabWidget(self)
        self._tabs.setObjectName("bufferTabs")
        self._tabs.setAccessibleName(self.tr("Ways to look at the buffer"))
        self._tabs.setDocumentMode(True)
        for widget, title in (
            (self.table, self.tr("Table")),
            (self.plot, self.tr("Plot")),
            (self.image, self.tr("Image")),
        ):
            self._tabs.addTab(widget, title)
        self._lay_out()
        self._choice.currentIndexChanged.connect(self._on_chosen)
        self._part.currentIndexChanged.connect(self._on_part_chosen)
        self.show_result(None)

    @property
    def tabs(self) -> QTabWidget:
        """Table, plot and image."""
        return self._tabs

    @property
    def facts(self) -> str:
        """The figures of the buffer that is shown."""
        return self._facts.text()

    @property
    def shown(self) -> BufferData | None:
        """The shown buffer, as soon as the file is open."""
        return self._shown

    @Slot(object)
    def show_result(self, result: LaunchResult | None) -> None:
        """Shows the buffers of a launch; None before the first.

        A launch that has left none does not take away those of the one before.
        """
        is_old = result is not None and not result.buffers and bool(self._buffers)
        self._old.setVisible(is_old)
        if is_old:
            return
        self._buffers = result.buffers if result else ()
        self._opened = {}
        before = self._choice.currentData()
        names = [buffer.name for buffer in self._buffers]
        with QSignalBlocker(self._choice):
            self._choice.clear()
            for buffer in self._buffers:
                self._choice.addItem(_title(buffer), buffer.name)
            preferred = before if before in names else _most_relevant(self._buffers)
            self._choice.setCurrentIndex(names.index(preferred) if preferred in names else -1)
        for widget in (self._choice, self._save):
            widget.setVisible(bool(names))
        if not names or result is None:
            self._opening.stop()
            self._show(None, self._why_none(result))
            return
        self._show(None, self.tr("Opening the buffers…"))
        readable = tuple(buffer for buffer in self._buffers if buffer.path and buffer.length)
        wrong = {check.buffer: check.mismatches for check in result.checks}
        self._opening.start(partial(_open, readable, wrong))

    def save_as(self, kind: SavedAs) -> None:
        """Asks where to save the buffer that is shown."""
        if self._shown is not None:
            image = (self._leaf, self.image.width_choice, self.image.colouring)
            self._saver.ask(self._shown, kind, image)

    @property
    def _leaf(self) -> int:
        return max(0, self._part.currentIndex())

    def _make_save_button(self) -> QToolButton:
        button = icon_button(self, self.tr("Save"), self.tr("Save this buffer into a file"), "save")
        button.setObjectName("bufferSave")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        for kind in SavedAs:
            action = QAction(f"{file_filter(kind)}…", menu)
            action.triggered.connect(partial(self.save_as, kind))
            menu.addAction(action)
        button.setMenu(menu)
        return button

    def _lay_out(self) -> None:
        self._part_label = FieldName(self.tr("&Part"), self._part, self)
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 6, 8, 6)
        bar.setSpacing(10)
        bar.addWidget(self._choice)
        bar.addWidget(self._part_label)
        bar.addWidget(self._part)
        bar.addStretch(1)
        bar.addWidget(self._save)
        self._facts.setContentsMargins(12, 0, 12, 5)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        self._old.setContentsMargins(12, 0, 12, 5)
        column.addWidget(self._old)
        column.addWidget(self._facts)
        column.addWidget(self._tabs, 1)
        self.setFocusProxy(self._tabs)

    def _why_none(self, result: LaunchResult | None) -> str:
        if result is None:
            return self.tr(
                "Nothing has been run yet.\n"
                "What the kernel left in its buffers appears here, "
                "as a table, a line or a picture."
            )
        return self.tr(
            "This launch left no buffers: the kernel has none, or it did not get that far."
        )

    def _show(self, data: BufferData | None, why_not: str = "") -> None:
        self._shown = data
        self._save.setEnabled(data is not None)
        labels = [leaf.label for leaf in data.leaves] if data else []
        with QSignalBlocker(self._part):
            self._part.clear()
            self._part.addItems(labels)
        self.table.show_buffer(data, why_not)
        for widget in (self._part, self._part_label):
            widget.setVisible(len(labels) > 1)
        self._show_part()

    def _show_part(self) -> None:
        data, leaf = self._shown, self._leaf
        self._counting.stop()
        self._facts.setText("")
        self.plot.show_buffer(data, leaf)
        self.image.show_buffer(data, leaf)
        if data is not None and data.length and data.leaves[leaf].is_number:
            self._counting.start(partial(_count, data, leaf))

    @Slot(object)
    def _on_opened(self, opened: dict[str, BufferData | str]) -> None:
        self._opened = opened
        self._on_chosen()

    @Slot(str)
    def _on_not_opened(self, problem: str) -> None:
        message = self.tr("The buffers cannot be read: {problem}")
        self._show(None, message.format(problem=problem))

    @Slot()
    def _on_chosen(self) -> None:
        name = self._choice.currentData()
        buffer = next((buffer for buffer in self._buffers if buffer.name == name), None)
        if buffer is None or self._opening.is_busy:
            return
        opened = self._opened.get(buffer.name, _why_not_kept(buffer))
        if isinstance(opened, str):
            self._show(None, opened)
        else:
            self._show(opened)

    @Slot()
    def _on_part_chosen(self) -> None:
        self._show_part()

    @Slot(object)
    def _on_counted(self, statistics: Statistics) -> None:
        self._facts.setText(statistics.text)
        self.plot.show_statistics(statistics)


def _open(
    buffers: tuple[BufferResult, ...], wrong: dict[str, tuple[Mismatch, ...]], _stop: Event
) -> object:
    from jitstudio.gui.features.launch.models.buffer_data import open_all

    return open_all(buffers, wrong)


def _count(data: BufferData, leaf: int, stop: Event) -> Statistics:
    from jitstudio.gui.features.launch.models.buffer_data import statistics

    return statistics(data, leaf, stop)


def _title(buffer: BufferResult) -> str:
    translate = QCoreApplication.translate
    if not buffer.length:
        null = translate("BufferView", "{name}: null handle")
        null = null if buffer.shape else translate("BufferView", "{name}: null pointer")
        return null.format(name=buffer.name)
    if buffer.shape:
        return translate("BufferView", "{name}: {extents} texels of {type}, {direction}").format(
            name=buffer.name,
            extents=" \N{MULTIPLICATION SIGN} ".join(f"{extent:,}" for extent in buffer.shape),
            type=buffer.element.name,
            direction=buffer.direction.value,
        )
    return counted(
        buffer.length,
        translate("BufferView", "{name}: {count:,} element of {type}, {direction}"),
        translate("BufferView", "{name}: {count:,} elements of {type}, {direction}"),
        name=buffer.name,
        type=buffer.element.name,
        direction=buffer.direction.value,
    )


def _most_relevant(buffers: tuple[BufferResult, ...]) -> str:
    """Returns the first buffer that the kernel wrote, or the first."""
    written = (buffer.name for buffer in buffers if buffer.direction.value != "in")
    return next(written, buffers[0].name if buffers else "")


def _why_not_kept(buffer: BufferResult) -> str:
    message = (
        QCoreApplication.translate("BufferView", "The content of '{name}' was not kept.")
        if buffer.length
        else QCoreApplication.translate("BufferView", "'{name}' is a null pointer.")
    )
    return message.format(name=buffer.name)
