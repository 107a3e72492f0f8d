"""Which registers hold what is read again, for certain or only where a predicate says so.

Code without branches is full of pairs such as ``@P0 MOV R4, R2`` and ``@!P0 MOV R4, R3``: together
they write R4 for certain. So what is read, or is left to be written, under a predicate is kept
apart as long as that predicate is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from jitstudio.analysis.control_flow import FlowGraph
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.model import InlineChain, SassFunction
from jitstudio.analysis.sass.opcodes import stem
from jitstudio.analysis.sass.operands import (
    ALL_REGISTERS,
    GENERAL,
    NONE,
    PREDICATES,
    STACK_POINTER,
    UNIFORM,
    Mask,
    decode,
    guard,
    numbers,
)

# R1 points to the stack: nvdisasm counts it to the end, whether it is read or not.
_LEAVING = frozenset(("EXIT", "RET"))


class RegisterEffect(NamedTuple):
    """What an instruction does with registers.

    Attributes:
        kills: What it surely writes where its guard holds.
        reads: What it may read or write besides them, without its guard.
        guard: The predicate that it depends on, with its ``!``; empty where there is none.
        inverse: The guard the other way round.
        guard_bit: The predicate itself.
        tests: Predicates that are operands of it.
    """

    kills: Mask
    reads: Mask
    guard: str
    inverse: str
    guard_bit: Mask
    tests: Mask


def effect(predicate: str, reads: Mask, kills: Mask) -> RegisterEffect:
    """Returns what an instruction does.

    Args:
        predicate: Its guard, such as ``@!P0``; empty where there is none.
        reads: What it may read, and what it may write in part or not at all.
        kills: What it surely writes where its guard holds.
    """
    if not predicate:
        return RegisterEffect(kills, reads, "", "", 0, (kills | reads) & PREDICATES)
    name = predicate.removeprefix("@")
    number = guard(predicate)
    guard_bit = 1 << number if number != NONE else 0
    if name and not guard_bit & PREDICATES:
        # One that never changes, or one of the whole warp, whose threads may differ in the rest.
        kills, reads, name = 0, reads | kills | guard_bit, ""
    elif name:
        # What a warp shares is written for those, too, whose guard does not hold.
        reads |= kills & UNIFORM
        kills &= ~UNIFORM
    inverse = name[1:] if name.startswith("!") else f"!{name}"
    return RegisterEffect(kills, reads, name, inverse, guard_bit, (kills | reads) & PREDICATES)


def effects(function: SassFunction, count: int) -> list[RegisterEffect]:
    """Returns what each of the first instructions of a function does."""
    return [*map(_effect, function.predicates[:count], function.opcodes, function.operands)]


@lru_cache(1 << 15)
def _effect(predicate: str, opcode: str, operands: str) -> RegisterEffect:
    does = decode(opcode, operands)
    kept = 1 << STACK_POINTER if stem(opcode) in _LEAVING else 0
    return effect(predicate, does.reads | does.writes & ~does.sure | kept, does.sure)


def used(does: Iterable[RegisterEffect]) -> Mask:
    """Returns all registers of a function."""
    mask = 0
    for each in does:
        mask |= each.kills | each.reads | each.guard_bit
    return mask


class Liveness:
    """What is alive along a function.

    Args:
        graph: Its flow.
        does: What each instruction does.
        before: Instructions that may be come to from anywhere: in front of them all is alive.
        behind: Instructions that may lead anywhere: behind them all is alive.

    Attributes:
        at_start: Per block, the registers that may be read before they are written.
        at_end: Per block, the registers that may be read behind it.
    """

    def __init__(
        self,
        graph: FlowGraph,
        does: Sequence[RegisterEffect],
        before: frozenset[int] = frozenset(),
        behind: frozenset[int] = frozenset(),
    ) -> None:
        self._graph, self._does = graph, does
        self._before, self._behind = before, behind
        self._all = used(does) if before or behind else 0
        blocks = range(len(graph.blocks))
        # Each register for itself: what is read here, and what is still alive if it was behind.
        passes = [self._summary(block) for block in blocks]
        self.at_start: list[Mask] = [0] * len(blocks)
        self.at_end: list[Mask] = [0] * len(blocks)
        waiting = dict.fromkeys(blocks)
        while waiting:
            at, _ = waiting.popitem()
            live = 0
            for successor in graph.successors[at]:
                live |= self.at_start[successor]
            self.at_end[at] = live
            reads, kept = passes[at]
            start = reads | live & kept
            if start != self.at_start[at]:
                self.at_start[at] = start
                waiting.update(dict.fromkeys(graph.predecessors[at]))

    def behind(self, block: int) -> list[Mask]:
        """Returns what may be read behind each instruction of a block, in the order of the code."""
        found: list[Mask] = []
        self._pass(block, self.at_end[block], behind=found)
        return found[::-1]

    def fresh(self, block: int) -> dict[int, Mask]:
        """The guarded results in a block that nothing needs the old value of, by instruction."""
        found: dict[int, Mask] = {}
        start, end = self._graph.blocks[block].start, self._graph.blocks[block].end
        if any(each.guard and each.kills for each in self._does[start:end]):
            self._pass(block, self.at_end[block], fresh=found)
        return found

    def _summary(self, block: int) -> tuple[Mask, Mask]:
        """What is alive in front of a block: if nothing is behind it; and of all that may be."""
        start, end = self._graph.blocks[block].start, self._graph.blocks[block].end
        does = self._does[start:end]
        places = range(start, end)
        if (
            any(each.guard for each in does)
            or not self._before.isdisjoint(places)
            or not self._behind.isdisjoint(places)
        ):
            return self._pass(block, 0), self._pass(block, ALL_REGISTERS)
        reads = kills = 0
        for each in reversed(does):
            reads = reads & ~each.kills | each.reads
            kills |= each.kills
        return reads, reads | ALL_REGISTERS & ~kills

    def _pass(
        self,
        block: int,
        live: Mask,
        fresh: dict[int, Mask] | None = None,
        behind: list[Mask] | None = None,
    ) -> Mask:
        """Returns what is alive in front of a block, by what is behind it."""
        state = _State(live)
        start, end = self._graph.blocks[block].start, self._graph.blocks[block].end
        for at in range(end - 1, start - 1, -1):
            if at in self._behind:
                state.forget(self._all)
            does = self._does[at]
            if behind is not None:
                behind.append(state.needed())
            if fresh is not None and does.guard and does.kills:
                fresh[at] = does.kills & ~state.needed_without(does)
            state.step(does)
            if at in self._before:
                state.forget(self._all)
        return state.settled()


class _State:
    """What is alive between two instructions of a block, going backwards."""

    __slots__ = ("live", "under")

    def __init__(self, live: Mask) -> None:
        self.live = live
        self.under: dict[str, Mask] = {}

    def step(self, does: RegisterEffect) -> None:
        """In front of an instruction."""
        under = self.under
        if not does.guard:
            if under:
                if does.tests:
                    self._settle(does.tests)
                for condition in under:
                    under[condition] &= ~does.kills
            self.live = self.live & ~does.kills | does.reads
            return
        if does.tests:
            self._settle(does.tests)
        condition, inverse, kills = does.guard, does.inverse, does.kills
        if left := self.live & kills:
            under[inverse] = under.get(inverse, 0) | left
        uniform = does.reads & UNIFORM
        under[condition] = under.get(condition, 0) & ~kills | does.reads
        self.live = self.live & ~kills | does.guard_bit | uniform

    def forget(self, everything: Mask) -> None:
        """Anything may be read."""
        self.live = everything
        self.under.clear()

    def settled(self) -> Mask:
        """Returns all that may be read, whatever the predicates say."""
        self._settle(PREDICATES)
        return self.live

    def needed(self) -> Mask:
        """Returns the same, and what is kept apart stays so."""
        needed = self.live
        for mask in self.under.values():
            needed |= mask
        return needed

    def needed_without(self, does: RegisterEffect) -> Mask:
        """Returns what may be read behind an instruction where its guard does not hold."""
        needed = self.live
        for condition, mask in self.under.items():
            # What it writes itself may make its own guard another one.
            if condition != does.guard or does.tests & does.guard_bit:
                needed |= mask
        return needed

    def _settle(self, predicates: Mask) -> None:
        """Drops what depends on these predicates, as an instruction may change them."""
        for condition in [*self.under]:
            if predicates >> guard(condition) & 1:
                self.live |= self.under.pop(condition)


# ---- What the registers that are alive at an instruction were written by


class Definition(NamedTuple):
    """Registers that are alive at an instruction.

    Attributes:
        places: What wrote them; empty where the line table does not say.
        registers: Their numbers, ascending.
    """

    places: InlineChain
    registers: tuple[int, ...]


def register_definitions(function: SassFunction, index: int) -> tuple[Definition, ...]:
    """Returns what wrote the general registers that are alive at an instruction, the most first.

    From the operands of the instructions before it, on all ways that lead to it; a register
    that two ways write counts for both. What a called function does is not looked into.
    """
    code = _Code(function)
    found: dict[InlineChain, Mask] = {}
    for at, written in code.writers(index, code.alive(index)).items():
        places = function[at].places
        found[places] = found.get(places, 0) | written
    made = (Definition(places, numbers(written)) for places, written in found.items())
    return tuple(sorted(made, key=lambda definition: -len(definition.registers)))


class _Code:
    """What each instruction of a function does with its registers."""

    def __init__(self, function: SassFunction) -> None:
        self._graph: FlowGraph = sass_graph(function)
        count = function.code_length
        self._does = effects(function, count)
        pairs = zip(function.opcodes[:count], function.operands[:count], strict=True)
        self._writes = [decode(opcode, operands).writes for opcode, operands in pairs]

    def alive(self, index: int) -> Mask:
        """The registers that hold something before or behind an instruction, as nvdisasm counts."""
        block = self._graph.block_at(index)
        if block is None:
            return 0
        behind = Liveness(self._graph, self._does).behind(block.id)
        does = self._does[index]
        return (behind[index - block.start] | does.reads | self._writes[index]) & GENERAL

    def writers(self, index: int, live: Mask) -> dict[int, Mask]:
        """Returns which instructions wrote these registers, by their index."""
        found: dict[int, Mask] = {}
        seen: dict[int, Mask] = {}
        block = self._graph.block_at(index)
        todo = [(block, index, live)] if block else []
        while todo:
            block, last, wanted = todo.pop()
            for at in range(last, block.start - 1, -1):
                if written := self._writes[at] & wanted:
                    found[at] = found.get(at, 0) | written
                    # Where the guard is false, the register keeps what it had.
                    wanted &= ~(self._does[at].kills if not self._does[at].guard else 0)
            for before in self._graph.predecessors[block.id]:
                if missing := wanted & ~seen.get(before, 0):
                    seen[before] = seen.get(before, 0) | missing
                    there = self._graph.blocks[before]
                    todo.append((there, there.end - 1, missing))
        return found
