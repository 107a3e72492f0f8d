"""Sets of threads, and groups of threads that are at the same instruction.

A group is keyed by the depth of the call and the number of the instruction. Next is the group at
the deepest call, and there at the lowest instruction: so lanes that have parted at a branch meet
again where their ways join, as they do on the hardware since Volta.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

Selection = slice | NDArray[np.int64]
"""A set of threads that can index arrays: a range of successive threads, or sorted numbers."""

GroupKey = tuple[int, int]
"""Depth of the call, number of the instruction."""


def selection(numbers: NDArray[np.int64]) -> Selection:
    """Returns a set of sorted numbers, as a range if they are successive."""
    # A slice of a NumPy array is a view: most steps copy no register.
    count = len(numbers)
    if count and int(numbers[-1]) - int(numbers[0]) + 1 == count:
        first = int(numbers[0])
        return slice(first, first + count)
    return numbers


def size_of(threads: Selection) -> int:
    """Returns the number of threads in a set."""
    return threads.stop - threads.start if isinstance(threads, slice) else len(threads)


def numbers_of(threads: Selection) -> NDArray[np.int64]:
    """Returns the numbers of the threads of a set."""
    if isinstance(threads, slice):
        return np.arange(threads.start, threads.stop)
    return threads


def subset(threads: Selection, chosen: NDArray[np.bool_]) -> Selection:
    """Returns the chosen threads of a set, by a truth value for each thread."""
    if isinstance(threads, slice):
        numbers = np.flatnonzero(chosen)
        numbers += threads.start
        return selection(numbers)
    return selection(threads[chosen])


def united(first: Selection, second: Selection) -> Selection:
    """Returns the threads of two disjoint sets."""
    if isinstance(first, slice) and isinstance(second, slice):
        # The halves of a block that part at `if (threadIdx.x < n)` are successive ranges.
        if first.stop == second.start:
            return slice(first.start, second.stop)
        if second.stop == first.start:
            return slice(second.start, first.stop)
    both = np.concatenate((numbers_of(first), numbers_of(second)))
    both.sort(kind="stable")
    return selection(both)


def packed_lanes(numbers: NDArray[np.int64], count: int) -> NDArray[np.uint32]:
    """Returns the lanes of each warp that are among some threads, as bits, for `count` threads."""
    present = np.zeros(count, np.bool_)
    present[numbers] = True
    return np.packbits(present, bitorder="little").view(np.uint32)


class Groups:
    """The groups of a wave that can go on.

    A group that spins, waiting for other threads, yields: it is next only when all other groups
    have yielded, too.
    """

    def __init__(self) -> None:
        self._sets: dict[GroupKey, Selection] = {}
        self._yielded: set[GroupKey] = set()
        self.rounds = 0
        """How often all groups have yielded one after the other."""
        self.puts = 0
        """How often threads have been added."""

        self._waiting: list[tuple[GroupKey, Selection]] = []

    def __bool__(self) -> bool:
        return bool(self._sets or self._waiting)

    def __len__(self) -> int:
        return len(self._sets)

    def items(self) -> list[tuple[GroupKey, Selection]]:
        """Returns all groups."""
        return [*self._sets.items(), *self._waiting]

    def copy(self) -> Groups:
        """Returns the same groups; sets of threads are never changed in place."""
        twin = Groups()
        twin._sets = dict(self._sets)
        twin._yielded = set(self._yielded)
        twin._waiting = list(self._waiting)
        twin.rounds = self.rounds
        return twin

    def put(self, depth: int, at: int, threads: Selection, *, yields: bool = False) -> None:
        """Adds threads that are at an instruction."""
        self.puts += 1
        key = depth, at
        threads_there = self._sets.get(key)
        self._sets[key] = threads if threads_there is None else united(threads_there, threads)
        if yields:
            self._yielded.add(key)

    def hold(self, depth: int, at: int, threads: Selection) -> None:
        """Adds threads that go on when no other group can."""
        self.puts += 1
        self._waiting.append(((depth, at), threads))

    def take(self) -> tuple[int, int, Selection]:
        """Removes the next group and returns its depth, instruction and threads."""
        # Warps that a seed holds back go on when all others spin or wait.
        if self._waiting and len(self._yielded) == len(self._sets):
            (depth, at), threads = self._waiting.pop(0)
            self.put(depth, at, threads)
        if self._yielded:
            ready: Collection[GroupKey] = self._sets.keys() - self._yielded
            # All groups have yielded: each gets another turn, and a round is counted.
            if not ready:
                self._yielded.clear()
                self.rounds += 1
                ready = self._sets.keys()
        else:
            ready = self._sets.keys()
        key = min(ready, key=_urgency) if len(ready) > 1 else next(iter(ready))
        self._yielded.discard(key)
        return *key, self._sets.pop(key)

    def peek(self) -> tuple[int, int, Selection] | None:
        """Returns the group that `take` would return, or None if there is no group."""
        if not self:
            return None
        depth, at, threads = self.take()
        self._sets[depth, at] = threads
        return depth, at, threads

    def next_at(self, depth: int) -> int:
        """Returns the lowest instruction of the groups of a depth; a huge number for none."""
        return min((at for d, at in self._sets if d == depth), default=1 << 60)


def _urgency(key: GroupKey) -> tuple[int, int]:
    return -key[0], key[1]
