"""Fills the welcome page at the first look, and carries out the choices there.

The findings on the machine are gathered from the workers.
"""

from __future__ import annotations

from pathlib import Path
from threading import Event

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.launch.device import DeviceList
from jitstudio.core.toolchain_info import (
    DoctorFinding,
    ToolchainInfo,
    gpu_findings,
    tool_findings,
    window_finding,
)
from jitstudio.gui.context import Context
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.welcome.view import WayIn, WelcomePage
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.kit.background import Background
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.toolchain import Toolchain
from jitstudio.help.samples import samples
from jitstudio.system.display import check_window

_STARTERS = ("newCudaAction", "newPythonAction", "newLlvmAction", "newPtxAction")
_ICON = "book"


def install(context: Context) -> None:
    """Puts the welcome page among the tabs."""
    state, shell = context.state, context.shell
    WelcomeController(
        state.preferences,
        state.toolchain,
        state.launches,
        context.editors,
        context.files,
        shell,
    )


class WelcomeController(QObject):
    """Puts the welcome page among the tabs."""

    def __init__(
        self,
        preferences: Preferences,
        toolchain: Toolchain,
        launches: LaunchController,
        editors: EditorTabs,
        files: FileCommands,
        shell: Shell,
    ) -> None:
        super().__init__(editors)
        actions = shell.actions
        self._preferences = preferences
        self._launches = launches
        self._toolchain = toolchain
        self._tabs = editors
        self._files = files
        self._actions = actions
        self._environment = Environment(self)
        self._page = WelcomePage()
        self._page.first_seen.connect(self._on_first_seen)
        editors.set_home(self._page, _ICON)
        if preferences.value("startup.welcome"):
            editors.add_home()
        actions.bind({"welcomeAction": self._on_welcome})

    @Slot()
    def _on_welcome(self) -> None:
        self._tabs.show_home()
        self._page.setFocus()

    @Slot()
    def _on_first_seen(self) -> None:
        page, launches, environment = self._page, self._launches, self._environment
        starters = [self._actions[name] for name in _STARTERS]
        page.fill(starters, self._ways(), samples())
        page.sample_chosen.connect(self._files.open_sample)
        page.path_chosen.connect(self._on_path_chosen)
        page.check_requested.connect(self._on_check_requested)
        self._files.recent_changed.connect(self._on_recent_changed)
        self._on_recent_changed()
        environment.changed.connect(self._on_environment_changed)
        self._on_environment_changed()
        self._toolchain.follow(environment.take_toolchain)
        launches.devices_changed.connect(environment.take_devices)
        if launches.devices is not None:
            environment.take_devices(launches.devices)
        else:
            launches.list_devices()
        environment.check_window()

    def _ways(self) -> tuple[WayIn, ...]:
        return (
            WayIn(
                "lessons",
                self.tr("Lessons"),
                self.tr("New to CUDA? Begin with one line. Each change is checked, without a GPU."),
                _ICON,
                self._actions["lessonsAction"].trigger,
            ),
            WayIn(
                "open",
                self.tr("Open a program, library or wheel"),
                self.tr("Sources, cubins, executables, shared libraries: its kernels are listed."),
                "open",
                self._actions["openAction"].trigger,
            ),
            WayIn(
                "simulator",
                self.tr("Step through a kernel in the simulator"),
                self.tr("Each register of each thread, forward and back, without a GPU."),
                "step-begin",
                self._on_simulator,
            ),
        )

    @Slot()
    def _on_simulator(self) -> None:
        """Steps through the kernel that is open, or through the first sample."""
        if not self._tabs.pages():
            self._files.open_sample(samples()[0])
        self._actions["stepAction"].trigger()

    @Slot()
    def _on_check_requested(self) -> None:
        self._toolchain.probe()
        self._launches.list_devices()
        self._environment.check_window()

    @Slot()
    def _on_environment_changed(self) -> None:
        self._page.show_findings(self._environment.findings)

    @Slot()
    def _on_recent_changed(self) -> None:
        self._page.show_recent(self._preferences.recent_files)

    @Slot(Path)
    def _on_path_chosen(self, path: Path) -> None:
        self._files.open_paths([path])


class Environment(QObject):
    """The findings of a doctor, in the order of the command line's.

    Signals:
        changed: Something was found out.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tools: tuple[DoctorFinding, ...] = ()
        self._gpus: tuple[DoctorFinding, ...] = (DoctorFinding("driver"),)
        self._window = DoctorFinding("window")
        self._background = Background(self)
        self._background.done.connect(self._on_window_checked)

    @property
    def findings(self) -> tuple[DoctorFinding, ...]:
        """All known findings; tools not checked yet have neither a problem nor a find."""
        return (*self._tools, *self._gpus, self._window)

    def check_window(self) -> None:
        """Checks the requirements of windows in general; a display can be slow to answer."""
        self._background.start(_checked_window)

    @Slot(ToolchainInfo)
    def take_toolchain(self, info: ToolchainInfo) -> None:
        """Takes in the findings on the tools."""
        self._tools = tuple(tool_findings(info))
        self.changed.emit()

    @Slot(DeviceList)
    def take_devices(self, devices: DeviceList) -> None:
        """Takes in the findings on the GPUs."""
        self._gpus = tuple(gpu_findings(devices))
        self.changed.emit()

    @Slot(object)
    def _on_window_checked(self, finding: DoctorFinding) -> None:
        self._window = finding
        self.changed.emit()


def _checked_window(_stop: Event) -> DoctorFinding:
    check = check_window()
    return window_finding(check.problem, check.remedy)
