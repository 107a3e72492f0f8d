"""Finds races: accesses to the same bytes, one of them a write, that nothing orders.

Shadow memory holds for each granule (as small as the smallest access so far) its last write and
two of its last reads by different threads, each as the number of the access and of the thread.
What orders is kept as clocks, a number of an access up to which another's accesses are known:

* of a warp's knowledge of each other warp of its block, moved on by barriers of the block,
* of a warp, or of the lanes of one that have met under a mask, moved on by barriers of a warp,
* of a cluster and of the grid, moved on by theirs,
* of a warp's knowledge of all other warps, by messages: an atomic or strong write behind a fence
  (or with ``.release``) leaves what its thread knew at the location, and whoever reads that with an
  atomic or a strong read knows it from then on, and passes it on at barriers.

This is the causality order of the PTX ISA ("Memory Consistency Model"), coarser in three places
that can only hide a race and never invent one: a message tells of the whole warp of its sender, a
read needs no ``.acquire`` or fence to take it, and atomics of one step know each other. Two
accesses that are both strong never race. But a volatile read of what another lane of the warp has
written is told if it is data: it relies on the lanes running in step, which no GPU since Volta
promises. A flag is told apart by what is done with it (`flags`). Two writes of the same value are
told as such: nothing is lost whatever their order, and racecheck of Compute Sanitizer, too, tells
them as information.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.flags import reads_of_data
from jitstudio.simulator.model import (
    WARP,
    Access,
    AccessKind,
    Layout,
    Observer,
    Race,
    SimulationResult,
    StateSpace,
    SyncScope,
    ThreadPlace,
    Threads,
)
from jitstudio.simulator.program import PtxInstruction, PtxProgram

_Numbers = NDArray[np.int64]

_THREAD_BITS = 20
_STRONG = np.int64(1 << _THREAD_BITS)
_EVENT_SHIFT = _THREAD_BITS + 1
_THREAD_MASK = np.int64((1 << _THREAD_BITS) - 1)
_FIRST_GRANULE = 4
_MOST_LOCATIONS = 4096
_LOST_MESSAGE = -1
_OLD_MESSAGE = -2
_MOST_RACES = 200
_ALL = np.iinfo(np.int64).max
_RELEASING = {"release", "acq_rel"}
_SHADOWED = (StateSpace.GLOBAL, StateSpace.SHARED, StateSpace.SURFACE)


class RaceDetector(Observer):
    """Finds races and adds them to the result, one for each pair of lines and kind.

    Args:
        kernel: The name of the kernel, whose `ret` ends a thread.
        global_bytes: About how large global memory is; what is never accessed costs nothing.
        program: What is executed, to know which values decide something; None to take all for such.
    """

    wants_values = True

    def __init__(
        self, kernel: str, global_bytes: int = 0, program: PtxProgram | None = None
    ) -> None:
        self._kernel = kernel
        self._program = program
        self._of_data: frozenset[int] | None = None
        self._event = 0
        self._instructions: list[PtxInstruction] = []
        self._numbers: dict[int, int] = {}
        self._instruction_of_event = array("i", [0])
        self._step_of_event = array("q", [0])
        self._waves: list[tuple[int, Layout]] = []
        self._shadows = {StateSpace.GLOBAL: _Shadow(global_bytes)}
        self._races: dict[tuple[int, int, str], _Found] = {}

    def started(self, layout: Layout) -> None:
        """See `Observer`: what earlier blocks have done is ordered by messages only."""
        self._waves.append((self._event, layout))
        self._order = _Order(layout, self._event)
        self._shadows.pop(StateSpace.SHARED, None)
        self._shadows[StateSpace.GLOBAL].age_messages()

    def executed(self, instruction: PtxInstruction, threads: Threads) -> None:
        """See `Observer`: threads that have ended are missing from barriers for good reason."""
        opcode = instruction.opcode
        if opcode == "exit" or (opcode == "ret" and instruction.function == self._kernel):
            self._order.ended(threads)

    def synchronised(self, threads: Threads, scope: SyncScope) -> None:
        """See `Observer`."""
        self._order.synchronised(threads, scope, self._event)

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
        shadow = self._shadow_of(access)
        places, threads = shadow.places(access)
        cells = threads + (np.int64(self._event) << _EVENT_SHIFT)
        if access.strong:
            cells += _STRONG
            self._pass_messages(access, shadow)
        if access.kind is AccessKind.READ:
            self._compare(access, shadow.written[places], threads, "read after write")
            if access.strong and self._should_be_in_order(access.instruction):
                self._compare_in_warps(access, shadow.written[places], threads)
            shadow.read(places, cells)
            return
        for slot in shadow.readers:
            self._compare(access, slot[places], threads, "write after read")
        self._compare(access, shadow.written[places], threads, "write after write")
        shadow.write(places, cells)
        if not access.strong:
            # Two threads of this very instruction: one of the values is lost.
            kept = shadow.written[places]
            self._compare(access, np.where(kept == cells, 0, kept), threads, "write after write")

    def _shadow_of(self, access: Access) -> _Shadow:
        """Returns what is known of the bytes; surfaces lie in global memory."""
        is_surface = access.space is StateSpace.SURFACE
        space = StateSpace.GLOBAL if is_surface else access.space
        return self._shadows.setdefault(space, _Shadow())

    def copied(self, access: Access) -> None:
        """See `Observer`: a barrier between copy and wait does not order what is copied."""
        self.accessed(access)

    def renewed(self, start: int, end: int) -> None:
        """See `Observer`: the heap orders who had the bytes and who gets them."""
        self._shadows[StateSpace.GLOBAL].clear(start, end)

    def finished(self, result: SimulationResult) -> SimulationResult:
        """See `Observer`."""
        races: dict[object, Race] = {}
        for found in self._races.values():
            race = found.race
            # A loop that is unrolled has several instructions for one line.
            places = (line_of(race.first), line_of(race.second))
            key = (race.kind, race.space, race.same_value, *places)
            count = race.count + (races[key].count if key in races else 0)
            races[key] = replace(races.get(key, race), count=count)
        return replace(result, races=(*result.races, *races.values()))

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

    def _compare(self, access: Access, cells: _Numbers, threads: Threads, kind: str) -> None:
        """Notes what the earlier accesses of these cells have in common with this one."""
        shared = access.space is StateSpace.SHARED
        suspects = cells >= (self._order.floor(shared=shared) + 1) << _EVENT_SHIFT
        if not suspects.any():
            return
        if access.strong:
            suspects &= (cells & _STRONG) == 0
        suspects &= ((cells & _THREAD_MASK) != threads) | self._order.is_older(cells)
        if not suspects.any():
            return
        at = np.flatnonzero(suspects)
        at = at[~self._order.ordered(cells[at], threads[at])]
        if at.size:
            self._note(access, cells[at], at, kind)

    def _should_be_in_order(self, instruction: PtxInstruction) -> bool:
        """Returns whether a strong read is volatile, and of data: no flag, see `reads_of_data`.

        What a function other than the kernel reads may decide something in its callers.
        """
        if "volatile" not in instruction.modifiers or instruction.function != self._kernel:
            return False
        if self._of_data is None and self._program is not None:
            function = self._program.functions[self._kernel]
            self._of_data = reads_of_data(self._program, function)
        return self._of_data is not None and instruction.number in self._of_data

    def _compare_in_warps(self, access: Access, cells: _Numbers, threads: Threads) -> None:
        """Notes what other lanes of the warp have written by volatile writes."""
        others = cells & _THREAD_MASK
        mates = (cells & _STRONG != 0) & (others // WARP == threads // WARP) & (others != threads)
        at = np.flatnonzero(mates & ~self._order.is_older(cells))
        at = at[~self._order.ordered(cells[at], threads[at])]
        numbers = np.frombuffer(self._instruction_of_event, np.intc)[cells[at] >> _EVENT_SHIFT]
        volatile = ["volatile" in instruction.modifiers for instruction in self._instructions]
        at = at[np.asarray(volatile, np.bool_)[numbers]]
        if at.size:
            self._note(access, cells[at], at, "read after write", in_step=True)

    def _note(
        self, access: Access, cells: _Numbers, at: _Numbers, kind: str, *, in_step: bool = False
    ) -> None:
        """Notes races: the cells that were there, and which granules of the access they are.

        Args:
            access: The later access.
            cells: The earlier ones.
            at: Which granules of the later access they are.
            kind: Such as ``write after read``.
            in_step: Whether lanes of a warp would be in order if they ran in step.
        """
        events = cells >> _EVENT_SHIFT
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
                known = self._races.get(key := (first, second, f"{kind}{is_same}"))
                count = np.unique(threads[mine]).size
                if known is not None:
                    known.race = replace(known.race, count=known.race.count + count)
                elif len(self._races) < _MOST_RACES:
                    index = int(mine[0])
                    race = self._race(access, int(cells[index]), int(threads[index]), kind, is_same)
                    if in_step:
                        race = replace(race, message=_step_sentence(race, access))
                    self._races[key] = _Found(replace(race, count=count))

    def _same_values(
        self, access: Access, cells: _Numbers, threads: _Numbers, kind: str
    ) -> NDArray[np.bool_]:
        """Returns where a write has put what another write had put there."""
        if kind != "write after write" or access.before is None or access.after is None:
            return np.zeros(cells.size, bool)
        events = cells >> _EVENT_SHIFT
        held = access.before[threads]
        at_once = events == self._event
        winners = np.searchsorted(access.threads, cells[at_once] & _THREAD_MASK)
        held[at_once] = access.after[winners]
        same: NDArray[np.bool_] = (held == access.after[threads]).all(axis=1)
        return same

    def _race(self, access: Access, cell: int, index: int, kind: str, same: bool) -> Race:
        event, other = cell >> _EVENT_SHIFT, cell & int(_THREAD_MASK)
        wave = bisect_right(self._waves, event - 1, key=lambda wave: wave[0]) - 1
        earlier = self._instructions[self._instruction_of_event[event]]
        first = self._waves[wave][1].place(earlier, other, self._step_of_event[event])
        later = int(access.threads[index])
        second = self._waves[-1][1].place(access.instruction, later, access.step)
        lost = ""
        if access.before is not None and kind != "read after write":
            held = access.before if event < self._event else access.after
            # As a number of that size is written: PTX is little-endian.
            lost = "" if held is None else held[index][::-1].tobytes().hex()
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
class _Found:
    """A race that may be met again."""

    race: Race


class _Shadow:
    """What was last done to each granule of an arena.

    Args:
        size: Bytes that it has at first.

    Attributes:
        granule: Bytes of each; smaller as soon as an access is.
        written: The last write: event, whether it was strong, thread; 0 for none.
        readers: The same for two reads by different threads.
        messages: The number of what was left there for others; 0 for nothing, and
            `_OLD_MESSAGE` or `_LOST_MESSAGE` for what blocks that have ended, or too many, left.
    """

    def __init__(self, size: int = 0) -> None:
        self.granule = _FIRST_GRANULE
        count = size // _FIRST_GRANULE
        self.written = np.zeros(count, np.int64)
        self.readers = [np.zeros(count, np.int64), np.zeros(count, np.int64)]
        self.messages = np.zeros(count, np.int32)
        self._has_messages = False
        # What lies behind has never been touched.
        self._reach = 0

    def per_thread(self, size: int) -> int:
        """Returns how many granules an access of so many bytes has."""
        return max(1, size // self.granule)

    def places(self, access: Access) -> tuple[_Numbers, Threads]:
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

    def read(self, places: _Numbers, cells: _Numbers) -> None:
        """Keeps reads: the last one, and one by another thread if there is one."""
        last, other = self.readers
        before = last[places]
        moved = ((before ^ cells) & _THREAD_MASK) != 0
        other[places[moved]] = before[moved]
        last[places] = cells
        beaten = last[places] != cells
        other[places[beaten]] = cells[beaten]

    def write(self, places: _Numbers, cells: _Numbers) -> None:
        """Keeps writes; reads before them matter no more."""
        self.written[places] = cells
        for slot in self.readers:
            slot[places] = 0

    def clear(self, start: int, end: int) -> None:
        """Forgets what was done to bytes."""
        part = slice(start // self.granule, -(-end // self.granule))
        arrays: tuple[NDArray[Any], ...] = (self.written, *self.readers, self.messages)
        for held in arrays:
            held[part] = 0

    def age_messages(self) -> None:
        """Marks all of them as those of blocks that have ended."""
        if self._has_messages:
            self.messages[self.messages != 0] = _OLD_MESSAGE

    def take_messages(self) -> NDArray[np.int32]:
        """Returns the messages, to be changed."""
        self._has_messages = True
        return self.messages

    def _split(self, granule: int) -> None:
        times = self.granule // granule
        self.granule = granule
        self._replace(times * self.written.size, times)
        self._reach *= times

    def _grow(self, size: int) -> None:
        wanted = -(-size // self.granule)
        if wanted > self.written.size:
            self._replace(max(wanted, 2 * self.written.size), 1)
        self._reach = max(self._reach, wanted)

    def _replace(self, size: int, times: int) -> None:
        """Makes room for so many granules, in each of which so many were one."""
        reach = self._reach
        self.written, *self.readers = (
            _longer(np.repeat(held[:reach], times), size) for held in (self.written, *self.readers)
        )
        self.messages = _longer(np.repeat(self.messages[:reach], times), size)


def _longer(held: NDArray[Any], size: int) -> NDArray[Any]:
    # Memory that is never touched is never taken.
    made = np.zeros(size, held.dtype)
    made[: held.size] = held
    return made


class _Order:
    """What orders the accesses of the threads that are resident together.

    All clocks are numbers of accesses; what has at most such a number is known.
    """

    def __init__(self, layout: Layout, start: int) -> None:
        self._layout = layout
        self._start = start
        self._per_block = layout.warps_per_block
        slots, warps = len(layout.blocks), layout.threads // WARP
        last = layout.threads_per_block - (self._per_block - 1) * WARP
        self._live = np.full((slots, self._per_block), WARP, np.int64)
        self._live[:, -1] = last
        self._blocks = np.full((slots, self._per_block, self._per_block), start, np.int64)
        self._warps = np.full(warps, start, np.int64)
        self._lanes: _Numbers | None = None
        self._clusters = np.full(-(-slots // layout.cluster_blocks), start, np.int64)
        self._grid = 0
        self._block_floor = start
        self._fences = np.full((2, layout.threads), -1, np.int64)
        self._messages = _Messages(slots, self._per_block, start)

    def floor(self, *, shared: bool) -> int:
        """Returns a clock that holds for all threads: of their own block's accesses, or of all."""
        alone = shared and self._layout.cluster_blocks == 1
        return max(self._block_floor, self._grid) if alone else self._grid

    def is_older(self, cells: _Numbers) -> NDArray[np.bool_]:
        """Returns which cells are of blocks that had ended before these began."""
        return cells < (self._start + 1) << _EVENT_SHIFT

    def ended(self, threads: Threads) -> None:
        """Takes note that these threads take part no more."""
        counts = np.bincount(threads // WARP, minlength=self._live.size)
        self._live -= counts.reshape(self._live.shape)

    def fenced(self, threads: Threads, scope: SyncScope, now: int) -> None:
        """Takes note of a fence."""
        near = scope in (SyncScope.WARP, SyncScope.BLOCK)
        self._fences[0, threads] = now
        if not near:
            self._fences[1, threads] = now

    def synchronised(self, threads: Threads, scope: SyncScope, now: int) -> None:
        """Takes note of a barrier."""
        if scope is SyncScope.WARP:
            self._meet_in_warps(threads, now)
            return
        self._meet_in_blocks(threads, now)
        if scope is SyncScope.CLUSTER:
            slots = np.unique(threads // (self._per_block * WARP))
            self._clusters[slots // self._layout.cluster_blocks] = now
        elif scope is not SyncScope.BLOCK:
            self._grid = now

    def take(self, threads: Threads, messages: NDArray[np.int32]) -> None:
        """Lets threads know what they find at a location."""
        found = np.flatnonzero(messages)
        if found.size:
            self._messages.take(threads[found] // WARP, messages[found])

    def leave(
        self, threads: Threads, places: _Numbers, messages: NDArray[np.int32], *, near: bool
    ) -> None:
        """Leaves what threads knew at their last fence at the locations that they write."""
        fences = self._fences[0 if near else 1, threads]
        sent = np.flatnonzero(fences >= 0)
        if sent.size:
            warps = threads[sent] // WARP
            known = self._blocks.reshape(-1, self._per_block)
            self._messages.leave(warps, fences[sent], places[sent], messages, known)

    def ordered(self, cells: _Numbers, threads: Threads) -> NDArray[np.bool_]:
        """Returns which of these earlier accesses each thread knows."""
        events, others = cells >> _EVENT_SHIFT, cells & _THREAD_MASK
        mine, theirs = threads // WARP, others // WARP
        here, there = mine // self._per_block, theirs // self._per_block
        resident = events > self._start
        theirs, there = np.where(resident, theirs, mine), np.where(resident, there, here)
        warps = self._blocks.reshape(-1, self._per_block)
        known = np.where(here == there, warps[mine, theirs % self._per_block], self._grid)
        in_warp = self._warps[mine]
        if self._lanes is not None:
            in_warp = np.maximum(in_warp, self._lanes[threads, others % WARP])
        known = np.maximum(known, np.where(mine == theirs, in_warp, self._grid))
        size = self._layout.cluster_blocks
        near = here // size == there // size
        known = np.maximum(known, np.where(near, self._clusters[here // size], self._grid))
        known = np.maximum(known, self._messages.known(mine, theirs))
        told: NDArray[np.bool_] = np.where(
            resident, events <= known, events <= self._messages.known_before(mine)
        )
        return told | (events <= self._grid)

    def _meet_in_blocks(self, threads: Threads, now: int) -> None:
        met = np.bincount(threads // WARP, minlength=self._live.size).reshape(self._live.shape) > 0
        whole = (met | (self._live == 0)).all(axis=1)
        if whole.all():
            self._blocks[:] = now
            self._block_floor = now
        else:
            slots = np.flatnonzero(met.any(axis=1))
            part, known = met[slots], self._blocks[slots]
            joined = np.where(part[:, :, None], known, 0).max(axis=1)
            joined[part | whole[slots][:, None]] = now
            self._blocks[slots] = np.where(part[:, :, None], joined[:, None, :], known)
            self._block_floor = int(self._blocks.min())
        self._messages.meet(met)

    def _meet_in_warps(self, threads: Threads, now: int) -> None:
        warps = threads // WARP
        counts = np.bincount(warps, minlength=self._warps.size)
        whole = (counts == self._live.reshape(-1)) & (counts > 0)
        self._warps[whole] = now
        part = threads[~whole[warps]]
        if part.size:
            self._meet_under_masks(part, now)

    def _meet_under_masks(self, threads: Threads, now: int) -> None:
        if self._lanes is None:
            self._lanes = np.zeros((self._layout.threads, WARP), np.int64)
        warps = threads // WARP
        starts = np.flatnonzero(np.concatenate(([True], warps[1:] != warps[:-1])))
        joined = np.maximum.reduceat(self._lanes[threads], starts, axis=0)
        row = np.searchsorted(warps[starts], warps)
        joined[row, threads % WARP] = now
        self._lanes[threads] = joined[row]


class _Messages:
    """What warps know of each other through memory.

    Once there are too many locations, whoever takes anything is held to know everything.
    """

    def __init__(self, slots: int, per_block: int, start: int) -> None:
        self._start = start
        self._per_block = per_block
        self._now = start
        count = slots * per_block
        self._rows = np.zeros((0, count), np.int32)
        self._changed = np.zeros(0, np.int64)
        self._used = 0
        self._taken: NDArray[np.int32] | None = None
        self._seen: dict[int, int] = {}
        self._has_taken = np.zeros(count, bool)
        self._has_news = np.zeros(count, bool)
        self._everything = np.full(count, -1, np.int64)
        self._count = count

    def known(self, mine: _Numbers, theirs: _Numbers) -> _Numbers:
        """Returns the clock up to which each warp knows another."""
        known = self._everything[mine]
        return known if self._taken is None else np.maximum(known, self._taken[mine, theirs])

    def known_before(self, mine: _Numbers) -> _Numbers:
        """Returns the clock up to which each warp knows blocks that have ended.

        Whoever has taken a message may have one that goes back to them.
        """
        return np.where(self._has_taken[mine], self._start, -1)

    def leave(
        self,
        warps: _Numbers,
        fences: _Numbers,
        places: _Numbers,
        messages: NDArray[np.int32],
        known: _Numbers,
    ) -> None:
        """Leaves what warps knew at their fences at these places."""
        self._now += 1
        targets = np.unique(places)
        fresh = targets[np.isin(messages[targets], (0, _OLD_MESSAGE))]
        if self._used + fresh.size > _MOST_LOCATIONS:
            messages[fresh] = _LOST_MESSAGE
        elif fresh.size:
            messages[fresh] = np.arange(self._used + 1, self._used + 1 + fresh.size)
            self._used += fresh.size
            self._make_room()
        numbers = messages[places]
        for number in np.unique(numbers[numbers > 0]).tolist():
            mine = np.flatnonzero(numbers == number)
            row = self._rows[number - 1]
            for warp in np.unique(warps[mine]).tolist():
                if self._taken is not None:
                    np.maximum(row, self._taken[warp], out=row)
                first = warp // self._per_block * self._per_block
                own = row[first : first + self._per_block]
                np.maximum(own, known[warp], out=own, casting="unsafe")
                row[warp] = max(int(row[warp]), int(fences[mine][warps[mine] == warp].max()))
            self._changed[number - 1] = self._now

    def take(self, warps: _Numbers, messages: NDArray[np.int32]) -> None:
        """Lets warps know what was left in these messages."""
        self._has_news[warps[~self._has_taken[warps]]] = True
        self._has_taken[warps] = True
        lost = warps[messages == _LOST_MESSAGE]
        self._everything[lost] = _ALL
        self._has_news[lost] = True
        numbered = messages > 0
        pairs = np.unique(warps[numbered] * (_MOST_LOCATIONS + 1) + messages[numbered])
        for pair in pairs.tolist():
            warp, number = divmod(pair, _MOST_LOCATIONS + 1)
            changed = int(self._changed[number - 1])
            if self._seen.get(pair, -1) >= changed:
                continue
            self._seen[pair] = changed
            self._has_news[warp] = True
            if self._taken is None:
                self._taken = np.zeros((self._count, self._count), np.int32)
            np.maximum(self._taken[warp], self._rows[number - 1], out=self._taken[warp])

    def meet(self, met: NDArray[np.bool_]) -> None:
        """Shares what the warps of each block know among those that have met."""
        news = self._has_news.reshape(met.shape)
        for slot in np.flatnonzero((news & met).any(axis=1)).tolist():
            warps = slot * self._per_block + np.flatnonzero(met[slot])
            self._has_taken[warps] = True
            # Warps that were not there hear of it from any of these.
            self._has_news[warps] = not met[slot].all()
            self._everything[warps] = self._everything[warps].max()
            if self._taken is not None:
                self._taken[warps] = self._taken[warps].max(axis=0)

    def _make_room(self) -> None:
        if self._used > len(self._rows):
            wanted = max(self._used, 2 * len(self._rows))
            for name in ("_rows", "_changed"):
                held = getattr(self, name)
                made = np.zeros((wanted, *held.shape[1:]), held.dtype)
                made[: len(held)] = held
                setattr(self, name, made)


_WORDS = {
    "read after write": ("writes", "reads"),
    "write after read": ("reads", "writes"),
    "write after write": ("writes", "writes"),
}


def _sentence(
    kind: str, first: ThreadPlace, second: ThreadPlace, access: Access, same: bool, lost: str
) -> str:
    one, other = _WORDS[kind]
    value = "the same value to " if same else ""
    gone = f" What was there is lost: 0x{lost}." if lost and not same else ""
    size = "1 byte" if access.size == 1 else f"{access.size} bytes"
    return (
        f"Race in {access.space.value} memory: {_place(second)} {other} {value}{size} "
        f"that {_place(first)} {one}, and no barrier, atomic or fence orders them.{gone}"
    )


def _step_sentence(race: Race, access: Access) -> str:
    return (
        f"Race in {race.space.value} memory: {_place(race.second)} reads {access.size} bytes that "
        f"{_place(race.first)} writes. Both are volatile, and it relies on the threads of a warp "
        "running in step, which GPUs since Volta do not promise: add __syncwarp() between them."
    )


def line_of(place: ThreadPlace) -> tuple[str, int]:
    """Returns the source line, or that of the PTX where none is known."""
    return (place.file, place.line) if place.line else ("", place.ptx_line)


def _place(place: ThreadPlace) -> str:
    line = f"line {place.line}" if place.line else f"PTX line {place.ptx_line}"
    thread, block = (",".join(map(str, index)) for index in (place.thread, place.block))
    return f"thread ({thread}) of block ({block}) at {line}"
