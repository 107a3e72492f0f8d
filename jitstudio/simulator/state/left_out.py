"""Barriers that some threads of a block leave out, while others wait there or have met at them.

Behind each barrier, and each call that may lead to one, stands an instruction that all come to with
the barrier or without it (`PtxFlow.first_behind`). How often each thread has been there is
counted, for each chain of calls apart. Who has been there more often than a thread that waits at
the barrier has left it out: in a condition, in a function, or in one round of a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.ptx.opcodes import BARRIERS
from jitstudio.simulator.ptx.flow import PtxFlow
from jitstudio.simulator.ptx.program import PtxFunction, PtxInstruction, PtxProgram, SymbolOperand
from jitstudio.simulator.state.groups import Selection, numbers_of
from jitstudio.simulator.state.model import Threads

_MIX = np.int64(0x9E3779B1)

PassedKey = tuple[int, int, int]
"""The instruction behind a barrier, the depth of the call, and the chain of calls."""


class WaitingChain(NamedTuple):
    """Threads that wait at a barrier, and how often they have been behind it in some frame.

    Attributes:
        numbers: The threads.
        counts: How often each has been there.
        key: Where.
    """

    numbers: Threads
    counts: NDArray[np.int32]
    key: PassedKey


def places_behind(program: PtxProgram, functions: Mapping[str, PtxFunction]) -> dict[int, int]:
    """Returns for barriers, and calls that may lead to one, what `PtxFlow.first_behind` finds.

    Args:
        program: The PTX.
        functions: The kernel and what it may call.
    """
    bodies = {n: program.instructions[f.start : f.end] for n, f in functions.items()}
    leading = {name for name, body in bodies.items() if any(map(_is_barrier, body))}
    through_pointers = any(not functions[name].is_kernel for name in leading)

    def leads(instruction: PtxInstruction) -> bool:
        if instruction.opcode != "call" or len(instruction.operands) < 2:
            return False
        target = instruction.operands[1]
        return target.name in leading if isinstance(target, SymbolOperand) else through_pointers

    while more := {n for n, body in bodies.items() if n not in leading and any(map(leads, body))}:
        leading |= more
    found: dict[int, int] = {}
    for name in leading:
        starts = [i.number for i in bodies[name] if _is_barrier(i) or leads(i)]
        graph = PtxFlow(program, functions[name], starts)
        for at in starts:
            if (behind := graph.first_behind(at)) >= 0:
                found[at] = behind
    return found


def _is_barrier(instruction: PtxInstruction) -> bool:
    """Whether threads of a block wait there for others."""
    words = instruction.modifiers
    return instruction.opcode in BARRIERS and not {"warp", "cluster", "arrive"} & {*words}


class PassedBarriers:
    """How often threads have come to what is behind barriers.

    Args:
        behind: What `places_behind` finds.
        threads: How many there are.

    Attributes:
        counts: For each thread, by place.
        chains: A number for the chain of calls that each thread is in, by depth; none for depth 0.
        last: Each place, and the steps before the last time that a thread came there.
    """

    def __init__(self, behind: Mapping[int, int], threads: int) -> None:
        self._behind = behind
        self._places = frozenset(behind.values())
        self._threads = threads
        self.counts: dict[PassedKey, NDArray[np.int32]] = {}
        self.chains: list[NDArray[np.int64]] = []
        self.last: dict[PassedKey, tuple[PtxInstruction, int]] = {}

    def __contains__(self, at: object) -> bool:
        return at in self._places

    def enter(self, depth: int, at: int, threads: Selection) -> None:
        """Takes note that threads are called to a depth by an instruction."""
        while len(self.chains) < depth:
            self.chains.append(np.zeros(self._threads, np.int64))
        before = self.chains[depth - 2][threads] if depth > 1 else np.int64(0)
        self.chains[depth - 1][threads] = (before + at + 1) * _MIX

    def come(
        self, depth: int, instruction: PtxInstruction, threads: Selection, step: int
    ) -> list[PassedKey]:
        """Takes note that threads come to what is behind a barrier; returns where that is."""
        keys = []
        for chain, chosen in self._by_chain(depth, numbers_of(threads)):
            key = instruction.number, depth, chain
            if (counts := self.counts.get(key)) is None:
                counts = self.counts[key] = np.zeros(self._threads, np.int32)
            counts[chosen] += 1
            self.last[key] = instruction, step
            keys.append(key)
        return keys

    def frames(
        self, depth: int, at: int, numbers: Threads, returns: list[NDArray[np.int32]]
    ) -> Iterator[WaitingChain]:
        """Yields how often threads that wait have been behind the barrier, in each of their frames.

        Args:
            depth: Of their calls.
            at: The barrier.
            numbers: The threads.
            returns: Where each thread goes on after the call, by depth.
        """
        for level in range(depth, -1, -1):
            sites = returns[level + 1][numbers] - 1 if level < depth else np.full(len(numbers), at)
            for site in np.unique(sites).tolist():
                place = self._behind.get(site)
                if place is None:
                    continue
                for chain, chosen in self._by_chain(level, numbers[sites == site]):
                    key = place, level, chain
                    if (counts := self.counts.get(key)) is not None:
                        yield WaitingChain(chosen, counts[chosen], key)

    def _by_chain(self, depth: int, numbers: Threads) -> Iterator[tuple[int, Threads]]:
        """Yields the threads of each chain of calls."""
        if not depth:
            yield 0, numbers
            return
        chains = self.chains[depth - 1][numbers]
        for chain in np.unique(chains).tolist():
            yield chain, numbers[chains == chain]
