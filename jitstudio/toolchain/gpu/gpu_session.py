"""One GPU with what stays on it between launches."""

from __future__ import annotations

from functools import cache

from cuda.core import Device, Stream

from jitstudio.toolchain.driver import doing
from jitstudio.toolchain.gpu.arguments import Buffers
from jitstudio.toolchain.gpu.kernels import Library


class GpuSession:
    """A GPU that is in use.

    Attributes:
        device: The GPU, with its primary context.
        stream: Where everything runs.
        library: The code on it.
        buffers: The arguments on it.

    Raises:
        GpuError: It cannot be used.
    """

    def __init__(self, ordinal: int) -> None:
        with doing(f"opening GPU {ordinal}"):
            self.device = Device(ordinal)
            self.device.set_current()
            self.stream: Stream = self.device.create_stream()
        self.library = Library()
        self.buffers = Buffers(self.device, self.stream)


def session(ordinal: int) -> GpuSession:
    """Returns the session of this GPU, opened at the first call and made current by each.

    Raises:
        GpuError: See `GpuSession`.
    """
    opened = _opened(ordinal)
    opened.device.set_current()
    return opened


@cache
def _opened(ordinal: int) -> GpuSession:
    return GpuSession(ordinal)


def free_memory(ordinal: int) -> int | None:
    """Returns bytes free on a GPU, by the management library: it needs no context there."""
    try:
        return int(Device(ordinal).to_system_device().memory_info.free)
    except Exception:  # whatever that library says, the list of GPUs goes on without it
        return None
