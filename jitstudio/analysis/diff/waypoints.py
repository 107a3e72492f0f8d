"""Where values cannot be followed through code: what is called, returns, or may lead anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jitstudio.analysis.control_flow import Block, FlowGraph
from jitstudio.analysis.diff.form import Form, is_uniform
from jitstudio.analysis.sass.model import SassFunction

_BRANCHES = frozenset(("BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU"))
_AWAY = frozenset(("CALL", "RET"))
# Some threads may take it and others not, whatever its operands say.
_OF_THE_WARP = frozenset(("CONV", "DIV"))


@dataclass(frozen=True, eq=False)
class Waypoints:
    """Instructions at which anything may happen to the registers, and where a warp is one.

    Attributes:
        before: Instructions that may be come to from anywhere.
        behind: Instructions that may lead anywhere, or to what changes registers.
        parted: Blocks, by id, in which the threads of a warp may be in different places: what
            they share may be changed by threads that took another way.
    """

    before: frozenset[int]
    behind: frozenset[int]
    parted: frozenset[int]


def waypoints(
    function: SassFunction, graph: FlowGraph, forms: Sequence[Form], places: Mapping[str, int]
) -> Waypoints | None:
    """The waypoints of a function; None where it names places that are not known.

    Args:
        function: The function.
        graph: Its flow.
        forms: Its instructions.
        places: What can be branched to, by the names in the forms.
    """
    before, behind = set(_unled(graph)), set(_leading_away(function, graph))
    joins = {
        (places[name], _barrier(forms[at]))
        for at, name in _named(function, forms, "BSSY")
        if name in places
    }
    for at, opcode in enumerate(function.opcodes[: len(forms)]):
        base, targets = opcode.partition(".")[0], forms[at].targets
        if base in _AWAY or (base == "BSYNC" and (at + 1, _barrier(forms[at])) not in joins):
            behind.add(at)
        if not targets or base in _BRANCHES:
            continue
        if any(name not in places and name.partition("+")[0] in places for name in targets):
            return None
        led = {places[name] for name in targets if name in places}
        if base == "BSSY":
            # Threads wait in front of it and go on there, as if it were no branch.
            led = {to for to in led if not _is_waited_at(function, forms, to, _barrier(forms[at]))}
        if led:
            before |= led
            behind.add(at)
    return Waypoints(
        frozenset(before),
        frozenset(behind),
        _parted(function, graph, forms, before - {0} | behind),
    )


def _base(function: SassFunction, at: int) -> str:
    return function.opcodes[at].partition(".")[0]


def _barrier(form: Form) -> tuple[int, ...]:
    """The barrier of what waits, or of where it is said who has to: it stands last."""
    return form.uses[-1:]


def _is_waited_at(
    function: SassFunction, forms: Sequence[Form], place: int, barrier: tuple[int, ...]
) -> bool:
    """Whether threads wait for each other in front of a place."""
    before = place - 1
    return (
        0 <= before < len(forms)
        and _base(function, before) == "BSYNC"
        and _barrier(forms[before]) == barrier
    )


def _named(function: SassFunction, forms: Sequence[Form], base: str) -> Iterator[tuple[int, str]]:
    for at, form in enumerate(forms):
        if form.targets and _base(function, at) == base:
            yield from ((at, name) for name in form.targets)


def _unled(graph: FlowGraph) -> Iterator[int]:
    """Where functions start, and what no branch leads to."""
    for block in graph.blocks:
        if block.is_entry or not graph.predecessors[block.id]:
            yield block.start


def _leading_away(function: SassFunction, graph: FlowGraph) -> Iterator[int]:
    """The last instructions of blocks behind which the flow is not told."""
    starts = {block.start for block in graph.blocks if block.is_entry}
    for block in graph.blocks:
        last = block.end - 1
        ends = _base(function, last) == "EXIT" and not function.predicates[last]
        runs_out = not graph.successors[block.id] or block.end in starts
        if block.leads_away or (runs_out and not ends):
            yield last


def _parted(
    function: SassFunction, graph: FlowGraph, forms: Sequence[Form], ways: Iterable[int]
) -> frozenset[int]:
    if not function.is_kernel:
        return frozenset(block.id for block in graph.blocks)
    todo = [block.id for at in ways if (block := graph.block_at(at))]
    for block in graph.blocks:
        if len(graph.successors[block.id]) > 1 and _parts(function, block, forms):
            todo += graph.successors[block.id]
    found: set[int] = set()
    while todo:
        if (at := todo.pop()) not in found:
            found.add(at)
            todo += graph.successors[at]
    return frozenset(found)


def _parts(function: SassFunction, block: Block, forms: Sequence[Form]) -> bool:
    """Whether the threads of a warp may take different ways at the end of a block."""
    last = block.end - 1
    modifiers = function.opcodes[last].split(".")[1:]
    return not _OF_THE_WARP.isdisjoint(modifiers) or not all(map(is_uniform, forms[last].uses))
