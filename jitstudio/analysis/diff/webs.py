"""The values that the registers of a function hold, each under a unique name.

A web is all that writes and reads one value: results, and the reads that may see any of them, on
any way through the code. A register that is free again starts another web with its next result. Two
functions whose instructions differ in their registers only are the same program if their webs
correspond one to one: each read sees in both the result of the same instruction.

Uncertainty joins webs: an operand is a result only where `results` says so, and all else in an
instruction continues the old value. A register has a single web, its *own*, where an unknown
instruction names it; and where control leaves what can be followed, each register holds its own
web, as at the start of a function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jitstudio.analysis.control_flow import BasicBlock, FlowGraph
from jitstudio.analysis.diff.form import REGISTERS, InstructionForm
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.liveness import Liveness, used
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.analysis.sass.operands import (
    BARRIERS,
    STACK_POINTER,
    UNIFORM,
    Mask,
    is_uniform,
    numbers,
)

Webs = Sequence[tuple[int, ...]]
"""The webs of the uses of each instruction."""

_FIRST_WEB = max(REGISTERS) + 1
"""The lowest number of a web; below are those that a register owns, by its number."""

_Current = dict[int, int]
"""The web that each register holds."""

# More instructions than these are compared by their registers only: it would take too long.
_MOST = 40_000


def webs(
    function: SassFunction, forms: Sequence[InstructionForm], places: Mapping[str, int]
) -> Webs | None:
    """Returns the webs of all uses; None where the function is too long, or cannot be followed.

    Args:
        function: The function.
        forms: The instructions in the form in which they are compared.
        places: The places that can be branched to, by the names in the forms.
    """
    if len(forms) > _MOST:
        return None
    graph = sass_graph(function)
    ways = waypoints(function, graph, forms, places)
    return _Webs(graph, ways, forms).find() if ways else None


class _Webs:
    """Finds the webs of each block, then joins webs that meet between blocks."""

    def __init__(self, graph: FlowGraph, ways: Waypoints, forms: Sequence[InstructionForm]) -> None:
        self._graph, self._ways, self._forms = graph, ways, forms
        self._effects = [form.effect for form in forms]
        self._live = Liveness(graph, self._effects, ways.before, ways.behind)
        self._own = {number: number for number in numbers(used(self._effects))}
        self._always_fixed = BARRIERS | 1 << STACK_POINTER | _unknown(forms)
        # By the number of a web, a web joined with it: a lower one, or itself.
        self._same = [*range(_FIRST_WEB)]

    def find(self) -> Webs:
        """Returns the web of each use."""
        webs: list[tuple[int, ...]] = []
        at_start: list[_Current] = []
        at_end: list[_Current] = []
        for block in self._graph.blocks:
            fixed = self._always_fixed | (UNIFORM if block.id in self._ways.parted else 0)
            earlier = [at for at in self._graph.predecessors[block.id] if at < block.id]
            first = self._first(block.id, fixed, at_end[earlier[0]] if earlier else None)
            at_start.append(first)
            at_end.append(self._through(block, first.copy(), fixed, webs))
        for edge in self._graph.edges:
            reached = at_end[edge.source]
            for number, web in at_start[edge.target].items():
                if reached[number] != web:
                    self._join(reached[number], web)
        # The filling of the last cache line.
        webs += (form.uses for form in self._forms[len(webs) :])
        for web, lower in enumerate(self._same):
            self._same[web] = self._same[lower]
        return [tuple(map(self._same.__getitem__, uses)) for uses in webs]

    def _first(self, block: int, fixed: Mask, before: _Current | None) -> _Current:
        """Returns the webs of the registers alive at the start of a block."""
        live = self._live.at_start[block]
        first = {number: number for number in numbers(live & fixed)}
        for number in numbers(live & ~fixed):
            first[number] = before[number] if before is not None else self._new()
        return first

    def _through(
        self, block: BasicBlock, current: _Current, fixed: Mask, webs: list[tuple[int, ...]]
    ) -> _Current:
        """Appends the webs of the uses of a block; returns the webs at the end of the block."""
        fresh = self._live.fresh(block.id)
        for at in range(block.start, block.end):
            if at in self._ways.before:
                current = self._meet(current)
            form = self._forms[at]
            uses, start, end = form.uses, form.written.start, form.written.stop
            if start == end:
                webs.append(tuple([current[number] for number in uses]))
            else:
                before = [current[number] for number in uses[:start]]
                behind = [current[number] for number in uses[end:]]
                ended = self._effects[at].kills if not form.guard else fresh.get(at, 0)
                for number in {*uses[start:end]}:
                    if fixed >> number & 1:
                        current[number] = number
                    elif ended >> number & 1:
                        current[number] = self._new()
                results = [current[number] for number in uses[start:end]]
                webs.append((*before, *results, *behind))
            if at in self._ways.behind:
                current = self._meet(current)
        return current

    def _meet(self, current: _Current) -> _Current:
        """Joins the webs of all registers with their own webs; returns the own webs."""
        for number, web in current.items():
            self._join(number, web)
        return self._own.copy()

    def _new(self) -> int:
        web = len(self._same)
        self._same.append(web)
        return web

    def _join(self, lower: int, higher: int) -> None:
        lower, higher = sorted((self._root(lower), self._root(higher)))
        self._same[higher] = lower

    def _root(self, web: int) -> int:
        same = self._same
        while same[web] != web:
            same[web] = web = same[same[web]]
        return web


def _unknown(forms: Sequence[InstructionForm]) -> Mask:
    """Returns the registers in instructions whose operands are unknown."""
    mask = 0
    for uses in {form.uses for form in forms if not form.is_known}:
        for number in uses:
            mask |= 1 << number
    return mask


# ---- Places where values cannot be followed: calls, returns, and jumps to unknown places

_BRANCHES = frozenset(("BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU"))
_AWAY = frozenset(("CALL", "RET"))
# Some threads may take the branch and others not, whatever its operands say.
_OF_THE_WARP = frozenset(("CONV", "DIV"))


@dataclass(frozen=True, eq=False)
class Waypoints:
    """Instructions at which registers may change in unknown ways, and blocks of parted warps.

    Attributes:
        before: Instructions that can be reached from anywhere.
        behind: Instructions that may lead anywhere, or to code that changes registers.
        parted: Blocks, by id, in which the threads of a warp may be in different places: registers
            that they share may be changed by threads that took another way.
    """

    before: frozenset[int]
    behind: frozenset[int]
    parted: frozenset[int]


def waypoints(
    function: SassFunction,
    graph: FlowGraph,
    forms: Sequence[InstructionForm],
    places: Mapping[str, int],
) -> Waypoints | None:
    """Returns the waypoints of a function; None where an instruction names unknown places.

    Args:
        function: The function.
        graph: The control flow.
        forms: The instructions in the form in which they are compared.
        places: The places that can be branched to, by the names in the forms.
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
        reached = {places[name] for name in targets if name in places}
        if base == "BSSY":
            # Threads wait in front of the target of BSSY and go on there: this is no branch.
            reached = {
                to for to in reached if not _is_waited_at(function, forms, to, _barrier(forms[at]))
            }
        if reached:
            before |= reached
            behind.add(at)
    return Waypoints(
        frozenset(before),
        frozenset(behind),
        _parted(function, graph, forms, before - {0} | behind),
    )


def _base(function: SassFunction, at: int) -> str:
    return function.opcodes[at].partition(".")[0]


def _barrier(form: InstructionForm) -> tuple[int, ...]:
    """Returns the barrier that BSSY sets or BSYNC waits for: the last use."""
    return form.uses[-1:]


def _is_waited_at(
    function: SassFunction, forms: Sequence[InstructionForm], place: int, barrier: tuple[int, ...]
) -> bool:
    """Returns whether threads wait for each other in front of a place."""
    before = place - 1
    return (
        0 <= before < len(forms)
        and _base(function, before) == "BSYNC"
        and _barrier(forms[before]) == barrier
    )


def _named(
    function: SassFunction, forms: Sequence[InstructionForm], base: str
) -> Iterator[tuple[int, str]]:
    for at, form in enumerate(forms):
        if form.targets and _base(function, at) == base:
            yield from ((at, name) for name in form.targets)


def _unled(graph: FlowGraph) -> Iterator[int]:
    """Yields the starts of functions, and of blocks that no branch leads to."""
    for block in graph.blocks:
        if block.is_entry or not graph.predecessors[block.id]:
            yield block.start


def _leading_away(function: SassFunction, graph: FlowGraph) -> Iterator[int]:
    """Yields the last instructions of blocks behind which the flow is unknown."""
    starts = {block.start for block in graph.blocks if block.is_entry}
    for block in graph.blocks:
        last = block.end - 1
        ends = _base(function, last) == "EXIT" and not function.predicates[last]
        runs_out = not graph.successors[block.id] or block.end in starts
        if block.leads_away or (runs_out and not ends):
            yield last


def _parted(
    function: SassFunction, graph: FlowGraph, forms: Sequence[InstructionForm], ways: Iterable[int]
) -> frozenset[int]:
    if not function.is_kernel:
        return frozenset(block.id for block in graph.blocks)
    todo = [block.id for at in ways if (block := graph.block_at(at))]
    for block in graph.blocks:
        if len(graph.successors[block.id]) > 1 and _parts(function, block, forms):
            todo += graph.successors[block.id]
    parted: set[int] = set()
    while todo:
        if (at := todo.pop()) not in parted:
            parted.add(at)
            todo += graph.successors[at]
    return frozenset(parted)


def _parts(function: SassFunction, block: BasicBlock, forms: Sequence[InstructionForm]) -> bool:
    """Returns whether the threads of a warp may take different ways at the end of a block."""
    last = block.end - 1
    modifiers = function.opcodes[last].split(".")[1:]
    return not _OF_THE_WARP.isdisjoint(modifiers) or not all(map(is_uniform, forms[last].uses))
