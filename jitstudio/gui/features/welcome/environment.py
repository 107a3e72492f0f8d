"""What this machine has and lacks: gathered from the workers, asked for when it is looked at."""

from __future__ import annotations

from threading import Event

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.doctor_text import DoctorFinding, gpu_findings, tool_findings, window_finding
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.toolchain_info import ToolchainInfo
from jitstudio.display import check_window
from jitstudio.gui.kit.background import Background


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
        """All that is known; what has not been looked for has neither a problem nor a find."""
        return (*self._tools, *self._gpus, self._window)

    def check_window(self) -> None:
        """Looks for what other windows than this one may need; a display can be slow to answer."""
        self._background.start(_checked_window)

    @Slot(ToolchainInfo)
    def take_toolchain(self, info: ToolchainInfo) -> None:
        """The tools are these."""
        self._tools = tuple(tool_findings(info))
        self.changed.emit()

    @Slot(DeviceList)
    def take_devices(self, devices: DeviceList) -> None:
        """The GPUs are these."""
        self._gpus = tuple(gpu_findings(devices))
        self.changed.emit()

    @Slot(object)
    def _on_window_checked(self, finding: DoctorFinding) -> None:
        self._window = finding
        self.changed.emit()


def _checked_window(_stop: Event) -> DoctorFinding:
    check = check_window()
    return window_finding(check.problem, check.remedy)
