"""Barriers that some threads of a block leave out, while others wait there or have met.

Behind each barrier, and each call that may lead to a barrier, stands an instruction that all
threads come to, with the barrier or without (`PtxFlow.first_behind`). The visits of each thread
there are counted, for each chain of calls apart. A thread with more visits than a thread that waits
at the barrier has left the barrier out: in a condition, in a function, or in a round of a loop.
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

# About 2^32 divided by the golden ratio: multiplicative hashing of a chain of calls to one number.
_MIX = np.int64(0x9E3779B1)

PassedKey = tuple[int, int, int]
"""The instruction behind a barrier, the depth of the call, and the chain of calls."""


class WaitingChain(NamedTuple):
    """Threads that wait at a barrier, with their visits behind it in a frame.

    Attributes:
        numbers: The threads.
        counts: The number of visits of each.
        key: The place behind the barrier.
    """

    numbers: Threads
    counts: NDArray[np.int32]
    key: PassedKey


def places_behind(program: PtxProgram, functions: Mapping[str, PtxFunction]) -> dict[int, int]:
    """Returns the instruction behind each barrier and each call that may lead to a barrier.

    Args:
        program: The PTX.
        functions: The kernel and the functions that it may call.
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
    behind: dict[int, int] = {}
    for name in leading:
        starts = [i.number for i in bodies[name] if _is_barrier(i) or leads(i)]
        graph = PtxFlow(program, functions[name], starts)
        for at in starts:
            if (place := graph.first_behind(at)) >= 0:
                behind[at] = place
    return behind


def _is_barrier(instruction: PtxInstruction) -> bool:
    """Returns whether threads of a block wait for others at an instruction."""
    words = instruction.modifiers
    return instruction.opcode in BARRIERS and not {"warp", "cluster", "arrive"} & {*words}


class PassedBarriers:
    """The visits of threads to the instructions behind barriers.

    Args:
        behind: The result of `places_behind`.
        threads: How many there are.

    Attributes:
        counts: The visits of each thread, by place.
        chains: A number for the chain of calls that each thread is in, by depth; none for depth 0.
        last: The instruction of each place, and the steps before the last visit.
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
        """Notes that an instruction calls threads to a depth."""
        while len(self.chains) < depth:
            self.chains.append(np.zeros(self._threads, np.int64))
        before = self.chains[depth - 2][threads] if depth > 1 else np.int64(0)
        self.chains[depth - 1][threads] = (before + at + 1) * _MIX

    def come(
        self, depth: int, instruction: PtxInstruction, threads: Selection, step: int
    ) -> list[PassedKey]:
        """Notes that threads come to the instruction behind a barrier; returns the places."""
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
        """Yields the visits of waiting threads behind the barrier, in each of their frames.

        Args:
            depth: Of their calls.
            at: The barrier.
            numbers: The threads.
            returns: The instruction at which each thread goes on after the call, by depth.
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
