"""What the pipeline view shows: of each subject the picture of its newest build and launch."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from jitstudio.core.events import Event
from jitstudio.core.launch.result import LaunchResult
from jitstudio.core.plan import Step
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.gui.features.pipeline.graph import Pipeline, pipeline_of
from jitstudio.gui.features.pipeline.progress import (
    edited,
    ended,
    following,
    launched,
    launching,
    refused,
    stopped,
    told,
)

_CALM_MS = 120
"""Milliseconds that a change in place may wait: a build quicker than this does not flicker."""

_NOTHING = Pipeline()
_NOBODY = object()


class Pipelines(QObject):
    """The pictures, told apart by the subjects that `state.outputs` knows, too.

    Signals:
        changed: The picture that is looked at is another one now.
    """

    changed = Signal(Pipeline)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures: dict[object, Pipeline] = {}
        self._before: Pipeline | None = None
        self._subject: object = None
        self._building: object = _NOBODY
        self._launching: object = _NOBODY
        self._told = _NOTHING
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._calm.timeout.connect(self._tell)

    @property
    def shown(self) -> Pipeline:
        """The picture of what is looked at."""
        return self._pictures.get(self._subject, _NOTHING)

    @Slot(object)
    def show_subject(self, subject: object) -> None:
        """Look at the picture of this subject."""
        self._subject = subject
        self._tell()

    @Slot(object)
    def forget(self, subject: object) -> None:
        """The subject is gone; its picture may go too."""
        self._pictures.pop(subject, None)

    @Slot(object, BuildRequest, object)
    def begin(
        self, subject: object, request: BuildRequest, steps: tuple[Step, ...] | None = None
    ) -> None:
        """A build of this subject is on its way; one that was is forgotten."""
        self.stop()
        self._building = subject
        self._before = self._pictures.get(subject)
        picture = following(pipeline_of(request, steps, launch=True), self._before)
        self._put(subject, picture)

    @Slot(object)
    def tell(self, event: Event) -> None:
        """Something has happened in the build that is on its way."""
        self._change(self._building, lambda p: told(p, event, time.monotonic()))

    @Slot(object, BuildResult)
    def end(self, subject: object, result: BuildResult) -> None:
        """The build of this subject came to this; one that had not begun was refused."""
        if subject is self._building:
            self._building = _NOBODY
            self._change(subject, lambda p: ended(p, result, self._before))
        else:
            self._put(subject, refused(self._pictures.get(subject, _NOTHING), result.reason))
        self._tell()

    @Slot()
    def stop(self) -> None:
        """The build on its way, if there is one, comes to nothing."""
        building, self._building = self._building, _NOBODY
        self._change(building, lambda p: stopped(p, self._before))

    def edit(self, name: str | None = None) -> None:
        """Something was changed, and will not be built before the user asks for it.

        Args:
            name: The module or header; None for how all of them are built.
        """
        for subject in self._pictures:
            self._change(subject, lambda p: edited(p, name))

    @Slot(str)
    def launch(self, doing: str) -> None:
        """A launch of what is looked at is on its way, and does this now."""
        if self._launching is _NOBODY:
            self._launching = self._subject
        self._change(self._launching, lambda p: launching(p, doing, time.monotonic()))

    @Slot(LaunchResult)
    def end_launch(self, result: LaunchResult) -> None:
        """The launch came to this."""
        subject = self._subject if self._launching is _NOBODY else self._launching
        self._launching = _NOBODY
        self._change(subject, lambda p: launched(p, result))
        self._tell()

    def _change(self, subject: object, change: Callable[[Pipeline], Pipeline]) -> None:
        if (picture := self._pictures.get(subject)) is not None:
            self._put(subject, change(picture))

    def _put(self, subject: object, picture: Pipeline) -> None:
        self._pictures[subject] = picture
        if subject != self._subject:
            return
        if picture.shape != self._told.shape:
            self._tell()
        elif not self._calm.isActive():
            self._calm.start()

    @Slot()
    def _tell(self) -> None:
        self._calm.stop()
        if self.shown != self._told:
            self._told = self.shown
            self.changed.emit(self._told)
