"""The blocks of a kernel that a multiprocessor holds at the same time, and the limit on the next.

The rules are those of the CUDA Programming Guide ("Hardware Multithreading") and of NVIDIA's
`cuda_occupancy.h`; all shared memory of the multiprocessor is taken to be available.
The limits are data, in `resources/analysis/limits.toml`: the figures of the same header and of
the guide's appendix "Compute Capabilities".
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache, lru_cache
from typing import NamedTuple

from jitstudio.analysis.sass.model import SassFunction
from jitstudio.analysis.sass.pressure import live_gprs
from jitstudio.core.arch import Arch
from jitstudio.core.result import Kernel, Resources
from jitstudio.system.paths import resource

_USUAL_BLOCK = 256
_KIB = 1024
_IN_KIB = "_kib"


@dataclass(frozen=True)
class Limits:
    """The capacity of a multiprocessor, and the units of allocation; memory in bytes.

    Attributes:
        blocks: Resident blocks.
        warps: Resident warps.
        threads_per_warp: Threads of a warp.
        threads_per_block: Most threads of a block.
        registers: 32-bit registers.
        registers_per_block: Most registers of a block.
        registers_per_thread: Most registers of a thread.
        register_unit: The unit in which registers are allocated to warps.
        partitions: Parts of the multiprocessor, each with an equal share of registers and warps.
        shared: Shared memory.
        shared_per_block: Most shared memory of a block that has.
        shared_reserved: Shared memory reserved for each block.
        shared_unit: The unit in which shared memory is allocated, in bytes.
        barriers: Named barriers of all blocks together; None where each block has its own.
    """

    blocks: int
    warps: int
    threads_per_warp: int
    threads_per_block: int
    registers: int
    registers_per_block: int
    registers_per_thread: int
    register_unit: int
    partitions: int
    shared: int
    shared_per_block: int
    shared_reserved: int
    shared_unit: int
    barriers: int | None = None


def limits_of(arch: Arch) -> Limits | None:
    """Returns the limits of a target; None where NVIDIA has published none."""
    return _all().get(arch.capability)


@cache
def _all() -> Mapping[str, Limits]:
    content = tomllib.loads(resource("analysis/limits.toml").read_text("utf-8"))
    common = _in_bytes(content["common"])
    return {
        capability: Limits(**common, **_in_bytes(row))
        for capability, row in content["capabilities"].items()
    }


def _in_bytes(row: Mapping[str, int]) -> dict[str, int]:
    return {
        name.removesuffix(_IN_KIB): value * _KIB if name.endswith(_IN_KIB) else value
        for name, value in row.items()
    }


class Resource(Enum):
    """A resource of a multiprocessor that may run out; the value is the word to show."""

    WARPS = "warps"
    REGISTERS = "registers"
    SHARED = "shared memory"
    BLOCKS = "blocks"
    BARRIERS = "barriers"


@dataclass(frozen=True)
class Usage:
    """The demands of a launch on a multiprocessor.

    Attributes:
        threads: Threads of a block, at least one.
        registers: Registers of a thread.
        shared_bytes: Shared memory of a block, static and dynamic together.
        barriers: Named barriers of a block.
    """

    threads: int
    registers: int
    shared_bytes: int = 0
    barriers: int = 1


@dataclass(frozen=True)
class Limiter:
    """The blocks that a resource allows.

    Attributes:
        resource: The resource.
        blocks: The number of blocks, 0 if none fits; None where the launch uses none of the
            resource.
        limits: Whether no other resource allows fewer.
    """

    resource: Resource
    blocks: int | None
    limits: bool


@dataclass(frozen=True)
class Occupancy:
    """The blocks and warps that are resident on a multiprocessor.

    Attributes:
        blocks: Resident blocks; 0 if the launch is impossible.
        warps: Resident warps.
        fraction: Resident warps divided by the most possible.
        limiters: The blocks that each resource allows.
    """

    blocks: int
    warps: int
    fraction: float
    limiters: tuple[Limiter, ...]

    @property
    def limiting(self) -> tuple[Resource, ...]:
        """The resources that stop the next block."""
        return tuple(limiter.resource for limiter in self.limiters if limiter.limits)


def occupancy(limits: Limits, usage: Usage) -> Occupancy:
    """Returns the blocks resident at the same time, in a grid with enough blocks."""
    allowed = {resource: rule(limits, usage) for resource, rule in _RULES.items()}
    blocks = min(count for count in allowed.values() if count is not None)
    warps = blocks * _warps(limits, usage)
    return Occupancy(
        blocks,
        warps,
        warps / limits.warps,
        tuple(Limiter(resource, count, count == blocks) for resource, count in allowed.items()),
    )


def warps_by_registers(limits: Limits, registers: int) -> int:
    """Returns the warps with room for `registers` of each thread, whatever the block."""
    of_warp = _registers_of_warp(limits, registers)
    if registers > limits.registers_per_thread:
        return 0
    if not of_warp:
        return limits.warps
    return min(limits.warps, _warps_of_registers(limits, of_warp))


def allocated_registers(limits: Limits, registers: int) -> int:
    """Returns the registers that are allocated to a thread of a kernel with `registers`."""
    return _registers_of_warp(limits, registers) // limits.threads_per_warp


def allocated_shared(limits: Limits, shared_bytes: int) -> int:
    """Returns the shared memory that is allocated to a block, in bytes."""
    return _rounded_up(shared_bytes + limits.shared_reserved, limits.shared_unit)


def _by_warps(limits: Limits, usage: Usage) -> int:
    if usage.threads > limits.threads_per_block:
        return 0
    return limits.warps // _warps(limits, usage)


def _by_registers(limits: Limits, usage: Usage) -> int | None:
    of_warp = _registers_of_warp(limits, usage.registers)
    if not of_warp:
        return None
    warps = _warps(limits, usage)
    # The hardware checks as if each partition got as many warps of the block as any other.
    of_block = of_warp * _rounded_up(warps, limits.partitions)
    if usage.registers > limits.registers_per_thread or of_block > limits.registers_per_block:
        return 0
    return _warps_of_registers(limits, of_warp) // warps


def _by_shared(limits: Limits, usage: Usage) -> int | None:
    if usage.shared_bytes > limits.shared_per_block:
        return 0
    allocated = allocated_shared(limits, usage.shared_bytes)
    return limits.shared // allocated if allocated else None


def _by_blocks(limits: Limits, usage: Usage) -> int:
    return limits.blocks


def _by_barriers(limits: Limits, usage: Usage) -> int | None:
    if limits.barriers is None or not usage.barriers:
        return None
    return limits.barriers // usage.barriers


# In the order in which they are reported.
_RULES: dict[Resource, Callable[[Limits, Usage], int | None]] = {
    Resource.WARPS: _by_warps,
    Resource.REGISTERS: _by_registers,
    Resource.SHARED: _by_shared,
    Resource.BLOCKS: _by_blocks,
    Resource.BARRIERS: _by_barriers,
}


def _warps(limits: Limits, usage: Usage) -> int:
    return _rounded_up(max(usage.threads, 1), limits.threads_per_warp) // limits.threads_per_warp


def _warps_of_registers(limits: Limits, of_warp: int) -> int:
    return limits.registers // limits.partitions // of_warp * limits.partitions


def _registers_of_warp(limits: Limits, registers: int) -> int:
    return _rounded_up(registers * limits.threads_per_warp, limits.register_unit)


def _rounded_up(count: int, unit: int) -> int:
    return -(-count // unit) * unit


def usual_block(resources: Resources) -> int:
    """Returns the block size for calculations where none is chosen."""
    return min(_USUAL_BLOCK, resources.max_threads or _USUAL_BLOCK)


def usage_of(resources: Resources, threads: int, dynamic_shared: int = 0) -> Usage | None:
    """Returns the demands of a launch; None where no tool reports the registers.

    Args:
        resources: The resources of the kernel.
        threads: Threads of a block.
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


class Filling(NamedTuple):
    """A multiprocessor that is filled with blocks of a kernel.

    Attributes:
        limits: The limits of the multiprocessor.
        usage: The needs of a block.
        occupancy: Of both.
    """

    limits: Limits
    usage: Usage
    occupancy: Occupancy

    @property
    def is_full(self) -> bool:
        """Whether no more warps could be resident."""
        return self.occupancy.warps == self.limits.warps


def filling_of(
    arch: Arch, needs: Resources, threads: int | None = None, dynamic_shared: int = 0
) -> Filling | None:
    """Returns how blocks of a kernel fill a multiprocessor.

    Args:
        arch: The target.
        needs: The resources of the kernel.
        threads: Threads of a block; None for those of `usual_block`.
        dynamic_shared: Bytes of shared memory that the launch adds to each block.

    Returns:
        None where the limits of the target or the registers are unknown.
    """
    limits = limits_of(arch)
    usage = usage_of(needs, threads or usual_block(needs), dynamic_shared)
    if limits is None or usage is None:
        return None
    return Filling(limits, usage, occupancy(limits, usage))


def occupancy_at(
    arch: Arch, needs: Resources, threads: int, dynamic_shared: int = 0
) -> float | None:
    """Returns the share of the warps of a multiprocessor that are resident, from 0 to 1.

    Args:
        arch: The target.
        needs: The resources of the kernel.
        threads: Threads of a block.
        dynamic_shared: Bytes of shared memory that the launch adds to each block.

    Returns:
        None where the limits of the target are unknown, or the kernel forbids such blocks.
    """
    filling = filling_of(arch, needs, threads, dynamic_shared)
    if filling is None or threads > (needs.max_threads or threads):
        return None
    return filling.occupancy.fraction


# ---- Occupancy with another block size, register count or shared memory

# Kernels of a module often need the same.
_KEPT = 64
_FEW = 3


class CurvePoint(NamedTuple):
    """The occupancy at a value of the varied amount."""

    value: int
    blocks: int
    warps: int
    fraction: float


@dataclass(frozen=True)
class OccupancyCurve:
    """The occupancy over an amount of the launch, all others unchanged.

    Attributes:
        points: The points in ascending order of the value.
        now: The present value.
    """

    points: tuple[CurvePoint, ...]
    now: int

    @property
    def steps(self) -> tuple[CurvePoint, ...]:
        """The first point, and each point whose warps differ from the point before."""
        return tuple(
            point
            for before, point in zip((None, *self.points), self.points, strict=False)
            if before is None or before.warps != point.warps
        )

    @property
    def best(self) -> CurvePoint:
        """The point with the most warps; of several the nearest to the present value."""
        return max(self.points, key=lambda point: (point.warps, -abs(point.value - self.now)))


@lru_cache(_KEPT)
def over_threads(limits: Limits, usage: Usage) -> OccupancyCurve:
    """Returns the occupancy over the threads of a block, in whole warps."""
    warp = limits.threads_per_warp
    sizes = range(warp, limits.threads_per_block + 1, warp)
    occupancies = ((n, occupancy(limits, replace(usage, threads=n))) for n in sizes)
    return OccupancyCurve(tuple(_point(n, result) for n, result in occupancies), usage.threads)


@lru_cache(_KEPT)
def over_registers(limits: Limits, usage: Usage) -> OccupancyCurve:
    """Returns the occupancy over the registers of a thread."""
    counts = range(1, limits.registers_per_thread + 1)
    points = _falling(counts, lambda n: occupancy(limits, replace(usage, registers=n)))
    return OccupancyCurve(points, usage.registers)


@lru_cache(_KEPT)
def over_shared(limits: Limits, usage: Usage) -> OccupancyCurve:
    """Returns the occupancy over the shared memory of a block, in units of allocation."""
    amounts = range(0, limits.shared_per_block + 1, limits.shared_unit)
    points = _falling(amounts, lambda n: occupancy(limits, replace(usage, shared_bytes=n)))
    return OccupancyCurve(points, usage.shared_bytes)


def _falling(values: Sequence[int], of: Callable[[int], Occupancy]) -> tuple[CurvePoint, ...]:
    """Returns the points of a falling curve: between equal ends all points are equal."""
    if len(values) < _FEW:
        return tuple(_point(value, of(value)) for value in values)
    first, last = of(values[0]), of(values[-1])
    if first.blocks == last.blocks:
        return tuple(_point(value, first) for value in values)
    half = len(values) // 2
    return _falling(values[:half], of) + _falling(values[half:], of)


def _point(value: int, result: Occupancy) -> CurvePoint:
    return CurvePoint(value, result.blocks, result.warps, result.fraction)


# ---- The cost of live registers at an instruction
#
# Up to a count every warp of the multiprocessor finds room in the register file, and more live
# registers cost nothing. Beyond it fewer warps are resident. Where ptxas found no more registers,
# it spilled, which costs most.

HARMLESS = 0.5
"""Levels below this one cost no warp."""

# A kernel spills where most registers are alive: from this part of the highest count on.
_NEAR_TOP = 0.9


@dataclass(frozen=True)
class RegisterCost:
    """The cost of live registers on a target.

    Attributes:
        limits: The limits of a multiprocessor; None where NVIDIA has published none.
        spills: The count of live registers from which a function spills, by function.
    """

    limits: Limits | None = None
    spills: Mapping[str, int] = field(default_factory=dict)

    def spills_at(self, function: str, live: int) -> bool:
        """Returns whether a function spills where `live` registers are alive."""
        return function in self.spills and live >= self.spills[function]

    def level(self, live: int, spills: bool = False) -> float:
        """Returns the cost of `live` registers of a thread.

        Returns:
            Below `HARMLESS` if all warps fit, by the share of their room in use; from there to 1 by
            the share of warps that do not fit; 1 where registers are spilled. An estimate: a kernel
            takes the registers of its highest place and a few more, and large blocks fit less well.
        """
        if spills:
            return 1.0
        if self.limits is None:
            return 0.0
        lost = 1 - warps_by_registers(self.limits, live) / self.limits.warps
        if lost:
            return HARMLESS + lost * (1 - HARMLESS)
        room = self.limits.registers // (self.limits.warps * self.limits.threads_per_warp)
        return HARMLESS * live / (room + 1)


def register_cost_of(
    functions: Iterable[SassFunction], kernels: Iterable[Kernel], limits: Limits | None
) -> RegisterCost:
    """Returns the cost of live registers in some code.

    Args:
        functions: The code.
        kernels: The kernels with the resources that tools report.
        limits: The limits of a multiprocessor of the target.
    """
    resources = {kernel.name: kernel.resources for kernel in kernels if kernel.resources}
    spilling = {
        name for name, needs in resources.items() if needs.spill_stores or needs.spill_loads
    }
    tops = {f.name: max(live_gprs(f), default=0) for f in functions if f.name in spilling}
    return RegisterCost(limits, {name: round(_NEAR_TOP * top) for name, top in tops.items() if top})
