"""The field in which options are typed, with an undo for each tab that has own options."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, QSignalBlocker
from PySide6.QtWidgets import QLineEdit, QWidget

from jitstudio.gui.features.build.option_completion import attach
from jitstudio.gui.kit.fonts import DEFAULT_SIZE, show_as_code
from jitstudio.gui.kit.parts import explain_by


class _History(NamedTuple):
    """The texts typed for an owner.

    Attributes:
        texts: From the newest to the oldest, as undo leads through them.
        undone: How many of the newest are undone, and come back by redo.
    """

    texts: tuple[str, ...] = ("",)
    undone: int = 0


class OptionsField(QLineEdit):
    """Shows the options of an owner, whose undo leads to texts typed for that owner alone."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._owner: QObject | None = None
        self._histories = WeakKeyDictionary[QObject, _History]()
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
                self._histories[self._owner] = self._history()
            self._replay(self._histories.get(owner, _History()))
        self._owner = owner
        # Qt's button that clears the field follows it.
        self.textChanged.emit(self.text())

    def _history(self) -> _History:
        """Returns the texts to which redo and undo lead, of which the oldest is shown then."""
        undone = 0
        while self.isRedoAvailable():
            self.redo()
            undone += 1
        texts = [self.text()]
        while self.isUndoAvailable():
            self.undo()
            texts.append(self.text())
        return _History(tuple(texts), undone)

    def _replay(self, history: _History) -> None:
        """Shows the text of a history to which undo has led, with undo and redo to the others."""
        oldest, *newer = reversed(history.texts)
        self.setText(oldest)
        for text in newer:
            if text:
                # As typed in place of the text before, which Qt can undo.
                self.selectAll()
                self.insert(text)
            else:
                # Qt takes nothing inserted for a part of the step that follows.
                self.clear()
        for _ in range(history.undone):
            self.undo()
