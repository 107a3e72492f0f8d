"""Copies to shared memory that run asynchronously, until they are waited for.

The simulator copies at once, but threads may rely on the bytes only behind a wait: of the copying
thread by ``cp.async.wait_group`` and ``wait_all``, or of any thread at an mbarrier that tracks the
copy (PTX ISA, "Asynchronous copy").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.state.memory import Offsets
from jitstudio.simulator.state.model import Threads

_NONE = -1


@dataclass(frozen=True, eq=False)
class Copy:
    """A copy by one instruction, for all threads that execute it together.

    Attributes:
        instruction: The instruction.
        step: Steps before it.
        threads: The numbers of the threads, sorted.
        offsets: The offset that each of them copies to, in the arena of shared memory.
        addresses: The same places as the kernel sees them.
        size: Bytes of each.
        groups: For each thread, the number of its group with the copy.
        barriers: The offset of the mbarrier that tracks it, or -1.
    """

    instruction: PtxInstruction
    step: int
    threads: Threads
    offsets: Offsets
    addresses: NDArray[np.int64]
    size: int
    groups: NDArray[np.int64]
    barriers: NDArray[np.int64]

    def part(self, chosen: NDArray[np.bool_]) -> Copy:
        """Returns the copy of some of the threads."""
        return replace(
            self,
            threads=self.threads[chosen],
            offsets=self.offsets[chosen],
            addresses=self.addresses[chosen],
            groups=self.groups[chosen],
            barriers=self.barriers[chosen],
        )


class PendingCopies:
    """The copies that nobody has waited for."""

    def __init__(self, threads: int) -> None:
        self._groups = np.zeros(threads, np.int64)
        # Copy on write: whether another object has the same array of groups.
        self._is_shared = False
        self._copies: list[Copy] = []

    def __bool__(self) -> bool:
        return bool(self._copies)

    def copy(self) -> PendingCopies:
        """Returns the same copies, to be changed independently."""
        twin = PendingCopies(0)
        twin._groups, twin._copies = self._groups, list(self._copies)
        self._is_shared = twin._is_shared = True
        return twin

    def add(
        self,
        instruction: PtxInstruction,
        step: int,
        threads: Threads,
        offsets: Offsets,
        addresses: NDArray[np.int64],
        size: int,
        barriers: NDArray[np.int64] | None = None,
    ) -> None:
        """Notes a copy; see `Copy`."""
        if barriers is None:
            barriers = np.full(len(threads), _NONE)
        # PTX ISA, `cp.async.commit_group`: a commit batches all copies since the last commit, so
        # the current number is that of the group to come.
        groups = self._groups[threads]
        self._copies.append(
            Copy(instruction, step, threads, offsets, addresses, size, groups, barriers)
        )

    def commit(self, threads: Threads) -> None:
        """Ends the current group of copies of each thread."""
        if self._is_shared:
            self._groups, self._is_shared = self._groups.copy(), False
        self._groups[threads] += 1

    def wait(self, threads: Threads, but: int | None) -> list[Copy]:
        """Returns the copies that threads wait for, which are pending no more.

        Args:
            threads: The threads, each of which waits for its own copies.
            but: The number of last groups that may go on; None to wait for all, also in no group.
        """
        last = np.full(len(self._groups), _NONE)
        last[threads] = np.iinfo(np.int64).max if but is None else self._groups[threads] - but
        return self._taken(lambda copy: copy.groups < last[copy.threads])

    def track(self, threads: Threads, barriers: NDArray[np.int64]) -> list[Copy]:
        """Lets mbarriers track all copies of threads; returns copies that others track already."""
        new_barriers = np.full(len(self._groups), _NONE)
        new_barriers[threads] = barriers
        others = self._taken(
            lambda copy: (
                (new_barriers[copy.threads] >= 0)
                & (copy.barriers >= 0)
                & (copy.barriers != new_barriers[copy.threads])
            )
        )
        # PTX ISA, `cp.async.mbarrier.arrive`: it tracks all prior copies of the executing thread.
        self._copies = [
            replace(copy, barriers=np.maximum(copy.barriers, new_barriers[copy.threads]))
            for copy in self._copies
        ]
        return others

    def arrived(self, barriers: NDArray[np.int64]) -> list[Copy]:
        """Returns the copies that some mbarriers track, which are pending no more."""
        return self._taken(lambda copy: np.isin(copy.barriers, barriers))

    def beside(self, threads: Threads, numbers: int) -> NDArray[np.bool_]:
        """Returns which of some threads are in a block that has a copy.

        Args:
            threads: The threads.
            numbers: The numbers of threads that a block takes.
        """
        blocks = {int(block) for c in self._copies for block in np.unique(c.threads // numbers)}
        return np.isin(threads // numbers, list(blocks))

    def at(self, offset: int, size: int) -> tuple[Copy, int]:
        """Returns the last copy to any of some bytes, and its thread.

        Raises:
            LookupError: If no copy to them is pending.
        """
        # The last copy to a byte decides its content.
        for copy in reversed(self._copies):
            meets = (copy.offsets < offset + size) & (copy.offsets + copy.size > offset)
            if meets.any():
                return copy, int(copy.threads[np.argmax(meets)])
        raise LookupError(offset)

    def _taken(self, chosen: Callable[[Copy], NDArray[np.bool_]]) -> list[Copy]:
        """Removes the chosen threads of each copy and returns the removed parts."""
        removed: list[Copy] = []
        pending: list[Copy] = []
        for copy in self._copies:
            part = chosen(copy)
            if part.any():
                removed.append(copy.part(part))
            if not part.all():
                pending.append(copy.part(~part) if part.any() else copy)
        self._copies = pending
        return removed
