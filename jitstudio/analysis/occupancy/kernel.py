"""What a launch of a kernel needs of a multiprocessor, from what tools say about the kernel."""

from __future__ import annotations

from jitstudio.analysis.occupancy.calculate import Usage, occupancy
from jitstudio.analysis.occupancy.limits import limits_of
from jitstudio.core.arch import Arch
from jitstudio.core.result import Resources

_USUAL_BLOCK = 256


def usual_block(resources: Resources) -> int:
    """Returns the block size to calculate with where none is chosen."""
    return min(_USUAL_BLOCK, resources.max_threads or _USUAL_BLOCK)


def usage_of(resources: Resources, threads: int, dynamic_shared: int = 0) -> Usage | None:
    """Returns what a launch needs; None where no tool reports the registers.

    Args:
        resources: What the kernel needs.
        threads: Of a block.
        dynamic_shared: Bytes of shared memory that the launch adds to each block.
    """
    if resources.registers is None:
        return None
    return Usage(
        threads,
        resources.registers,
        (resources.shared_bytes or 0) + dynamic_shared,
        resources.barriers or 0,
    )


def occupancy_at(
    arch: Arch, needs: Resources, threads: int, dynamic_shared: int = 0
) -> float | None:
    """Returns the share of the warps of a multiprocessor that are resident, from 0 to 1.

    Args:
        arch: The target.
        needs: What the kernel needs.
        threads: Of a block.
        dynamic_shared: Bytes of shared memory that the launch adds to each block.

    Returns:
        None where the limits of the target are not known, or the kernel forbids such blocks.
    """
    limits, usage = limits_of(arch), usage_of(needs, threads, dynamic_shared)
    if limits is None or usage is None or threads > (needs.max_threads or threads):
        return None
    return occupancy(limits, usage).fraction
