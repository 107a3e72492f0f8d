"""The tools that are installed, as the worker finds them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.toolchain_info import ToolchainInfo
from jitstudio.gui.services.build_service import BuildService


class Toolchain(QObject):
    """Asks the worker for the tools, and keeps its last answer.

    Args:
        service: Asks the worker.

    Attributes:
        info: The tools; None until the worker has answered.

    Signals:
        found: The worker has answered.
    """

    found = Signal(ToolchainInfo)

    def __init__(self, service: BuildService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self.info: ToolchainInfo | None = None

    def follow(self, slot: Callable[[ToolchainInfo], object]) -> None:
        """Calls this at each answer from now on, and at once if there has been one."""
        if self.info is not None:
            slot(self.info)
        self.found.connect(slot)

    @Slot()
    def probe(self) -> None:
        """Finds out which tools are here; also starts the worker before it is needed."""
        self._service.probe().finished.connect(self._on_probed)

    @Slot(object)
    def _on_probed(self, info: ToolchainInfo) -> None:
        self.info = info
        self.found.emit(info)
