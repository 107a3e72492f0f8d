"""The commands that run, stop and look for GPUs: possible or not, and named by the kernel."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.context import Context
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import LaunchSpecs


def install(context: Context) -> None:
    """Binds the commands that need no form."""
    context.state.project.opened.connect(context.state.launches.forget)
    RunCommands(context.state.launches, context.state.launch_specs, context.shell)


class RunCommands(QObject):
    """Keeps the commands in step with the kernel and the launch; the pane carries out the run."""

    def __init__(self, launches: LaunchController, specs: LaunchSpecs, shell: Shell) -> None:
        actions = shell.actions
        super().__init__(actions)
        self._specs = specs
        self._actions = actions
        run, stop = actions["runAction"], actions["stopRunAction"]
        self._run_tip = run.statusTip()
        stop.setEnabled(False)
        specs.replaced.connect(self._name_run)
        for action in (run, actions["simulateAction"]):
            launches.running_changed.connect(action.setDisabled)
        launches.running_changed.connect(stop.setEnabled)
        launches.broke.connect(shell.notices.show_message)
        actions.bind({"stopRunAction": launches.cancel, "listDevicesAction": launches.list_devices})

    @Slot()
    def _name_run(self) -> None:
        """Names the kernel before the launch."""
        form = self._specs.form
        run = self.tr("Run {kernel}, the kernel at the cursor, on the GPU or in the simulator")
        tip = run.format(kernel=form.title) if form is not None else self._run_tip
        self._actions.describe("runAction", tip)
