"""Offers the pane "Tile IR" once a build has made some."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import CodeKind
from jitstudio.gui.context import Context
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.outputs import Outputs


def install(context: Context) -> None:
    """Follows the builds."""
    TileIrOffer(context.state.outputs, context.shell)


class TileIrOffer(QObject):
    """Offers the pane with the first listing."""

    def __init__(self, outputs: Outputs, shell: Shell) -> None:
        super().__init__(shell.actions)
        self._outputs, self._shell = outputs, shell
        outputs.changed.connect(self._on_changed)

    @Slot(CodeKind)
    def _on_changed(self, kind: CodeKind) -> None:
        if kind is CodeKind.TILEIR and self._outputs.output(kind).listings:
            self._shell.layout.offer("tileir")
