"""One GPU with what stays on it between launches: its memory, its code, buffers and textures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from cuda.core import Device, Stream

from jitstudio.core.launch.request import Buffer
from jitstudio.toolchain.driver import doing
from jitstudio.toolchain.gpu.buffers import DeviceBuffer, DeviceMemory
from jitstudio.toolchain.gpu.kernels import Library
from jitstudio.toolchain.gpu.texels import DeviceTexels, LinearTexture


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


class Buffers:
    """The buffers of one GPU, by the names of their arguments."""

    def __init__(self, device: Device, stream: Stream) -> None:
        self._device = device
        self._stream = stream
        self._held: dict[str, DeviceMemory] = {}
        self._code = b""

    def prepare(
        self, specs: tuple[Buffer, ...], guarded: bool, prepared: Mapping[str, Path], code: bytes
    ) -> dict[str, DeviceMemory]:
        """Memory with content for each of these; null pointers and handles have none.

        Args:
            specs: The buffers.
            guarded: Whether to watch the zones around them.
            prepared: Files with the content of some of them.
            code: What will run. What other code has run on is filled anew: it may have written
                where it should only read.

        Raises:
            GpuError: There is not enough memory.
        """
        if code != self._code:
            self.forget()
            self._code = code
        wanted = {spec.name: spec for spec in specs if spec.length}
        for name, held in list(self._held.items()):
            if name not in wanted or not held.fits(wanted[name], guarded):
                self._held.pop(name).close()
        # What was just given back is there for what comes now.
        self._stream.sync()
        for name, spec in wanted.items():
            if name not in self._held:
                self._held[name] = self._taken(spec, guarded)
            self._held[name].fill(spec, prepared.get(name))
        return {name: self._held[name] for name in wanted}

    def _taken(self, spec: Buffer, guarded: bool) -> DeviceMemory:
        if spec.texels is None:
            return DeviceBuffer(spec, guarded, self._device, self._stream)
        if spec.texels.linear:
            return LinearTexture(spec, spec.texels, guarded, self._device, self._stream)
        return DeviceTexels(spec, spec.texels, self._stream)

    def forget(self) -> None:
        """Relies on no content: see `DeviceMemory.forget`."""
        for held in self._held.values():
            held.forget()
