"""Shows the reports of the tools in the newest build."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.result import BuildResult
from jitstudio.gui.context import Context
from jitstudio.gui.features.log.model import StageKey
from jitstudio.gui.features.log.view import LogView
from jitstudio.gui.shell.navigation import LogPlace
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.outputs import Outputs


def install(context: Context) -> None:
    """Makes the pane "Log"."""
    state, shell = context.state, context.shell
    view = LogView(parent=shell.layout.place("log"))
    shell.layout.fill("log", view)
    controller = LogController(view, state.outputs, shell)
    context.navigator.lead(LogPlace, lambda place: controller.show(place.key))
    # Of the newest build, which may have failed: old once the text is another. Other panes say why.
    shell.stale_marks.add(view.table, lambda: state.outputs.is_edited, says_why=False)


class LogController(QObject):
    """Keeps the log in step with the results."""

    def __init__(self, view: LogView, outputs: Outputs, shell: Shell) -> None:
        super().__init__(view)
        self._view = view
        self._layout = shell.layout
        outputs.result_changed.connect(self._on_result_changed)
        self._on_result_changed(outputs.result)

    def show(self, key: StageKey | None) -> None:
        """Brings up the log of a run of a tool, or the pane as is."""
        self._layout.bring_up(self._view)
        if key is not None:
            self._view.choose(key)

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        self._view.model.set_rows(result.stages if result else ())
