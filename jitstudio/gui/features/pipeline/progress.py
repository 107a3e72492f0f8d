"""What happens in a build, and to its launch, as changes of its picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.events import Event, Problem, StageFinished, StageStarted
from jitstudio.core.launch.result import LaunchOutcome, LaunchResult
from jitstudio.core.result import BuildResult
from jitstudio.gui.features.pipeline.graph import HELD, Node, Pipeline, Role, State


def told(pipeline: Pipeline, event: Event, now: float | None = None) -> Pipeline:
    """The picture after something has happened in the build.

    Args:
        pipeline: The picture so far.
        event: What has happened.
        now: When that was, for what begins to run.
    """
    match event:
        case StageStarted():
            return pipeline.changed(lambda node: _started(node, event, now))
        case StageFinished():
            return pipeline.changed(lambda node: _finished(node, event))
        case Problem():
            return pipeline.changed(lambda node: _hindered(node, event))
        case _:
            return pipeline


def ended(pipeline: Pipeline, result: BuildResult, before: Pipeline | None = None) -> Pipeline:
    """The picture after the end of the build.

    Args:
        pipeline: The picture so far.
        result: What the build came to.
        before: The picture of the build before it: what was made then and not now is stale.
    """
    if result.ok:
        return replace(pipeline, ms=result.total_ms)
    closed = stopped(pipeline, before).changed(lambda node: _explained(node, result))
    return replace(closed, problem=closed.problem or result.reason, ms=result.total_ms)


def stopped(pipeline: Pipeline, before: Pipeline | None = None) -> Pipeline:
    """The picture of a build that goes no further."""
    return pipeline.changed(lambda node: _closed(node, before))


def following(pipeline: Pipeline, before: Pipeline | None) -> Pipeline:
    """The picture of a build that begins: the launch before it was one of older code."""
    if before is None:
        return pipeline

    def kept(node: Node) -> Node:
        old = before.node(node.key)
        return _aged(old) if old is not None and node.role is Role.LAUNCH else node

    return pipeline.changed(kept)


def edited(pipeline: Pipeline, name: str | None = None) -> Pipeline:
    """The picture after something was changed, and before it is built again.

    Args:
        pipeline: The picture of the last build.
        name: The module or header that is another now; None for how all of them are built.
    """
    given = {node.key for node in pipeline.nodes if node.state is State.GIVEN}
    if name is not None:
        given = {key for key in given if (node := pipeline.node(key)) and node.name == name}
    touched = pipeline.downstream(given)
    return pipeline.changed(lambda node: _aged(node) if node.key in touched else node)


def refused(pipeline: Pipeline, reason: str) -> Pipeline:
    """The picture of the last build where a newer one could not even begin."""
    return replace(pipeline.changed(_aged), problem=reason, ms=None)


def launching(pipeline: Pipeline, doing: str, now: float | None = None) -> Pipeline:
    """The picture while a launch is on its way.

    Args:
        pipeline: The picture so far.
        doing: What it does now, in words.
        now: The time now, for a launch that begins.
    """

    def changed(node: Node) -> Node:
        since = node.since if node.state is State.RUNNING else now
        return replace(node, state=State.RUNNING, note=doing, since=since, ms=None, message="")

    return _launch(pipeline, changed)


def launched(pipeline: Pipeline, result: LaunchResult) -> Pipeline:
    """The picture after a launch."""
    state, note = _LAUNCHES[result.outcome]
    ms = result.timing.median if result.timing else None
    message = "" if result.ok else result.reason
    return _launch(
        pipeline,
        lambda node: replace(node, state=state, note=note, since=None, ms=ms, message=message),
    )


_LAUNCHES = {
    LaunchOutcome.RAN: (State.DONE, ""),
    LaunchOutcome.WRONG: (State.FAILED, "wrong result"),
    LaunchOutcome.FAILED: (State.FAILED, ""),
    LaunchOutcome.REFUSED: (State.FAILED, "cannot be launched"),
    LaunchOutcome.MISSING: (State.SKIPPED, "no GPU"),
    LaunchOutcome.CRASHED: (State.FAILED, "crashed"),
    LaunchOutcome.TIMED_OUT: (State.FAILED, "time limit"),
    LaunchOutcome.CANCELLED: (State.STOPPED, ""),
}


def _launch(pipeline: Pipeline, change: Callable[[Node], Node]) -> Pipeline:
    return pipeline.changed(lambda node: change(node) if node.role is Role.LAUNCH else node)


def _started(node: Node, event: StageStarted, now: float | None) -> Node:
    if not _is_run(node, event.step):
        return node
    return replace(node, state=State.RUNNING, since=now)


def _is_run(node: Node, step: int) -> bool:
    return node.step == step and node.role in (Role.TOOL, Role.LINK)


def _finished(node: Node, event: StageFinished) -> Node:
    if node.step != event.step:
        return node
    stage = event.stage
    good = State.CACHED if stage.cached else State.DONE
    if node.role is Role.ARTIFACT:
        made = next((a for a in event.artifacts if a.kind is node.code), None)
        if made is not None:
            return replace(node, state=good, size=len(made.content))
        # A file that is read may hold machine code without PTX.
        return replace(node, state=State.SKIPPED) if stage.ok else node
    return replace(
        node,
        state=good if stage.ok else State.FAILED,
        ms=None if stage.cached else stage.ms,
        since=None,
        note=stage.crash.signal if stage.crash else "",
        message=_first_line(event.diagnostics),
    )


def _hindered(node: Node, event: Problem) -> Node:
    about = event.diagnostic.file
    blamed = _is_run(node, event.step) if event.step else bool(about) and node.name == about
    if not blamed or (not event.step and node.step):
        return node
    told_first = _first_line((event.diagnostic,))
    return replace(node, state=State.FAILED, since=None, message=told_first)


def _first_line(diagnostics: Iterable[Diagnostic]) -> str:
    errors = (d.message for d in diagnostics if d.severity is Severity.ERROR)
    return next(errors, "").strip().partition("\n")[0]


_CLOSED = {State.RUNNING: State.STOPPED, State.WAITING: State.SKIPPED}


def _closed(node: Node, before: Pipeline | None) -> Node:
    own_pace = node.role is Role.LAUNCH and node.state is State.RUNNING
    if own_pace or node.state not in _CLOSED:
        return node
    old = before.node(node.key) if before is not None else None
    if node.role is Role.ARTIFACT and old is not None and old.state in HELD:
        return replace(old, step=node.step, state=State.STALE)
    return replace(node, state=_CLOSED[node.state], since=None)


def _explained(node: Node, result: BuildResult) -> Node:
    """A failed run with the first thing that its tool complained about."""
    if node.state is not State.FAILED or node.message or node.role is Role.LAUNCH:
        return node
    told = [d for d in result.diagnostics if d.tool is node.tool]
    own = [d for d in told if d.file == node.name]
    return replace(node, message=_first_line(own) or _first_line(told) or result.reason)


def _aged(node: Node) -> Node:
    return replace(node, state=State.STALE) if node.state in HELD else node
