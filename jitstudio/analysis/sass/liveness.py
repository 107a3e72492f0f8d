"""Which registers hold what is read again, for certain or only where a predicate says so.

Code without branches is full of pairs such as ``@P0 MOV R4, R2`` and ``@!P0 MOV R4, R3``: together
they write R4 for certain. So what is read, or is left to be written, under a predicate is kept
apart as long as that predicate is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from jitstudio.analysis.control_flow import FlowGraph
from jitstudio.analysis.diff.form import (
    PREDICATES,
    UNIFORM,
    Form,
    Mask,
    register_number,
)
from jitstudio.analysis.diff.waypoints import Waypoints


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """What an instruction does with registers.

    Attributes:
        kills: What it surely writes where its guard holds.
        reads: What it may read or write beside them, without its guard.
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


@lru_cache(1 << 12)
def numbers(mask: Mask) -> tuple[int, ...]:
    """The registers of a mask."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tuple(found)


def effects(forms: Sequence[Form]) -> list[Effect]:
    """What each instruction does."""
    # The same text has the same form.
    known = {id(form): form for form in forms}
    found = {key: _effect(form) for key, form in known.items()}
    return [found[id(form)] for form in forms]


def used(does: Iterable[Effect]) -> Mask:
    """All registers of a function."""
    mask = 0
    for effect in {id(effect): effect for effect in does}.values():
        mask |= effect.kills | effect.reads | effect.guard_bit
    return mask


def _effect(form: Form) -> Effect:
    guard = form.guard
    head = 1 if register_number(guard.removeprefix("!")) is not None else 0
    slots = form.written
    kills = _mask(form.uses[slots.start : slots.stop])
    rest = _mask((*form.uses[head : slots.start], *form.uses[slots.stop :]))
    guard_bit = _mask(form.uses[:head])
    if guard and not guard_bit & PREDICATES:
        # One that never changes, or one of the whole warp, whose threads may differ in the rest.
        kills, rest, guard = 0, rest | kills | guard_bit, ""
    elif guard:
        # What a warp shares is written for those, too, whose guard does not hold.
        rest |= kills & UNIFORM
        kills &= ~UNIFORM
    inverse = guard[1:] if guard.startswith("!") else f"!{guard}"
    return Effect(kills, rest, guard, inverse, guard_bit, (kills | rest) & PREDICATES)


def _mask(registers: Sequence[int]) -> Mask:
    mask = 0
    for number in registers:
        mask |= 1 << number
    return mask


class _State:
    """What is alive between two instructions of a block, going backwards."""

    __slots__ = ("live", "under")

    def __init__(self, live: Mask) -> None:
        self.live = live
        self.under: dict[str, Mask] = {}

    def step(self, effect: Effect) -> None:
        """In front of an instruction."""
        under = self.under
        if not effect.guard:
            if under:
                self._settle(effect.tests)
                for guard in under:
                    under[guard] &= ~effect.kills
            self.live = self.live & ~effect.kills | effect.reads
            return
        self._settle(effect.tests)
        guard, inverse, kills = effect.guard, effect.inverse, effect.kills
        if left := self.live & kills:
            under[inverse] = under.get(inverse, 0) | left
        uniform = effect.reads & UNIFORM
        under[guard] = under.get(guard, 0) & ~kills | effect.reads
        self.live = self.live & ~kills | effect.guard_bit | uniform

    def forget(self, everything: Mask) -> None:
        """Anything may be read."""
        self.live = everything
        self.under.clear()

    def settled(self) -> Mask:
        """All that may be read, whatever the predicates say."""
        self._settle(PREDICATES)
        return self.live

    def needed_without(self, effect: Effect) -> Mask:
        """What may be read behind an instruction where its guard does not hold."""
        needed = self.live
        for guard, mask in self.under.items():
            # What it writes itself may make its own guard another one.
            if guard != effect.guard or effect.tests & effect.guard_bit:
                needed |= mask
        return needed

    def _settle(self, predicates: Mask) -> None:
        """In front of what may change these predicates they tell nothing."""
        for guard in [*self.under]:
            if predicates >> _number(guard) & 1:
                self.live |= self.under.pop(guard)


@lru_cache
def _number(guard: str) -> int:
    number = register_number(guard.removeprefix("!"))
    assert number is not None
    return number


class Liveness:
    """What is alive along a function.

    Attributes:
        at_start: Per block, the registers that may be read before they are written.
    """

    def __init__(self, graph: FlowGraph, ways: Waypoints, does: Sequence[Effect]) -> None:
        self._graph, self._ways, self._does = graph, ways, does
        self._all = used(does)
        blocks = range(len(graph.blocks))
        # Each register for itself: what is read here, and what is still alive if it was behind.
        passes = [(self._pass(block, 0), self._pass(block, self._all)) for block in blocks]
        self.at_start: list[Mask] = [0] * len(blocks)
        self._at_end: list[Mask] = [0] * len(blocks)
        waiting = dict.fromkeys(blocks)
        while waiting:
            at, _ = waiting.popitem()
            live = 0
            for behind in graph.successors[at]:
                live |= self.at_start[behind]
            self._at_end[at] = live
            reads, kept = passes[at]
            before = reads | live & kept
            if before != self.at_start[at]:
                self.at_start[at] = before
                waiting.update(dict.fromkeys(graph.predecessors[at]))

    def fresh(self, block: int) -> dict[int, Mask]:
        """The guarded results in a block that nothing needs the old value of, by instruction."""
        found: dict[int, Mask] = {}
        start, end = self._graph.blocks[block].start, self._graph.blocks[block].end
        if any(effect.guard and effect.kills for effect in self._does[start:end]):
            self._pass(block, self._at_end[block], found)
        return found

    def _pass(self, block: int, live: Mask, fresh: dict[int, Mask] | None = None) -> Mask:
        """What is alive in front of a block, by what is behind it."""
        state = _State(live)
        before, behind = self._ways.before, self._ways.behind
        start, end = self._graph.blocks[block].start, self._graph.blocks[block].end
        for at in range(end - 1, start - 1, -1):
            if at in behind:
                state.forget(self._all)
            effect = self._does[at]
            if fresh is not None and effect.guard and effect.kills:
                fresh[at] = effect.kills & ~state.needed_without(effect)
            state.step(effect)
            if at in before:
                state.forget(self._all)
        return state.settled()
