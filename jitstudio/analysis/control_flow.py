"""The control flow of a function: blocks, edges and loops."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from jitstudio.listing.lines import NOWHERE


class EdgeKind(Enum):
    """The reason why control passes between two blocks."""

    NEXT = "next"
    BRANCH = "branch"
    TABLE = "table"


class BasicBlock(NamedTuple):
    """Code that is entered only at the start and left only at the end.

    Attributes:
        id: The index among the blocks, which are in the order of the code.
        name: The label, or a number where there is none.
        start: The first instruction of SASS, or the first line of PTX, from 0.
        end: The place behind the last. A line of PTX with code of several blocks is in each of
            them.
        is_entry: Whether a function begins here.
        leads_away: Whether control may leave for a place outside the text, or another function.
    """

    id: int
    name: str
    start: int
    end: int
    is_entry: bool = False
    leads_away: bool = False


class ControlFlowEdge(NamedTuple):
    """A pair of blocks, by id, between which control may pass."""

    source: int
    target: int
    kind: EdgeKind


@dataclass(frozen=True)
class Loop:
    """Blocks that may run again and again.

    Attributes:
        head: The entry; of several entries the first in the code.
        blocks: All blocks of the loop, with those of the loops inside.
        depth: 1 for a loop outside of all others.
        entries: The blocks at which the loop is entered. Several make it irreducible.
    """

    head: int
    blocks: frozenset[int]
    depth: int
    entries: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class FlowGraph:
    """The control flow of a function, with all other functions of the section.

    Attributes:
        name: The lowered name of the function.
        blocks: In the order of the code, without gaps between them.
        edges: In the order of their sources; no two with the same ends.
        loops: In the order of their heads, outer ones before those inside.
    """

    name: str
    blocks: tuple[BasicBlock, ...]
    edges: tuple[ControlFlowEdge, ...]
    loops: tuple[Loop, ...] = ()

    def block_at(self, position: int) -> BasicBlock | None:
        """Returns the block of an instruction of SASS or a line of PTX, or None outside of all.

        Of several blocks in a line the last counts.
        """
        at = bisect_right(self.blocks, position, key=lambda block: block.start) - 1
        return self.blocks[at] if at >= 0 and position < self.blocks[at].end else None

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """The blocks at which control continues, per block."""
        return neighbours(len(self.blocks), ((edge.source, edge.target) for edge in self.edges))

    @cached_property
    def predecessors(self) -> tuple[tuple[int, ...], ...]:
        """The blocks from which control comes, per block."""
        return neighbours(len(self.blocks), ((edge.target, edge.source) for edge in self.edges))

    @cached_property
    def innermost(self) -> tuple[int, ...]:
        """The index of the smallest loop around each block, or `NOWHERE`."""
        loop_of = [NOWHERE] * len(self.blocks)
        # Inner loops are behind outer ones.
        for index, loop in enumerate(self.loops):
            for block in loop.blocks:
                loop_of[block] = index
        return tuple(loop_of)

    def only_by(self, source: int, target: int) -> frozenset[int]:
        """Returns the blocks that are reached only by the edge from `source` to `target`."""
        others = self._reached(
            (block.id for block in self.blocks if block.is_entry), source, target
        )
        return self._reached((target,)) - others

    def _reached(
        self, starts: Iterable[int], source: int = NOWHERE, target: int = NOWHERE
    ) -> frozenset[int]:
        """Returns `starts` and all blocks reached from there; an edge may be left out."""
        todo = list(starts)
        reached = {*todo}
        while todo:
            block = todo.pop()
            for successor in self.successors[block]:
                if successor not in reached and (block, successor) != (source, target):
                    reached.add(successor)
                    todo.append(successor)
        return frozenset(reached)

    def depth(self, block: int) -> int:
        """Returns the number of loops around a block."""
        loop = self.innermost[block]
        return self.loops[loop].depth if loop != NOWHERE else 0


def neighbours(count: int, pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """Returns the neighbours of each of `count` nodes, in the order of the pairs."""
    lists: list[list[int]] = [[] for _ in range(count)]
    for node, neighbour in pairs:
        lists[node].append(neighbour)
    return tuple(map(tuple, lists))


class FlowEffect(NamedTuple):
    """The effect of an instruction or a line of PTX on the flow of control.

    Attributes:
        at: The place of the instruction.
        targets: The places of the targets, in the order of the text; outside places lead away.
        kind: The kind of the edges to the targets.
        goes_on: Whether control may also continue behind.
        leads_away: Whether control may also leave for an unknown place.
    """

    at: int
    targets: tuple[int, ...] = ()
    kind: EdgeKind = EdgeKind.BRANCH
    goes_on: bool = False
    leads_away: bool = False


def divide(
    count: int, leaps: Sequence[FlowEffect], entries: dict[int, str], names: dict[int, str]
) -> tuple[tuple[BasicBlock, ...], tuple[ControlFlowEdge, ...]]:
    """Divides code into blocks and edges at branches.

    Args:
        count: How many instructions, or lines, there are.
        leaps: The effects other than going on, in the order of the code.
        entries: The starts of functions, with their names; control does not run into a start.
        names: Labels, by their places.
    """
    starts = {0, *entries}
    for leap in leaps:
        starts.update(leap.targets)
        starts.add(leap.at + 1)
    bounds = sorted(start for start in starts if 0 <= start < count)
    by_end = {leap.at + 1: leap for leap in leaps}
    blocks: list[BasicBlock] = []
    edges: dict[tuple[int, int], ControlFlowEdge] = {}
    ids = {start: id_ for id_, start in enumerate(bounds)}
    for id_, (start, end) in enumerate(zip(bounds, [*bounds[1:], count], strict=True)):
        leap = by_end.get(end, FlowEffect(end - 1, goes_on=True))
        reached = [(target, leap.kind) for target in leap.targets if target in ids]
        away = leap.leads_away or len(reached) < len(leap.targets)
        if leap.goes_on and end in ids and end not in entries:
            reached.insert(0, (end, EdgeKind.NEXT))
        for target, kind in reached:
            edges.setdefault((id_, ids[target]), ControlFlowEdge(id_, ids[target], kind))
        name = entries.get(start) or names.get(start) or f"#{id_ + 1}"
        blocks.append(BasicBlock(id_, name, start, end, start in entries, away))
    return tuple(blocks), tuple(edges.values())


# ---- Loops, also nested ones and those with several entries

_Neighbours = Sequence[Sequence[int]]


def loops(blocks: Sequence[BasicBlock], edges: Sequence[ControlFlowEdge]) -> tuple[Loop, ...]:
    """Returns the loops of a graph, by depth, then by head.

    A loop is a set of blocks that all reach each other. Inner loops are those that remain when the
    head is left out. Where every loop has a single entry these are the natural loops.
    """
    pairs = [(edge.source, edge.target) for edge in edges]
    after = neighbours(len(blocks), pairs)
    entered = _entered(blocks, after, pairs)
    all_loops: list[Loop] = []
    todo: list[tuple[Iterable[int], int]] = [(range(len(blocks)), 1)]
    while todo:
        nodes, depth = todo.pop()
        for cycle in _cycles(nodes, after):
            entries = tuple(
                block for block in sorted(cycle) if not cycle.issuperset(entered[block])
            )
            # An unreachable loop has no entry.
            head = entries[0] if entries else min(cycle)
            all_loops.append(Loop(head, cycle, depth, entries))
            todo.append((cycle - {head}, depth + 1))
    return tuple(sorted(all_loops, key=lambda loop: (loop.depth, loop.head)))


def _entered(
    blocks: Sequence[BasicBlock], after: _Neighbours, pairs: Iterable[tuple[int, int]]
) -> _Neighbours:
    """Returns the predecessors of each block that are reachable themselves.

    `NOWHERE` represents the caller.
    """
    reached: set[int] = set()
    starts = [block.id for block in blocks if block.is_entry]
    todo = [*starts]
    while todo:
        if (block := todo.pop()) not in reached:
            reached.add(block)
            todo += after[block]
    from_caller = [(start, NOWHERE) for start in starts]
    return neighbours(
        len(blocks),
        [*from_caller, *((target, source) for source, target in pairs if source in reached)],
    )


def _cycles(nodes: Iterable[int], after: _Neighbours) -> Iterator[frozenset[int]]:
    """Yields the largest sets of nodes that reach each other, and themselves, within `nodes`."""
    for component in _components(set(nodes), after):
        (first, *more) = component
        if more or first in after[first]:
            yield frozenset(component)


def _components(nodes: set[int], after: _Neighbours) -> Iterator[list[int]]:
    """Yields the strongly connected components, by Tarjan's algorithm on an explicit stack."""
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    for root in nodes:
        if root in order:
            continue
        order[root] = lowest[root] = len(order)
        path.append(root)
        on_path.add(root)
        walk = [(root, iter(after[root]))]
        while walk:
            node, rest = walk[-1]
            child = next((n for n in rest if n in nodes and (n not in order or n in on_path)), None)
            if child is None:
                walk.pop()
                if walk:
                    parent = walk[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[node])
                if lowest[node] == order[node]:
                    at = path.index(node) if path[-1] != node else len(path) - 1
                    yield path[at:]
                    on_path.difference_update(path[at:])
                    del path[at:]
            elif child in order:
                lowest[node] = min(lowest[node], order[child])
            else:
                order[child] = lowest[child] = len(order)
                path.append(child)
                on_path.add(child)
                walk.append((child, iter(after[child])))
