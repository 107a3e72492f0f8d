"""Installs sweeps, the table of targets and options, and builds for one purpose."""

from __future__ import annotations

from jitstudio.gui.context import Context
from jitstudio.gui.features.variants.matrix_controller import MatrixController
from jitstudio.gui.features.variants.side_commands import SideCommands
from jitstudio.gui.features.variants.sweep_controller import SweepController


def install(context: Context) -> None:
    """Carries out the commands that build variants."""
    state, shell = context.state, context.shell
    sides = SideCommands(
        state.build_controller,
        state.settings,
        state.documents,
        state.service,
        state.launch_specs,
        state.launches,
        state.sweep_drafts,
        state.baselines,
        context.files,
        shell,
    )
    sweeps = SweepController(
        state.launches,
        state.sweep_service,
        state.settings,
        state.launch_specs,
        state.sweep_drafts,
        state.build_controller,
        state.documents,
        state.launch_service,
        state.session,
        shell,
    )
    matrix = MatrixController(
        state.service,
        state.analysis_service,
        state.documents,
        state.build_controller,
        state.settings,
        state.toolchain,
        state.outputs,
        state.inspections,
        state.baselines,
        shell,
    )
    sides.failed.connect(shell.notices.tell)
    for controller in (sides, sweeps, matrix):
        controller.told.connect(shell.status.tell)
