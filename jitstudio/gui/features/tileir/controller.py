"""Shows the Tile IR that NVRTC has made of the tile functions of a module."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import CodeKind
from jitstudio.gui.context import Context
from jitstudio.gui.features.tileir.view import TileIrView
from jitstudio.gui.shell.context_menus import OF_LISTINGS
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.outputs import Outputs


def install(context: Context) -> None:
    """Makes the pane "Tile IR"."""
    view, shell = TileIrView(), context.shell
    shell.layout.fill("tileir", view)
    TileIrController(view, context.state.outputs, context.state.documents, shell)
    context.saver.add(view)
    shell.stale_marks.add(view.code_view, lambda: view.is_old)
    view.listing_changed.connect(shell.stale_marks.update)
    shell.context_menus.add_to_text(view.code_view.menu_opening, OF_LISTINGS)


class TileIrController(QObject):
    """Keeps the pane at the newest Tile IR."""

    def __init__(
        self, view: TileIrView, outputs: Outputs, documents: Documents, shell: Shell
    ) -> None:
        super().__init__(view)
        self._view, self._outputs = view, outputs
        view.reported.connect(shell.status.show_message)
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
