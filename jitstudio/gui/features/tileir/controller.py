"""Shows the Tile IR that NVRTC has made of the tile functions of a module."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import Artifact, CodeKind
from jitstudio.gui.context import Context
from jitstudio.gui.features.tileir.view import TileIrView
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.shell.context_menus import OF_LISTINGS
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.document_files import write_file
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.outputs import Outputs


def install(context: Context) -> None:
    """Makes the pane "Tile IR"."""
    view, shell = TileIrView(), context.shell
    shell.layout.fill("tileir", view)
    TileIrController(view, context.state.outputs, context.state.documents, shell)
    shell.stale_marks.add(view.code_view, lambda: view.is_old)
    view.listing_changed.connect(shell.stale_marks.update)
    shell.context_menus.add_to_text(view.code_view.menu_opening, OF_LISTINGS)


class TileIrController(QObject):
    """Keeps the pane at the newest Tile IR, and saves the text."""

    def __init__(
        self, view: TileIrView, outputs: Outputs, documents: Documents, shell: Shell
    ) -> None:
        super().__init__(view)
        self._view, self._outputs, self._shell = view, outputs, shell
        self._dialogs = Dialogs(shell.window)
        self._folder = Path.cwd()
        self._saving = Background(self)
        self._saving.done.connect(shell.status.show_message)
        self._saving.failed.connect(shell.notices.show_message)
        view.reported.connect(shell.status.show_message)
        view.save_requested.connect(self._on_save_requested)
        outputs.changed.connect(self._on_changed)
        documents.current_changed.connect(self._on_current_changed)
        self._on_changed(CodeKind.TILEIR)
        self._on_current_changed(documents.current)

    @Slot(CodeKind)
    def _on_changed(self, kind: CodeKind) -> None:
        if kind is CodeKind.TILEIR:
            self._view.show_output(self._outputs.output(kind))

    @Slot(object)
    def _on_current_changed(self, document: Document | None) -> None:
        if document is not None:
            self._view.choose(document.name)

    @Slot(CodeKind)
    def _on_save_requested(self, kind: CodeKind) -> None:
        listing = self._view.listing
        if listing is None:
            return
        text = Artifact(kind, listing.name, "\n".join((*listing.lines, "")).encode())
        path = self._dialogs.file_to_save(self._folder / text.file_name)
        if path is not None:
            self._folder = path.parent
            said = self.tr("{kind} written to {path}").format(kind=kind.title, path=path)
            self._saving.start(lambda _stop: _write(path, text, said))


def _write(path: Path, artifact: Artifact, said: str) -> str:
    write_file(path, artifact.content)
    return said
