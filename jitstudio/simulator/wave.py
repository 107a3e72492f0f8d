"""The blocks that are resident together: registers, memory, and who waits where.

Instructions work on a `Wave`. A *frame* is the registers of one function at one depth of calls, for
all threads: a list of arrays, in which each register stands once for each type that instructions
read it in, all of them views of the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.copies import Copy, PendingCopies
from jitstudio.simulator.groups import Groups, Selection, numbers_of, subset
from jitstudio.simulator.heap import Heap
from jitstudio.simulator.left_out import PassedBarriers
from jitstudio.simulator.memory import (
    CLUSTER_BITS,
    COPYING,
    WINDOWS,
    AccessFault,
    Arena,
    Offsets,
    behind_end,
    check_alignment,
    windows_of,
)
from jitstudio.simulator.model import (
    WARP,
    Access,
    AccessKind,
    Fault,
    FaultKind,
    Layout,
    Observer,
    StateSpace,
    SyncScope,
    ThreadPlace,
    Threads,
)
from jitstudio.simulator.products import PendingProducts, Product, Touch
from jitstudio.simulator.program import PtxFunction, PtxInstruction
from jitstudio.simulator.texels import TexelArray
from jitstudio.simulator.undefined import UndefinedValues
from jitstudio.simulator.written import WrittenRegisters

CARRY = "CC.CF"
"""The register for carries, of which PTX has no name."""

Frame = list[NDArray[Any]]
"""Registers of all threads, by slots."""


class ThreadFault(Exception):
    """What a thread did and must not do; ends the launch.

    Attributes:
        kind: What it is.
        thread: The first thread that did it.
        message: What it did, in words that go on after "Thread … of block …".
        count: How many threads did it.
    """

    def __init__(self, kind: FaultKind, thread: int, message: str, count: int = 1) -> None:
        super().__init__(message)
        self.kind, self.thread, self.message, self.count = kind, thread, message, count


class UnsupportedInstruction(Exception):
    """An instruction that cannot be simulated; the message says why and what could be done."""


class SlotKind(NamedTuple):
    """What a slot of a frame holds.

    Attributes:
        name: Of the register; of the parameter; of the special register.
        dtype: What its values are read as.
        source: ``register``, ``param``, ``whole param``, ``special``, ``constant``, ``stack``,
            ``kernel param`` or ``sink``.
        offset: Bytes into a parameter.
        value: Of a constant.
    """

    name: str
    dtype: np.dtype[Any]
    source: str = "register"
    offset: int = 0
    value: bytes = b""


@dataclass
class FrameLayout:
    """Which slots the frames of a function have; grows while its instructions are bound."""

    function: PtxFunction
    slots: list[SlotKind] = field(default_factory=list)
    index: dict[SlotKind, int] = field(default_factory=dict)

    def slot(self, kind: SlotKind) -> int:
        """Returns the index of a slot."""
        if (found := self.index.get(kind)) is None:
            found = self.index[kind] = len(self.slots)
            self.slots.append(kind)
        return found


@dataclass(frozen=True)
class ReturnLink:
    """What is done at the return from a call.

    Attributes:
        layout: The frames of the caller.
        results: The slots of results: of the caller, then of the function.
    """

    layout: FrameLayout
    results: tuple[tuple[int, int], ...]


BarrierName = tuple[SyncScope, int]
"""The scope of a barrier and its number in the block."""


@dataclass(frozen=True)
class Waiting:
    """Threads that wait at a barrier.

    Attributes:
        depth: Of their calls.
        instruction: The one at which they wait.
        threads: Which.
        expected: How many threads of the block each of them waits for; None for all.
        resume: What is done with those that go on: it gets the wave, them, and for each block
            slot how many votes were true and how many there were. None for nothing.
        arrived: Whether they have only arrived and gone on.
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
        """Whether all threads of the block must come to this very instruction.

        So it is with ``__syncthreads()``, which is ``bar.sync`` or ``barrier.sync.aligned``
        without a number of threads.
        """
        words = self.instruction.modifiers
        aligned = self.instruction.opcode == "bar" or "aligned" in words
        return aligned and self.expected is None and not self.arrived and "cluster" not in words


@dataclass(frozen=True)
class Meeting:
    """An operation for which lanes of a warp wait for one another.

    Attributes:
        name: Its full opcode: lanes at several instructions of one name may meet.
        ready: Returns for threads at a depth whether all lanes that they name are present, by the
            present lanes of each warp.
        finish: Does it for threads at a depth.
    """

    name: str
    ready: Callable[[Wave, int, Selection, NDArray[np.uint32]], NDArray[np.bool_]]
    finish: Callable[[Wave, int, Selection], None]


class Wave:
    """The state of resident blocks.

    Attributes:
        layout: Which threads there are.
        numbers: The numbers of all threads with padding.
        live: Which threads have not exited; False for padding.
        lanes: The live lanes of each warp, as bits.
        groups: The threads that can go on.
        seed: Shuffles which warps come first; None for none.
        rank: Who comes first where threads meet at one address; None for the order of numbers.
        barriers: Who waits at which barrier, by its name.
        votes: What each thread has brought to the barrier that it waits at.
        cluster_arrivals: How often each thread has arrived at the barrier of its cluster.
        cluster_waits: How often it has passed it.
        links: What is done at returns, by call and function.
        meetings: Operations of warps, by instruction.
        exchange: What each thread has brought to the operation of its warp.
        deepest: Most calls within calls.
        most_bytes: Most bytes of registers.
        frame_bytes: Bytes of the registers of all depths.
        spins: How often threads have gone back in a loop that may spin, by its start.
        parked: Who waits at a warp-level operation for lanes that it names.
        arenas: The memory.
        shared_base: Where the shared memory of each thread's block begins in the arena.
        shared_size: Bytes of shared memory of a block.
        local_stride: Bytes of local memory of a thread.
        copies_unwritten: Whether right code reads local memory that nobody has written: that made
            for a debugger copies structures with their padding, and bit fields as whole words.
        frames: The registers, by depth and function, as instructions read them.
        bases: The registers and parameters themselves, by depth and function, then by name.
        written: Which registers threads have given values; None where nobody asks.
        stacks: Where each thread's local variables begin, by depth.
        returns: Where each thread goes on after the call, by depth.
        clock: Steps since the launch began.
        changes: How often memory or a clock has changed what a spinning thread could see.
        printed: What has been printed, in pieces.
        faults: Those that do not end the launch.
        told: Which they are, by instruction and kind.
        undefined: Which registers of the kernel hold undefined values.
        copies: The copies to shared memory that nobody has waited for.
        products: Of warp groups, likewise.
        heap: What `malloc` takes from; None for none.
        texels: Textures and surfaces by their handles.
        passed: Who has been behind which barrier; None where there is nothing to leave out.
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
        self.layout = layout
        count = layout.threads
        self.numbers = np.arange(count, dtype=np.int64)
        padded = layout.warps_per_block * WARP
        in_block = self.numbers % padded
        self.slots = self.numbers // padded
        self.in_block = in_block
        self.live = in_block < layout.threads_per_block
        self.live_count = int(np.count_nonzero(self.live))
        self.lanes = packed_lanes(np.flatnonzero(self.live), count)
        self.groups = Groups()
        self.seed = None if seed is None else seed & 0xFFFF
        self.rank: NDArray[np.int64] | None = None
        if seed is not None:
            warps = np.random.default_rng(seed).permutation(count // WARP)
            self.rank = warps[self.numbers // WARP] * WARP + self.numbers % WARP
        self.barriers: dict[BarrierName, list[Waiting]] = {}
        self.votes = np.zeros(count, np.bool_)
        self.cluster_arrivals = np.zeros(count, np.int64)
        self.cluster_waits = np.zeros(count, np.int64)
        self.links: dict[tuple[int, str], ReturnLink] = {}
        self.meetings: dict[int, Meeting] = {}
        self.exchange = np.zeros(count, np.uint64)
        self.deepest = 1024
        self.spins: dict[int, int] = {}
        self.parked: dict[tuple[int, int], Selection] = {}
        self.arenas = arenas
        self.shared_size, self.local_stride = shared_size, local_stride
        self.shared_base = self.slots * layout.shared_stride
        self.local_base = self.numbers * local_stride
        self.parameters, self.special = parameters, special
        self.frames: dict[tuple[int, str], Frame] = {}
        self.bases: dict[tuple[int, str], dict[str, NDArray[Any]]] = {}
        self.written = WrittenRegisters(count) if notes_written else None
        self.stacks: list[NDArray[np.int64]] = []
        self.returns: list[NDArray[np.int32]] = []
        self.clock = self.changes = 0
        self.printed: list[str] = []
        self.copies_unwritten = copies_unwritten
        self.stack_limit, self.most_bytes = stack_limit, most_bytes
        self.frame_bytes = self.printed_size = 0
        self.faults: list[Fault] = []
        self.undefined = UndefinedValues(count)
        self.copies = PendingCopies(count)
        self.products = PendingProducts(count, layout.warps_per_block, touching or {})
        self.heap: Heap | None = None
        self.texels: dict[int, TexelArray] = {}
        self.passed: PassedBarriers | None = None
        self.inexact: dict[str, str] = {}
        self.current: PtxInstruction | None = None
        self.told: set[tuple[int, FaultKind]] = set()
        self.observers = tuple(observers)
        self.on_accessed = _overriding(observers, "accessed")
        self.on_executed = _overriding(observers, "executed")
        self.on_branched = _overriding(observers, "branched")
        self.on_synchronised = _overriding(observers, "synchronised")
        self.on_fenced = _overriding(observers, "fenced")
        self.on_copied = _overriding(observers, "copied")
        self.on_renewed = _overriding(observers, "renewed")
        self.wants_values = any(o.wants_values for o in self.on_accessed)

    # Frames.

    def frame(self, depth: int, layout: FrameLayout) -> Frame:
        """Returns the registers of a function at a depth."""
        key = depth, layout.function.name
        if (frame := self.frames.get(key)) is None or len(frame) != len(layout.slots):
            while len(self.stacks) <= depth:
                self.stacks.append(np.zeros(self.layout.threads, np.int64))
                self.returns.append(np.zeros(self.layout.threads, np.int32))
            frame = self.frames[key] = self._frame(key, layout)
        return frame

    def _frame(self, key: tuple[int, str], layout: FrameLayout) -> Frame:
        threads = self.layout.threads
        if (bases := self.bases.get(key)) is None:
            bases = self.bases[key] = {}
            function = layout.function
            for name, kind in function.registers.items():
                bases[name] = np.zeros(threads, kind.bits_dtype)
            for variable in (*function.variables.values(), *function.parameters, *function.results):
                if variable.space == "param" and not (
                    function.is_kernel and variable in function.parameters
                ):
                    width = -(-max(variable.size, 1) // 16) * 16
                    bases[variable.name] = np.zeros((threads, width), np.uint8)
            bases[CARRY] = np.zeros(threads, np.uint8)
            self.frame_bytes += sum(values.nbytes for values in bases.values())
        return [self._slot(key, bases, kind) for kind in layout.slots]

    def _slot(
        self, key: tuple[int, str], bases: dict[str, NDArray[Any]], kind: SlotKind
    ) -> NDArray[Any]:
        threads, size = self.layout.threads, kind.dtype.itemsize
        match kind.source:
            case "register":
                return _viewed(bases[kind.name], kind.dtype)
            case "param":
                columns = bases[kind.name][:, kind.offset : kind.offset + size]
                return columns.view(kind.dtype)[:, 0]
            case "whole param":
                return bases[kind.name]
            case "stack":
                return self.stacks[key[0]].view(kind.dtype)
            case "special":
                return _viewed(np.broadcast_to(self.special[kind.name], (threads,)), kind.dtype)
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
        """Takes note that threads have the results of an instruction."""
        if self.written is not None:
            self.written.note(depth, layout.function, instruction, threads)

    def has_written(
        self, depth: int, function: PtxFunction, name: str, numbers: Threads
    ) -> NDArray[np.bool_]:
        """Returns which threads have given a register a value; all where that is not noted."""
        if self.written is None:
            return np.ones(len(numbers), np.bool_)
        return self.written.has(depth, function, name, numbers)

    # Threads.

    def let_go_on(self, depth: int, at: int, threads: Selection) -> None:
        """Lets threads go on that begin or have passed a barrier.

        With a seed some of their warps come first, others when those wait or have ended: what has
        to wait for a barrier that is missing then shows.
        """
        if self.seed is None:
            self.groups.put(depth, at, threads)
            return
        warps = self.numbers[threads] // WARP
        mixed = (warps * 0x9E3779B1 + self.seed * 0x85EBCA6B + self.clock * 0xC2B2AE35) >> 13
        turn = (mixed ^ mixed >> 7) & 1 != 0
        for chosen in (turn, ~turn):
            if chosen.any():
                self.groups.hold(depth, at, subset(threads, chosen))

    def in_order(self, threads: Selection) -> NDArray[np.int64] | None:
        """Returns in which order threads take their turns at one address; None for their own."""
        if self.rank is None:
            return None
        order: NDArray[np.int64] = np.argsort(self.rank[threads], kind="stable")
        return order

    def rejoin(self) -> bool:
        """Lets threads go on that wait for lanes at another place; returns whether there are.

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
        """Takes note that threads have exited."""
        self.live[threads] = False
        numbers = numbers_of(threads)
        self.live_count -= len(numbers)
        self.lanes &= ~packed_lanes(numbers, self.layout.threads)

    def tell(
        self,
        kind: FaultKind,
        threads: Threads,
        message: str,
        *,
        at: tuple[PtxInstruction, int] | None = None,
        other: ThreadPlace | None = None,
        more: str = "",
    ) -> None:
        """Takes note of a fault that does not end the launch, once for each instruction.

        Args:
            kind: What it is.
            threads: Who did it.
            message: What they did, in words that go on after "Thread … of block …".
            at: The instruction at which they did it, and the steps before it; None for the
                current one.
            other: Where another thread was that it is about.
            more: Sentences about that.
        """
        instruction, step = at or (self.current, self.clock - 1)
        assert instruction is not None
        if (key := (instruction.number, kind)) in self.told:
            return
        self.told.add(key)
        fault = fault_of(
            self.layout, instruction, kind, int(threads[0]), message, len(threads), False, step
        )
        if other is not None and fault.first is not None:
            first, second = sorted((fault.first, other), key=lambda place: place.step)
            fault = replace(fault, message=f"{fault.message} {more}", first=first, second=second)
        self.faults.append(fault)

    def print_text(self, text: str) -> None:
        """Takes note of what a thread has printed."""
        self.printed.append(text)
        self.printed_size += len(text)

    # Memory.

    def grow_stacks(self, needed: int, thread: int, function: str) -> None:
        """Makes room for so many bytes of local memory of each thread.

        Raises:
            ThreadFault: If that is more than the limit.
        """
        if needed > self.stack_limit:
            raise ThreadFault(
                FaultKind.STACK_OVERFLOW,
                thread,
                f"calls {function}, and needs {needed:,} bytes of local memory for it, which is "
                f"more than the limit of {self.stack_limit:,}. The recursion may have no end",
            )
        stride = min(max(2 * self.local_stride, -(-needed // 16) * 16), self.stack_limit)
        old, threads = self.arenas[StateSpace.LOCAL], self.layout.threads
        new = Arena.in_parts(StateSpace.LOCAL, threads, stride, stride, "local memory")
        kept, grown = threads * self.local_stride, threads * stride
        pairs: list[tuple[NDArray[Any], NDArray[Any]]]
        pairs = [(old.data, new.data), (old.state, new.state)]
        if old.codes is not None:
            new.codes = np.zeros(len(new.data), np.int32)
            pairs.append((old.codes, new.codes))
        for before, after in pairs:
            after[:grown].reshape(threads, stride)[:, : self.local_stride] = before[:kept].reshape(
                threads, self.local_stride
            )
        self.arenas[StateSpace.LOCAL] = new
        self.local_stride, self.local_base = stride, self.numbers * stride

    def offsets(
        self, space: StateSpace, addresses: NDArray[np.int64], threads: Selection, size: int
    ) -> tuple[Offsets, int]:
        """Returns offsets in the arena of a space, checked, and the region they are in or -1."""
        arena = self.arenas[space]
        try:
            if space is StateSpace.SHARED:
                return self._shared_offsets(addresses, threads, size), 0
            if space is StateSpace.LOCAL:
                _check_range(addresses, size, self.local_stride, "the thread's local memory")
                return addresses + self.local_base[threads], 0
            offsets = addresses - arena.base
            return offsets, arena.check_bounds(offsets, size)
        except AccessFault as fault:
            raise self._fault_of_access(fault, threads, size) from None

    def _shared_offsets(
        self, addresses: NDArray[np.int64], threads: Selection, size: int
    ) -> Offsets:
        bases = self.shared_base[threads]
        if int(addresses.max()) >> CLUSTER_BITS and int(addresses.min()) >= 0:
            ranks = addresses >> CLUSTER_BITS
            blocks = self.layout.cluster_blocks
            if (ranks > blocks).any():
                first = int(np.argmax(ranks > blocks))
                raise AccessFault(
                    FaultKind.OUT_OF_BOUNDS,
                    first,
                    int(np.count_nonzero(ranks > blocks)),
                    f"which is in no block of a cluster of {blocks}",
                    int(addresses[first]),
                )
            slots = self.slots[threads]
            other = slots - slots % blocks + ranks - 1
            bases = np.where(ranks > 0, other, slots) * self.layout.shared_stride
            addresses = addresses & ((1 << CLUSTER_BITS) - 1)
        _check_range(addresses, size, self.shared_size, "the shared memory of the block")
        return addresses + bases

    def load(
        self,
        space: StateSpace | None,
        addresses: NDArray[np.int64],
        dtype: np.dtype[Any],
        count: int,
        threads: Selection,
        *,
        strong: bool = False,
    ) -> list[NDArray[Any]]:
        """Returns what threads read from addresses: so many successive elements.

        Args:
            space: None for generic addresses.
            addresses: One for each thread.
            dtype: Of an element.
            count: Elements of a vector.
            threads: Who reads.
            strong: Whether it is volatile, relaxed or acquire.

        Raises:
            ThreadFault: If an address is out of bounds or misaligned.
        """
        if space is None:
            windows = windows_of(addresses)
            if len(windows) > 1:
                return self._load_mixed(windows, addresses, dtype, count, threads, strong)
            space = next(iter(windows))
            addresses = addresses - WINDOWS[space] if space in WINDOWS else addresses
        size = dtype.itemsize * count
        offsets, region = self.offsets(space, addresses, threads, size)
        return self.take(space, offsets, region, addresses, dtype, count, threads, strong=strong)

    def take(
        self,
        space: StateSpace,
        offsets: Offsets,
        region: int,
        addresses: NDArray[np.int64],
        dtype: np.dtype[Any],
        count: int,
        threads: Selection,
        *,
        strong: bool = False,
    ) -> list[NDArray[Any]]:
        """Returns the elements at offsets that have been checked; see `load`."""
        arena, size = self.arenas[space], dtype.itemsize * count
        unwritten = arena.check_written(offsets, size, region)
        partly = None
        if unwritten is not None:
            partly = arena.partly_written(offsets, size)
            missing = unwritten & ~partly
            if missing.any():
                self.tell_unwritten(space, missing, offsets, addresses, threads, size)
            if space is StateSpace.LOCAL and self.copies_unwritten:
                partly = unwritten
        if self.on_accessed:
            self.notify(space, AccessKind.READ, offsets, addresses, size, threads, strong)
        if arena.codes is not None or partly is not None:
            self._note_loaded(arena, offsets, dtype.itemsize, count, threads, partly)
        return arena.gather(offsets, dtype, count)

    def _note_loaded(
        self,
        arena: Arena,
        offsets: Offsets,
        size: int,
        count: int,
        threads: Selection,
        followed: NDArray[np.bool_] | None,
    ) -> None:
        """Keeps the codes of what is loaded, for who follows them through registers.

        Args:
            arena: Where from.
            offsets: Of the accesses.
            size: Bytes of an element.
            count: Elements of each access.
            threads: Who loads.
            followed: Whose elements that nobody has written are not told at once; None for nobody.
        """
        codes = arena.codes_at(offsets, size, count)
        if followed is not None and followed.any() and self.current is not None:
            never = arena.never_written(offsets, size, count) & followed
            if never.any():
                first = int(self.numbers[threads][int(np.argmax(never.any(axis=0)))])
                code = self.undefined.unwritten(self.current, self.clock - 1, first)
                codes = list(np.where(never, np.int32(code), codes if codes is not None else 0))
        if codes is not None and self.current is not None:
            self.undefined.found = self.current, codes

    def _load_mixed(
        self,
        windows: dict[StateSpace, NDArray[np.bool_] | None],
        addresses: NDArray[np.int64],
        dtype: np.dtype[Any],
        count: int,
        threads: Selection,
        strong: bool,
    ) -> list[NDArray[Any]]:
        values = [np.empty(len(addresses), dtype) for _ in range(count)]
        numbers = self.numbers[threads]
        for space, chosen in windows.items():
            found = self.load(
                space,
                addresses[chosen] - WINDOWS.get(space, 0),
                dtype,
                count,
                numbers[chosen],
                strong=strong,
            )
            for value, part in zip(values, found, strict=True):
                value[chosen] = part
        self.undefined.found = None
        return values

    def store(
        self,
        space: StateSpace | None,
        addresses: NDArray[np.int64],
        values: Sequence[NDArray[Any]],
        threads: Selection,
        *,
        strong: bool = False,
    ) -> None:
        """Writes elements to addresses, as `load` reads them.

        Raises:
            ThreadFault: If an address is out of bounds, misaligned, or not to be written.
        """
        if space is None:
            windows = windows_of(addresses)
            if len(windows) > 1:
                numbers, carried = self.numbers[threads], self.undefined.carried
                for part, chosen in windows.items():
                    self.undefined.carried = [each[chosen] for each in carried] if carried else None
                    self.store(
                        part,
                        addresses[chosen] - WINDOWS.get(part, 0),
                        [value[chosen] for value in values],
                        numbers[chosen],
                        strong=strong,
                    )
                return
            space = next(iter(windows))
            addresses = addresses - WINDOWS[space] if space in WINDOWS else addresses
        size = values[0].dtype.itemsize * len(values)
        self.writable(space, addresses, threads, size)
        offsets, region = self.offsets(space, addresses, threads, size)
        self.put(space, offsets, region, addresses, values, threads, strong=strong)

    def put(
        self,
        space: StateSpace,
        offsets: Offsets,
        region: int,
        addresses: NDArray[np.int64],
        values: Sequence[NDArray[Any]],
        threads: Selection,
        *,
        strong: bool = False,
    ) -> None:
        """Writes elements to offsets that have been checked; see `store`."""
        arena, size = self.arenas[space], values[0].dtype.itemsize * len(values)
        if self.products and space is StateSpace.SHARED:
            self._check_read(offsets, addresses, threads, size)
        before = arena.bytes_at(offsets, size) if self.wants_values else None
        if (order := self.in_order(threads)) is None:
            arena.scatter(offsets, values)
        else:
            arena.scatter(offsets[order], [value[order] for value in values])
        arena.mark_written(offsets, size, region)
        if self.undefined.carried is not None:
            self._keep_carried(arena, offsets, values[0].dtype.itemsize, order)
        self.changes += 1
        if self.on_accessed:
            put = None if before is None else _bytes_of(values, len(offsets))
            kind = AccessKind.WRITE
            self.notify(space, kind, offsets, addresses, size, threads, strong, before, put)

    def _keep_carried(
        self, arena: Arena, offsets: Offsets, size: int, order: NDArray[np.int64] | None
    ) -> None:
        """Lets shared or local memory hold the undefined values that are stored."""
        codes, self.undefined.carried = self.undefined.carried, None
        if codes is not None and arena.space in (StateSpace.SHARED, StateSpace.LOCAL):
            if order is not None:
                offsets, codes = offsets[order], [each[order] for each in codes]
            arena.put_codes(offsets, size, codes)

    def writable(
        self, space: StateSpace, addresses: NDArray[np.int64], threads: Selection, size: int
    ) -> Arena:
        """Returns the arena of a space.

        Raises:
            ThreadFault: If nothing may be written to it.
        """
        arena = self.arenas[space]
        if arena.read_only:
            memory = "constant memory" if space is StateSpace.CONSTANT else "a parameter"
            raise ThreadFault(
                FaultKind.READ_ONLY,
                int(self.numbers[threads][0]),
                f"writes {size} bytes to {memory}, at 0x{int(addresses[0]):x}. "
                "Nothing can be written there",
                len(addresses),
            )
        return arena

    def notify(
        self,
        space: StateSpace,
        kind: AccessKind,
        offsets: Offsets,
        addresses: NDArray[np.int64],
        size: int,
        threads: Selection,
        strong: bool,
        before: NDArray[np.uint8] | None = None,
        after: NDArray[np.uint8] | None = None,
    ) -> None:
        """Shows an access to the observers; `after` is what memory holds unless it is given."""
        instruction = self.current
        assert instruction is not None
        if before is not None and after is None:
            after = self.arenas[space].bytes_at(offsets, size)
        access = Access(
            instruction,
            self.numbers[threads],
            space,
            kind,
            offsets,
            addresses.view(np.uint64),
            size,
            strong or kind is AccessKind.ATOMIC,
            before,
            after,
            self.clock - 1,
        )
        for observer in self.on_accessed:
            observer.accessed(access)

    def synchronised(self, threads: Threads, scope: SyncScope) -> None:
        """Shows a barrier to the observers."""
        for observer in self.on_synchronised:
            observer.synchronised(threads, scope)

    def _fault_of_access(self, fault: AccessFault, threads: Selection, size: int) -> ThreadFault:
        verb = "accesses"
        if self.current is not None:
            verb = {"ld": "reads", "st": "writes"}.get(self.current.opcode, verb)
        plural = "byte" if size == 1 else "bytes"
        return ThreadFault(
            fault.kind,
            int(self.numbers[threads][fault.index]),
            f"{verb} {size} {plural} at 0x{fault.address:x}, {fault.detail}",
            fault.count,
        )

    def tell_unwritten(
        self,
        space: StateSpace,
        unwritten: NDArray[np.bool_],
        offsets: Offsets,
        addresses: NDArray[np.int64],
        threads: Selection,
        size: int,
    ) -> None:
        """Takes note of threads that read what nobody has written, or not waited for."""
        if space is StateSpace.SHARED and self.copies:
            pending = self.arenas[space].has_state(offsets, size, COPYING)
            if pending.any():
                self._tell_not_waited_for(pending, offsets, addresses, threads, size)
                unwritten = unwritten & ~pending
                if not unwritten.any():
                    return
        if space is StateSpace.LOCAL and self.copies_unwritten:
            return
        first = int(np.argmax(unwritten))
        names = {StateSpace.CONSTANT: "constant"}
        where = f"{names.get(space, space.value)} memory at 0x{int(addresses[first]):x}"
        if space is StateSpace.SURFACE:
            where = next(filter(None, (a.place(int(offsets[first])) for a in self.texels.values())))
        self.tell(
            FaultKind.NEVER_WRITTEN,
            self.numbers[threads][unwritten],
            f"reads {size} bytes of {where} that nobody has written",
        )

    def _tell_not_waited_for(
        self,
        pending: NDArray[np.bool_],
        offsets: Offsets,
        addresses: NDArray[np.int64],
        threads: Selection,
        size: int,
    ) -> None:
        """Takes note of threads that read what is still being copied."""
        first = int(np.argmax(pending))
        copy, thread = self.copies.at(int(offsets[first]), size)
        place = self.layout.place(copy.instruction, thread, copy.step)
        self.tell(
            FaultKind.NOT_WAITED_FOR,
            self.numbers[threads][pending],
            f"reads {size} bytes of shared memory at 0x{int(addresses[first]):x} before the copy "
            "to them was waited for",
            other=place,
            more=f"Thread {place.thread} copies to them at {line_of(place)}. It must wait "
            "(cp.async.wait_group, __pipeline_wait_prior, or an mbarrier) before anyone reads, and "
            "other threads need a barrier behind that.",
        )

    # Copies that run by themselves.

    def copying(
        self,
        addresses: NDArray[np.int64],
        size: int,
        threads: Selection,
        barriers: NDArray[np.int64] | None = None,
    ) -> None:
        """Takes note of a copy to shared memory that has to be waited for.

        Args:
            addresses: Where to, one for each thread.
            size: Bytes of each.
            threads: Who copies.
            barriers: Offsets of the mbarriers that track it; None for none.
        """
        assert self.current is not None
        offsets, region = self.offsets(StateSpace.SHARED, addresses, threads, size)
        self.arenas[StateSpace.SHARED].mark_copying(offsets, size, region)
        numbers = self.numbers[threads]
        self.copies.add(self.current, self.clock - 1, numbers, offsets, addresses, size, barriers)

    def copied(self, copies: list[Copy], *, by_themselves: bool) -> None:
        """Takes note that copies have been waited for.

        Args:
            copies: Which.
            by_themselves: Whether by the threads that copy, which have yet to tell others.
        """
        for copy in copies:
            self.arenas[StateSpace.SHARED].mark_written(copy.offsets, copy.size, -1)
            if by_themselves and self.on_copied:
                access = Access(
                    copy.instruction,
                    copy.threads,
                    StateSpace.SHARED,
                    AccessKind.WRITE,
                    copy.offsets,
                    copy.addresses.view(np.uint64),
                    copy.size,
                    step=copy.step,
                )
                for observer in self.on_copied:
                    observer.copied(access)

    # Products that run by themselves.

    def multiplying(
        self,
        sums: frozenset[str],
        fragments: frozenset[str],
        threads: Threads,
        reads: Sequence[tuple[Threads, NDArray[np.int64]]],
        size: int,
    ) -> None:
        """Takes note of a product of warp groups that has to be waited for.

        Args:
            sums: The names of the registers that it changes.
            fragments: Of those that it reads.
            threads: Of the warp groups.
            reads: Who reads shared memory at which addresses.
            size: Bytes of each of these.
        """
        assert self.current is not None
        readers, addresses = (np.concatenate(parts) for parts in zip(*reads, strict=True))
        offsets, _ = self.offsets(StateSpace.SHARED, addresses, readers, size)
        places = readers, offsets, addresses
        self.products.add(self.current, self.clock - 1, sums, fragments, threads, places, size)

    def multiplied(self, products: list[Product]) -> None:
        """Takes note that products have been waited for, which have read memory until now."""
        for product in products if self.on_copied else ():
            access = Access(
                product.instruction,
                product.readers,
                StateSpace.SHARED,
                AccessKind.READ,
                product.offsets,
                product.addresses.view(np.uint64),
                product.size,
                step=product.step,
            )
            for observer in self.on_copied:
                observer.copied(access)
            if self.on_synchronised:
                # What one of its warps knows to have ended has ended for all of them.
                self.synchronised(self.products.group_threads(product), SyncScope.BLOCK)

    def check_fenced(self, names: Iterable[str], threads: Threads) -> None:
        """Takes note of threads whose registers a product does not know by ``wgmma.fence``."""
        name, late = self.products.unfenced(names, threads)
        if not late.any():
            return
        if name:
            message = f"multiplies with {name}, which it has changed after the last wgmma.fence"
        else:
            message = "multiplies in a warp group without wgmma.fence before the first product"
            self.products.fence(threads, 0)
        self.tell(FaultKind.NOT_FENCED, threads[late], message)

    def check_touch(self, touch: Touch, threads: Selection) -> None:
        """Takes note of threads that use registers of a product that they have not waited for."""
        numbers = self.numbers[threads]
        found = self.products.with_registers(touch, numbers)
        if found is not None and (found[0].instruction.number, FaultKind.PRODUCT) not in self.told:
            product, name = found
            self.told.add((product.instruction.number, FaultKind.PRODUCT))
            chosen = numbers[product.waiting(numbers)]
            place = self.layout.place(product.instruction, int(chosen[0]), product.step)
            verb = "changes" if name in touch.writes else "reads"
            of = "a sum" if name in product.sums else "a part of A"
            self.tell(
                FaultKind.PRODUCT,
                chosen,
                f"{verb} {name}, {of} of a product that was not waited for",
                other=place,
                more=f"The warp group multiplies at {line_of(place)}. Each of its warps must wait "
                "(wgmma.commit_group, wgmma.wait_group) before it uses these registers.",
            )
        self.products.change(touch.writes, numbers, self.clock)

    def _check_read(
        self, offsets: Offsets, addresses: NDArray[np.int64], threads: Selection, size: int
    ) -> None:
        """Takes note of threads that write what a product may still read."""
        if (found := self.products.reading(offsets, size)) is None:
            return
        product, thread, index = found
        place = self.layout.place(product.instruction, thread, product.step)
        self.tell(
            FaultKind.PRODUCT,
            self.numbers[threads][index : index + 1],
            f"writes {size} bytes of shared memory at 0x{int(addresses[index]):x} that a product "
            "which was not waited for may still read",
            other=place,
            more=f"The warp group multiplies at {line_of(place)}. It must wait "
            "(wgmma.commit_group, wgmma.wait_group) before anyone writes there, and other threads "
            "need a barrier behind that.",
        )


def _bytes_of(values: Sequence[NDArray[Any]], count: int) -> NDArray[np.uint8]:
    """Returns the bytes of the elements that each thread writes, of shape (threads, bytes)."""
    columns = np.stack([np.broadcast_to(value, (count,)) for value in values], axis=1)
    return columns.view(np.uint8)


def _overriding(observers: Sequence[Observer], method: str) -> tuple[Observer, ...]:
    """Returns the observers that take note of something."""
    default = getattr(Observer, method)
    return tuple(o for o in observers if getattr(type(o), method) is not default)


def _viewed(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Returns the low bits of values as a type that is as wide or narrower."""
    if values.dtype == dtype:
        return values
    ratio = values.dtype.itemsize // dtype.itemsize
    if ratio == 1:
        return values.view(dtype)
    if values.strides == (0,):
        return np.broadcast_to(values[:1].view(dtype)[:1], values.shape)
    return values.view(dtype)[::ratio]


def _check_range(addresses: NDArray[np.int64], size: int, limit: int, what: str) -> None:
    if int(addresses.min()) < 0 or int(addresses.max()) + size > limit:
        wrong = (addresses < 0) | (addresses + size > limit)
        first = int(np.argmax(wrong))
        address = int(addresses[first])
        where = (
            f"{-address:,} bytes before the start" if address < 0 else behind_end(address - limit)
        )
        raise AccessFault(
            FaultKind.OUT_OF_BOUNDS,
            first,
            int(np.count_nonzero(wrong)),
            f"{where} of {what} ({limit:,} bytes)",
            address,
        )
    if size > 1:
        check_alignment(addresses, size)


def packed_lanes(numbers: Threads, count: int) -> NDArray[np.uint32]:
    """Returns the lanes of each warp that are among the threads, as bits, for so many threads."""
    present = np.zeros(count, np.bool_)
    present[numbers] = True
    return np.packbits(present, bitorder="little").view(np.uint32)


def fault_of(
    layout: Layout,
    instruction: PtxInstruction,
    kind: FaultKind,
    thread: int,
    message: str,
    count: int,
    fatal: bool,
    step: int,
) -> Fault:
    """Returns a fault with a sentence that says thread, block and line."""
    place = layout.place(instruction, thread, step)
    more = f" {count - 1:,} more threads do so in the same step." if count > 1 else ""
    return Fault(
        kind,
        f"Thread {place.thread} of block {place.block} {message}, at {line_of(place)}.{more}",
        place,
        None,
        count,
        fatal,
    )


def line_of(place: ThreadPlace) -> str:
    """Returns the lines of source and PTX at which a thread is, for messages."""
    line = f"line {place.ptx_line} of the PTX"
    if not place.line:
        return line
    return f"{file_name(place.file)}:{place.line} ({line})"


def file_name(path: str) -> str:
    """Returns the last part of a path of any system."""
    return path.replace("\\", "/").rpartition("/")[2]
