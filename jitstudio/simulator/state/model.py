"""A simulated launch, its result, and the accesses and events that observers are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.device import Dim3, xyz_of
from jitstudio.core.launch.simulation import (
    AccessKind,
    AccessSample,
    Fault,
    FaultKind,
    LibraryBranch,
    LineCounts,
    Race,
    StateSpace,
    ThreadPlace,
)
from jitstudio.core.launch.texels import Texels
from jitstudio.core.launch.types import Type
from jitstudio.simulator.ptx.program import PtxInstruction

__all__ = [
    "WARP",
    "Access",
    "AccessKind",
    "AccessSample",
    "Allocation",
    "BoundTexels",
    "Fault",
    "FaultKind",
    "Layout",
    "LineCounts",
    "Observer",
    "Race",
    "SimulatedLaunch",
    "SimulationLimits",
    "SimulationOutcome",
    "SimulationResult",
    "StateSpace",
    "SyncScope",
    "ThreadPlace",
    "Threads",
]

WARP = 32
"""Threads of a warp."""

Threads = NDArray[np.int64]
"""Numbers of threads, sorted. A number is ``block slot * warps per block * 32 + linear tid``."""


class SyncScope(Enum):
    """The threads among which a barrier or a fence orders accesses."""

    WARP = "warp"
    BLOCK = "block"
    CLUSTER = "cluster"
    GRID = "grid"
    SYSTEM = "system"


class SimulationOutcome(Enum):
    """How a simulation ended."""

    FINISHED = "finished"
    FAULTED = "faulted"
    TRAPPED = "trapped"
    DEADLOCKED = "deadlocked"
    REFUSED = "refused"
    OUT_OF_STEPS = "out of steps"
    TIMED_OUT = "timed out"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Allocation:
    """A buffer in global memory.

    Attributes:
        name: The parameter's.
        address: Where it begins; see `place` of `memory`.
        size: Bytes.
        data: Its content before the launch; None for bytes that nobody has written.
    """

    name: str
    address: int
    size: int
    data: bytes | None = None


@dataclass(frozen=True)
class FilledVariable:
    """A module variable that a launch fills or reads back.

    Attributes:
        name: The argument's.
        symbol: Its name in the PTX.
        data: Its content before the launch; None for its initialiser.
        addresses: Addresses that it holds, by the offset in bytes.
    """

    name: str
    symbol: str
    data: bytes | None = None
    addresses: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class BoundTexels:
    """A texture or a surface of a launch, whose texels are in an `Allocation`.

    Attributes:
        name: The parameter's.
        handle: The handle that the kernel is passed.
        address: The address of the allocation.
        element: The type of a texel.
        texels: Extents, address modes, filter and read mode.
    """

    name: str
    handle: int
    address: int
    element: Type
    texels: Texels


@dataclass(frozen=True)
class SimulationLimits:
    """Limits of a simulation.

    Attributes:
        steps: Most steps; a step is one instruction for all threads that are at it.
        seconds: Most time.
        memory_bytes: Most memory for registers, shared and local memory of the resident blocks.
        threads: Most threads that are resident at once.
        stack_bytes: Most local memory of a thread.
    """

    steps: int = 50_000_000
    seconds: float = 600.0
    memory_bytes: int = 2 << 30
    # A step of NumPy costs about the same for one thread as for thousands: large waves are fast.
    threads: int = 1 << 17
    stack_bytes: int = 64 << 10


@dataclass(frozen=True)
class SimulatedLaunch:
    """A launch of a kernel in the simulator.

    Attributes:
        kernel: Its name in the PTX.
        grid: Blocks in x, y and z.
        block: Threads of a block.
        parameters: The bytes of the parameter space.
        allocations: The global memory, by rising addresses.
        bound: The textures and surfaces.
        variables: The module variables that are filled or read back.
        shared_bytes: Dynamic shared memory of a block.
        cluster: Blocks of a cluster, or None.
        cooperative: Whether all blocks are resident at once.
        target: Such as ``sm_90``; empty for that of the PTX.
        seed: Shuffles the order in which blocks and warps take their turn; None for the natural
            one.
        limits: Limits of steps, time and memory.
        only_blocks: The number of first blocks to run; None for all.
    """

    kernel: str
    grid: Dim3 = (1, 1, 1)
    block: Dim3 = (1, 1, 1)
    parameters: bytes = b""
    allocations: tuple[Allocation, ...] = ()
    bound: tuple[BoundTexels, ...] = ()
    variables: tuple[FilledVariable, ...] = ()
    shared_bytes: int = 0
    cluster: Dim3 | None = None
    cooperative: bool = False
    target: str = ""
    seed: int | None = None
    limits: SimulationLimits = SimulationLimits()
    only_blocks: int | None = None

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads_per_block(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]


@dataclass(frozen=True)
class SimulationResult:
    """The result of a simulated launch.

    Attributes:
        outcome: How it ended.
        message: Why, unless it finished; a sentence or two.
        instructions: Instructions executed, each once for each thread.
        steps: Instructions executed, each once for all threads that were at it together.
        seconds: The time of the simulation, which says nothing of a GPU.
        blocks: How many blocks have run.
        memory: The content of the allocations, in their order.
        output: What the kernel printed.
        exact: Whether all results are those of a GPU, bit for bit.
        inexact_functions: The functions used whose results may differ on a GPU, such as
            ``ex2.approx.f32``, with the known difference.
        lines: Filled in by `counts`.
        samples: The costliest request of each access, filled in by `counts`.
        races: Filled in by `races`.
        faults: In the order in which they were found.
        written: For each byte of the allocations whether it has been written.
        heap_left: The blocks of the heap that device code has not freed, in sentences.
        library: Where lanes part in headers of NVIDIA's, filled in by `counts`.
    """

    outcome: SimulationOutcome
    message: str = ""
    instructions: int = 0
    steps: int = 0
    seconds: float = 0.0
    blocks: int = 0
    memory: tuple[bytes, ...] = ()
    output: str = ""
    exact: bool = True
    inexact_functions: tuple[str, ...] = ()
    lines: tuple[LineCounts, ...] = ()
    samples: tuple[AccessSample, ...] = ()
    races: tuple[Race, ...] = ()
    faults: tuple[Fault, ...] = ()
    written: tuple[NDArray[np.bool_], ...] = ()
    heap_left: tuple[str, ...] = ()
    library: tuple[LibraryBranch, ...] = ()


@dataclass(frozen=True)
class Layout:
    """The numbers of threads, for the blocks that are resident together.

    Blocks are padded to whole warps: warp ``t // 32`` and lane ``t % 32`` are those of thread
    ``t``. The numbers of padding never occur among `Threads`.

    Attributes:
        grid: Blocks in x, y and z.
        block: Threads of a block.
        blocks: Linear index in the grid of the block in each slot.
        shared_stride: Bytes of shared memory from one block slot to the next in the arena.
        cluster_blocks: Blocks of a cluster, which take successive slots.
    """

    grid: Dim3
    block: Dim3
    blocks: NDArray[np.int64]
    shared_stride: int = 0
    cluster_blocks: int = 1

    @property
    def threads_per_block(self) -> int:
        """Threads of a block, without padding."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def warps_per_block(self) -> int:
        """Warps of a block; the last one may not be full."""
        return -(-self.threads_per_block // WARP)

    @property
    def threads(self) -> int:
        """One more than the highest number of a thread, padding included."""
        return len(self.blocks) * self.warps_per_block * WARP

    def slot(self, thread: int) -> int:
        """Returns the slot of a thread's block."""
        return thread // (self.warps_per_block * WARP)

    def block_of(self, thread: int) -> Dim3:
        """Returns the index of a thread's block."""
        return xyz_of(int(self.blocks[self.slot(thread)]), self.grid)

    def thread_of(self, thread: int) -> Dim3:
        """Returns the index of a thread in its block."""
        return xyz_of(thread % (self.warps_per_block * WARP), self.block)

    def place(self, instruction: PtxInstruction, thread: int, step: int = 0) -> ThreadPlace:
        """Returns where a thread is at an instruction, and after how many steps."""
        source = instruction.user_source
        return ThreadPlace(
            source.file,
            source.line,
            instruction.line,
            self.block_of(thread),
            self.thread_of(thread),
            step,
        )


@dataclass(frozen=True)
class Access:
    """A read or write of memory by an instruction, for all threads that execute it together.

    Attributes:
        instruction: The instruction.
        threads: The numbers of the threads that access memory, sorted.
        space: After resolving generic addresses; a generic access to several spaces gives one
            access for each. Texels are in the arena of global memory.
        kind: Whether it reads, writes, or does both atomically.
        offsets: Byte offset of each thread in the flat arena of the space. The arena of shared
            memory holds all resident blocks, `Layout.shared_stride` apart, the one of local memory
            all threads.
        addresses: The address of each thread, as the kernel sees it.
        size: Bytes for each thread, all elements of a vector together.
        strong: Whether it is volatile, relaxed, acquire, release or atomic.
        before: The bytes in memory before, of shape (threads, size); None for reads. For writes
            they are there only if an observer says `wants_values`.
        after: The bytes that each thread has put there; where several threads write to an address,
            memory holds those of one thread in the end.
        step: Steps that were executed before it.
        sources: The address in global memory that each thread copies from; None for no copy.
        beside_copies: Of a read of shared memory, whether copies of the block of each thread are
            under way; None where there are none.
    """

    instruction: PtxInstruction
    threads: Threads
    space: StateSpace
    kind: AccessKind
    offsets: NDArray[np.int64]
    addresses: NDArray[np.uint64]
    size: int
    strong: bool = False
    before: NDArray[np.uint8] | None = field(default=None, repr=False)
    after: NDArray[np.uint8] | None = field(default=None, repr=False)
    step: int = 0
    sources: NDArray[np.int64] | None = None
    beside_copies: NDArray[np.bool_] | None = None


class Observer:
    """An object that is shown a launch; the machine prepares only events of overridden methods.

    Attributes:
        wants_values: Whether writes are shown with the bytes before and after.
    """

    wants_values = False

    def started(self, layout: Layout) -> None:
        """Notes that blocks become resident, all others having ended."""

    def executed(self, instruction: PtxInstruction, threads: Threads) -> None:
        """Notes a step: threads execute an instruction, their guards being true.

        For a branch these are all threads that come to it, whatever their guards are.
        """

    def branched(self, instruction: PtxInstruction, threads: Threads, taken: Threads) -> None:
        """Notes a branch on a condition, which some of the threads take.

        For `brx.idx` and calls through a pointer it is called once for each target.
        """

    def accessed(self, access: Access) -> None:
        """Notes an access; writes have been done."""

    def copied(self, access: Access) -> None:
        """Notes that threads have waited for copies, which were writes until now.

        `accessed` was called for the same writes when the copy began.
        """

    def renewed(self, start: int, end: int) -> None:
        """Notes that freed bytes of global memory belong to another block of the heap."""

    def synchronised(self, threads: Threads, scope: SyncScope) -> None:
        """Notes that threads have passed a barrier together.

        With `SyncScope.WARP` the threads may be of many warps: those of each warp have met.
        """

    def ended(self, instruction: PtxInstruction, threads: Threads, step: int) -> None:
        """Notes that threads have exited at an instruction, after some number of steps."""

    def fenced(self, threads: Threads, scope: SyncScope) -> None:
        """Notes that threads have executed a fence, each for itself."""

    def finished(self, result: SimulationResult) -> SimulationResult:
        """Returns the result with the additions of this observer."""
        return result
