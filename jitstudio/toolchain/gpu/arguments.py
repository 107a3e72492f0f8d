"""What the arguments of a launch stand for on a GPU, kept from launch to launch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cuda.core import Device, Stream

from jitstudio.core.launch.request import Buffer
from jitstudio.toolchain.gpu.buffers import DeviceBuffer, DeviceMemory
from jitstudio.toolchain.gpu.texels import DeviceTexels, LinearTexture


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
