"""What is launched and where.

Knows `core.launch` and no widget.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from jitstudio.core.launch.device import Device, Dim3
from jitstudio.core.launch.problems import in_bytes
from jitstudio.core.launch.request import LaunchConfig
from jitstudio.core.launch.spec import LoadMode, Sanitizer
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP, counted

LOAD_MODES = {
    LoadMode.CUBIN: QT_TRANSLATE_NOOP("LaunchWords", "Cubin"),
    LoadMode.DRIVER_JIT: QT_TRANSLATE_NOOP("LaunchWords", "PTX, by the driver's JIT"),
}
"""What the form calls each kind of code."""

SANITIZERS: dict[Sanitizer | None, str] = {
    None: QT_TRANSLATE_NOOP("LaunchWords", "None"),
    Sanitizer.MEMCHECK: QT_TRANSLATE_NOOP("LaunchWords", "memcheck: wrong addresses"),
    Sanitizer.RACECHECK: QT_TRANSLATE_NOOP("LaunchWords", "racecheck: races in shared memory"),
    Sanitizer.INITCHECK: QT_TRANSLATE_NOOP(
        "LaunchWords", "initcheck: reads of what was never written"
    ),
    Sanitizer.SYNCCHECK: QT_TRANSLATE_NOOP("LaunchWords", "synccheck: wrong barriers"),
}
"""What the form calls each tool of compute-sanitizer, and what it finds."""


_TIMES = "\N{MULTIPLICATION SIGN}"


def words_of(choice: LoadMode | Sanitizer | None) -> str:
    """Returns what the form calls a kind of code, or a tool of compute-sanitizer."""
    words = LOAD_MODES[choice] if isinstance(choice, LoadMode) else SANITIZERS[choice]
    return QCoreApplication.translate("LaunchWords", words)


def device_text(device: Device) -> str:
    """Returns a GPU in one line, or the name of the simulator."""
    if device.is_simulated:
        return device.name
    memory, free = in_bytes(device.memory), device.memory_free
    if free is not None:
        message = QCoreApplication.translate("LaunchWords", "{free} free of {total}")
        memory = message.format(free=in_bytes(free), total=memory)
    return f"{device.ordinal}: {device.name}, {device.capability}, {memory}"


def config_text(config: LaunchConfig) -> str:
    """Returns how many threads there will be, and what they share."""
    translate = QCoreApplication.translate
    blocks, threads = config.blocks, config.threads_per_block
    grid = counted(
        blocks,
        translate("LaunchWords", "{size} block"),
        translate("LaunchWords", "{size} blocks"),
        size=_extent(config.grid),
    )
    each = _threads(threads, _extent(config.block))
    in_all = _threads(blocks * threads, f"{blocks * threads:,}")
    parts = [f"{grid} {_TIMES} {each} = {in_all}"]
    if config.cluster:
        clusters = translate("LaunchWords", "clusters of {size} blocks")
        parts.append(clusters.format(size=_extent(config.cluster)))
    if config.shared:
        shared = translate("LaunchWords", "{count:,} bytes of dynamic shared memory per block")
        parts.append(shared.format(count=config.shared))
    return ", ".join(parts)


def _threads(count: int, size: str) -> str:
    return counted(
        count,
        QCoreApplication.translate("LaunchWords", "{size} thread"),
        QCoreApplication.translate("LaunchWords", "{size} threads"),
        size=size,
    )


def _extent(size: Dim3) -> str:
    """``256`` for what has one axis, ``(16, 16)`` for two and more."""
    axes = len(size)
    while axes > 1 and size[axes - 1] == 1:
        axes -= 1
    numbers = [f"{n:,}" for n in size[:axes]]
    return numbers[0] if axes == 1 else f"({', '.join(numbers)})"
