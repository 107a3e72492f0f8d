"""The field in which options are typed, with an undo for each tab that has own options."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, QSignalBlocker
from PySide6.QtWidgets import QLineEdit, QWidget

from jitstudio.gui.features.build.option_completion import attach
from jitstudio.gui.kit.fonts import DEFAULT_SIZE, show_as_code
from jitstudio.gui.kit.parts import explain_by


class OptionsField(QLineEdit):
    """Shows the options of an owner, whose undo leads to texts typed for that owner alone."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._owner: QObject | None = None
        # From the newest to the oldest, each as undo brings them back.
        self._texts = WeakKeyDictionary[QObject, list[str]]()
        self.setObjectName("optionsEdit")
        explain_by(self, "options")
        show_as_code(self, DEFAULT_SIZE)
        self.setClearButtonEnabled(True)
        self.setAccessibleName(self.tr("Compiler and linker options"))
        self.setToolTip(
            self.tr(
                "Options as on a command line. Each goes to the tools that take it;\n"
                "write nvrtc:, libnvvm:, nvjitlink: or nvdisasm: before one to address a single "
                "tool."
            )
        )
        attach(self)

    def show_options(self, owner: QObject, text: str) -> bool:
        """Shows the options of an owner; returns whether another text is shown now."""
        before = self.text()
        if owner is not self._owner:
            self._turn_to(owner)
        if text != self.text():
            self.setText(text)
        return text != before

    def _turn_to(self, owner: QObject) -> None:
        with QSignalBlocker(self):
            if self._owner is not None:
                self._texts[self._owner] = [*self._undone()]
            oldest, *newer = reversed(self._texts.get(owner, [""]))
            self.setText(oldest)
            for text in newer:
                # As typed in place of the text before, which Qt can undo.
                self.selectAll()
                self.insert(text)
        self._owner = owner
        # Qt's button that clears the field follows it.
        self.textChanged.emit(self.text())

    def _undone(self) -> Iterator[str]:
        """Yields the text, and the texts to which undo leads, in order."""
        yield self.text()
        while self.isUndoAvailable():
            self.undo()
            yield self.text()
