"""What is launched and where, in words.

Knows `core.launch` and no widget.
"""

from __future__ import annotations

from jitstudio.core.launch.device import Device
from jitstudio.core.launch.request import Dim3, LaunchConfig
from jitstudio.core.launch.spec import LoadMode, Sanitizer
from jitstudio.core.launch.texts.phrases import in_bytes

LOAD_MODES = {
    LoadMode.CUBIN: "Cubin",
    LoadMode.DRIVER_JIT: "PTX, by the driver's JIT",
}
"""What the form calls each kind of code."""

SANITIZERS: dict[Sanitizer | None, str] = {
    None: "None",
    Sanitizer.MEMCHECK: "memcheck: wrong addresses",
    Sanitizer.RACECHECK: "racecheck: races in shared memory",
    Sanitizer.INITCHECK: "initcheck: reads of what was never written",
    Sanitizer.SYNCCHECK: "synccheck: wrong barriers",
}
"""What the form calls each tool of compute-sanitizer, and what it finds."""


_TIMES = "\N{MULTIPLICATION SIGN}"


def device_words(device: Device) -> str:
    """A GPU in one line."""
    total = in_bytes(device.memory)
    free = device.memory_free
    memory = total if free is None else f"{in_bytes(free)} free of {total}"
    return f"{device.ordinal}: {device.name}, {device.capability}, {memory}"


def config_words(config: LaunchConfig) -> str:
    """How many threads there will be, and what they share."""
    blocks, threads = config.blocks, config.threads_per_block
    each = f"{_extent(config.block)} thread{'' if threads == 1 else 's'}"
    all_of_them = f"{blocks * threads:,} thread{'' if blocks * threads == 1 else 's'}"
    grid = f"{_extent(config.grid)} block{'' if blocks == 1 else 's'}"
    told = [f"{grid} {_TIMES} {each} = {all_of_them}"]
    if config.cluster:
        told.append(f"clusters of {_extent(config.cluster)} blocks")
    if config.shared:
        told.append(f"{config.shared:,} bytes of dynamic shared memory per block")
    return ", ".join(told)


def _extent(size: Dim3) -> str:
    """``256`` for what has one axis, ``(16, 16)`` for two and more."""
    axes = len(size)
    while axes > 1 and size[axes - 1] == 1:
        axes -= 1
    numbers = [f"{n:,}" for n in size[:axes]]
    return numbers[0] if axes == 1 else f"({', '.join(numbers)})"
