"""The duties of a host for a launch that jitstudio does by itself: sentences, no obstacles.

The names are those of the CUDA runtime: `cudaFuncSetAttribute`, `cudaDeviceSetLimit`,
`cudaLaunchCooperativeKernel`. Figures are of the CUDA C++ Programming Guide ("Compute
Capabilities", "Local Memory", "Grid Synchronization").
"""

from __future__ import annotations

from collections.abc import Iterator

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.device import Device
from jitstudio.core.launch.limits import Figures, resident_blocks
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import HostNeeds, LaunchConfig

DEFAULT_SHARED = 48 << 10
"""Bytes of shared memory that a block may have without being asked for."""
DEFAULT_STACK = 1 << 10
"""Bytes of stack that a thread has where no compiler knows what it needs."""


def host_problems(
    config: LaunchConfig, device: Device, facts: Figures | None, needs: HostNeeds
) -> Iterator[SpecProblem]:
    """Yields the things that host code has to do, or know, to launch a kernel like this.

    Args:
        config: The configuration of the launch.
        device: Where.
        facts: What the kernel needs of a multiprocessor; what depends on it is left out without.
        needs: The needs of the kernel on the host's side.
    """
    yield from _shared(config, facts)
    yield from _stack(needs)
    if not config.cooperative:
        yield from _cooperative(needs)
        yield from _resident(config, device, facts, needs)


def _shared(config: LaunchConfig, facts: Figures | None) -> Iterator[SpecProblem]:
    static = (facts and facts.shared_bytes) or 0
    if not config.shared or static + config.shared <= DEFAULT_SHARED:
        return
    own = f"{static:,} static and " if static else ""
    yield SpecProblem(
        "shared",
        f"{own}{config.shared:,} dynamic bytes of shared memory are more than the "
        f"{DEFAULT_SHARED:,} that a block has unless its host asks for more.",
        "jitstudio asks by itself. Host code does before the launch: cudaFuncSetAttribute("
        f"kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, {config.shared}).",
        Severity.INFO,
    )


def _stack(needs: HostNeeds) -> Iterator[SpecProblem]:
    if needs.unknown_stack:
        yield SpecProblem(
            "kernel",
            "The kernel calls functions that call themselves, or by their addresses: no compiler "
            f"knows the stack that a thread needs, and a GPU gives it {DEFAULT_STACK:,} bytes.",
            "Host code that needs more says so before the launch: cudaDeviceSetLimit("
            "cudaLimitStackSize, BYTES). Too little ends the kernel or overwrites memory.",
            Severity.INFO,
        )


def _cooperative(needs: HostNeeds) -> Iterator[SpecProblem]:
    if needs.grid_barrier:
        yield SpecProblem(
            "cooperative",
            "grid.sync() needs a cooperative launch, without which the kernel ends in a trap.",
            "Launch cooperatively (--cooperative); host code does by cudaLaunchCooperativeKernel.",
            Severity.WARNING,
        )


def _resident(
    config: LaunchConfig, device: Device, facts: Figures | None, needs: HostNeeds
) -> Iterator[SpecProblem]:
    per_multiprocessor = resident_blocks(config, device.limits, facts) if facts else None
    if not needs.waits or needs.grid_barrier or not per_multiprocessor or config.blocks < 2:
        return
    there = per_multiprocessor * device.multiprocessors
    gpu = f"a GPU of {device.multiprocessors} multiprocessors"
    gpu = gpu if device.is_simulated else device.name
    where = f" at line {needs.waits_at}" if needs.waits_at else ""
    advice = (
        "A block may wait for blocks that have begun, as those that took a lower number from an "
        "atomic counter. To wait for all, launch cooperatively."
    )
    if config.blocks > there:
        message = (
            f"The kernel waits{where} for what other threads write, and of {config.blocks:,} "
            f"blocks {gpu} keeps {there:,} resident: {per_multiprocessor} on each of "
            f"{device.multiprocessors} multiprocessors. Who waits for one that is not there yet "
            "may wait for ever."
        )
        yield SpecProblem("grid", message, advice, Severity.WARNING)
        return
    message = (
        f"The kernel waits{where} for what other threads write. All {config.blocks:,} blocks fit "
        f"on {gpu} at the same time, where {there:,} do; only a cooperative launch "
        "guarantees that they are."
    )
    yield SpecProblem("grid", message, advice, Severity.INFO)
