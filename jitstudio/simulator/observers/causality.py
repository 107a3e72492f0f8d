"""The order of accesses by threads: which accesses of others a thread knows of.

The order is kept as clocks: numbers of accesses up to which the accesses of others are known:

* of a warp's knowledge of each other warp of its block, moved on by barriers of the block,
* of a warp, or of the lanes of one that have met under a mask, moved on by barriers of a warp,
* of a cluster and of the grid, moved on by theirs,
* of a warp's knowledge of all other warps, by messages: an atomic or strong write behind a fence
  (or with ``.release``) leaves what its thread knew at the location, and whoever reads that with an
  atomic or a strong read knows it from then on, and passes it on at barriers.

This is the causality order of the PTX ISA ("Memory Consistency Model"), coarser in three places,
which can only hide a race and never invent one: a message tells of the whole warp of its sender, a
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

# Each has a row with a clock for every warp: 4,096 rows of 1,024 warps take 16 MiB.
_MOST_LOCATIONS = 4096
_LOST_MESSAGE = -1
_ALL = np.iinfo(np.int64).max


class AccessOrder:
    """The order of the accesses of threads that are resident together.

    All clocks are numbers of accesses: accesses up to that number are known.
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
        # The last fence of each thread: of any scope, and of the cluster or wider.
        self._fences = np.full((2, layout.threads), -1, np.int64)
        self._messages = _Messages(slots, self._per_block, start)

    def floor(self, *, shared: bool) -> int:
        """Returns a clock that all threads have, for accesses of the own block or of all."""
        alone = shared and self._layout.cluster_blocks == 1
        return max(self._block_floor, self._grid) if alone else self._grid

    def is_older(self, cells: Numbers) -> NDArray[np.bool_]:
        """Returns which cells are of blocks that had ended when the resident ones began."""
        return cells < (self._start + 1) << EVENT_SHIFT

    def ended(self, threads: Threads) -> None:
        """Notes that threads have ended and take part in no further barrier."""
        counts = np.bincount(threads // WARP, minlength=self._live.size)
        self._live -= counts.reshape(self._live.shape)

    def fenced(self, threads: Threads, scope: SyncScope, now: int) -> None:
        """Notes a fence."""
        near = scope in (SyncScope.WARP, SyncScope.BLOCK)
        self._fences[0, threads] = now
        if not near:
            self._fences[1, threads] = now

    def synchronised(self, threads: Threads, scope: SyncScope, now: int) -> None:
        """Notes a barrier."""
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
        """Lets threads know the accesses that messages at locations tell of."""
        with_message = np.flatnonzero(messages)
        if with_message.size:
            self._messages.take(threads[with_message] // WARP, messages[with_message])

    def leave(
        self, threads: Threads, places: Numbers, messages: NDArray[np.int32], *, near: bool
    ) -> None:
        """Leaves the knowledge of threads at their last fence at the locations that they write."""
        fences = self._fences[0 if near else 1, threads]
        sent = np.flatnonzero(fences >= 0)
        if sent.size:
            warps = threads[sent] // WARP
            known = self._blocks.reshape(-1, self._per_block)
            self._messages.leave(warps, fences[sent], places[sent], messages, known)

    def ordered(self, cells: Numbers, threads: Threads) -> NDArray[np.bool_]:
        """Returns which earlier accesses each thread knows."""
        events, others = cells >> EVENT_SHIFT, cells & THREAD_MASK
        mine, theirs = threads // WARP, others // WARP
        # Numbers of warps and block slots: of the thread itself, and of the earlier access.
        here, there = mine // self._per_block, theirs // self._per_block
        resident = events > self._start
        # Warps of earlier blocks have no clocks here: any valid index will do, see `known_before`.
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
        is_known: NDArray[np.bool_] = np.where(
            resident, events <= known, events <= self._messages.known_before(mine)
        )
        return is_known | (events <= self._grid)

    def _meet_in_blocks(self, threads: Threads, now: int) -> None:
        met = np.bincount(threads // WARP, minlength=self._live.size).reshape(self._live.shape) > 0
        whole = (met | (self._live == 0)).all(axis=1)
        if whole.all():
            self._blocks[:] = now
            self._block_floor = now
        else:
            slots = np.flatnonzero(met.any(axis=1))
            part, known = met[slots], self._blocks[slots]
            # Warps that meet share their clocks, and know all accesses of each other until now.
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
    """Knowledge of warps about each other that went through memory.

    Once there are too many locations, a warp that takes any message counts as knowing everything.
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
        self._examined: dict[int, int] = {}
        self._has_taken = np.zeros(count, bool)
        self._has_news = np.zeros(count, bool)
        self._everything = np.full(count, -1, np.int64)
        self._count = count

    def known(self, mine: Numbers, theirs: Numbers) -> Numbers:
        """Returns the clocks up to which warps know other warps."""
        known = self._everything[mine]
        return known if self._taken is None else np.maximum(known, self._taken[mine, theirs])

    def known_before(self, mine: Numbers) -> Numbers:
        """Returns the clocks up to which warps know blocks that have ended.

        A warp that has taken any message may have one that goes back to such a block.
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
        """Leaves the knowledge of warps at their fences at places."""
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
                of_block = row[first : first + self._per_block]
                np.maximum(of_block, known[warp], out=of_block, casting="unsafe")
                row[warp] = max(int(row[warp]), int(fences[mine][warps[mine] == warp].max()))
            self._changed[number - 1] = self._now

    def take(self, warps: Numbers, messages: NDArray[np.int32]) -> None:
        """Lets warps know the accesses that messages tell of."""
        self._has_news[warps[~self._has_taken[warps]]] = True
        self._has_taken[warps] = True
        # The message is lost, and might have told of any access.
        lost = warps[messages == _LOST_MESSAGE]
        self._everything[lost] = _ALL
        self._has_news[lost] = True
        numbered = messages > 0
        pairs = np.unique(warps[numbered] * (_MOST_LOCATIONS + 1) + messages[numbered])
        for pair in pairs.tolist():
            warp, number = divmod(pair, _MOST_LOCATIONS + 1)
            # Spinning loops read a message on and on; in the same state it tells nothing new.
            changed = int(self._changed[number - 1])
            if self._examined.get(pair, -1) >= changed:
                continue
            self._examined[pair] = changed
            self._has_news[warp] = True
            if self._taken is None:
                self._taken = np.zeros((self._count, self._count), np.int32)
            np.maximum(self._taken[warp], self._rows[number - 1], out=self._taken[warp])

    def meet(self, met: NDArray[np.bool_]) -> None:
        """Shares messages among the warps of each block that have met."""
        news = self._has_news.reshape(met.shape)
        for slot in np.flatnonzero((news & met).any(axis=1)).tolist():
            warps = slot * self._per_block + np.flatnonzero(met[slot])
            self._has_taken[warps] = True
            # Warps of the block that have not met yet hear of the messages from any of these.
            self._has_news[warps] = not met[slot].all()
            self._everything[warps] = self._everything[warps].max()
            if self._taken is not None:
                self._taken[warps] = self._taken[warps].max(axis=0)

    def _make_room(self) -> None:
        if self._used > len(self._rows):
            size = max(self._used, 2 * len(self._rows))
            for name in ("_rows", "_changed"):
                rows = getattr(self, name)
                longer = np.zeros((size, *rows.shape[1:]), rows.dtype)
                longer[: len(rows)] = rows
                setattr(self, name, longer)
