"""The picture of a build: sources, runs of tools, what they make, and how far each has come.

Values only: `pipeline_of` draws a request before anything has happened, `progress` folds what
happens, `layout` places the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from jitstudio.core.code import LINKED, Artifact, CodeKind, Header, Source
from jitstudio.core.plan import PlanError, Ref, Step, plan
from jitstudio.core.request import BuildRequest
from jitstudio.core.tools import Tool


class Role(Enum):
    """What a node stands for."""

    SOURCE = "source"
    HEADER = "header"
    TOOL = "tool"
    LINK = "link"
    ARTIFACT = "artifact"
    LAUNCH = "launch"


class State(Enum):
    """How far a node has come; the value is the word for it.

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


HELD = frozenset({State.DONE, State.CACHED, State.STALE})
"""The states in which there is something to look at."""


@dataclass(frozen=True)
class Node:
    """One station of the build.

    Attributes:
        key: What it is known by, also in the next build of the same shape.
        role: What it stands for.
        name: The module it is about, or `core.code.LINKED`; empty for the launch.
        title: What to call it.
        code: The kind of code it holds; None for what runs.
        tool: The tool that runs, or that makes it; None where none does.
        step: The step of the plan that it is or comes of, from 1; 0 for what is given.
        state: How far it has come.
        ms: Milliseconds it took; None where that is not known.
        since: When it began to run, by the clock of whoever tells; None unless it runs.
        size: Bytes it holds; None where that is not known.
        note: Words for what the state alone does not tell, such as ``no GPU``.
        message: What went wrong first; empty where nothing did.
    """

    key: str
    role: Role
    name: str
    title: str
    code: CodeKind | None = None
    tool: Tool | None = None
    step: int = 0
    state: State = State.WAITING
    ms: float | None = None
    since: float | None = None
    size: int | None = None
    note: str = ""
    message: str = ""

    @property
    def runs(self) -> bool:
        """Whether it is something that happens rather than something that is there."""
        return self.role in (Role.TOOL, Role.LINK, Role.LAUNCH)


@dataclass(frozen=True)
class Edge:
    """What flows from one node into another, by their keys."""

    start: str
    end: str


@dataclass(frozen=True)
class Pipeline:
    """One build as a graph; every node comes after those it needs.

    Attributes:
        nodes: The stations.
        edges: What flows between them.
        problem: Why it cannot be built, or was not, a sentence; empty where nothing is wrong.
        ms: Milliseconds from the request to the result; None before the end.
    """

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
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
    def shape(self) -> tuple[tuple[str, ...], tuple[Edge, ...]]:
        """What two builds have in common whose nodes stand in the same places."""
        return tuple(node.key for node in self.nodes), self.edges

    def node(self, key: str) -> Node | None:
        """The node of this key, or None."""
        return self._by_key.get(key)

    def of_role(self, role: Role) -> tuple[Node, ...]:
        """All nodes of this role."""
        return tuple(node for node in self.nodes if node.role is role)

    def before(self, key: str) -> tuple[str, ...]:
        """The nodes that this one needs, by their keys."""
        return self._inputs.get(key, ())

    def downstream(self, keys: Iterable[str]) -> frozenset[str]:
        """All nodes that depend on these, without them."""
        start = frozenset(keys)
        reached = set(start)
        for node in self.nodes:
            if not reached.isdisjoint(self.before(node.key)):
                reached.add(node.key)
        return frozenset(reached - start)

    def changed(self, change: Callable[[Node], Node]) -> Pipeline:
        """The same picture with each node as this makes it."""
        return replace(self, nodes=tuple(map(change, self.nodes)))


LAUNCH = "launch"
"""The key of the launch."""

# What a launch takes, the best first.
_LAUNCHED = (CodeKind.CUBIN, CodeKind.PTX)


def pipeline_of(
    request: BuildRequest, steps: tuple[Step, ...] | None = None, *, launch: bool = False
) -> Pipeline:
    """The shape of this build.

    Args:
        request: What is to be built.
        steps: The plan of it, if somebody has made it already.
        launch: Whether what is made can be launched, too.
    """
    given = tuple(_given(request))
    try:
        steps = plan(request) if steps is None else steps
    except PlanError as error:
        return Pipeline(tuple(node for node, _ in given), problem=str(error))
    nodes = [node for node, _ in given]
    edges: list[Edge] = []
    for number, step in enumerate(steps, 1):
        run = _run(number, step)
        made = [_artifact(number, step, kind) for kind in step.makes]
        nodes += [run, *made]
        edges += [Edge(_key(ref), run.key) for ref in step.inputs]
        edges += [Edge(node.key, run.key) for node, readers in given if _reads(step, readers)]
        edges += [Edge(run.key, node.key) for node in made]
    if launch and (code := tuple(_launched(nodes))):
        nodes.append(Node(LAUNCH, Role.LAUNCH, "", "Launch"))
        edges += [Edge(node.key, LAUNCH) for node in code]
    # A header that no step reads takes no part in the build.
    joined = {edge.start for edge in edges}
    kept = (node for node in nodes if node.role is not Role.HEADER or node.key in joined)
    return Pipeline(tuple(kept), tuple(edges))


def _key(ref: Ref) -> str:
    return f"{ref.kind.value}:{ref.name}"


def _given(request: BuildRequest) -> Iterator[tuple[Node, frozenset[str]]]:
    """What is there from the start; of headers and libraries also which modules read them."""
    for source in request.sources:
        yield _source(source), frozenset()
    for library in request.libraries:
        readers = (s.name for s in request.sources if s.kind is CodeKind.LLVM_IR)
        yield _source(library), frozenset(readers)
    for header in request.headers:
        key = _key(Ref(CodeKind.HEADER, header.name))
        node = Node(key, Role.HEADER, header.name, header.name, CodeKind.HEADER)
        size = len(header.content)
        yield replace(node, state=State.GIVEN, size=size), _readers(header, request)


def _source(source: Source) -> Node:
    key = _key(Ref(source.kind, source.name))
    node = Node(key, Role.SOURCE, source.name, source.name, source.kind)
    return replace(node, state=State.GIVEN, size=len(source.content))


def _readers(header: Header, request: BuildRequest) -> frozenset[str]:
    """The modules that name this header, or one that names it.

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


def _reads(step: Step, readers: frozenset[str]) -> bool:
    compiles = step.tool in (Tool.NVRTC, Tool.NVVM)
    return compiles and any(ref.name in readers for ref in step.inputs)


def _run(number: int, step: Step) -> Node:
    linked = step.name == LINKED and step.tool is Tool.NVJITLINK
    key = f"{step.tool.value}:{step.name}:{'+'.join(kind.value for kind in step.makes)}"
    role = Role.LINK if linked else Role.TOOL
    return Node(key, role, step.name, step.tool.value, tool=step.tool, step=number)


def _artifact(number: int, step: Step, kind: CodeKind) -> Node:
    key = _key(Ref(kind, step.name))
    title = Artifact(kind, step.name, b"").file_name
    return Node(key, Role.ARTIFACT, step.name, title, kind, step.tool, number)


def _launched(nodes: list[Node]) -> Iterator[Node]:
    """The code that a launch takes: what was linked, or else what each module became."""
    made = [node for node in nodes if node.role is Role.ARTIFACT]
    linked = [node for node in made if node.name == LINKED]
    for kind in _LAUNCHED:
        found = [node for node in linked or made if node.code is kind]
        if found:
            yield from found
            return
