"""Builds in the background of the one that the panes show, for those who ask for them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.gui.services.build_service import BuildOutput, BuildService


class SideBuild(QObject):
    """Carries out some requests one after another, once.

    Signals:
        finished: All are done, well or not; their results in the order of the requests.
        broke: The worker itself failed, in words; nothing more follows.
    """

    finished = Signal(tuple)
    broke = Signal(str)

    def __init__(
        self,
        service: BuildService,
        tag: str,
        requests: Sequence[BuildRequest],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._service = service
        self._tag = tag
        self._waiting = list(requests)
        self._results: list[BuildResult] = []

    def start(self) -> None:
        """Begin; another side build of the same tag that has not begun gives way."""
        handle = self._service.build(self._waiting.pop(0), self._tag)
        handle.finished.connect(self._on_finished)
        handle.dropped.connect(self.deleteLater)
        handle.failed.connect(self._on_failed)

    @Slot(object)
    def _on_finished(self, output: BuildOutput) -> None:
        self._results.append(output.result)
        if self._waiting:
            self.start()
        else:
            self.deleteLater()
            self.finished.emit(tuple(self._results))

    @Slot(str)
    def _on_failed(self, message: str) -> None:
        self.deleteLater()
        self.broke.emit(message)
