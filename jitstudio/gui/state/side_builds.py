"""Builds of the user's besides the open text: exports, comparisons, more SASS."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QElapsedTimer, QObject, Signal

from jitstudio.core.request import BuildRequest
from jitstudio.gui.services.build_service import BuildService
from jitstudio.gui.services.request_queue import RequestHandle


@dataclass(frozen=True, eq=False)
class SideBuild:
    """A side build, waiting or running.

    Attributes:
        doing: The action, in words for the user.
        handle: Its request.
        clock: Since when it runs.
    """

    doing: str
    handle: RequestHandle
    clock: QElapsedTimer = field(default_factory=QElapsedTimer)


class SideBuilds(QObject):
    """Runs side builds one after another, in processes that leave the cores to builds of edits.

    Args:
        service: Builds them and nothing else.

    Signals:
        changed: Another one runs now, or none.
    """

    changed = Signal()

    def __init__(self, service: BuildService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._numbers = itertools.count()
        self._all: dict[int, SideBuild] = {}

    @property
    def current(self) -> SideBuild | None:
        """The build that runs, or is about to; None where there is none."""
        return next(iter(self._all.values()), None)

    def build(self, request: BuildRequest, doing: str) -> RequestHandle:
        """Builds `request`; an unfinished build that does the same is forgotten.

        Args:
            request: The request.
            doing: The action, in words for the user.

        Returns:
            The handle; see `BuildService.build`. Its `dropped` or a cancelled result says that the
            user has cancelled it, or wanted it anew.
        """
        handle = self._service.build(request, doing)
        number = next(self._numbers)
        build = self._all[number] = SideBuild(doing, handle)
        handle.started.connect(build.clock.start)
        for end in (handle.finished, handle.failed, handle.dropped):
            end.connect(partial(self._on_ended, number))
        self.changed.emit()
        return handle

    def cancel(self) -> None:
        """Cancels the running side build."""
        if (build := self.current) is not None:
            build.handle.cancel()

    def _on_ended(self, number: int, *_answer: object) -> None:
        del self._all[number]
        self.changed.emit()
