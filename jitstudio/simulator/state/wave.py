"""The blocks that are resident together: registers, memory, and waiting threads.

Instructions work on a `Wave`; their loads and stores go through `loads_stores`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.program import PtxFunction, PtxInstruction
from jitstudio.simulator.state.copies import PendingCopies
from jitstudio.simulator.state.extents import Extents
from jitstudio.simulator.state.faults import ThreadFault, fault_of
from jitstudio.simulator.state.frames import Frame, FrameLayout, ReturnLink, SlotKind, viewed
from jitstudio.simulator.state.groups import Groups, Selection, numbers_of, packed_lanes, subset
from jitstudio.simulator.state.heap import Heap
from jitstudio.simulator.state.left_out import PassedBarriers
from jitstudio.simulator.state.mbarriers import AwaitedPhases
from jitstudio.simulator.state.memory import Arena
from jitstudio.simulator.state.model import (
    WARP,
    Fault,
    FaultKind,
    Layout,
    Observer,
    StateSpace,
    SyncScope,
    ThreadPlace,
    Threads,
)
from jitstudio.simulator.state.products import PendingProducts, Touch
from jitstudio.simulator.state.texels import TexelArray
from jitstudio.simulator.state.undefined import UndefinedValues
from jitstudio.simulator.state.written import WrittenRegisters

# Faults that follow from another one where a barrier was left out.
_OF_ORDER = frozenset([FaultKind.NEVER_WRITTEN, FaultKind.NOT_WAITED_FOR])

BarrierName = tuple[SyncScope, int]
"""The scope of a barrier and its number in the block."""


@dataclass(frozen=True)
class Waiting:
    """Threads that wait at a barrier.

    Attributes:
        depth: Of their calls.
        instruction: The one at which they wait.
        threads: The threads.
        expected: The number of threads of the block that each waits for; None for all.
        resume: Called for threads that go on, with the wave, the threads, and for each block slot
            the numbers of true votes and of all votes; or None.
        arrived: Whether they have only arrived and gone on (`bar.arrive`).
        since: Steps that were executed before they came.
    """

    depth: int
    instruction: PtxInstruction
    threads: Selection
    expected: NDArray[Any] | None = None
    resume: Callable[[Wave, Selection, NDArray[Any], NDArray[Any]], None] | None = None
    arrived: bool = False
    since: int = 0

    @property
    def at(self) -> int:
        """The number of the instruction."""
        return self.instruction.number

    @property
    def is_of_all(self) -> bool:
        """Whether all threads of the block must come to this same instruction.

        ``__syncthreads()`` demands that: it is ``bar.sync`` or ``barrier.sync.aligned`` without a
        number of threads.
        """
        words = self.instruction.modifiers
        aligned = self.instruction.opcode == "bar" or "aligned" in words
        return aligned and self.expected is None and not self.arrived and "cluster" not in words


@dataclass(frozen=True)
class Meeting:
    """An operation for which lanes of a warp wait for each other.

    Attributes:
        name: The full opcode: lanes at several instructions of one name may meet.
        ready: Returns for threads at a depth whether all lanes that they name are present, by the
            present lanes of each warp.
        finish: Executes the operation for threads at a depth.
    """

    name: str
    ready: Callable[[Wave, int, Selection, NDArray[np.uint32]], NDArray[np.bool_]]
    finish: Callable[[Wave, int, Selection], None]


@dataclass(eq=False)
class WaveState:
    """The state of resident blocks that steps change, but for the contents of arrays.

    Attributes:
        arenas: The memory; deep calls make room in another arena.
        local_stride: Bytes of local memory of a thread.
        groups: The threads that can go on.
        barriers: The threads that wait at barriers, by the barrier's name.
        parked: The threads that wait at a warp-level operation for lanes that it names.
        live_count: The number of threads that have not exited.
        spins: Rounds of loops that may spin, by the loop's start.
        clock: Steps since the launch began.
        depth: Of the calls of the threads that execute the current instruction.
        current: The instruction that is executed; None before the first.
        changes: The number of changes of memory that a spinning thread could see.
        clock_reads: How often an instruction has read a clock.
        waited: What clocks are ahead of the steps, for loops that wait for time to pass.
        printed: The output, in pieces.
        printed_size: Characters of it.
        faults: Those that do not end the launch.
        reported: The keys of faults that have been reported: see `Wave.is_repeated`.
        inexact: Functions whose results may differ from a GPU's, with the difference.
        undefined: The registers that hold undefined values.
        phases: Waits for phases of mbarriers, and the bytes that have come.
        copies: The copies to shared memory that nobody has waited for.
        products: The products of warp groups that nobody has waited for.
    """

    arenas: dict[StateSpace, Arena]
    local_stride: int
    groups: Groups
    barriers: dict[BarrierName, list[Waiting]]
    parked: dict[tuple[int, int], Selection]
    live_count: int
    spins: dict[int, int]
    clock: int
    depth: int
    current: PtxInstruction | None
    changes: int
    clock_reads: int
    waited: int
    printed: list[str]
    printed_size: int
    faults: list[Fault]
    reported: set[tuple[object, FaultKind, str]]
    inexact: dict[str, str]
    undefined: UndefinedValues
    phases: AwaitedPhases
    copies: PendingCopies
    products: PendingProducts

    def copied_state(self) -> WaveState:
        """Returns a copy of the state, which further steps do not change."""
        return WaveState(*(_copied(getattr(self, field.name)) for field in fields(WaveState)))

    def restore(self, state: WaveState) -> None:
        """Restores a copied state, which can be restored again."""
        for field in fields(WaveState):
            setattr(self, field.name, _copied(getattr(state, field.name)))


def _copied(value: Any) -> Any:
    """Returns a copy of a container or of a record with `copy`; other values are constants."""
    if isinstance(value, dict):
        return {key: [*item] if isinstance(item, list) else item for key, item in value.items()}
    return value.copy() if hasattr(value, "copy") else value


class Wave(WaveState):
    """The resident blocks: settings of the launch, state, and arrays.

    Attributes:
        layout: The resident blocks, by which threads are numbered.
        numbers: The numbers of all threads with padding.
        live: Which threads have not exited; False for padding.
        lanes: The live lanes of each warp, as bits.
        seed: Shuffles the order of warps; None for the natural order.
        rank: The order of threads that meet at an address; None for the order of numbers.
        votes: The vote of each thread at the barrier that it waits at.
        cluster_arrivals: How often each thread has arrived at the barrier of its cluster.
        cluster_waits: How often each thread has passed that barrier.
        links: The results to hand over at returns, by call and function.
        meetings: Operations of warps, by instruction.
        exchange: The operand of each thread for the operation of its warp.
        deepest: Most calls within calls.
        most_bytes: Most bytes of registers.
        frame_bytes: Bytes of the registers of all depths.
        shared_base: The offset of the shared memory of each thread's block in the arena.
        shared_size: Bytes of shared memory of a block.
        copies_unwritten: Whether right code reads unwritten local memory: builds for a debugger
            copy structures with their padding, and bit fields as whole words.
        frames: The registers, by depth and function, as instructions read them.
        bases: The registers and parameters themselves, by depth and function, then by name.
        written: The registers that threads have given values; None where nobody asks.
        stacks: The offset of each thread's local variables, by depth.
        returns: The instruction at which each thread goes on after the call, by depth.
        parted: The blocks of which some threads have left out a barrier.
        heap: The heap of `malloc`; None for none.
        texels: Textures and surfaces by their handles.
        passed_barriers: The visits of threads behind barriers; None where there is no barrier to
            leave out.
        extents: The arrays that accesses must stay within; None for no checks.
        observers: All of them.
    """

    def __init__(
        self,
        layout: Layout,
        arenas: dict[StateSpace, Arena],
        *,
        shared_size: int,
        local_stride: int,
        stack_limit: int,
        parameters: bytes,
        special: dict[str, Any],
        copies_unwritten: bool = False,
        notes_written: bool = False,
        touching: Mapping[int, Touch] | None = None,
        most_bytes: int = 1 << 62,
        seed: int | None = None,
        observers: Sequence[Observer],
    ) -> None:
        count = layout.threads
        super().__init__(
            arenas=arenas,
            local_stride=local_stride,
            groups=Groups(),
            barriers={},
            parked={},
            live_count=0,
            spins={},
            clock=0,
            depth=0,
            current=None,
            changes=0,
            clock_reads=0,
            waited=0,
            printed=[],
            printed_size=0,
            faults=[],
            reported=set(),
            inexact={},
            undefined=UndefinedValues(count),
            phases=AwaitedPhases(),
            copies=PendingCopies(count),
            products=PendingProducts(count, layout.warps_per_block, touching or {}),
        )
        self.layout = layout
        self.numbers = np.arange(count, dtype=np.int64)
        padded = layout.warps_per_block * WARP
        self.slots, self.in_block = np.divmod(self.numbers, padded)
        self.live = self.in_block < layout.threads_per_block
        self.live_count = int(np.count_nonzero(self.live))
        self.lanes = packed_lanes(np.flatnonzero(self.live), count)
        # 16 bits, so that the products of `let_go_on` fit 64 bits.
        self.seed = None if seed is None else seed & 0xFFFF
        self.rank: NDArray[np.int64] | None = None
        if seed is not None:
            warps = np.random.default_rng(seed).permutation(count // WARP)
            self.rank = warps[self.numbers // WARP] * WARP + self.numbers % WARP
        self.votes = np.zeros(count, np.bool_)
        self.cluster_arrivals, self.cluster_waits = np.zeros((2, count), np.int64)
        self.links: dict[tuple[int, str], ReturnLink] = {}
        self.meetings: dict[int, Meeting] = {}
        self.exchange = np.zeros(count, np.uint64)
        self.deepest = 1024
        self.shared_size = shared_size
        self.shared_base = self.slots * layout.shared_stride
        self.local_base = self.numbers * local_stride
        self.parameters, self.special = parameters, special
        self.frames: dict[tuple[int, str], Frame] = {}
        self.bases: dict[tuple[int, str], dict[str, NDArray[Any]]] = {}
        self.written = WrittenRegisters(count) if notes_written else None
        self.stacks: list[NDArray[np.int64]] = []
        self.returns: list[NDArray[np.int32]] = []
        self.copies_unwritten = copies_unwritten
        self.stack_limit, self.most_bytes = stack_limit, most_bytes
        self.frame_bytes = 0
        self.heap: Heap | None = None
        self.texels: dict[int, TexelArray] = {}
        self.passed_barriers: PassedBarriers | None = None
        self.extents: Extents | None = None
        self.parted = np.zeros(len(layout.blocks), np.bool_)
        self.observers = tuple(observers)
        self.on_accessed = _overriding(observers, "accessed")
        self.on_executed = _overriding(observers, "executed")
        self.on_branched = _overriding(observers, "branched")
        self.on_synchronised = _overriding(observers, "synchronised")
        self.on_ended = _overriding(observers, "ended")
        self.on_fenced = _overriding(observers, "fenced")
        self.on_copied = _overriding(observers, "copied")
        self.on_renewed = _overriding(observers, "renewed")
        self.wants_values = any(o.wants_values for o in self.on_accessed)

    # Frames.

    def frame(self, depth: int, layout: FrameLayout) -> Frame:
        """Returns the registers of a function at a depth of calls."""
        key = depth, layout.function.name
        # Binding a call may have added slots to a layout since its frame was made.
        if (frame := self.frames.get(key)) is None or len(frame) != len(layout.slots):
            while len(self.stacks) <= depth:
                self.stacks.append(np.zeros(self.layout.threads, np.int64))
                self.returns.append(np.zeros(self.layout.threads, np.int32))
            if (bases := self.bases.get(key)) is None:
                bases = self.bases[key] = layout.registers(self.layout.threads)
                self.frame_bytes += sum(values.nbytes for values in bases.values())
            frame = [self._slot(key, bases, kind) for kind in layout.slots]
            self.frames[key] = frame
        return frame

    def _slot(
        self, key: tuple[int, str], bases: dict[str, NDArray[Any]], kind: SlotKind
    ) -> NDArray[Any]:
        threads, size = self.layout.threads, kind.dtype.itemsize
        match kind.source:
            case "register":
                return viewed(bases[kind.name], kind.dtype)
            case "param":
                columns = bases[kind.name][:, kind.offset : kind.offset + size]
                return columns.view(kind.dtype)[:, 0]
            case "whole param":
                return bases[kind.name]
            case "stack":
                return self.stacks[key[0]].view(kind.dtype)
            case "special":
                return viewed(np.broadcast_to(self.special[kind.name], (threads,)), kind.dtype)
            case "kernel param":
                end = kind.offset + size
                piece = self.parameters[kind.offset : end].ljust(size, b"\0")
                return np.broadcast_to(np.frombuffer(piece, kind.dtype), (threads,))
            case "sink":
                return np.zeros(threads, kind.dtype)
            case _:
                return np.broadcast_to(np.frombuffer(kind.value, kind.dtype), (threads,))

    def note_results(
        self, depth: int, layout: FrameLayout, instruction: PtxInstruction, threads: Selection
    ) -> None:
        """Notes that threads have the results of an instruction."""
        if self.written is not None:
            self.written.note(depth, layout.function, instruction, threads)

    def has_written(
        self, depth: int, function: PtxFunction, name: str, numbers: Threads
    ) -> NDArray[np.bool_]:
        """Returns which threads have given a register a value; all where nothing is noted."""
        if self.written is None:
            return np.ones(len(numbers), np.bool_)
        return self.written.has(depth, function, name, numbers)

    # Threads.

    def let_go_on(self, depth: int, at: int, threads: Selection) -> None:
        """Lets threads go on that begin or have passed a barrier.

        With a seed some of their warps come first, others when those wait or have ended: so a
        missing barrier shows.
        """
        if self.seed is None:
            self.groups.put(depth, at, threads)
            return
        warps = self.numbers[threads] // WARP
        # A hash of warp, seed and clock, so that a seed gives the same order in every run.
        mixed = (warps * 0x9E3779B1 + self.seed * 0x85EBCA6B + self.clock * 0xC2B2AE35) >> 13
        turn = (mixed ^ mixed >> 7) & 1 != 0
        for chosen in (turn, ~turn):
            if chosen.any():
                self.groups.hold(depth, at, subset(threads, chosen))

    def in_order(self, threads: Selection) -> NDArray[np.int64] | None:
        """Returns the order in which threads take turns at an address; None for their own order."""
        if self.rank is None:
            return None
        order: NDArray[np.int64] = np.argsort(self.rank[threads], kind="stable")
        return order

    def rejoin(self) -> bool:
        """Lets parked threads go on whose lanes have come elsewhere; returns whether any can.

        Lanes of a warp may meet at several instructions of one name, where both ways of a branch
        have the same operation.
        """
        names = {self.meetings[at].name for _, at in self.parked}
        for name in sorted(names):
            places = [key for key in self.parked if self.meetings[key[1]].name == name]
            numbers = np.concatenate([numbers_of(self.parked[key]) for key in places])
            present = packed_lanes(numbers, self.layout.threads)
            for depth, at in places:
                meeting, threads = self.meetings[at], self.parked[depth, at]
                come = meeting.ready(self, depth, threads, present)
                if come.any():
                    del self.parked[depth, at]
                    if not come.all():
                        self.parked[depth, at] = subset(threads, ~come)
                    chosen = subset(threads, come)
                    meeting.finish(self, depth, chosen)
                    self.groups.put(depth, at + 1, chosen)
        return bool(self.groups)

    def end(self, threads: Selection) -> None:
        """Notes that threads have exited."""
        self.live[threads] = False
        numbers = numbers_of(threads)
        self.live_count -= len(numbers)
        self.lanes &= ~packed_lanes(numbers, self.layout.threads)
        assert self.current is not None
        for observer in self.on_ended:
            observer.ended(self.current, self.numbers[threads], self.clock - 1)

    def tell(
        self,
        kind: FaultKind,
        threads: Threads,
        message: str,
        *,
        at: tuple[PtxInstruction, int] | None = None,
        other: ThreadPlace | None = None,
        more: str = "",
        about: str = "",
    ) -> None:
        """Notes a fault that does not end the launch, once for each source line.

        A block that has left out a barrier has no order any more: reads of bytes that other threads
        of the block were to write are reported no more.

        Args:
            kind: The kind of fault.
            threads: The threads at fault.
            message: Their action, in words that go on after "Thread … of block …".
            at: The instruction of the fault, and the steps before it; None for the current one.
            other: The place of another thread that takes part in the fault.
            more: Sentences behind the first one.
            about: A name that tells faults of one kind at one line apart, such as an array's.
        """
        instruction, step = at or (self.current, self.clock - 1)
        assert instruction is not None
        if kind in _OF_ORDER:
            threads = threads[~self.parted[self.slots[threads]]]
        if not len(threads) or self.is_repeated(instruction, kind, about):
            return
        fault = fault_of(
            self.layout, instruction, kind, int(threads[0]), message, len(threads), False, step
        )
        if other is not None and fault.first is not None:
            first, second = sorted((fault.first, other), key=lambda place: place.step)
            fault = replace(fault, first=first, second=second, is_of_first=first is not other)
        if more:
            fault = replace(fault, message=f"{fault.message} {more.strip()}")
        self.faults.append(fault)

    def is_repeated(self, instruction: PtxInstruction, kind: FaultKind, about: str = "") -> bool:
        """Returns whether a fault of the line has been reported already, and notes the report.

        A loop that is unrolled has several instructions for one line.
        """
        source = instruction.user_source
        key = source if source.line else instruction.number, kind, about
        is_repeated = key in self.reported
        self.reported.add(key)
        return is_repeated

    def print_text(self, text: str) -> None:
        """Notes the output of a thread."""
        self.printed.append(text)
        self.printed_size += len(text)

    # Memory.

    def grow_stacks(self, needed: int, thread: int, function: str) -> None:
        """Makes room for `needed` bytes of local memory of each thread.

        Raises:
            ThreadFault: If the limit is less.
        """
        if needed > self.stack_limit:
            raise ThreadFault(
                FaultKind.STACK_OVERFLOW,
                thread,
                f"calls {function}, and needs {needed:,} bytes of local memory for it, which is "
                f"more than the limit of {self.stack_limit:,}. The recursion may have no end",
            )
        # At least doubled, so that a deep recursion copies its stacks only a few times.
        stride = min(max(2 * self.local_stride, -(-needed // 16) * 16), self.stack_limit)
        old, threads = self.arenas[StateSpace.LOCAL], self.layout.threads
        new = Arena.in_parts(StateSpace.LOCAL, threads, stride, stride, "local memory")
        old_bytes, new_bytes = threads * self.local_stride, threads * stride
        pairs: list[tuple[NDArray[Any], NDArray[Any]]]
        pairs = [(old.data, new.data), (old.state, new.state)]
        if old.codes is not None:
            new.codes = np.zeros(len(new.data), np.int32)
            pairs.append((old.codes, new.codes))
        for before, after in pairs:
            after[:new_bytes].reshape(threads, stride)[:, : self.local_stride] = before[
                :old_bytes
            ].reshape(threads, self.local_stride)
        self.arenas[StateSpace.LOCAL] = new
        self.local_stride, self.local_base = stride, self.numbers * stride

    def synchronised(self, threads: Threads, scope: SyncScope) -> None:
        """Shows a barrier to the observers."""
        for observer in self.on_synchronised:
            observer.synchronised(threads, scope)


def _overriding(observers: Sequence[Observer], method: str) -> tuple[Observer, ...]:
    """Returns the observers that override a method."""
    # No event is prepared for observers that do nothing with it.
    default = getattr(Observer, method)
    return tuple(o for o in observers if getattr(type(o), method) is not default)
