"""Everything that a window shows and none of how: state, studio and worker, tied together."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Signal, Slot

from jitstudio.core.tools import ToolchainInfo
from jitstudio.gui.launch_service import LaunchService
from jitstudio.gui.launch_studio import LaunchStudio
from jitstudio.gui.service import BuildService
from jitstudio.gui.serving import close_all
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.session import Session
from jitstudio.gui.state.sweep_drafts import SweepDrafts
from jitstudio.gui.studio import Studio
from jitstudio.gui.sweep_service import SweepService


class Workspace(QObject):
    """Owns the state of one window, from its start to its end.

    Args:
        store: Where preferences are kept.
        session_folder: Where unsaved text is kept.

    Attributes:
        toolchain: The tools that are here; None until the worker has told.

    Signals:
        toolchain_found: The worker has told which tools are here.
    """

    toolchain_found = Signal(ToolchainInfo)

    def __init__(
        self, store: QSettings, session_folder: Path, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.toolchain: ToolchainInfo | None = None
        self.preferences = Preferences(store)
        self.documents = Documents(self)
        self.settings = BuildSettings(self)
        self.outputs = Outputs(self)
        self.service = BuildService(self)
        self.studio = Studio(self.documents, self.settings, self.outputs, self.service, parent=self)
        self.launch_specs = LaunchSpecs(self)
        self.launch_service = LaunchService(self)
        self.launches = LaunchStudio(
            self.studio,
            self.outputs,
            self.launch_specs,
            self.launch_service,
            self.preferences,
            parent=self,
        )
        self.sweep_drafts = SweepDrafts()
        self.sweep_service = SweepService(self)
        self.session = Session(
            session_folder, self.documents, self.settings, self.launch_specs, self
        )
        self.service.probe_finished.connect(self._on_probe_finished)
        self.service.probe()

    def close(self) -> None:
        """Keep the session and end the workers."""
        self.session.close()
        close_all((self.sweep_service, self.launch_service, self.service))

    @Slot(ToolchainInfo)
    def _on_probe_finished(self, info: ToolchainInfo) -> None:
        self.toolchain = info
        self.toolchain_found.emit(info)
