"""The content of the pipeline view: the pictures of the newest builds, and words for nodes."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot

from jitstudio.core.code import LINKED
from jitstudio.core.events import Event, StageFinished
from jitstudio.core.launch.result import LaunchResult
from jitstudio.core.plan import PlanStep
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.core.tools import Tool
from jitstudio.gui.features.pipeline.graph import (
    Node,
    NodeRole,
    NodeState,
    Pipeline,
    after_event,
    edited,
    ended,
    following,
    launched,
    launching,
    pipeline_of,
    refused,
    stopped,
    with_kernels_of,
)
from jitstudio.gui.kit.presentation import duration_text, size_text
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_CONTEXT = "Pipeline"
_STATES = {
    NodeState.GIVEN: QT_TRANSLATE_NOOP("Pipeline", "given"),
    NodeState.WAITING: QT_TRANSLATE_NOOP("Pipeline", "waiting"),
    NodeState.RUNNING: QT_TRANSLATE_NOOP("Pipeline", "running"),
    NodeState.DONE: QT_TRANSLATE_NOOP("Pipeline", "done"),
    NodeState.CACHED: QT_TRANSLATE_NOOP("Pipeline", "from the cache"),
    NodeState.STALE: QT_TRANSLATE_NOOP("Pipeline", "out of date"),
    NodeState.FAILED: QT_TRANSLATE_NOOP("Pipeline", "failed"),
    NodeState.STOPPED: QT_TRANSLATE_NOOP("Pipeline", "stopped"),
    NodeState.SKIPPED: QT_TRANSLATE_NOOP("Pipeline", "not reached"),
}
_NOT_LAUNCHED = QT_TRANSLATE_NOOP("Pipeline", "not launched")
_WHAT = {
    NodeRole.SOURCE: QT_TRANSLATE_NOOP("Pipeline", "{kind} module"),
    NodeRole.HEADER: QT_TRANSLATE_NOOP("Pipeline", "Header"),
    NodeRole.TOOL: QT_TRANSLATE_NOOP("Pipeline", "{tool} works on {module}"),
    NodeRole.LINK: QT_TRANSLATE_NOOP("Pipeline", "{tool} links the modules"),
    NodeRole.ARTIFACT: QT_TRANSLATE_NOOP("Pipeline", "{kind} of {module}, made by {tool}"),
    NodeRole.LAUNCH: QT_TRANSLATE_NOOP("Pipeline", "Launch of the kernel on the GPU"),
}
_OPENS = {
    NodeRole.SOURCE: QT_TRANSLATE_NOOP("Pipeline", "Click to edit it."),
    NodeRole.HEADER: QT_TRANSLATE_NOOP("Pipeline", "Click to edit it."),
    NodeRole.TOOL: QT_TRANSLATE_NOOP("Pipeline", "Click to read its log."),
    NodeRole.LINK: QT_TRANSLATE_NOOP("Pipeline", "Click to see the link."),
    NodeRole.ARTIFACT: QT_TRANSLATE_NOOP("Pipeline", "Click to look at it."),
    NodeRole.LAUNCH: QT_TRANSLATE_NOOP("Pipeline", "Click to set up the launch."),
}
_MEND = QT_TRANSLATE_NOOP("Pipeline", "Click to go to the first problem.")
_LINK_OF_ALL = QT_TRANSLATE_NOOP("Pipeline", "the link")
_BUILT = QT_TRANSLATE_NOOP("Pipeline", "Built in {time}")
_BUILDING = QT_TRANSLATE_NOOP("Pipeline", "Building")
_BUILD_STOPPED = QT_TRANSLATE_NOOP("Pipeline", "Build stopped")
_OUTDATED = QT_TRANSLATE_NOOP("Pipeline", "The text has changed since this build")

# What says enough by itself, so that no word for the state is next to it.
_SPEAKING = frozenset({NodeState.GIVEN, NodeState.DONE, NodeState.RUNNING})
# The states of code in which its mark says enough, so that there is room for what it is.
_PLAIN = _SPEAKING | {NodeState.CACHED, NodeState.WAITING}


def facts(node: Node, now: float) -> str:
    """Returns the second line of a node: kind, size, time and progress.

    Args:
        node: The node.
        now: The time now, for a running node.
    """
    return " · ".join(_run_facts(node, now) if node.runs else _code_facts(node))


def state_text(node: Node) -> str:
    """Returns how far a node has come."""
    if node.note and node.state is not NodeState.RUNNING:
        return node.note
    waits = node.role is NodeRole.LAUNCH and node.state is NodeState.WAITING
    return _tr(_NOT_LAUNCHED if waits else _STATES[node.state])


def description(node: Node, now: float) -> str:
    """Returns the complete description of a node: for tool tips and for screen readers."""
    what = _tr(_WHAT[node.role]).format(
        kind=node.code.title if node.code else "",
        tool=node.tool.value if node.tool else "",
        module=_tr(_LINK_OF_ALL) if node.name == LINKED else node.name,
    )
    opens = _tr(_MEND if node.state is NodeState.FAILED else _OPENS[node.role])
    lines = [node.title, what, facts(node, now)]
    if node.state not in _SPEAKING:
        lines.append(state_text(node))
    lines += [node.message, opens]
    return "\n".join(dict.fromkeys(line for line in lines if line))


def summary(pipeline: Pipeline) -> tuple[NodeState, str]:
    """Returns the progress of the whole build, with a summary in a line."""
    states = {node.state for node in pipeline.nodes if node.role is not NodeRole.LAUNCH}
    if pipeline.problem:
        return NodeState.FAILED, pipeline.problem
    if not states:
        return NodeState.GIVEN, ""
    if NodeState.STOPPED in states:
        return NodeState.STOPPED, _tr(_BUILD_STOPPED)
    if pipeline.ms is None:
        return NodeState.RUNNING, _tr(_BUILDING)
    if NodeState.STALE in states:
        return NodeState.STALE, _tr(_OUTDATED)
    return NodeState.DONE, _tr(_BUILT).format(time=duration_text(pipeline.ms))


def stages_text(pipeline: Pipeline) -> str:
    """Returns the stages of a build in a line, for example ``k.cu → NVRTC → k.ptx, k.cubin``.

    Nodes that are equally far from the sources share a place. A failure is said by its message.
    """
    if pipeline.problem:
        return ""
    depths: dict[str, int] = {}
    for node in pipeline.nodes:
        before = (depths[edge.start] for edge in pipeline.edges if edge.end == node.key)
        depths[node.key] = 1 + max(before, default=-1)
    places: dict[int, list[str]] = {}
    for node in pipeline.nodes:
        if node.role is not NodeRole.LAUNCH:
            places.setdefault(depths[node.key], []).append(node.title)
    return " → ".join(", ".join(dict.fromkeys(places[depth])) for depth in sorted(places))


def _run_facts(node: Node, now: float) -> list[str]:
    if node.state is NodeState.RUNNING:
        elapsed = [] if node.since is None else [duration_text(1000 * (now - node.since))]
        return [*elapsed, *([node.note] if node.note else [])]
    # Of a tool that crashed no time is known.
    took = [duration_text(node.ms)] if node.ms and node.state is not NodeState.STALE else []
    return took if took and node.state is NodeState.DONE else [state_text(node), *took]


def _code_facts(node: Node) -> list[str]:
    if node.state in _PLAIN:
        kind = node.code.title if node.code else ""
        return [kind] if node.size is None else [kind, size_text(node.size)]
    return [state_text(node)] if node.size is None else [state_text(node), size_text(node.size)]


def _tr(text: str) -> str:
    return QCoreApplication.translate(_CONTEXT, text)


_CALM_MS = 120
"""Milliseconds that a change in place may wait: a build quicker than this does not flicker."""

_NOTHING = Pipeline()
_NOBODY = object()


class Pipelines(QObject):
    """The pictures, distinguished by the subjects that `state.outputs` knows, too.

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
        self._request: BuildRequest | None = None
        self._launching: object = _NOBODY
        self._emitted = _NOTHING
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._calm.timeout.connect(self._emit_changed)

    @property
    def shown(self) -> Pipeline:
        """The picture of the current subject."""
        return self._pictures.get(self._subject, _NOTHING)

    @Slot(object)
    def show_subject(self, subject: object) -> None:
        """Shows the picture of a subject."""
        self._subject = subject
        self._emit_changed()

    @Slot(object)
    def forget(self, subject: object) -> None:
        """Drops the picture of a subject that is gone."""
        self._pictures.pop(subject, None)

    @Slot(object, BuildRequest, object)
    def begin(
        self, subject: object, request: BuildRequest, steps: tuple[PlanStep, ...] | None = None
    ) -> None:
        """Begins the picture of a build of `subject`; stops that of the running build."""
        self.stop()
        self._building, self._request = subject, request
        self._before = self._pictures.get(subject)
        picture = following(pipeline_of(request, steps, launch=True), self._before)
        self._put(subject, picture)

    @Slot(object)
    def take_event(self, event: Event) -> None:
        """Takes an event of the running build into the picture."""
        self._change(self._building, lambda p: after_event(p, event, time.monotonic()))
        request = self._request
        if isinstance(event, StageFinished) and event.stage.tool is Tool.PYTHON and request:
            self._change(self._building, lambda p: with_kernels_of(p, request, event))

    @Slot(object, BuildResult)
    def end(self, subject: object, result: BuildResult) -> None:
        """Takes the result of a build into the picture; a build that had not begun was refused."""
        if subject is self._building:
            self._building = _NOBODY
            self._change(subject, lambda p: ended(p, result, self._before))
        else:
            self._put(subject, refused(self._pictures.get(subject, _NOTHING), result.reason))
        self._emit_changed()

    @Slot()
    def stop(self) -> None:
        """Stops the picture of the running build, if there is one."""
        building, self._building = self._building, _NOBODY
        self._change(building, lambda p: stopped(p, self._before))

    def edit(self, name: str | None = None) -> None:
        """Marks nodes as outdated after a change that will not be built unasked.

        Args:
            name: The module or header; None for how all of them are built.
        """
        for subject in self._pictures:
            self._change(subject, lambda p: edited(p, name))

    @Slot(str)
    def launch(self, doing: str) -> None:
        """Takes the progress of a launch of the current subject into the picture."""
        if self._launching is _NOBODY:
            self._launching = self._subject
        self._change(self._launching, lambda p: launching(p, doing, time.monotonic()))

    @Slot(LaunchResult)
    def end_launch(self, result: LaunchResult) -> None:
        """Takes the result of a launch into the picture."""
        subject = self._subject if self._launching is _NOBODY else self._launching
        self._launching = _NOBODY
        self._change(subject, lambda p: launched(p, result))
        self._emit_changed()

    def _change(self, subject: object, change: Callable[[Pipeline], Pipeline]) -> None:
        if (picture := self._pictures.get(subject)) is not None:
            self._put(subject, change(picture))

    def _put(self, subject: object, picture: Pipeline) -> None:
        self._pictures[subject] = picture
        if subject != self._subject:
            return
        if picture.shape != self._emitted.shape:
            self._emit_changed()
        elif not self._calm.isActive():
            self._calm.start()

    @Slot()
    def _emit_changed(self) -> None:
        self._calm.stop()
        if self.shown != self._emitted:
            self._emitted = self.shown
            self.changed.emit(self._emitted)
