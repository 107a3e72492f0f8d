"""What a multiprocessor of each compute capability can hold.

The figures are data, in `resources/analysis/limits.toml`: those of the CUDA Programming Guide,
appendix "Compute Capabilities", and of NVIDIA's `cuda_occupancy.h`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from jitstudio.core.arch import Arch
from jitstudio.paths import resource

_KIB = 1024
_IN_KIB = "_kib"


@dataclass(frozen=True)
class Limits:
    """What a multiprocessor holds, and in which units it is handed out; memory in bytes.

    Attributes:
        blocks: Resident blocks.
        warps: Resident warps.
        threads_per_warp: Threads of a warp.
        threads_per_block: Most threads of a block.
        registers: 32-bit registers.
        registers_per_block: Most registers of a block.
        registers_per_thread: Most registers of a thread.
        register_unit: Registers are handed out to warps in units of so many.
        partitions: Parts of the multiprocessor, each with its share of registers and warps.
        shared: Shared memory.
        shared_per_block: Most shared memory of a block that has.
        shared_reserved: Shared memory that is kept back for each block.
        shared_unit: Shared memory is handed out in units of so many bytes.
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
