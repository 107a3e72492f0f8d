"""Installs what belongs to building itself: settings, results, exports, the status bar."""

from __future__ import annotations

from jitstudio.gui.context import Context
from jitstudio.gui.features.build.bar import BuildBar
from jitstudio.gui.features.build.export_commands import ExportCommands
from jitstudio.gui.features.build.part import PartController
from jitstudio.gui.features.build.results import ResultsController
from jitstudio.gui.features.build.settings import SettingsController
from jitstudio.gui.features.build.status import StatusController


def install(context: Context) -> None:
    """Makes the build bar, and shows how builds go."""
    state, shell = context.state, context.shell
    bar = BuildBar()
    shell.toolbar.addWidget(bar)
    SettingsController(state.settings, state.documents, bar, shell)
    ResultsController(
        state.outputs,
        state.build_controller,
        state.documents,
        state.toolchain,
        state.service,
        context.editors,
        context.listings,
        context.files,
        bar,
        shell,
    )
    PartController(state.documents, state.settings, state.build_controller, context.editors, shell)
    StatusController(
        state.launches, state.documents, state.outputs, state.settings, shell.status, shell
    )
    exports = ExportCommands(
        state.build_controller,
        state.settings,
        state.documents,
        state.service,
        state.launch_specs,
        state.launches,
        state.variant_drafts,
        context.files,
        shell,
    )
    exports.failed.connect(shell.notices.tell)
    exports.told.connect(shell.status.tell)
    for signal in (state.outputs.changed, state.outputs.result_changed, state.documents.added):
        signal.connect(shell.stale_marks.update)
