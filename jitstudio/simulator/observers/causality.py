"""What orders the accesses of threads: who knows of which accesses of others.

It is kept as clocks, a number of an access up to which another's accesses are known:

* of a warp's knowledge of each other warp of its block, moved on by barriers of the block,
* of a warp, or of the lanes of one that have met under a mask, moved on by barriers of a warp,
* of a cluster and of the grid, moved on by theirs,
* of a warp's knowledge of all other warps, by messages: an atomic or strong write behind a fence
  (or with ``.release``) leaves what its thread knew at the location, and whoever reads that with an
  atomic or a strong read knows it from then on, and passes it on at barriers.

This is the causality order of the PTX ISA ("Memory Consistency Model"), coarser in three places
that can only hide a race and never invent one: a message tells of the whole warp of its sender, a
read needs no ``.acquire`` or fence to take it, and atomics of one step know each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.state.model import WARP, Layout, SyncScope, Threads

Numbers = NDArray[np.int64]

THREAD_BITS = 20
STRONG = np.int64(1 << THREAD_BITS)
EVENT_SHIFT = THREAD_BITS + 1
THREAD_MASK = np.int64((1 << THREAD_BITS) - 1)
"""A cell of shadow memory is the number of an access, whether it is strong, and the thread."""

OLD_MESSAGE = -2
"""In the place of the number of a message: one of blocks that have ended."""

_MOST_LOCATIONS = 4096
_LOST_MESSAGE = -1
_ALL = np.iinfo(np.int64).max


class AccessOrder:
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
        self._lanes: Numbers | None = None
        self._clusters = np.full(-(-slots // layout.cluster_blocks), start, np.int64)
        self._grid = 0
        self._block_floor = start
        self._fences = np.full((2, layout.threads), -1, np.int64)
        self._messages = _Messages(slots, self._per_block, start)

    def floor(self, *, shared: bool) -> int:
        """Returns a clock that holds for all threads: of their own block's accesses, or of all."""
        alone = shared and self._layout.cluster_blocks == 1
        return max(self._block_floor, self._grid) if alone else self._grid

    def is_older(self, cells: Numbers) -> NDArray[np.bool_]:
        """Returns which cells are of blocks that had ended before these began."""
        return cells < (self._start + 1) << EVENT_SHIFT

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
        self, threads: Threads, places: Numbers, messages: NDArray[np.int32], *, near: bool
    ) -> None:
        """Leaves what threads knew at their last fence at the locations that they write."""
        fences = self._fences[0 if near else 1, threads]
        sent = np.flatnonzero(fences >= 0)
        if sent.size:
            warps = threads[sent] // WARP
            known = self._blocks.reshape(-1, self._per_block)
            self._messages.leave(warps, fences[sent], places[sent], messages, known)

    def ordered(self, cells: Numbers, threads: Threads) -> NDArray[np.bool_]:
        """Returns which of these earlier accesses each thread knows."""
        events, others = cells >> EVENT_SHIFT, cells & THREAD_MASK
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

    def known(self, mine: Numbers, theirs: Numbers) -> Numbers:
        """Returns the clock up to which each warp knows another."""
        known = self._everything[mine]
        return known if self._taken is None else np.maximum(known, self._taken[mine, theirs])

    def known_before(self, mine: Numbers) -> Numbers:
        """Returns the clock up to which each warp knows blocks that have ended.

        Whoever has taken a message may have one that goes back to them.
        """
        return np.where(self._has_taken[mine], self._start, -1)

    def leave(
        self,
        warps: Numbers,
        fences: Numbers,
        places: Numbers,
        messages: NDArray[np.int32],
        known: Numbers,
    ) -> None:
        """Leaves what warps knew at their fences at these places."""
        self._now += 1
        targets = np.unique(places)
        fresh = targets[np.isin(messages[targets], (0, OLD_MESSAGE))]
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

    def take(self, warps: Numbers, messages: NDArray[np.int32]) -> None:
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
