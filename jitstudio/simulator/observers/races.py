"""Finds races: accesses to the same bytes, at least a write among them, that nothing orders.

Shadow memory holds for each granule (as small as the smallest access so far) its last write and
two of its last reads by different threads, each as the number of the access and of the thread.
What orders two accesses is in `causality`.

Two accesses that are both strong never race, nor does a read that a compare-and-swap verifies with
an atomic operation (`flags`). But a volatile read of what another thread has written is told if it
is data: its value depends on which of them comes first. In a warp it relies on the lanes running in
step, which no GPU since Volta promises. A flag is told apart by what is done with it. Two writes of
the same value are told as such: nothing is lost whatever their order, and racecheck of Compute
Sanitizer, too, tells them as information.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.observers.causality import (
    EVENT_SHIFT,
    OLD_MESSAGE,
    STRONG,
    THREAD_MASK,
    AccessOrder,
    Numbers,
)
from jitstudio.simulator.observers.neighbours import NeighbourAccesses
from jitstudio.simulator.ptx.flags import guesses, reads_of_data
from jitstudio.simulator.ptx.program import PtxInstruction, PtxProgram
from jitstudio.simulator.state.model import (
    WARP,
    Access,
    AccessKind,
    Fault,
    Layout,
    Observer,
    Race,
    SimulationResult,
    StateSpace,
    SyncScope,
    ThreadPlace,
    Threads,
)

# Most data are of 32 bits: four bytes a cell take a quarter of the memory of one cell a byte.
_FIRST_GRANULE = 4
# Pairs of lines. More help nobody, and each has its sentence.
_MOST_RACES = 200
_RELEASING = {"release", "acq_rel"}
_SHADOWED = (StateSpace.GLOBAL, StateSpace.SHARED, StateSpace.SURFACE)


class RaceDetector(Observer):
    """Finds races and adds them to the result, a race for each pair of lines and kind.

    Args:
        kernel: The name of the kernel.
        global_bytes: About how large global memory is; bytes never accessed cost nothing.
        program: The PTX, which tells the values that decide something; None to take all of them
            for deciding ones.
    """

    wants_values = True

    def __init__(
        self, kernel: str, global_bytes: int = 0, program: PtxProgram | None = None
    ) -> None:
        self._kernel = kernel
        self._program = program
        self._of_data: frozenset[int] | None = None
        self._guesses = guesses(program, program.functions.values()) if program else frozenset()
        self._event = 0
        self._instructions: list[PtxInstruction] = []
        self._numbers: dict[int, int] = {}
        self._instruction_of_event = array("i", [0])
        self._step_of_event = array("q", [0])
        self._waves: list[tuple[int, Layout]] = []
        self._shadows = {StateSpace.GLOBAL: _Shadow(global_bytes)}
        self._races: dict[tuple[int, int, str], _NotedRace] = {}
        self._neighbours: NeighbourAccesses | None = None
        self._faults: list[Fault] = []

    def started(self, layout: Layout) -> None:
        """See `Observer`: only messages order accesses of earlier blocks."""
        self._waves.append((self._event, layout))
        self._order = AccessOrder(layout, self._event)
        self._end_neighbours()
        if layout.cluster_blocks > 1:
            self._neighbours = NeighbourAccesses(layout)
        self._shadows.pop(StateSpace.SHARED, None)
        self._shadows[StateSpace.GLOBAL].age_messages()

    def ended(self, instruction: PtxInstruction, threads: Threads, step: int) -> None:
        """See `Observer`: barriers do not wait for threads that have ended."""
        if self._neighbours is not None:
            self._neighbours.ended(instruction, threads, step, self._order)
        self._order.ended(threads)

    def synchronised(self, threads: Threads, scope: SyncScope) -> None:
        """See `Observer`."""
        self._order.synchronised(threads, scope, self._event)
        if self._neighbours is not None and scope in (SyncScope.CLUSTER, SyncScope.GRID):
            self._neighbours.synchronised(threads)

    def fenced(self, threads: Threads, scope: SyncScope) -> None:
        """See `Observer`."""
        self._order.fenced(threads, scope, self._event)

    def accessed(self, access: Access) -> None:
        """See `Observer`."""
        if access.space not in _SHADOWED:
            return
        self._event += 1
        self._instruction_of_event.append(self._number(access.instruction))
        self._step_of_event.append(access.step)
        if self._neighbours is not None and access.space is StateSpace.SHARED:
            self._neighbours.accessed(access, self._event)
        shadow = self._shadow_of(access)
        places, threads = shadow.places(access)
        cells = threads + (np.int64(self._event) << EVENT_SHIFT)
        is_guess = access.instruction.number in self._guesses
        if access.strong:
            self._pass_messages(access, shadow)
        if access.strong or is_guess:
            cells += STRONG
        if access.kind is AccessKind.READ:
            self._compare(access, shadow.written[places], threads, "read after write")
            if access.strong and self._should_be_in_order(access.instruction):
                self._compare_with_writes(access, shadow.written[places], threads)
            shadow.read(places, cells)
            return
        for slot in shadow.readers:
            self._compare(access, slot[places], threads, "write after read")
            if "volatile" in access.instruction.modifiers:
                self._compare_with_reads(access, slot[places], threads)
        self._compare(access, shadow.written[places], threads, "write after write")
        shadow.write(places, cells)
        if not access.strong:
            # Two threads of this very instruction: one of the values is lost.
            last_writes = shadow.written[places]
            self._compare(
                access, np.where(last_writes == cells, 0, last_writes), threads, "write after write"
            )

    def _shadow_of(self, access: Access) -> _Shadow:
        """Returns the shadow of the bytes of an access; surfaces lie in global memory."""
        is_surface = access.space is StateSpace.SURFACE
        space = StateSpace.GLOBAL if is_surface else access.space
        return self._shadows.setdefault(space, _Shadow())

    def copied(self, access: Access) -> None:
        """See `Observer`: a barrier between copy and wait does not order copied bytes."""
        self.accessed(access)

    def renewed(self, start: int, end: int) -> None:
        """See `Observer`: the heap orders the accesses of former and new owners of the bytes."""
        self._shadows[StateSpace.GLOBAL].clear(start, end)

    def finished(self, result: SimulationResult) -> SimulationResult:
        """See `Observer`."""
        self._end_neighbours()
        races: dict[object, Race] = {}
        for noted in self._races.values():
            race = noted.race
            # A loop that is unrolled has several instructions for one line.
            places = (line_key(race.first), line_key(race.second))
            # Users see lines: all pairs of instructions with the same two lines become one race.
            key = (race.kind, race.space, race.same_value, *places)
            count = race.count + (races[key].count if key in races else 0)
            races[key] = replace(races.get(key, race), count=count)
        return replace(
            result,
            races=(*result.races, *races.values()),
            faults=(*result.faults, *self._faults),
        )

    def _end_neighbours(self) -> None:
        if self._neighbours is not None:
            reported_lines = {fault.first and fault.first.ptx_line for fault in self._faults}
            faults = self._neighbours.faults()
            self._faults += [
                f for f in faults if (f.first and f.first.ptx_line) not in reported_lines
            ]
        self._neighbours = None

    def _number(self, instruction: PtxInstruction) -> int:
        number = self._numbers.setdefault(instruction.number, len(self._instructions))
        if number == len(self._instructions):
            self._instructions.append(instruction)
        return number

    def _pass_messages(self, access: Access, shadow: _Shadow) -> None:
        at = access.offsets // shadow.granule
        if access.kind is not AccessKind.READ:
            words = set(access.instruction.modifiers)
            if words & _RELEASING:
                self._order.fenced(access.threads, SyncScope.GRID, self._event - 1)
            near = access.space is StateSpace.SHARED or "cta" in words
            self._order.leave(access.threads, at, shadow.take_messages(), near=near)
        if access.kind is not AccessKind.WRITE:
            # Of atomics in one step each finds what those before it have left.
            self._order.take(access.threads, shadow.messages[at])

    def _compare(self, access: Access, cells: Numbers, threads: Threads, kind: str) -> None:
        """Notes earlier accesses in cells that nothing orders before an access."""
        shared = access.space is StateSpace.SHARED
        # The cheap test first: in a kernel without races it leaves nothing in nearly all calls.
        suspects = cells >= (self._order.floor(shared=shared) + 1) << EVENT_SHIFT
        if not suspects.any():
            return
        # PTX ISA, "Conflict and Data-races": morally strong operations are in no data race.
        if access.strong or access.instruction.number in self._guesses:
            suspects &= (cells & STRONG) == 0
        suspects &= ((cells & THREAD_MASK) != threads) | self._order.is_older(cells)
        if not suspects.any():
            return
        at = np.flatnonzero(suspects)
        at = at[~self._order.ordered(cells[at], threads[at])]
        if at.size:
            self._note(access, cells[at], at, kind)

    def _should_be_in_order(self, instruction: PtxInstruction) -> bool:
        """Returns whether a read is volatile, and of data: no flag, see `reads_of_data`.

        Values that a function other than the kernel reads may decide something in its callers.
        """
        if "volatile" not in instruction.modifiers or instruction.function != self._kernel:
            return False
        if self._of_data is None and self._program is not None:
            function = self._program.functions[self._kernel]
            self._of_data = reads_of_data(self._program, function)
        return self._of_data is not None and instruction.number in self._of_data

    def _compare_with_writes(self, access: Access, cells: Numbers, threads: Threads) -> None:
        """Notes earlier volatile writes by other threads to the cells of a read of data."""
        # Atomics are strong, too, and right without __syncwarp().
        at = self._unordered(cells, threads, lambda write: "volatile" in write.modifiers)
        mates = (cells[at] & THREAD_MASK) // WARP == threads[at] // WARP
        for part, in_step in ((at[mates], True), (at[~mates], False)):
            if part.size:
                self._note(access, cells[part], part, "read after write", in_step=in_step)

    def _compare_with_reads(self, access: Access, cells: Numbers, threads: Threads) -> None:
        """Notes earlier reads of data by other warps in the cells of a volatile write."""
        at = self._unordered(cells, threads, self._should_be_in_order)
        at = at[(cells[at] & THREAD_MASK) // WARP != threads[at] // WARP]
        if at.size:
            self._note(access, cells[at], at, "write after read")

    def _unordered(
        self, cells: Numbers, threads: Threads, passes: Callable[[PtxInstruction], bool]
    ) -> NDArray[np.intp]:
        """Returns where strong accesses of other threads, by some instructions, are not ordered."""
        strong = (cells & STRONG != 0) & (cells & THREAD_MASK != threads)
        at = np.flatnonzero(strong & ~self._order.is_older(cells))
        at = at[~self._order.ordered(cells[at], threads[at])]
        if not at.size:
            return at
        numbers = np.frombuffer(self._instruction_of_event, np.intc)[cells[at] >> EVENT_SHIFT]
        passing = np.fromiter(map(passes, self._instructions), np.bool_, len(self._instructions))
        unordered: NDArray[np.intp] = at[passing[numbers]]
        return unordered

    def _note(
        self, access: Access, cells: Numbers, at: Numbers, kind: str, *, in_step: bool = False
    ) -> None:
        """Notes races of an access with the earlier accesses in cells.

        Args:
            access: The later access.
            cells: The earlier ones.
            at: Which granules of the later access they are.
            kind: Such as ``write after read``.
            in_step: Whether lanes of a warp would be in order if they ran in step.
        """
        events = cells >> EVENT_SHIFT
        firsts = np.frombuffer(self._instruction_of_event, np.intc)[events]
        second = self._number(access.instruction)
        per_thread = self._shadow_of(access).per_thread(access.size)
        threads = at // per_thread
        same = self._same_values(access, cells, threads, kind)
        for first in np.unique(firsts).tolist():
            for is_same in (False, True):
                mine = np.flatnonzero((firsts == first) & (same == is_same))
                if not mine.size:
                    continue
                noted = self._races.get(key := (first, second, f"{kind}{is_same}"))
                count = np.unique(threads[mine]).size
                if noted is not None:
                    noted.race = replace(noted.race, count=noted.race.count + count)
                elif len(self._races) < _MOST_RACES:
                    index = int(mine[0])
                    race = self._race(access, int(cells[index]), int(threads[index]), kind, is_same)
                    if in_step:
                        race = replace(race, message=_step_sentence(race, access))
                    self._races[key] = _NotedRace(replace(race, count=count))

    def _same_values(
        self, access: Access, cells: Numbers, threads: Numbers, kind: str
    ) -> NDArray[np.bool_]:
        """Returns where both writes have put the same value."""
        if kind != "write after write" or access.before is None or access.after is None:
            return np.zeros(cells.size, bool)
        events = cells >> EVENT_SHIFT
        earlier = access.before[threads]
        at_once = events == self._event
        winners = np.searchsorted(access.threads, cells[at_once] & THREAD_MASK)
        earlier[at_once] = access.after[winners]
        same: NDArray[np.bool_] = (earlier == access.after[threads]).all(axis=1)
        return same

    def _race(self, access: Access, cell: int, index: int, kind: str, same: bool) -> Race:
        event, other = cell >> EVENT_SHIFT, cell & int(THREAD_MASK)
        wave = bisect_right(self._waves, event - 1, key=lambda wave: wave[0]) - 1
        earlier = self._instructions[self._instruction_of_event[event]]
        first = self._waves[wave][1].place(earlier, other, self._step_of_event[event])
        later = int(access.threads[index])
        second = self._waves[-1][1].place(access.instruction, later, access.step)
        lost = ""
        if access.before is not None and kind != "read after write":
            lost_bytes = access.before if event < self._event else access.after
            # As a number of that size is written, such as 0x0000002a: PTX is little-endian.
            lost = "" if lost_bytes is None else lost_bytes[index][::-1].tobytes().hex()
        return Race(
            kind,
            _sentence(kind, first, second, access, same, lost),
            first,
            second,
            access.space,
            int(access.addresses[index]),
            lost,
            same_value=same,
        )


@dataclass
class _NotedRace:
    """A race, whose count may still rise."""

    race: Race


class _Shadow:
    """The last accesses to each granule of an arena.

    Args:
        size: Bytes of the arena at first.

    Attributes:
        granule: Bytes of each; smaller as soon as an access is.
        written: The last write: event, whether it was strong, thread; 0 for none.
        readers: The same for two reads by different threads.
        messages: The number of the message left there for other threads; 0 for none,
            `OLD_MESSAGE` for those of blocks that have ended, -1 where there were too many.
    """

    def __init__(self, size: int = 0) -> None:
        self.granule = _FIRST_GRANULE
        count = size // _FIRST_GRANULE
        self.written = np.zeros(count, np.int64)
        self.readers = [np.zeros(count, np.int64), np.zeros(count, np.int64)]
        self.messages = np.zeros(count, np.int32)
        self._has_messages = False
        # Granules behind this one have never been touched.
        self._reach = 0

    def per_thread(self, size: int) -> int:
        """Returns how many granules an access of so many bytes has."""
        return max(1, size // self.granule)

    def places(self, access: Access) -> tuple[Numbers, Threads]:
        """Returns the granules of an access and their threads, thread by thread."""
        least = int(np.bitwise_or.reduce(access.offsets)) | access.size
        least &= -least
        if least < self.granule:
            self._split(least)
        self._grow(int(access.offsets.max()) + access.size)
        first, count = access.offsets // self.granule, self.per_thread(access.size)
        if count == 1:
            return first, access.threads
        places = (first[:, None] + np.arange(count)).reshape(-1)
        return places, np.repeat(access.threads, count)

    def read(self, places: Numbers, cells: Numbers) -> None:
        """Keeps reads: the last of each granule, and the last by another thread."""
        # Two readers are enough to find a race with any writer: a write by one of them races with
        # the other.
        last, other = self.readers
        before = last[places]
        # A thread that reads again replaces its own read, and the other reader stays.
        moved = ((before ^ cells) & THREAD_MASK) != 0
        other[places[moved]] = before[moved]
        last[places] = cells
        # Of several threads that read one granule at once NumPy has kept the last.
        beaten = last[places] != cells
        other[places[beaten]] = cells[beaten]

    def write(self, places: Numbers, cells: Numbers) -> None:
        """Keeps writes; earlier reads matter no more."""
        self.written[places] = cells
        for slot in self.readers:
            slot[places] = 0

    def clear(self, start: int, end: int) -> None:
        """Forgets all accesses to bytes."""
        # Blocks of the heap have gaps between them, so no granule is shared with another block.
        part = slice(start // self.granule, -(-end // self.granule))
        arrays: tuple[NDArray[Any], ...] = (self.written, *self.readers, self.messages)
        for cells in arrays:
            cells[part] = 0

    def age_messages(self) -> None:
        """Marks all messages as those of blocks that have ended."""
        if self._has_messages:
            self.messages[self.messages != 0] = OLD_MESSAGE

    def take_messages(self) -> NDArray[np.int32]:
        """Returns the messages, to be changed."""
        self._has_messages = True
        return self.messages

    def _split(self, granule: int) -> None:
        times = self.granule // granule
        # An access to a large granule counts for each of the smaller ones.
        self.granule = granule
        self._replace(times * self.written.size, times)
        self._reach *= times

    def _grow(self, size: int) -> None:
        wanted = -(-size // self.granule)
        if wanted > self.written.size:
            self._replace(max(wanted, 2 * self.written.size), 1)
        self._reach = max(self._reach, wanted)

    def _replace(self, size: int, times: int) -> None:
        """Makes room for `size` granules, each former one being split into `times`."""
        reach = self._reach
        self.written, *self.readers = (
            _longer(np.repeat(cells[:reach], times), size)
            for cells in (self.written, *self.readers)
        )
        self.messages = _longer(np.repeat(self.messages[:reach], times), size)


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    # `np.zeros` takes fresh pages of the system, which cost nothing until they are touched.
    longer = np.zeros(size, array.dtype)
    longer[: array.size] = array
    return longer


_WORDS = {
    "read after write": ("writes", "reads"),
    "write after read": ("reads", "writes"),
    "write after write": ("writes", "writes"),
}


def _sentence(
    kind: str, first: ThreadPlace, second: ThreadPlace, access: Access, same: bool, lost: str
) -> str:
    first_verb, second_verb = _WORDS[kind]
    value = "the same value to " if same else ""
    gone = f" What was there is lost: 0x{lost}." if lost and not same else ""
    size = "1 byte" if access.size == 1 else f"{access.size} bytes"
    return (
        f"Race in {access.space.value} memory: {_place(second)} {second_verb} {value}{size} "
        f"that {_place(first)} {first_verb}, and no barrier, atomic or fence orders them.{gone}"
    )


def _step_sentence(race: Race, access: Access) -> str:
    return (
        f"Race in {race.space.value} memory: {_place(race.second)} reads {access.size} bytes that "
        f"{_place(race.first)} writes. Both are volatile, and it relies on the threads of a warp "
        "running in step, which GPUs since Volta do not promise: add __syncwarp() between them."
    )


def line_key(place: ThreadPlace) -> tuple[str, int]:
    """Returns the source line, or that of the PTX where none is known."""
    return (place.file, place.line) if place.line else ("", place.ptx_line)


def _place(place: ThreadPlace) -> str:
    line = f"line {place.line}" if place.line else f"PTX line {place.ptx_line}"
    thread, block = (",".join(map(str, index)) for index in (place.thread, place.block))
    return f"thread ({thread}) of block ({block}) at {line}"
