"""Counts of each line in a launch: executions, active lanes, traffic, divergence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import PurePath

import numpy as np

from jitstudio.core.launch.simulation import LibraryBranch
from jitstudio.ptx.opcodes import ACCESSES, LOADS, MATRIX_ACCESSES
from jitstudio.simulator.observers.accesses import most_at_one_address, traffic_of, warps_of
from jitstudio.simulator.observers.layouts import with_suggestions
from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.state.model import (
    WARP,
    Access,
    AccessKind,
    AccessSample,
    Layout,
    LineCounts,
    Observer,
    SimulationResult,
    StateSpace,
    Threads,
)

_LOADS = LOADS | MATRIX_ACCESSES | {"wmma"}
_MOVES_SECTORS = (StateSpace.GLOBAL, StateSpace.LOCAL)


@dataclass(slots=True)
class _Counts:
    """The counts of an instruction, with the fields of `LineCounts`."""

    executions: int = 0
    thread_executions: int = 0
    divergent: int = 0
    requests: int = 0
    sectors: int = 0
    lines_touched: int = 0
    bytes_used: int = 0
    wavefronts: int = 0
    bank_conflicts: int = 0
    lanes_per_address: int = 0
    sector_requests: int = 0
    beside_copies: int = 0


class Counter(Observer):
    """Counts for each instruction, and adds the counts of the lines of the PTX to the result."""

    def __init__(self) -> None:
        self._instructions: dict[int, PtxInstruction] = {}
        self._counts: defaultdict[int, _Counts] = defaultdict(_Counts)
        self._samples: dict[tuple[int, StateSpace], AccessSample] = {}
        self._accessing: dict[int, PtxInstruction] = {}
        # Accesses by instruction: an `ldmatrix` makes one for each matrix, but is a single request.
        self._accesses: defaultdict[int, int] = defaultdict(int)
        self._last: tuple[int, StateSpace] | None = None
        self._layout: Layout | None = None
        # The same threads take many steps together, so their warps are counted once.
        self._threads: Threads | None = None
        self._warps = 0

    def started(self, layout: Layout) -> None:
        """See `Observer`."""
        self._layout = layout

    def executed(self, instruction: PtxInstruction, threads: Threads) -> None:
        """See `Observer`."""
        if not _is_same(threads, self._threads):
            self._threads, self._warps = threads, warps_of(threads)
        self._instructions[instruction.number] = instruction
        self._last = None
        counts = self._counts[instruction.number]
        counts.executions += self._warps
        counts.thread_executions += threads.size

    def branched(self, instruction: PtxInstruction, threads: Threads, taken: Threads) -> None:
        """See `Observer`: warps with lanes that leap and lanes that stay are divergent."""
        if 0 < taken.size < threads.size:
            stayed = np.setdiff1d(threads, taken, assume_unique=True)
            both = np.intersect1d(np.unique(taken // WARP), np.unique(stayed // WARP))
            self._counts[instruction.number].divergent += both.size

    def accessed(self, access: Access) -> None:
        """See `Observer`."""
        layout = self._layout
        assert layout is not None
        traffic = traffic_of(access, layout)
        if not traffic.requests:
            return
        counts = self._counts[access.instruction.number]
        this = access.instruction.number, access.space
        is_further = self._last == this and _is_one_request(access)
        requests = 0 if is_further else traffic.requests
        self._last = this
        self._accesses[access.instruction.number] += traffic.requests
        counts.requests += requests
        counts.sectors += traffic.sectors
        counts.lines_touched += traffic.lines
        counts.wavefronts += traffic.wavefronts
        counts.bank_conflicts += traffic.conflicts
        if access.space in _MOVES_SECTORS:
            counts.bytes_used += traffic.bytes_used
            counts.sector_requests += requests
        if access.beside_copies is not None and access.instruction.opcode in _LOADS and requests:
            counts.beside_copies += warps_of(access.threads[access.beside_copies])
        # An arrival at an mbarrier is none of the atomics that a warp could add up.
        if access.kind is AccessKind.ATOMIC and access.instruction.opcode in ACCESSES:
            most = most_at_one_address(access.threads, access.addresses)
            counts.lanes_per_address = max(counts.lanes_per_address, most)
        if traffic.worst:
            self._keep_worst(access, layout, traffic.worst, traffic.worst_warp)

    def finished(self, result: SimulationResult) -> SimulationResult:
        """See `Observer`: adds the lines in the order of the PTX, and the worst requests."""
        lines: dict[int, LineCounts] = {}
        for number in sorted(self._instructions):
            instruction, counts = self._instructions[number], self._counts[number]
            line = LineCounts(*instruction.source, instruction.line, **asdict(counts))
            earlier = lines.get(instruction.line)
            # Several statements on a line of hand-written PTX.
            lines[instruction.line] = earlier + line if earlier else line
        samples_by_number = sorted(self._samples.items(), key=_by_number)
        samples = with_suggestions(
            [
                replace(sample, mean=self._mean_cost(number))
                for (number, _), sample in samples_by_number
            ],
            [self._accessing[number] for (number, _), _ in samples_by_number],
        )
        library = tuple(self._in_headers())
        return replace(result, lines=tuple(lines.values()), samples=samples, library=library)

    def _in_headers(self) -> Iterator[LibraryBranch]:
        """Yields the branches at which lanes part in code inlined from headers of NVIDIA's."""
        for number, instruction in sorted(self._instructions.items()):
            caller, source = instruction.user_source, instruction.source
            if self._counts[number].divergent and caller != source:
                header = (PurePath(source.file).name,)
                yield LibraryBranch(instruction.line, caller.file, caller.line, header)

    def _mean_cost(self, number: int) -> float:
        counts = self._counts[number]
        # Global and local memory have sectors, shared memory wavefronts.
        return (counts.sectors or counts.wavefronts) / self._accesses[number]

    def _keep_worst(self, access: Access, layout: Layout, cost: int, warp: int) -> None:
        """Keeps the request of an instruction that took the most sectors or wavefronts."""
        key = (access.instruction.number, access.space)
        worst = self._samples.get(key)
        if worst is not None and worst.cost >= cost:
            return
        first, end = np.searchsorted(access.threads, (warp * WARP, (warp + 1) * WARP))
        lanes, addresses = access.threads[first:end] % WARP, access.addresses[first:end]
        first_thread = int(access.threads[first])
        self._accessing[access.instruction.number] = access.instruction
        self._samples[key] = AccessSample(
            access.instruction.line,
            access.space,
            access.kind,
            access.size,
            layout.place(access.instruction, first_thread),
            tuple(zip(lanes.tolist(), addresses.tolist(), strict=True)),
            cost,
        )


def _is_one_request(access: Access) -> bool:
    """Returns whether all accesses of a step are a single request, as of an `ldmatrix`.

    `wmma` becomes loads and stores by themselves, but for factors whose space is said to be shared:
    ptxas makes `ldmatrix` of these, and plain loads of generic addresses.
    """
    instruction = access.instruction
    words = set(instruction.modifiers)
    is_matrix = words.isdisjoint(("c", "d")) and not words.isdisjoint(("shared", "shared::cta"))
    return is_matrix or not instruction.opcode.startswith("wmma")


def _is_same(threads: Threads, others: Threads | None) -> bool:
    """Returns whether two arrays are views of the same memory, and so equal."""
    if threads is others:
        return True
    if others is None or threads.size != others.size:
        return False
    return bool(threads.ctypes.data == others.ctypes.data)


def _by_number(item: tuple[tuple[int, StateSpace], AccessSample]) -> int:
    return item[0][0]
