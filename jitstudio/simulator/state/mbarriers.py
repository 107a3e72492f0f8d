"""The bits of mbarriers, the threads that wait for phases, and the bytes of pending phases.

The 64 bits of an mbarrier, which the PTX ISA leaves opaque, are here: pending arrivals (20 bits),
expected arrivals (20), bytes to come (23, signed), and the parity of the phase in the highest bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.state.memory import Arena
from jitstudio.simulator.state.model import Threads

# PTX ISA, "Contents of the mbarrier object": counts are at most 2^20 - 1, and tx-count is in
# -(2^20 - 1) to 2^20 - 1.
MOST_ARRIVALS = (1 << 20) - 1
_EXPECTED, _BYTES, PHASE_BIT = 20, 40, 63
_SIZE = 8

Numbers = NDArray[np.int64]


class Fields(NamedTuple):
    """The contents of mbarriers."""

    pending: Numbers
    expected: Numbers
    bytes_to_come: Numbers
    phase: Numbers


def fields(state: NDArray[np.uint64]) -> Fields:
    """Returns pending and expected arrivals, bytes to come, and the parity of the phase."""
    bits = state.view(np.int64)
    # Shifted up and down again to extend the sign.
    bytes_ = bits << (63 - PHASE_BIT + 1) >> (_BYTES + 1)
    return Fields(
        bits & MOST_ARRIVALS, bits >> _EXPECTED & MOST_ARRIVALS, bytes_, bits >> PHASE_BIT & 1
    )


def packed(contents: Fields) -> NDArray[np.uint64]:
    """Returns the bits of mbarriers."""
    field = contents.bytes_to_come & ((1 << (PHASE_BIT - _BYTES)) - 1)
    bits = (
        contents.pending
        | contents.expected << _EXPECTED
        | field << _BYTES
        | contents.phase << PHASE_BIT
    )
    return bits.view(np.uint64)


class MbarrierWait(NamedTuple):
    """Threads that asked in vain whether a phase has ended, with the mbarrier of each."""

    instruction: PtxInstruction
    threads: Threads
    offsets: Numbers


class AwaitedPhases:
    """Waits for phases of mbarriers, and the bytes of phases that are not over."""

    def __init__(self) -> None:
        self._waits: dict[int, MbarrierWait] = {}
        self._come: dict[int, int] = {}

    def copy(self) -> AwaitedPhases:
        """Returns the same waits, to be changed independently."""
        twin = AwaitedPhases()
        twin._waits, twin._come = dict(self._waits), dict(self._come)
        return twin

    def note_waits(
        self, instruction: PtxInstruction, threads: Threads, offsets: Numbers, ended: Numbers
    ) -> None:
        """Notes threads that have asked for the end of a phase, and which of them go on."""
        waits_on = ~ended.astype(np.bool_)
        if waits_on.any():
            wait = MbarrierWait(instruction, threads[waits_on], offsets[waits_on])
            self._waits[instruction.number] = wait
        else:
            self._waits.pop(instruction.number, None)

    def note_bytes(self, offsets: Numbers, bytes_: Numbers, turned: Numbers) -> None:
        """Notes bytes that have come to mbarriers, and phases that have ended by that.

        Args:
            offsets: Of the mbarriers, one for each thread in turn.
            bytes_: The bytes that have come.
            turned: Whether another phase has begun by that.
        """
        rows = zip(offsets.tolist(), bytes_.tolist(), turned.tolist(), strict=True)
        for offset, count, is_next in rows:
            if is_next:
                self._come.pop(offset, None)
            elif count:
                self._come[offset] = self._come.get(offset, 0) + count

    def note_start(self, offsets: Numbers) -> None:
        """Notes mbarriers that have been initialised, for a new first phase."""
        for offset in offsets.tolist():
            self._come.pop(offset, None)

    def of(self, threads: Threads) -> MbarrierWait | None:
        """Returns the last wait of threads if all of them wait; None otherwise."""
        # The last wait noted is the one that the threads spin in.
        for wait in reversed(self._waits.values()):
            if np.isin(threads, wait.threads).all():
                return wait
        return None

    def lack(self, offset: int, arena: Arena) -> str:
        """Returns a description of the arrivals and bytes that the phase of an mbarrier lacks."""
        state = fields(arena.data[offset : offset + _SIZE].view(np.uint64))
        pending, expected, to_come, _ = (int(part[0]) for part in state)
        # `mbarrier.inval` and fresh memory leave zeros.
        if not expected:
            return "was not initialised (mbarrier.init), or is no longer valid"
        words = f"has {expected - pending:,} of {expected:,} arrivals"
        come = self._come.get(offset, 0)
        if to_come > 0:
            words += f" and {come:,} of {come + to_come:,} bytes"
        elif to_come < 0:
            words += f" and {come:,} bytes, {-to_come:,} more than were announced (expect_tx)"
        return f"{words} in this phase"
