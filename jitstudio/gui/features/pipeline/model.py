"""What the nodes of the pipeline are called, in the user's language.

Knows the `graph` and no widget.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from jitstudio.core.code import LINKED
from jitstudio.gui.features.pipeline.graph import Node, Pipeline, Role, State
from jitstudio.gui.kit.amounts import size_words, time_words
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_CONTEXT = "Pipeline"
_STATES = {
    State.GIVEN: QT_TRANSLATE_NOOP("Pipeline", "given"),
    State.WAITING: QT_TRANSLATE_NOOP("Pipeline", "waiting"),
    State.RUNNING: QT_TRANSLATE_NOOP("Pipeline", "running"),
    State.DONE: QT_TRANSLATE_NOOP("Pipeline", "done"),
    State.CACHED: QT_TRANSLATE_NOOP("Pipeline", "from the cache"),
    State.STALE: QT_TRANSLATE_NOOP("Pipeline", "out of date"),
    State.FAILED: QT_TRANSLATE_NOOP("Pipeline", "failed"),
    State.STOPPED: QT_TRANSLATE_NOOP("Pipeline", "stopped"),
    State.SKIPPED: QT_TRANSLATE_NOOP("Pipeline", "not reached"),
}
_NOT_LAUNCHED = QT_TRANSLATE_NOOP("Pipeline", "not launched")
_WHAT = {
    Role.SOURCE: QT_TRANSLATE_NOOP("Pipeline", "{kind} module"),
    Role.HEADER: QT_TRANSLATE_NOOP("Pipeline", "Header"),
    Role.TOOL: QT_TRANSLATE_NOOP("Pipeline", "{tool} works on {module}"),
    Role.LINK: QT_TRANSLATE_NOOP("Pipeline", "{tool} links the modules"),
    Role.ARTIFACT: QT_TRANSLATE_NOOP("Pipeline", "{kind} of {module}, made by {tool}"),
    Role.LAUNCH: QT_TRANSLATE_NOOP("Pipeline", "Launch of the kernel on the GPU"),
}
_OPENS = {
    Role.SOURCE: QT_TRANSLATE_NOOP("Pipeline", "Click to edit it."),
    Role.HEADER: QT_TRANSLATE_NOOP("Pipeline", "Click to edit it."),
    Role.TOOL: QT_TRANSLATE_NOOP("Pipeline", "Click to read its log."),
    Role.LINK: QT_TRANSLATE_NOOP("Pipeline", "Click to see the link."),
    Role.ARTIFACT: QT_TRANSLATE_NOOP("Pipeline", "Click to look at it."),
    Role.LAUNCH: QT_TRANSLATE_NOOP("Pipeline", "Click to set up the launch."),
}
_MEND = QT_TRANSLATE_NOOP("Pipeline", "Click to go to the first problem.")
_LINK_OF_ALL = QT_TRANSLATE_NOOP("Pipeline", "the link")
_BUILT = QT_TRANSLATE_NOOP("Pipeline", "Built in {time}")
_BUILDING = QT_TRANSLATE_NOOP("Pipeline", "Building")
_BUILD_STOPPED = QT_TRANSLATE_NOOP("Pipeline", "Build stopped")
_OUTDATED = QT_TRANSLATE_NOOP("Pipeline", "The text has changed since this build")

# What says enough by itself, so that no word for the state stands beside it.
_SPEAKING = frozenset({State.GIVEN, State.DONE, State.RUNNING})
# The states of code in which its mark says enough, so that there is room for what it is.
_PLAIN = _SPEAKING | {State.CACHED, State.WAITING}


def facts(node: Node, now: float) -> str:
    """The second line of a node: kind, size, time, and how far it has come.

    Args:
        node: The node.
        now: The time now, for what is running.
    """
    return " · ".join(_run_facts(node, now) if node.runs else _code_facts(node))


def state_words(node: Node) -> str:
    """How far a node has come."""
    if node.note and node.state is not State.RUNNING:
        return node.note
    waits = node.role is Role.LAUNCH and node.state is State.WAITING
    return _tr(_NOT_LAUNCHED if waits else _STATES[node.state])


def description(node: Node, now: float) -> str:
    """All there is to say about a node: for its tool tip, and for those who hear it."""
    what = _tr(_WHAT[node.role]).format(
        kind=node.code.title if node.code else "",
        tool=node.tool.value if node.tool else "",
        module=_tr(_LINK_OF_ALL) if node.name == LINKED else node.name,
    )
    opens = _tr(_MEND if node.state is State.FAILED else _OPENS[node.role])
    told = [node.title, what, facts(node, now)]
    if node.state not in _SPEAKING:
        told.append(state_words(node))
    told += [node.message, opens]
    return "\n".join(dict.fromkeys(line for line in told if line))


def summary(pipeline: Pipeline) -> tuple[State, str]:
    """How far the whole build has come, and that in one line."""
    states = {node.state for node in pipeline.nodes if node.role is not Role.LAUNCH}
    if pipeline.problem:
        return State.FAILED, pipeline.problem
    if not states:
        return State.GIVEN, ""
    if State.STOPPED in states:
        return State.STOPPED, _tr(_BUILD_STOPPED)
    if pipeline.ms is None:
        return State.RUNNING, _tr(_BUILDING)
    if State.STALE in states:
        return State.STALE, _tr(_OUTDATED)
    return State.DONE, _tr(_BUILT).format(time=time_words(pipeline.ms))


def _run_facts(node: Node, now: float) -> list[str]:
    if node.state is State.RUNNING:
        elapsed = [] if node.since is None else [time_words(1000 * (now - node.since))]
        return [*elapsed, *([node.note] if node.note else [])]
    # Of a tool that crashed no time is known.
    took = [time_words(node.ms)] if node.ms and node.state is not State.STALE else []
    return took if took and node.state is State.DONE else [state_words(node), *took]


def _code_facts(node: Node) -> list[str]:
    if node.state in _PLAIN:
        kind = node.code.title if node.code else ""
        return [kind] if node.size is None else [kind, size_words(node.size)]
    return [state_words(node)] if node.size is None else [state_words(node), size_words(node.size)]


def _tr(text: str) -> str:
    return QCoreApplication.translate(_CONTEXT, text)
