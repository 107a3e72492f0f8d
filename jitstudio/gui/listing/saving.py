"""Saves listings as the tools wrote them, wherever the user says."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import Artifact, CodeKind
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.listing.listing_pane import ListingPane
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.document_files import write_file
from jitstudio.gui.state.outputs import Outputs

_Pane = TypeVar("_Pane", bound=ListingPane)


def pane_with_keyboard(panes: Iterable[_Pane]) -> _Pane | None:
    """Returns which of the panes has the keyboard; None if none has."""
    focus = QApplication.focusWidget()
    return next((p for p in panes if focus is not None and p.isAncestorOf(focus)), None)


class ListingSaver(QObject):
    """Saves the code of the panes that are added, each by its menu and all by a command."""

    def __init__(self, outputs: Outputs, shell: Shell) -> None:
        super().__init__(shell.window)
        self._outputs, self._shell = outputs, shell
        self._panes: list[ListingPane] = []
        self._dialogs = Dialogs(shell.window)
        self._folder = Path.cwd()
        self._saving = Background(self)
        self._saving.done.connect(shell.status.show_message)
        self._saving.failed.connect(shell.notices.show_message)
        shell.actions.bind({"saveListingAction": self._on_save})

    def add(self, pane: ListingPane) -> None:
        """Saves what `pane` shows, when it asks or has the keyboard."""
        self._panes.append(pane)
        pane.save_requested.connect(partial(self._save, pane))

    @Slot()
    def _on_save(self) -> None:
        seen = next((pane for pane in self._panes if pane.isVisible()), self._panes[0])
        pane = pane_with_keyboard(self._panes) or seen
        self._save(pane, pane.kind)

    def _save(self, pane: ListingPane, kind: CodeKind) -> None:
        artifact = self._artifact(pane, kind)
        if artifact is None:
            message = self.tr("There is no {kind} to save: build something that makes one first.")
            self._shell.notices.show_message(message.format(kind=kind.title))
            return
        path = self._dialogs.file_to_save(self._folder / artifact.file_name)
        if path is None:
            return
        self._folder = path.parent
        said = self.tr("{kind} written to {path}").format(kind=kind.title, path=path)
        self._saving.start(lambda _stop: _write(path, artifact, said))

    def _artifact(self, pane: ListingPane, kind: CodeKind) -> Artifact | None:
        """Returns the output of the tools as written, never with names in C++."""
        listing = pane.listing
        if listing is None:
            return None
        shown = Artifact(pane.kind, listing.name, "\n".join((*listing.lines, "")).encode())
        if kind is pane.kind and listing.function:
            # The build has made that of another function.
            return shown
        good = self._outputs.good
        result = good.result if good is not None else None
        if kind is pane.kind and not self._outputs.is_good(listing):
            result = self._outputs.result
        artifact = result.artifact(kind, listing.name) if result is not None else None
        # No build makes the PTX of a module that is PTX.
        return shown if artifact is None and kind is pane.kind else artifact


def _write(path: Path, artifact: Artifact, said: str) -> str:
    write_file(path, artifact.content)
    return said
