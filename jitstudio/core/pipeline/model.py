"""The picture of a build: sources, runs of tools, what they make, and how far each has come.

Values only: `shape` draws a request, `progress` folds what happens, `layout` places the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from jitstudio.core.code import CodeKind
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
