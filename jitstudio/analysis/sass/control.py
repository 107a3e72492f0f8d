"""What a 128-bit instruction tells the scheduler, on sm_70 and later.

NVIDIA publishes no description. The layout is that of "Dissecting the NVIDIA Volta GPU
Architecture via Microbenchmarking" (Jia et al., 2018, section 2.1), which later architectures
have kept: from bit 105 on four bits of stall count, one of yield, three each for the barrier set
when the result is written and when the operands are read, six that are waited for, four of reuse.
"""

from __future__ import annotations

from typing import NamedTuple

_FIRST_BIT = 105
_NO_BARRIER = 7

BARRIERS = 6
"""Scoreboard barriers of a warp, counted from 0."""


class Control(NamedTuple):
    """The control bits of an instruction.

    Attributes:
        stall: Cycles to wait before the next instruction of the warp may issue.
        yields: Whether the scheduler is told to prefer another warp now.
        write_barrier: The barrier that is released when the result is written; None for none.
        read_barrier: The barrier that is released when the operands are read; None for none.
        wait_mask: A bit for each barrier that is waited for before this instruction issues.
        reuse: A bit for each operand slot whose register stays in the reuse cache.
    """

    stall: int
    yields: bool
    write_barrier: int | None
    read_barrier: int | None
    wait_mask: int
    reuse: int

    @property
    def waits_for(self) -> tuple[int, ...]:
        """The barriers of the wait mask."""
        return tuple(n for n in range(BARRIERS) if self.wait_mask >> n & 1)


def decode(encoding: int) -> Control:
    """The control bits of a 128-bit encoding."""
    bits = encoding >> _FIRST_BIT
    return Control(
        stall=bits & 0xF,
        # The bit is set where the scheduler should stay with this warp.
        yields=not bits >> 4 & 1,
        write_barrier=_barrier(bits >> 5),
        read_barrier=_barrier(bits >> 8),
        wait_mask=bits >> 11 & 0x3F,
        reuse=bits >> 17 & 0xF,
    )


def _barrier(bits: int) -> int | None:
    number = bits & 7
    return None if number == _NO_BARRIER else number
