"""The tools that are installed, as the worker found them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.tools import ToolchainInfo


class Toolchain(QObject):
    """Holds the last answer of the worker.

    Attributes:
        info: The tools; None until the worker has answered.

    Signals:
        found: The worker has answered.
    """

    found = Signal(ToolchainInfo)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.info: ToolchainInfo | None = None

    def follow(self, slot: Callable[[ToolchainInfo], object]) -> None:
        """Calls this at each answer from now on, and at once if there has been one."""
        if self.info is not None:
            slot(self.info)
        self.found.connect(slot)

    @Slot(ToolchainInfo)
    def set_info(self, info: ToolchainInfo) -> None:
        """Takes an answer."""
        self.info = info
        self.found.emit(info)
