"""From a request to the picture of its build, before anything has happened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from jitstudio.core.code import LINKED, Artifact, CodeKind, Header, Source
from jitstudio.core.pipeline.model import Edge, Node, Pipeline, Role, State
from jitstudio.core.plan import PlanError, Ref, Step, plan
from jitstudio.core.request import BuildRequest
from jitstudio.core.tools import Tool

LAUNCH = "launch"
"""The key of the launch."""

# What a launch takes, the best first.
_LAUNCHED = (CodeKind.CUBIN, CodeKind.PTX)


def pipeline_of(request: BuildRequest, *, launch: bool = False) -> Pipeline:
    """The shape of this build.

    Args:
        request: What is to be built.
        launch: Whether what is made can be launched, too.
    """
    given = tuple(_given(request))
    try:
        steps = plan(request)
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
