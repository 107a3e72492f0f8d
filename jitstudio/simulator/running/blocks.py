"""The blocks of a launch: checks before a simulation, and waves of resident blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.device import Dim3
from jitstudio.simulator.ptx.program import PtxFunction, PtxProgram
from jitstudio.simulator.state.image import Image, parameter_bytes
from jitstudio.simulator.state.model import WARP, SimulatedLaunch

# Calls within calls, and threads, for which memory is reckoned where there is recursion.
_RECURSION, _RECURSIVE_THREADS = 64, 1 << 14
_MOST_BLOCKS = 1 << 24


class LaunchRefused(ValueError):
    """A launch that cannot be simulated; the message is a sentence."""


def checked_kernel(launch: SimulatedLaunch, program: PtxProgram) -> PtxFunction:
    """Returns the kernel of a launch after checking both.

    Raises:
        LaunchRefused: If there is no such kernel, or the launch breaks a rule.
    """
    kernel = program.functions.get(launch.kernel)
    if kernel is None or not kernel.is_kernel:
        names = ", ".join(f.name for f in program.functions.values() if f.is_kernel) or "none"
        raise LaunchRefused(f"The PTX has no kernel {launch.kernel}. It has: {names}.")
    for problem in _launch_problems(launch, kernel):
        raise LaunchRefused(problem)
    return kernel


def _launch_problems(launch: SimulatedLaunch, kernel: PtxFunction) -> Iterator[str]:
    """Yields the rules that a launch breaks, as sentences."""
    if min(*launch.grid, *launch.block) < 1:
        yield f"A grid of {launch.grid} and blocks of {launch.block} have no thread."
    if launch.threads_per_block > 1024:
        yield f"Blocks of {launch.threads_per_block:,} threads: there may be 1,024 at most."
    if launch.blocks > _MOST_BLOCKS and launch.only_blocks is None:
        yield (
            f"{launch.blocks:,} blocks are too many to simulate. Launch at most "
            f"{_MOST_BLOCKS:,}, or simulate the first ones only."
        )
    if kernel.required_block is not None and kernel.required_block != launch.block:
        yield f"{kernel.name} requires blocks of {kernel.required_block} threads (.reqntid)."
    if kernel.most_threads and launch.threads_per_block > kernel.most_threads:
        yield (
            f"{kernel.name} takes blocks of {kernel.most_threads:,} threads at most (.maxntid), "
            f"and these have {launch.threads_per_block:,}."
        )
    if len(launch.parameters) < parameter_bytes(kernel):
        yield (
            f"{kernel.name} takes {parameter_bytes(kernel):,} bytes of parameters, and "
            f"{len(launch.parameters):,} are given."
        )
    cluster = cluster_extent(launch, kernel)
    if any(g % c for g, c in zip(launch.grid, cluster, strict=True)):
        yield f"A grid of {launch.grid} cannot be divided into clusters of {cluster} blocks."


def waves_of(launch: SimulatedLaunch, image: Image) -> list[NDArray[np.int64]]:
    """Returns the blocks that are resident together, wave by wave.

    Raises:
        LaunchRefused: If a cooperative launch does not fit.
    """
    extent = cluster_extent(launch, image.kernel)
    cluster = math.prod(extent)
    order = _block_order(launch, extent)
    per_block = -(-launch.threads_per_block // WARP) * WARP
    registers = sum(
        sum(kind.size for kind in f.registers.values()) for f in image.functions.values()
    )
    recursive = image.is_recursive
    # Data and state of local and shared memory, so twice their bytes; 64 for arrays of the wave.
    bytes_per_thread = 64 + registers * (_RECURSION if recursive else 1)
    stride = -(-image.shared_size // 128) * 128
    per_block_bytes = per_block * (bytes_per_thread + 2 * image.local_bytes) + 2 * stride
    limits = launch.limits
    most = min(limits.threads, _RECURSIVE_THREADS) if recursive else limits.threads
    blocks = min(most // per_block, limits.memory_bytes // per_block_bytes)
    blocks = max(blocks // cluster, 1) * cluster
    if launch.cooperative:
        if per_block_bytes * len(order) > limits.memory_bytes:
            raise LaunchRefused(
                f"A cooperative launch has all of its {len(order):,} blocks resident, which "
                f"takes {per_block_bytes * len(order):,} bytes here, and the limit is "
                f"{limits.memory_bytes:,}. Launch fewer blocks."
            )
        blocks = max(len(order), 1)
    return [order[i : i + blocks] for i in range(0, len(order), blocks)]


def cluster_extent(launch: SimulatedLaunch, kernel: PtxFunction) -> Dim3:
    """Returns the blocks of a cluster in x, y and z, by the launch or the kernel."""
    return launch.cluster or kernel.required_cluster or (1, 1, 1)


def _block_order(launch: SimulatedLaunch, cluster: Dim3) -> NDArray[np.int64]:
    """Returns the linear indices of the blocks to run, cluster by cluster."""
    size = math.prod(cluster)
    count = launch.blocks
    if launch.only_blocks is not None:
        count = min(count, -(-launch.only_blocks // size) * size)
    order = np.arange(count, dtype=np.int64)
    if size > 1:
        # PTX ISA, `%cluster_ctarank`: x runs fastest within a cluster, then y, then z.
        (cx, cy, cz), (gx, gy, _) = cluster, launch.grid
        of, rank = order // size, order % size
        across, down = gx // cx, gy // cy
        x = of % across * cx + rank % cx
        y = of // across % down * cy + rank // cx % cy
        z = of // (across * down) * cz + rank // (cx * cy)
        order = (z * gy + y) * gx + x
    if launch.seed is not None:
        groups = order.reshape(-1, size)
        # Whole clusters are shuffled: their blocks are resident together.
        order = np.random.default_rng(launch.seed).permutation(groups).reshape(-1)
    return order
