"""The picture of a build: sources, runs of tools, artifacts, and the progress of each.

Values only: `pipeline_of` draws a request before the build begins, `progress` folds events,
`lay_out` places the nodes: in columns by depth, and in rows so that few edges cross.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from jitstudio.analysis.diagrams.layers import columns, layered
from jitstudio.core.code import LINKED, Artifact, CodeKind, Header, Source
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.events import Event, Problem, StageFinished, StageStarted
from jitstudio.core.launch.result import LaunchOutcome, LaunchResult
from jitstudio.core.plan import PlanError, PlanStep, Ref, plan, script_steps
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.core.scripts import with_kernels
from jitstudio.core.tools import CUDA_COMPILERS, Tool


class NodeRole(Enum):
    """The role of a node in a build."""

    SOURCE = "source"
    HEADER = "header"
    TOOL = "tool"
    LINK = "link"
    ARTIFACT = "artifact"
    LAUNCH = "launch"


class NodeState(Enum):
    """The progress of a node; the value is the word for the state.

    `GIVEN`: a source, which nothing has to make. `STALE`: good, but of an earlier text.
    """

    GIVEN = "given"
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    CACHED = "from the cache"
    STALE = "out of date"
    FAILED = "failed"
    STOPPED = "stopped"
    SKIPPED = "not reached"


HELD = frozenset({NodeState.DONE, NodeState.CACHED, NodeState.STALE})
"""The states in which there is something to look at."""


@dataclass(frozen=True)
class Node:
    """A node of the picture: a source, a run of a tool, an artifact or the launch.

    Attributes:
        key: The identity, also in the next build of the same shape.
        role: The role in the build.
        name: The module it is about, or `core.code.LINKED`; empty for the launch.
        title: The title.
        code: The kind of code in the node; None for runs.
        tool: The tool that runs, or that makes it; None where none does.
        step: The number of the step in the plan that the node belongs to, from 1; 0 for sources.
        state: How far it has come.
        ms: Milliseconds it took; None where that is not known.
        since: When it began to run, by the clock of the sender; None unless it runs.
        size: Bytes it holds; None where that is not known.
        note: Words that complete the state, such as ``no GPU``.
        message: The first error; empty where there is none.
    """

    key: str
    role: NodeRole
    name: str
    title: str
    code: CodeKind | None = None
    tool: Tool | None = None
    step: int = 0
    state: NodeState = NodeState.WAITING
    ms: float | None = None
    since: float | None = None
    size: int | None = None
    note: str = ""
    message: str = ""

    @property
    def runs(self) -> bool:
        """Whether the node is a run of a tool or a launch, and not code."""
        return self.role in (NodeRole.TOOL, NodeRole.LINK, NodeRole.LAUNCH)


@dataclass(frozen=True)
class PipelineEdge:
    """The flow from a node into another, by their keys."""

    start: str
    end: str


@dataclass(frozen=True)
class Pipeline:
    """A build as a graph; every node comes after all nodes that lead there.

    Attributes:
        nodes: The stations.
        edges: The flow between the stations.
        problem: Why it cannot be built, or was not, a sentence; empty where nothing is wrong.
        ms: Milliseconds from the request to the result; None before the end.
    """

    nodes: tuple[Node, ...] = ()
    edges: tuple[PipelineEdge, ...] = ()
    problem: str = ""
    ms: float | None = None

    @cached_property
    def _by_key(self) -> dict[str, Node]:
        return {node.key: node for node in self.nodes}

    @cached_property
    def _inputs(self) -> dict[str, tuple[str, ...]]:
        inputs: dict[str, tuple[str, ...]] = {}
        for edge in self.edges:
            inputs[edge.end] = (*inputs.get(edge.end, ()), edge.start)
        return inputs

    @property
    def shape(self) -> tuple[tuple[str, ...], tuple[PipelineEdge, ...]]:
        """The keys and edges: builds of equal shape have nodes in the same places."""
        return tuple(node.key for node in self.nodes), self.edges

    def node(self, key: str) -> Node | None:
        """Returns the node with a key, or None."""
        return self._by_key.get(key)

    def of_role(self, role: NodeRole) -> tuple[Node, ...]:
        """Returns all nodes with a role."""
        return tuple(node for node in self.nodes if node.role is role)

    def before(self, key: str) -> tuple[str, ...]:
        """Returns the keys of the nodes that lead into this node."""
        return self._inputs.get(key, ())

    def downstream(self, keys: Iterable[str]) -> frozenset[str]:
        """Returns the keys of all nodes that depend on `keys`, without `keys`."""
        start = frozenset(keys)
        reached = set(start)
        for node in self.nodes:
            if not reached.isdisjoint(self.before(node.key)):
                reached.add(node.key)
        return frozenset(reached - start)

    def changed(self, change: Callable[[Node], Node]) -> Pipeline:
        """Returns the picture with `change` applied to each node."""
        return replace(self, nodes=tuple(map(change, self.nodes)))


LAUNCH = "launch"
"""The key of the launch."""

# What a launch takes, the best first.
_LAUNCHED = (CodeKind.CUBIN, CodeKind.PTX)


def pipeline_of(
    request: BuildRequest, steps: tuple[PlanStep, ...] | None = None, *, launch: bool = False
) -> Pipeline:
    """Returns the picture of a build before the build begins.

    Args:
        request: The request.
        steps: The plan of it, if somebody has made it already.
        launch: Whether the code can be launched, too.
    """
    inputs = tuple(_input_nodes(request))
    try:
        steps = plan(request) if steps is None else steps
    except PlanError as error:
        return Pipeline(tuple(node for node, _ in inputs), problem=str(error))
    nodes = [node for node, _ in inputs]
    edges: list[PipelineEdge] = []
    for number, step in enumerate(steps, 1):
        run = _run(number, step)
        artifacts = [_artifact(number, step, kind) for kind in step.makes]
        nodes += [run, *artifacts]
        edges += [PipelineEdge(_key(ref), run.key) for ref in step.inputs]
        edges += [
            PipelineEdge(node.key, run.key) for node, readers in inputs if _reads(step, readers)
        ]
        edges += [PipelineEdge(run.key, node.key) for node in artifacts]
    if launch and (code := tuple(_launched(nodes))):
        nodes.append(Node(LAUNCH, NodeRole.LAUNCH, "", "Launch"))
        edges += [PipelineEdge(node.key, LAUNCH) for node in code]
    # A header that no step reads takes no part in the build.
    joined = {edge.start for edge in edges}
    shown = (node for node in nodes if node.role is not NodeRole.HEADER or node.key in joined)
    return Pipeline(tuple(shown), tuple(edges))


def _key(ref: Ref) -> str:
    return f"{ref.kind.value}:{ref.name}"


def _input_nodes(request: BuildRequest) -> Iterator[tuple[Node, frozenset[str]]]:
    """Yields the source nodes; headers and libraries with the modules that read each."""
    for source in request.sources:
        yield _source(source), frozenset()
    for library in request.libraries:
        readers = (s.name for s in request.sources if s.kind is CodeKind.LLVM_IR)
        yield _source(library), frozenset(readers)
    for header in request.headers:
        key = _key(Ref(CodeKind.HEADER, header.name))
        node = Node(key, NodeRole.HEADER, header.name, header.name, CodeKind.HEADER)
        size = len(header.content)
        yield replace(node, state=NodeState.GIVEN, size=size), _readers(header, request)


def _source(source: Source) -> Node:
    key = _key(Ref(source.kind, source.name))
    node = Node(key, NodeRole.SOURCE, source.name, source.name, source.kind)
    return replace(node, state=NodeState.GIVEN, size=len(source.content))


def _readers(header: Header, request: BuildRequest) -> frozenset[str]:
    """Returns the modules that include a header, directly or through other headers.

    A name in a comment counts, too: looking is a matter of microseconds, parsing is not.
    """
    names = {header.name}
    while True:
        through = {h.name for h in request.headers if _mentions(h.content, names)}
        if through <= names:
            break
        names |= through
    texts = (s for s in request.sources if s.kind is CodeKind.CUDA)
    return frozenset(s.name for s in texts if _mentions(s.content, names))


def _mentions(content: bytes, names: set[str]) -> bool:
    return any(name.encode() in content for name in names)


def _reads(step: PlanStep, readers: frozenset[str]) -> bool:
    compiles = step.tool in (*CUDA_COMPILERS, Tool.NVVM)
    return compiles and any(ref.name in readers for ref in step.inputs)


def _run(number: int, step: PlanStep) -> Node:
    linked = step.name == LINKED and step.tool is Tool.NVJITLINK
    key = f"{step.tool.value}:{step.name}:{'+'.join(kind.value for kind in step.makes)}"
    role = NodeRole.LINK if linked else NodeRole.TOOL
    return Node(key, role, step.name, step.tool.value, tool=step.tool, step=number)


def _artifact(number: int, step: PlanStep, kind: CodeKind) -> Node:
    key = _key(Ref(kind, step.name))
    title = Artifact(kind, step.name, b"").file_name
    return Node(key, NodeRole.ARTIFACT, step.name, title, kind, step.tool, number)


def _launched(nodes: list[Node]) -> Iterator[Node]:
    """Yields the code that a launch takes: the linked code, or the code of each module."""
    artifacts = [node for node in nodes if node.role is NodeRole.ARTIFACT]
    linked = [node for node in artifacts if node.name == LINKED]
    for kind in _LAUNCHED:
        of_kind = [node for node in linked or artifacts if node.code is kind]
        if of_kind:
            yield from of_kind
            return


def after_event(pipeline: Pipeline, event: Event, now: float | None = None) -> Pipeline:
    """Returns the picture after something has happened in the build.

    Args:
        pipeline: The picture so far.
        event: The event.
        now: The time of the event, for a run that begins.
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


def with_kernels_of(pipeline: Pipeline, request: BuildRequest, event: StageFinished) -> Pipeline:
    """Returns the picture after a script has ended, with the nodes of each kernel.

    Args:
        pipeline: The picture with the end of the script.
        request: The request of the build.
        event: The end of the script.
    """
    kernels = tuple(Source(a.name, a.kind, a.content) for a in event.artifacts)
    run = next((node for node in pipeline.nodes if _is_run(node, event.step)), None)
    if run is None or not 0 < len(kernels) <= _MOST_KERNELS:
        return pipeline
    later = with_kernels(request, {event.stage.source: kernels})
    own = {source.name for source in request.sources}
    whole = pipeline_of(later, (*script_steps(plan(request)), *plan(later)), launch=True)
    unknown = _key(Ref(CodeKind.CAPTURED, run.name))
    edges = [edge for edge in whole.edges if unknown not in (edge.start, edge.end)]
    # Each after those that it comes of.
    nodes = [*(node for node in pipeline.nodes if node.role is NodeRole.SOURCE), run]
    rest = []
    for node in whole.nodes:
        if node.role is NodeRole.SOURCE and node.name not in own:
            kernel_node = replace(
                node, role=NodeRole.ARTIFACT, state=NodeState.DONE, step=event.step
            )
            nodes.append(kernel_node)
            edges.append(PipelineEdge(run.key, node.key))
        elif node.role is not NodeRole.SOURCE and node.key not in (unknown, run.key):
            rest.append(pipeline.node(node.key) or node)
    nodes += rest
    return replace(whole, nodes=tuple(nodes), edges=tuple(edges))


# More would be too small to be read.
_MOST_KERNELS = 40


def ended(pipeline: Pipeline, result: BuildResult, before: Pipeline | None = None) -> Pipeline:
    """Returns the picture after the end of the build.

    Args:
        pipeline: The picture so far.
        result: The result of the build.
        before: The picture of the build before: artifacts made then and not now are stale.
    """
    if result.ok:
        return replace(pipeline, ms=result.total_ms)
    closed = stopped(pipeline, before).changed(lambda node: _explained(node, result))
    return replace(closed, problem=closed.problem or result.reason, ms=result.total_ms)


def stopped(pipeline: Pipeline, before: Pipeline | None = None) -> Pipeline:
    """Returns the picture of a build that goes no further."""
    return pipeline.changed(lambda node: _closed(node, before))


def following(pipeline: Pipeline, before: Pipeline | None) -> Pipeline:
    """Returns the picture of a build that begins: an earlier launch was of older code."""
    if before is None:
        return pipeline

    def aged_launch(node: Node) -> Node:
        old = before.node(node.key) if node.role is NodeRole.LAUNCH else None
        # That the build before has failed says nothing about this one.
        return node if old is None or old.state is NodeState.SKIPPED else _aged(old)

    return pipeline.changed(aged_launch)


def edited(pipeline: Pipeline, name: str | None = None) -> Pipeline:
    """Returns the picture after an edit, before the next build.

    Args:
        pipeline: The picture of the last build.
        name: The module or header that is another now; None for how all of them are built.
    """
    sources = {node.key for node in pipeline.nodes if node.state is NodeState.GIVEN}
    if name is not None:
        sources = {key for key in sources if (node := pipeline.node(key)) and node.name == name}
    touched = pipeline.downstream(sources)
    return pipeline.changed(lambda node: _aged(node) if node.key in touched else node)


def refused(pipeline: Pipeline, reason: str) -> Pipeline:
    """Returns the picture of the last build where a newer build could not even begin."""
    return replace(pipeline.changed(_aged), problem=reason, ms=None)


def launching(pipeline: Pipeline, doing: str, now: float | None = None) -> Pipeline:
    """Returns the picture while a launch is running.

    Args:
        pipeline: The picture so far.
        doing: The present step of the launch.
        now: The time now, for a launch that begins.
    """

    def changed(node: Node) -> Node:
        since = node.since if node.state is NodeState.RUNNING else now
        return replace(node, state=NodeState.RUNNING, note=doing, since=since, ms=None, message="")

    return _launch(pipeline, changed)


def launched(pipeline: Pipeline, result: LaunchResult) -> Pipeline:
    """Returns the picture after a launch."""
    state, note = _LAUNCHES[result.outcome]
    ms = result.timing.median if result.timing else None
    message = "" if result.ok else result.reason
    return _launch(
        pipeline,
        lambda node: replace(node, state=state, note=note, since=None, ms=ms, message=message),
    )


_LAUNCHES = {
    LaunchOutcome.RAN: (NodeState.DONE, ""),
    LaunchOutcome.WRONG: (NodeState.FAILED, "wrong result"),
    LaunchOutcome.FAILED: (NodeState.FAILED, ""),
    LaunchOutcome.REFUSED: (NodeState.FAILED, "cannot be launched"),
    LaunchOutcome.MISSING: (NodeState.SKIPPED, "no GPU"),
    LaunchOutcome.CRASHED: (NodeState.FAILED, "crashed"),
    LaunchOutcome.TIMED_OUT: (NodeState.FAILED, "time limit"),
    LaunchOutcome.CANCELLED: (NodeState.STOPPED, ""),
}


def _launch(pipeline: Pipeline, change: Callable[[Node], Node]) -> Pipeline:
    return pipeline.changed(lambda node: change(node) if node.role is NodeRole.LAUNCH else node)


def _started(node: Node, event: StageStarted, now: float | None) -> Node:
    if not _is_run(node, event.step):
        return node
    return replace(node, state=NodeState.RUNNING, since=now)


def _is_run(node: Node, step: int) -> bool:
    return node.step == step and node.role in (NodeRole.TOOL, NodeRole.LINK)


def _finished(node: Node, event: StageFinished) -> Node:
    if node.step != event.step:
        return node
    stage = event.stage
    good = NodeState.CACHED if stage.cached else NodeState.DONE
    if node.role is NodeRole.ARTIFACT:
        artifact = next((a for a in event.artifacts if a.kind is node.code), None)
        if artifact is not None:
            return replace(node, state=good, size=len(artifact.content))
        # A file that is read may hold machine code without PTX.
        return replace(node, state=NodeState.SKIPPED) if stage.ok else node
    return replace(
        node,
        state=good if stage.ok else NodeState.FAILED,
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
    return replace(node, state=NodeState.FAILED, since=None, message=told_first)


def _first_line(diagnostics: Iterable[Diagnostic]) -> str:
    errors = (d.message for d in diagnostics if d.severity is Severity.ERROR)
    return next(errors, "").strip().partition("\n")[0]


_CLOSED = {NodeState.RUNNING: NodeState.STOPPED, NodeState.WAITING: NodeState.SKIPPED}


def _closed(node: Node, before: Pipeline | None) -> Node:
    own_pace = node.role is NodeRole.LAUNCH and node.state is NodeState.RUNNING
    if own_pace or node.state not in _CLOSED:
        return node
    old = before.node(node.key) if before is not None else None
    if node.role is NodeRole.ARTIFACT and old is not None and old.state in HELD:
        return replace(old, step=node.step, state=NodeState.STALE)
    return replace(node, state=_CLOSED[node.state], since=None)


def _explained(node: Node, result: BuildResult) -> Node:
    """Returns a failed run with the first complaint of the tool."""
    if node.state is not NodeState.FAILED or node.message or node.role is NodeRole.LAUNCH:
        return node
    diagnostics = [d for d in result.diagnostics if d.tool is node.tool]
    own = [d for d in diagnostics if d.file == node.name]
    return replace(node, message=_first_line(own) or _first_line(diagnostics) or result.reason)


def _aged(node: Node) -> Node:
    return replace(node, state=NodeState.STALE) if node.state in HELD else node


# Rows that a node takes, and the place of an edge that passes: half of one is beside it.
_NODE, _PASSING = 1.0, 0.0
# So that what nearly lines up does.
_GRID = 0.5


@dataclass(frozen=True)
class GridPosition:
    """A column, counted from 0, and a row, which may be between two others."""

    column: int
    row: float


@dataclass(frozen=True)
class PipelineLayout:
    """The places of nodes and the paths of edges.

    Attributes:
        places: Of each node, by key.
        routes: Of each edge the places it passes between its nodes.
        columns: The number of columns.
        rows: The number of rows that all columns together need.
    """

    places: Mapping[str, GridPosition]
    routes: Mapping[PipelineEdge, tuple[GridPosition, ...]]
    columns: int = 0
    rows: float = 0.0


def lay_out(pipeline: Pipeline) -> PipelineLayout:
    """Places the nodes of a picture; equal shapes are always placed equally."""
    if not pipeline.nodes:
        return PipelineLayout({}, {})
    numbers = {node.key: number for number, node in enumerate(pipeline.nodes)}
    pairs = {edge: (numbers[edge.start], numbers[edge.end]) for edge in pipeline.edges}
    depths = _depths(pipeline)
    layers = layered(len(numbers), pairs.values(), [depths[key] for key in numbers])
    passing = len(layers.above) - len(numbers)
    middles = columns(layers, [_NODE] * len(numbers) + [_PASSING] * passing, _GRID)
    top = min(middles)
    column = {node: at for at, row in enumerate(layers.rows) for node in row}
    places = [GridPosition(column[node], middle - top) for node, middle in enumerate(middles)]
    return PipelineLayout(
        {key: places[number] for key, number in numbers.items()},
        {
            edge: tuple(places[node] for node in layers.chains.get(pair, ()))
            for edge, pair in pairs.items()
        },
        len(layers.rows),
        max(place.row for place in places) + 1,
    )


def _depths(pipeline: Pipeline) -> dict[str, int]:
    """Returns the column of each node: after all inputs, and the launch at the very end."""
    depths: dict[str, int] = {}
    for node in pipeline.nodes:
        needed = (depths[key] for key in pipeline.before(node.key))
        depths[node.key] = max(needed, default=-1) + 1
    last = max(depths.values())
    for node in pipeline.of_role(NodeRole.LAUNCH):
        depths[node.key] = last
    return depths
