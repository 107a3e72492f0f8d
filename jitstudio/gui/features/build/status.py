"""Tells the status bar of the GPU and of the current text, and carries out its buttons."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.result import BuildResult
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.shell.status_line import StatusLine
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.outputs import Outputs


class StatusController(QObject):
    """Keeps the facts of the status bar that come neither from builds nor from editors."""

    def __init__(
        self,
        launches: LaunchController,
        documents: Documents,
        outputs: Outputs,
        settings: BuildSettings,
        status: StatusLine,
        shell: Shell,
    ) -> None:
        super().__init__(status)
        actions = shell.actions
        self._launches = launches
        self._documents = documents
        self._settings = settings
        self._status = status
        status.cancel_requested.connect(actions["cancelAction"].trigger)
        status.gpus_requested.connect(actions["listDevicesAction"].trigger)
        launches.device_changed.connect(self._on_device_changed)
        documents.current_changed.connect(self._on_document_changed)
        documents.changed.connect(self._on_document_changed)
        outputs.result_changed.connect(self._on_result_changed)
        self._on_document_changed()

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        """Name the target of what is shown: that of a file that is only read is its own."""
        self._status.show_target(result.arch if result else self._settings.arch)

    @Slot()
    def _on_device_changed(self) -> None:
        launches = self._launches
        self._status.show_devices(launches.devices, launches.device)

    @Slot()
    def _on_document_changed(self) -> None:
        current = self._documents.current
        names = (current.encoding_name, current.line_end_name) if current else ("", "")
        self._status.show_encoding(*names)
