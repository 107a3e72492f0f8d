"""Finds accesses to the shared memory of a block of the cluster that has exited, or may have.

Shared memory is there as long as a thread of its block is. So an access of another block has to
come before the end of one of these threads in any order of the blocks: by a barrier of the cluster
behind it, or a message. Likewise a barrier has to come first, by which the block is known to have
begun (CUDA C++ Programming Guide, "Distributed Shared Memory").
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jitstudio.simulator.observers.causality import EVENT_SHIFT, THREAD_MASK, AccessOrder, Numbers
from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.state.faults import fault_of, line_of
from jitstudio.simulator.state.model import (
    WARP,
    Access,
    AccessKind,
    Fault,
    FaultKind,
    Layout,
    ThreadPlace,
    Threads,
)

_MEET = "Let all blocks of the cluster meet (cluster.sync())"
_BEHIND = f"{_MEET} after the last access to each other's shared memory, before any of them exits."
_BEFORE = f"{_MEET} before the first access to each other's shared memory."
# Copies that run by themselves end before somebody's wait, or at a time that nobody knows.
_BY_THEMSELVES = frozenset(["async"])


class NeighbourAccesses:
    """Accesses of resident blocks to shared memory of other blocks of their cluster.

    Args:
        layout: The resident blocks.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._threads = layout.warps_per_block * WARP
        blocks = len(layout.blocks)
        self._live = np.full(blocks, layout.threads_per_block, np.int64)
        self._ends: dict[int, ThreadPlace] = {}
        # Blocks that others know to have begun: by a barrier, or as they have reached for others.
        self._begun = np.zeros(blocks, np.bool_)
        # Of each block the last access of each thread of its cluster that nothing has ordered yet.
        self._last = np.zeros((blocks, layout.cluster_blocks * self._threads), np.int64)
        self._waiting = np.zeros(blocks, np.bool_)
        self._accesses: dict[int, Access] = {}
        self._faults: dict[object, Fault] = {}

    def accessed(self, access: Access, event: int) -> None:
        """Notes an access to shared memory, with its number."""
        slots = access.offsets // self._layout.shared_stride
        others = slots != access.threads // self._threads
        if not others.any():
            return
        early = others & ~self._begun[slots]
        # A block that accesses others has itself begun.
        self._begun[np.unique(access.threads[others] // self._threads)] = True
        if early.any():
            self._note(access, np.flatnonzero(early), slots, "may not have begun yet")
        gone = others & (self._live[slots] == 0)
        if gone.any():
            self._note(access, np.flatnonzero(gone), slots, "has exited")
        if access.strong or not _BY_THEMSELVES.isdisjoint(access.instruction.modifiers):
            return
        pending = others & ~gone
        threads, targets = access.threads[pending], slots[pending]
        self._last[targets, self._in_cluster(threads)] = threads + (event << EVENT_SHIFT)
        self._waiting[targets] = True
        self._accesses[event] = access

    def synchronised(self, threads: Threads) -> None:
        """Notes that blocks of clusters, or all blocks, have met."""
        self._begun[np.unique(threads // self._threads)] = True

    def ended(
        self, instruction: PtxInstruction, threads: Threads, step: int, order: AccessOrder
    ) -> None:
        """Notes that threads have exited; accesses they know come before their exit."""
        slots = threads // self._threads
        for slot in np.unique(slots).tolist():
            mine = threads[slots == slot]
            self._live[slot] -= mine.size
            if self._live[slot] == 0:
                self._ends[slot] = self._layout.place(instruction, int(mine[0]), step)
            if not self._waiting[slot]:
                continue
            columns = np.flatnonzero(self._last[slot])
            # Lanes of a warp that exit together know the same accesses: the first stands for all.
            for thread in mine[np.unique(mine // WARP, return_index=True)[1]].tolist():
                cells = self._last[slot, columns]
                known = order.ordered(cells, np.full(cells.size, thread))
                self._last[slot, columns[known]] = 0
                columns = columns[~known]
            if self._live[slot] == 0:
                self._note_left(self._last[slot, columns])

    def faults(self) -> list[Fault]:
        """Returns the faults, at most one for each line."""
        return list(self._faults.values())

    def _note_left(self, cells: Numbers) -> None:
        for event in np.unique(cells >> EVENT_SHIFT).tolist():
            access = self._accesses[event]
            threads = cells[cells >> EVENT_SHIFT == event] & THREAD_MASK
            chosen = np.searchsorted(access.threads, threads)
            slots = access.offsets // self._layout.shared_stride
            self._note(access, chosen, slots, "may have exited by then")

    def _note(self, access: Access, chosen: Numbers, slots: Numbers, what: str) -> None:
        """Keeps a fault of the chosen threads of an access."""
        instruction, layout = access.instruction, self._layout
        source = instruction.user_source
        place = source if source.line else instruction.number
        if (earlier := self._faults.get(place)) is not None:
            self._faults[place] = replace(earlier, count=earlier.count + chosen.size)
            return
        first = int(chosen[0])
        slot = int(slots[first])
        end = self._ends.get(slot)
        verb = {AccessKind.READ: "reads", AccessKind.WRITE: "writes"}.get(access.kind, "accesses")
        block = layout.block_of(slot * self._threads)
        fault = fault_of(
            layout,
            instruction,
            FaultKind.EXITED,
            int(access.threads[first]),
            f"{verb} {access.size} bytes of shared memory of block {block}, which {what}",
            chosen.size,
            False,
            access.step,
        )
        if end is None:
            self._faults[place] = replace(fault, message=f"{fault.message} {_BEFORE}")
            return
        assert fault.first is not None
        first_place, second = sorted((fault.first, end), key=lambda way: way.step)
        self._faults[place] = replace(
            fault,
            message=f"{fault.message} The last threads of block {block} exit at {line_of(end)}, "
            f"and nothing orders the access before that. {_BEHIND}",
            first=first_place,
            second=second,
        )

    def _in_cluster(self, threads: Threads) -> Numbers:
        columns: Numbers = threads % (self._layout.cluster_blocks * self._threads)
        return columns
