"""The bits of mbarriers, who waits for them, and how many bytes have come of those to come.

The 64 bits of an mbarrier, which the ISA leaves open, are here: pending arrivals (20 bits),
expected arrivals (20), bytes to come (23, signed), and the parity of the phase in the highest bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.state.memory import Arena
from jitstudio.simulator.state.model import Threads

MOST_ARRIVALS = (1 << 20) - 1
_EXPECTED, _BYTES, PHASE_BIT = 20, 40, 63
_SIZE = 8

Numbers = NDArray[np.int64]


class Fields(NamedTuple):
    """What mbarriers hold."""

    pending: Numbers
    expected: Numbers
    bytes_to_come: Numbers
    phase: Numbers


def fields(state: NDArray[np.uint64]) -> Fields:
    """Returns pending and expected arrivals, bytes to come, and the parity of the phase."""
    bits = state.view(np.int64)
    # Shifted up and down again for its sign.
    bytes_ = bits << (63 - PHASE_BIT + 1) >> (_BYTES + 1)
    return Fields(
        bits & MOST_ARRIVALS, bits >> _EXPECTED & MOST_ARRIVALS, bytes_, bits >> PHASE_BIT & 1
    )


def packed(held: Fields) -> NDArray[np.uint64]:
    """Returns the bits of mbarriers."""
    field = held.bytes_to_come & ((1 << (PHASE_BIT - _BYTES)) - 1)
    bits = held.pending | held.expected << _EXPECTED | field << _BYTES | held.phase << PHASE_BIT
    return bits.view(np.uint64)


class MbarrierWait(NamedTuple):
    """Threads that asked in vain whether a phase has ended, each of its own mbarrier."""

    instruction: PtxInstruction
    threads: Threads
    offsets: Numbers


class AwaitedPhases:
    """Who waits for phases of mbarriers, and the bytes of the phases that are not over."""

    def __init__(self) -> None:
        self._waits: dict[int, MbarrierWait] = {}
        self._come: dict[int, int] = {}

    def copy(self) -> AwaitedPhases:
        """Returns the same, to be changed on its own."""
        other = AwaitedPhases()
        other._waits, other._come = dict(self._waits), dict(self._come)
        return other

    def asked(
        self, instruction: PtxInstruction, threads: Threads, offsets: Numbers, ended: Numbers
    ) -> None:
        """Takes note of threads that have asked, and which of them may go on."""
        left = ~ended.astype(np.bool_)
        if left.any():
            wait = MbarrierWait(instruction, threads[left], offsets[left])
            self._waits[instruction.number] = wait
        else:
            self._waits.pop(instruction.number, None)

    def updated(self, offsets: Numbers, bytes_: Numbers, turned: Numbers) -> None:
        """Takes note of bytes that have come to mbarriers, and of phases that have ended by it.

        Args:
            offsets: Of the mbarriers, one after the other.
            bytes_: How many have come.
            turned: Whether another phase has begun by it.
        """
        rows = zip(offsets.tolist(), bytes_.tolist(), turned.tolist(), strict=True)
        for offset, count, is_next in rows:
            if is_next:
                self._come.pop(offset, None)
            elif count:
                self._come[offset] = self._come.get(offset, 0) + count

    def begun(self, offsets: Numbers) -> None:
        """Takes note of mbarriers that are there anew."""
        for offset in offsets.tolist():
            self._come.pop(offset, None)

    def of(self, threads: Threads) -> MbarrierWait | None:
        """Returns the last wait of threads, all of which wait; None where one does not."""
        for wait in reversed(self._waits.values()):
            if np.isin(threads, wait.threads).all():
                return wait
        return None

    def lack(self, offset: int, arena: Arena) -> str:
        """Returns what the phase of an mbarrier has and wants, in words."""
        state = fields(arena.data[offset : offset + _SIZE].view(np.uint64))
        pending, expected, left, _ = (int(part[0]) for part in state)
        if not expected:
            return "was not initialised (mbarrier.init), or no more is valid"
        words = f"has {expected - pending:,} of {expected:,} arrivals"
        come = self._come.get(offset, 0)
        if left > 0:
            words += f" and {come:,} of {come + left:,} bytes"
        elif left < 0:
            words += f" and {come:,} bytes, {-left:,} more than were announced (expect_tx)"
        return f"{words} in this phase"
