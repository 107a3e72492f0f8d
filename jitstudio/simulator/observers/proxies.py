"""Finds reads of shared memory by the asynchronous proxy that no fence comes before.

Tensor cores and bulk copies read by that proxy. Stores of threads reach it by
``fence.proxy.async``, executed by the storing threads, or by others once they have met (PTX ISA,
"Proxies", "Async Proxy").

A fence of another thread counts if anything has ordered threads of the block between the store and
the fence: a barrier, a meeting of lanes, an mbarrier, an atomic or a strong access. That can only
hide a missing fence.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jitstudio.ptx.opcodes import ATOMICS
from jitstudio.simulator.ptx.program import PtxInstruction, PtxProgram
from jitstudio.simulator.state.faults import fault_of
from jitstudio.simulator.state.model import (
    WARP,
    Access,
    AccessKind,
    Fault,
    FaultKind,
    Layout,
    Observer,
    SimulationResult,
    StateSpace,
    SyncScope,
    Threads,
)
from jitstudio.simulator.state.products import is_product

# Bytes of a cell; all stores of tiles are of whole words.
_GRANULE = 4
_NEVER = -1


def uses_async_proxy(instruction: PtxInstruction) -> bool:
    """Returns whether an instruction accesses shared memory by the asynchronous proxy."""
    is_bulk = instruction.opcode == "cp" and {"bulk", "async"} <= {*instruction.modifiers}
    return is_bulk or is_product(instruction)


class AsyncProxy(Observer):
    """Adds reads without a fence to the faults of the result, one for each instruction."""

    def __init__(self) -> None:
        self._faults: dict[object, Fault] = {}
        self._clock = 0

    @classmethod
    def needed(cls, program: PtxProgram) -> bool:
        """Returns whether a program reads by the asynchronous proxy."""
        return any(map(uses_async_proxy, program.instructions))

    def started(self, layout: Layout) -> None:
        """See `Observer`."""
        self._layout = layout
        self._size = layout.warps_per_block * WARP
        self._fences = np.full(layout.threads, _NEVER, np.int64)
        blocks = len(layout.blocks)
        # For each block: the clock when threads last met, and the value of that clock at the last
        # fence, which covers all stores before.
        self._met = np.full(blocks, _NEVER, np.int64)
        self._covered = np.full(blocks, _NEVER, np.int64)
        granules = blocks * layout.shared_stride // _GRANULE
        self._stored = np.full(granules, _NEVER, np.int64)
        self._writers = np.zeros(granules, np.int64)

    def executed(self, instruction: PtxInstruction, threads: Threads) -> None:
        """See `Observer`."""
        self._clock += 1
        words = instruction.modifiers
        if instruction.opcode == "fence" and "proxy" in words and "async" in words:
            self._fences[threads] = self._clock
            slots = np.unique(threads // self._size)
            self._covered[slots] = self._met[slots]
        # Any of these may order a store before a later fence.
        elif instruction.opcode == "mbarrier" or instruction.opcode in ATOMICS:
            self._met[threads // self._size] = self._clock

    def synchronised(self, threads: Threads, scope: SyncScope) -> None:
        """See `Observer`."""
        self._met[threads // self._size] = self._clock

    def accessed(self, access: Access) -> None:
        """See `Observer`."""
        if access.strong:
            self._met[access.threads // self._size] = self._clock
        if access.space is not StateSpace.SHARED:
            return
        is_async = uses_async_proxy(access.instruction)
        count = max(access.size // _GRANULE, 1)
        places = access.offsets[:, None] // _GRANULE + np.arange(count)
        if access.kind is not AccessKind.READ:
            self._stored[places] = _NEVER if is_async else self._clock
            self._writers[places] = access.threads[:, None]
        elif is_async:
            self._check(access, places)

    def _check(self, access: Access, places: NDArray[np.int64]) -> None:
        """Notes reads of stores that no fence has shown to the proxy."""
        instruction = access.instruction
        # A loop that is unrolled has several instructions for one line.
        place = instruction.user_source if instruction.user_source.line else instruction.number
        stored, writers = self._stored[places], self._writers[places]
        shown = (self._fences[writers] > stored) | (self._covered[writers // self._size] > stored)
        late = (stored != _NEVER) & ~shown
        if place in self._faults or not late.any():
            return
        row, column = np.argwhere(late)[0]
        thread, writer = int(access.threads[row]), int(writers[row, column])
        fault = fault_of(
            self._layout,
            instruction,
            FaultKind.NOT_FENCED,
            thread,
            f"reads {access.size} bytes of shared memory at 0x{int(access.addresses[row]):x} by "
            "the asynchronous proxy, and no fence.proxy.async lies between that and the store to "
            f"them by thread {self._layout.thread_of(writer)}",
            1,
            False,
            access.step,
        )
        self._faults[place] = replace(
            fault,
            message=f"{fault.message} Let the threads that store execute fence.proxy.async before "
            "the barrier.",
        )

    def finished(self, result: SimulationResult) -> SimulationResult:
        """See `Observer`."""
        return replace(result, faults=(*result.faults, *self._faults.values()))
