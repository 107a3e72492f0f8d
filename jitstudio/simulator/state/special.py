"""Special registers: facts about each thread and the launch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.device import Dim3, xyz_of
from jitstudio.simulator.state.model import WARP, Layout, SimulatedLaunch

SCRATCH = "%reserved_smem_offset_1"
"""The offset in shared memory of barriers and exchanged values of tiles of several warps:
``reserved_shared_ptr`` in cooperative_groups/details/memory.h."""

# As on an H100 SXM; results that depend on it are inexact.
_MULTIPROCESSORS = 132


def special_registers(
    layout: Layout,
    launch: SimulatedLaunch,
    cluster: Dim3 | None = None,
    shared_size: int = 0,
    reserved: int = 0,
    workspace: int = 0,
) -> dict[str, NDArray[Any]]:
    """Returns the special registers by their names: an array, or a single value for all threads.

    Args:
        layout: The threads.
        launch: The launch.
        cluster: Blocks of a cluster, or None.
        shared_size: Bytes of shared memory of a block.
        reserved: The number of last bytes that are reserved for cooperative groups.
        workspace: The address of the workspace of the grid for cooperative groups; 0 for none.
    """
    warps = layout.warps_per_block
    numbers = np.arange(layout.threads)
    slots = numbers // (warps * WARP)
    in_block = numbers % (warps * WARP)
    block = layout.blocks[slots]
    by_name: dict[str, Any] = {}

    def put(name: str, values: Any) -> None:
        by_name[name] = values

    for axis, of_thread, of_block in zip(
        "xyz", xyz_of(in_block, launch.block), xyz_of(block, launch.grid), strict=True
    ):
        put(f"%tid.{axis}", of_thread)
        put(f"%ctaid.{axis}", of_block)
    for axis, threads, blocks in zip("xyz", launch.block, launch.grid, strict=True):
        put(f"%ntid.{axis}", threads)
        put(f"%nctaid.{axis}", blocks)
    lane = in_block % WARP
    put("%laneid", lane)
    put("%warpid", in_block // WARP)
    put("%nwarpid", warps)
    # Block slots in turn; a GPU promises no order.
    put("%smid", slots % _MULTIPROCESSORS)
    put("%nsmid", _MULTIPROCESSORS)
    lane_bit = np.uint64(1) << lane.astype(np.uint64)
    put("%lanemask_eq", lane_bit)
    put("%lanemask_lt", lane_bit - 1)
    put("%lanemask_le", 2 * lane_bit - 1)
    put("%lanemask_gt", 0xFFFFFFFF - (2 * lane_bit - 1))
    put("%lanemask_ge", 0xFFFFFFFF - (lane_bit - 1))
    put("%dynamic_smem_size", launch.shared_bytes)
    put("%total_smem_size", shared_size - reserved)
    put("%aggr_smem_size", shared_size)
    # A launch without clusters has clusters of one block.
    cx, cy, cz = cluster or (1, 1, 1)
    x, y, z = xyz_of(block, launch.grid)
    extents = zip("xyz", (x, y, z), (cx, cy, cz), launch.grid, strict=True)
    for axis, index, size, of_grid in extents:
        put(f"%cluster_ctaid.{axis}", index % size)
        put(f"%cluster_nctaid.{axis}", size)
        put(f"%clusterid.{axis}", index // size)
        put(f"%nclusterid.{axis}", of_grid // size)
    put("%cluster_ctarank", (z % cz * cy + y % cy) * cx + x % cx)
    put("%cluster_nctarank", cx * cy * cz)
    put("%is_explicit_cluster", int(cluster is not None))
    begin = shared_size - reserved if reserved else 0
    put("%reserved_smem_offset_begin", begin)
    put("%reserved_smem_offset_end", begin + reserved)
    put("%reserved_smem_offset_cap", reserved)
    put(SCRATCH, begin)
    # `2 * lane_bit` of lane 31 has 33 bits, so all are computed in 64 bits and cut off here.
    registers = {
        name: np.atleast_1d(np.asarray(values, np.int64)).astype(np.uint32)
        for name, values in by_name.items()
    }
    # PTX ISA, `%envreg<32>`: driver-defined, read-only registers.
    for number in range(32):
        registers[f"%envreg{number}"] = np.zeros(1, np.uint32)
    # `load_env_reg64` of cooperative groups: the address of the workspace of the grid.
    registers["%envreg1"] = np.array([workspace >> 32], np.uint32)
    registers["%envreg2"] = np.array([workspace & 0xFFFFFFFF], np.uint32)
    for name in ("%gridid", "%current_graph_exec", "%clock64", "%globaltimer"):
        registers[name] = np.zeros(1, np.uint64)
    for name in ("%clock", "%clock_hi", "%globaltimer_lo", "%globaltimer_hi"):
        registers[name] = np.zeros(1, np.uint32)
    return registers


SPECIAL_NAMES = frozenset(
    special_registers(Layout((1, 1, 1), (1, 1, 1), np.zeros(1, np.int64)), SimulatedLaunch(""))
)
"""The names of all special registers."""
