"""A GPU: name, capabilities and limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

Dim3 = tuple[int, int, int]
"""Along x, y and z."""

_Index = TypeVar("_Index", bound=Any)


# CUDA C++ Programming Guide, "Thread Hierarchy": thread (x, y, z) has ID x + y Dx + z Dx Dy.
def linear_index(index: Dim3, size: Dim3) -> int:
    """Returns the linear index of x, y and z."""
    return index[0] + size[0] * (index[1] + size[1] * index[2])


def xyz_of(linear: _Index, size: Dim3) -> tuple[_Index, _Index, _Index]:
    """Returns x, y and z of a linear index, or of an array of indices."""
    return linear % size[0], linear // size[0] % size[1], linear // (size[0] * size[1])


SIMULATOR = -1
"""The ordinal of the simulator, where the driver counts the GPUs from 0."""


@dataclass(frozen=True)
class DeviceLimits:
    """The limits of a launch on a device, as the driver tells. Memory is in bytes.

    Attributes:
        threads_per_block: Most threads of a block.
        block: Most threads along each axis.
        grid: Most blocks along each axis.
        registers_per_block: 32-bit registers of all threads of a block.
        registers_per_multiprocessor: Of all resident threads.
        threads_per_multiprocessor: Most resident threads.
        blocks_per_multiprocessor: Most resident blocks.
        shared_per_block: Static and dynamic together, without asking for more.
        shared_per_block_optin: After asking for more.
        shared_per_multiprocessor: Of all resident blocks.
        warp: Threads of a warp.
        cooperative: Whether cooperative launches are possible.
        clusters: Whether launches with clusters are possible.
    """

    threads_per_block: int
    block: Dim3
    grid: Dim3
    registers_per_block: int
    registers_per_multiprocessor: int
    threads_per_multiprocessor: int
    blocks_per_multiprocessor: int
    shared_per_block: int
    shared_per_block_optin: int
    shared_per_multiprocessor: int
    warp: int
    cooperative: bool
    clusters: bool


@dataclass(frozen=True)
class Device:
    """A GPU, or the simulator.

    Attributes:
        ordinal: How the driver counts it, from 0; `SIMULATOR` for the simulator.
        name: Marketing name.
        uuid: Distinguishes it from every other.
        capability: Compute capability such as ``9.0``.
        memory: Bytes in total.
        memory_free: Bytes free when last looked at; None where nobody looked.
        multiprocessors: How many it has.
        clock_khz: Peak clock of the multiprocessors.
        memory_clock_khz: Peak clock of the memory.
        memory_bus_bits: Width of the memory bus.
        l2_bytes: Size of the L2 cache.
        limits: The limits of a launch.
    """

    ordinal: int
    name: str
    uuid: str
    capability: str
    memory: int
    memory_free: int | None
    multiprocessors: int
    clock_khz: int
    memory_clock_khz: int
    memory_bus_bits: int
    l2_bytes: int
    limits: DeviceLimits

    @property
    def is_simulated(self) -> bool:
        """Whether the device is the simulator."""
        return self.ordinal == SIMULATOR

    @property
    def number(self) -> int:
        """Ten times the compute capability, as in ``sm_90``."""
        major, minor = self.capability.split(".")
        return int(major) * 10 + int(minor)

    @property
    def peak_bandwidth(self) -> float | None:
        """Bytes per second of the memory at two transfers per clock; None for an unknown clock."""
        return 2e3 * self.memory_clock_khz * self.memory_bus_bits / 8 or None


SIMULATED_DEVICE = Device(
    ordinal=SIMULATOR,
    name="Simulator (no GPU)",
    uuid="sim",
    capability="9.0",
    memory=1 << 30,
    memory_free=None,
    multiprocessors=64,
    clock_khz=0,
    memory_clock_khz=0,
    memory_bus_bits=0,
    l2_bytes=0,
    limits=DeviceLimits(
        threads_per_block=1024,
        block=(1024, 1024, 64),
        grid=(2**31 - 1, 65_535, 65_535),
        registers_per_block=65_536,
        registers_per_multiprocessor=65_536,
        threads_per_multiprocessor=2048,
        blocks_per_multiprocessor=32,
        shared_per_block=48 << 10,
        shared_per_block_optin=227 << 10,
        shared_per_multiprocessor=228 << 10,
        warp=32,
        cooperative=True,
        clusters=True,
    ),
)
"""What the simulator takes: the limits of compute capability 9.0, as the CUDA C++ Programming Guide
lists them ("Technical Specifications per Compute Capability"), with as many resident threads as it
runs at once."""


@dataclass(frozen=True)
class DeviceList:
    """The GPUs, or why there are none to launch on.

    Attributes:
        driver_version: Newest CUDA version that the driver serves, such as ``13.0``; empty
            without a driver.
        devices: By ordinal.
        problem: Why nothing can be launched and what to do; empty where something can.
        sanitizer: Whether compute-sanitizer is installed; also True while nobody has looked.
    """

    driver_version: str = ""
    devices: tuple[Device, ...] = ()
    problem: str = ""
    sanitizer: bool = True

    @property
    def choices(self) -> tuple[Device, ...]:
        """The GPUs, and behind these the simulator."""
        return (*self.devices, SIMULATED_DEVICE)
