"""Which registers hold values that are read again, certainly or only under a predicate.

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

# R1, the stack pointer, counts as alive up to the end in nvdisasm, whether read or not.
_LEAVING = frozenset(("EXIT", "RET"))


class RegisterEffect(NamedTuple):
    """The registers that an instruction reads and writes.

    Attributes:
        kills: Registers certainly written where the guard holds.
        reads: Registers that may be read, or written besides `kills`, the guard not counted.
        guard: The guarding predicate, with its ``!``; empty where there is none.
        inverse: The opposite guard.
        guard_bit: The register of the guard.
        tests: Predicates among `kills` and `reads`.
    """

    kills: Mask
    reads: Mask
    guard: str
    inverse: str
    guard_bit: Mask
    tests: Mask


def effect(predicate: str, reads: Mask, kills: Mask) -> RegisterEffect:
    """Returns the effect of an instruction on registers.

    Args:
        predicate: The guard, such as ``@!P0``; empty where there is none.
        reads: Registers that may be read, or written in part or not at all.
        kills: Registers certainly written where the guard holds.
    """
    if not predicate:
        return RegisterEffect(kills, reads, "", "", 0, (kills | reads) & PREDICATES)
    name = predicate.removeprefix("@")
    number = guard(predicate)
    guard_bit = 1 << number if number != NONE else 0
    if name and not guard_bit & PREDICATES:
        # A constant predicate, or a uniform one: threads may differ in their other predicates.
        kills, reads, name = 0, reads | kills | guard_bit, ""
    elif name:
        # Uniform registers are written for all threads, also those whose guard does not hold.
        reads |= kills & UNIFORM
        kills &= ~UNIFORM
    inverse = name[1:] if name.startswith("!") else f"!{name}"
    return RegisterEffect(kills, reads, name, inverse, guard_bit, (kills | reads) & PREDICATES)


def effects(function: SassFunction, count: int) -> list[RegisterEffect]:
    """Returns the effects of the first `count` instructions of a function."""
    return [*map(_effect, function.predicates[:count], function.opcodes, function.operands)]


@lru_cache(1 << 15)
def _effect(predicate: str, opcode: str, operands: str) -> RegisterEffect:
    decoded = decode(opcode, operands)
    stack_pointer = 1 << STACK_POINTER if stem(opcode) in _LEAVING else 0
    return effect(
        predicate, decoded.reads | decoded.writes & ~decoded.sure | stack_pointer, decoded.sure
    )


def used(effects: Iterable[RegisterEffect]) -> Mask:
    """Returns all registers that the instructions use."""
    mask = 0
    for instruction in effects:
        mask |= instruction.kills | instruction.reads | instruction.guard_bit
    return mask


class Liveness:
    """The registers that are alive along a function.

    Args:
        graph: The control flow of the function.
        effects: The effect of each instruction.
        before: Instructions that can be reached from anywhere: in front of them all registers are
            alive.
        behind: Instructions that may lead anywhere: behind them all is alive.

    Attributes:
        at_start: Per block, the registers that may be read before they are written.
        at_end: Per block, the registers that may be read behind it.
    """

    def __init__(
        self,
        graph: FlowGraph,
        effects: Sequence[RegisterEffect],
        before: frozenset[int] = frozenset(),
        behind: frozenset[int] = frozenset(),
    ) -> None:
        self._graph, self._effects = graph, effects
        self._before, self._behind = before, behind
        self._all = used(effects) if before or behind else 0
        blocks = range(len(graph.blocks))
        # For each block: registers that are read, and those that stay alive if alive behind.
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
            reads, transparent = passes[at]
            start = reads | live & transparent
            if start != self.at_start[at]:
                self.at_start[at] = start
                waiting.update(dict.fromkeys(graph.predecessors[at]))

    def behind(self, block: int) -> list[Mask]:
        """Returns the registers that may be read behind each instruction of a block, in order."""
        live: list[Mask] = []
        self._pass(block, self.at_end[block], behind=live)
        return live[::-1]

    def fresh(self, block: int) -> dict[int, Mask]:
        """Returns the guarded results in a block whose old values nothing needs, by instruction."""
        fresh: dict[int, Mask] = {}
        start, end = self._graph.blocks[block].start, self._graph.blocks[block].end
        if any(instruction.guard and instruction.kills for instruction in self._effects[start:end]):
            self._pass(block, self.at_end[block], fresh=fresh)
        return fresh

    def _summary(self, block: int) -> tuple[Mask, Mask]:
        """Returns the registers alive in front of a block if none, and if all, are behind."""
        start, end = self._graph.blocks[block].start, self._graph.blocks[block].end
        effects = self._effects[start:end]
        places = range(start, end)
        if (
            any(instruction.guard for instruction in effects)
            or not self._before.isdisjoint(places)
            or not self._behind.isdisjoint(places)
        ):
            return self._pass(block, 0), self._pass(block, ALL_REGISTERS)
        reads = kills = 0
        for instruction in reversed(effects):
            reads = reads & ~instruction.kills | instruction.reads
            kills |= instruction.kills
        return reads, reads | ALL_REGISTERS & ~kills

    def _pass(
        self,
        block: int,
        live: Mask,
        fresh: dict[int, Mask] | None = None,
        behind: list[Mask] | None = None,
    ) -> Mask:
        """Returns the registers alive in front of a block, from `live` behind."""
        state = _State(live)
        start, end = self._graph.blocks[block].start, self._graph.blocks[block].end
        for at in range(end - 1, start - 1, -1):
            if at in self._behind:
                state.forget(self._all)
            effect = self._effects[at]
            if behind is not None:
                behind.append(state.needed())
            if fresh is not None and effect.guard and effect.kills:
                fresh[at] = effect.kills & ~state.needed_without(effect)
            state.step(effect)
            if at in self._before:
                state.forget(self._all)
        return state.settled()


class _State:
    """The registers alive between two instructions of a block, going backwards."""

    __slots__ = ("live", "under")

    def __init__(self, live: Mask) -> None:
        self.live = live
        self.under: dict[str, Mask] = {}

    def step(self, effect: RegisterEffect) -> None:
        """Moves the state from behind an instruction to the front."""
        under = self.under
        if not effect.guard:
            if under:
                if effect.tests:
                    self._settle(effect.tests)
                for condition in under:
                    under[condition] &= ~effect.kills
            self.live = self.live & ~effect.kills | effect.reads
            return
        if effect.tests:
            self._settle(effect.tests)
        condition, inverse, kills = effect.guard, effect.inverse, effect.kills
        if left := self.live & kills:
            under[inverse] = under.get(inverse, 0) | left
        uniform = effect.reads & UNIFORM
        under[condition] = under.get(condition, 0) & ~kills | effect.reads
        self.live = self.live & ~kills | effect.guard_bit | uniform

    def forget(self, everything: Mask) -> None:
        """Takes all registers of `everything` for alive."""
        self.live = everything
        self.under.clear()

    def settled(self) -> Mask:
        """Returns all registers that may be read, whatever the predicates are."""
        self._settle(PREDICATES)
        return self.live

    def needed(self) -> Mask:
        """Returns all registers that may be read, without settling predicates."""
        needed = self.live
        for mask in self.under.values():
            needed |= mask
        return needed

    def needed_without(self, effect: RegisterEffect) -> Mask:
        """Returns the registers read behind an instruction where the guard does not hold."""
        needed = self.live
        for condition, mask in self.under.items():
            # The instruction may itself change the predicate of its guard.
            if condition != effect.guard or effect.tests & effect.guard_bit:
                needed |= mask
        return needed

    def _settle(self, predicates: Mask) -> None:
        """Makes registers alive under `predicates` alive in any case: these may change."""
        for condition in [*self.under]:
            if predicates >> guard(condition) & 1:
                self.live |= self.under.pop(condition)


# ---- The writers of the registers that are alive at an instruction


class Definition(NamedTuple):
    """Registers that are alive at an instruction, and the place of the writer.

    Attributes:
        places: The place of the writing instruction; empty where the line table does not say.
        registers: Their numbers, ascending.
    """

    places: InlineChain
    registers: tuple[int, ...]


def register_definitions(function: SassFunction, index: int) -> tuple[Definition, ...]:
    """Returns the origins of the general registers alive at an instruction, the most first.

    Origins come from the operands of the instructions before, on all ways that lead there; a
    register written on two ways counts for both. Called functions are not looked into.
    """
    code = _Code(function)
    masks: dict[InlineChain, Mask] = {}
    for at, written in code.writers(index, code.alive(index)).items():
        places = function[at].places
        masks[places] = masks.get(places, 0) | written
    definitions = (Definition(places, numbers(written)) for places, written in masks.items())
    return tuple(sorted(definitions, key=lambda definition: -len(definition.registers)))


class _Code:
    """The effects of a function's instructions on registers, with the control flow."""

    def __init__(self, function: SassFunction) -> None:
        self._graph: FlowGraph = sass_graph(function)
        count = function.code_length
        self._effects = effects(function, count)
        pairs = zip(function.opcodes[:count], function.operands[:count], strict=True)
        self._writes = [decode(opcode, operands).writes for opcode, operands in pairs]

    def alive(self, index: int) -> Mask:
        """Returns the general registers alive around an instruction, as nvdisasm counts."""
        block = self._graph.block_at(index)
        if block is None:
            return 0
        behind = Liveness(self._graph, self._effects).behind(block.id)
        effect = self._effects[index]
        return (behind[index - block.start] | effect.reads | self._writes[index]) & GENERAL

    def writers(self, index: int, live: Mask) -> dict[int, Mask]:
        """Returns the registers that instructions wrote last before `index`, by instruction."""
        writers: dict[int, Mask] = {}
        visited: dict[int, Mask] = {}
        block = self._graph.block_at(index)
        todo = [(block, index, live)] if block else []
        while todo:
            block, last, registers = todo.pop()
            for at in range(last, block.start - 1, -1):
                if written := self._writes[at] & registers:
                    writers[at] = writers.get(at, 0) | written
                    # Where the guard is false, the register keeps its value.
                    registers &= ~(self._effects[at].kills if not self._effects[at].guard else 0)
            for before in self._graph.predecessors[block.id]:
                if missing := registers & ~visited.get(before, 0):
                    visited[before] = visited.get(before, 0) | missing
                    predecessor = self._graph.blocks[before]
                    todo.append((predecessor, predecessor.end - 1, missing))
        return writers
