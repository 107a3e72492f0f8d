"""Finds loops, also nested ones and those with several entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from jitstudio.analysis.control_flow import Block, Edge, Loop, neighbours
from jitstudio.analysis.sass.model import NOWHERE

_Neighbours = Sequence[Sequence[int]]


def loops(blocks: Sequence[Block], edges: Sequence[Edge]) -> tuple[Loop, ...]:
    """The loops of a graph, by depth, then by head.

    A loop is a set of blocks that all reach each other. Those inside it are what still is one
    when its head is left out. Where every loop has one entry these are the natural loops.
    """
    pairs = [(edge.source, edge.target) for edge in edges]
    after = neighbours(len(blocks), pairs)
    entered = _entered(blocks, after, pairs)
    found: list[Loop] = []
    todo: list[tuple[Iterable[int], int]] = [(range(len(blocks)), 1)]
    while todo:
        nodes, depth = todo.pop()
        for cycle in _cycles(nodes, after):
            entries = tuple(
                block for block in sorted(cycle) if not cycle.issuperset(entered[block])
            )
            # What is never reached has no entry.
            head = entries[0] if entries else min(cycle)
            found.append(Loop(head, cycle, depth, entries))
            todo.append((cycle - {head}, depth + 1))
    return tuple(sorted(found, key=lambda loop: (loop.depth, loop.head)))


def _entered(
    blocks: Sequence[Block], after: _Neighbours, pairs: Iterable[tuple[int, int]]
) -> _Neighbours:
    """Per block where control really comes from: not from what is never reached itself.

    `NOWHERE` stands for the caller.
    """
    reached: set[int] = set()
    starts = [block.id for block in blocks if block.is_entry]
    todo = [*starts]
    while todo:
        if (block := todo.pop()) not in reached:
            reached.add(block)
            todo += after[block]
    called = [(start, NOWHERE) for start in starts]
    return neighbours(
        len(blocks), [*called, *((target, source) for source, target in pairs if source in reached)]
    )


def _cycles(nodes: Iterable[int], after: _Neighbours) -> Iterator[frozenset[int]]:
    """The largest sets of nodes that reach each other, and themselves, among these nodes."""
    for component in _components(set(nodes), after):
        (first, *more) = component
        if more or first in after[first]:
            yield frozenset(component)


def _components(nodes: set[int], after: _Neighbours) -> Iterator[list[int]]:
    """The strongly connected components, found as Tarjan does, on a stack of its own."""
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
