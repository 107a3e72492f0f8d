"""Pins results, and offers the pane that compares with them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.context import Context
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.baselines import Baselines
from jitstudio.gui.state.outputs import Outputs


def install(context: Context) -> None:
    """Binds the command that pins."""
    Pinning(context.state.outputs, context.state.baselines, context.shell)


class Pinning(QObject):
    """Pins the newest result that is good."""

    def __init__(self, outputs: Outputs, baselines: Baselines, shell: Shell) -> None:
        super().__init__(shell.actions)
        self._outputs = outputs
        self._baselines = baselines
        self._shell = shell
        outputs.result_changed.connect(self._enable)
        baselines.changed.connect(self._offer)
        shell.actions.bind({"pinBaselineAction": self._pin})
        self._enable()
        self._offer()

    @Slot()
    def _enable(self) -> None:
        self._shell.actions["pinBaselineAction"].setEnabled(self._outputs.good is not None)

    @Slot()
    def _offer(self) -> None:
        if self._baselines.items:
            self._shell.layout.offer("compare")

    @Slot()
    def _pin(self) -> None:
        # It loads all that compares.
        from jitstudio.gui.features.compare.model import build_name  # noqa: PLC0415

        built = self._outputs.good
        if built is None:
            return
        baseline = self._baselines.pin(built, build_name(built.request, built.at))
        message = self.tr("{name} is pinned: Compare shows what changes from now on.")
        self._shell.status.show_message(message.format(name=baseline.name))
