"""Builds beside the one the panes show: their results go to whoever asked for them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.gui.services.build_service import BuildService, Listing


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
        self._ticket: int | None = None
        service.build_finished.connect(self._on_finished)
        service.build_dropped.connect(self._on_dropped)
        service.broke.connect(self._on_broke)

    def start(self) -> None:
        """Begin; another side build of the same tag that has not begun gives way."""
        self._ticket = self._service.build(self._waiting.pop(0), self._tag)

    def _end(self) -> None:
        self._ticket = None
        self._service.disconnect(self)
        self.deleteLater()

    @Slot(int, BuildResult, tuple)
    def _on_finished(self, ticket: int, result: BuildResult, _made: tuple[Listing, ...]) -> None:
        if ticket != self._ticket:
            return
        self._results.append(result)
        if self._waiting:
            self.start()
        else:
            self._end()
            self.finished.emit(tuple(self._results))

    @Slot(int)
    def _on_dropped(self, ticket: int) -> None:
        if ticket == self._ticket:
            self._end()

    @Slot(int, str)
    def _on_broke(self, ticket: int, message: str) -> None:
        if ticket == self._ticket:
            self._end()
            self.broke.emit(message)
