"""A GPU with the memory, code, buffers and textures that stay there between launches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from cuda.core import Device, Stream

from jitstudio.core.launch.request import Buffer, LaunchRequest
from jitstudio.toolchain.driver import doing
from jitstudio.toolchain.gpu.buffers import DeviceBuffer, DeviceMemory, DeviceVariable
from jitstudio.toolchain.gpu.kernels import Library, LoadedCode
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
    """Returns bytes free on a GPU, by the management library, which needs no context there."""
    try:
        return int(Device(ordinal).to_system_device().memory_info.free)
    except Exception:  # whatever that library says, the list of GPUs goes on without it
        return None


class Buffers:
    """The buffers of a GPU, by the names of their arguments."""

    def __init__(self, device: Device, stream: Stream) -> None:
        self._device = device
        self._stream = stream
        self._memory: dict[str, DeviceMemory] = {}
        self._code = b""

    def prepare(
        self, request: LaunchRequest, prepared: Mapping[str, Path], loaded: LoadedCode
    ) -> dict[str, DeviceMemory]:
        """Returns memory with content for each buffer; null pointers and handles have none.

        What other code has run on is filled anew: it may have written where it should only read.

        Args:
            request: The launch.
            prepared: Files with the content of some of its buffers.
            loaded: What will run, which has the module variables.

        Raises:
            GpuError: There is not enough memory, or the code has no such variable.
        """
        code, guarded = sha256(request.code).digest(), request.guards
        if code != self._code:
            self.forget()
            self._code = code
        wanted = {b.name: b for b in request.buffers if b.length and not b.symbol}
        for name, memory in list(self._memory.items()):
            if name not in wanted or not memory.fits(wanted[name], guarded):
                self._memory.pop(name).close()
        # What was just given back is there for what comes now.
        self._stream.sync()
        for name, spec in wanted.items():
            if name not in self._memory:
                self._memory[name] = self._taken(spec, guarded)
        buffers = {name: self._memory[name] for name in wanted}
        addresses = {name: memory.argument for name, memory in buffers.items()}
        for name, spec in wanted.items():
            buffers[name].fill(spec, prepared.get(name), request.addresses_in(spec, addresses))
        return buffers | self.variables(request, prepared, loaded, addresses)

    def variables(
        self,
        request: LaunchRequest,
        prepared: Mapping[str, Path],
        loaded: LoadedCode,
        addresses: Mapping[str, int],
    ) -> dict[str, DeviceMemory]:
        """Returns the module variables of a launch, filled.

        Args:
            request: The launch.
            prepared: See `prepare`.
            loaded: The code that has them: each time it is loaded they are elsewhere.
            addresses: The addresses and handles of the other buffers.

        Raises:
            GpuError: The code has no such variable.
        """
        memories: dict[str, DeviceMemory] = {}
        for spec in request.variables:
            memory = memories[spec.name] = DeviceVariable(
                spec, loaded.code, self._device, self._stream
            )
            memory.fill(spec, prepared.get(spec.name), request.addresses_in(spec, addresses))
        return memories

    def _taken(self, spec: Buffer, guarded: bool) -> DeviceMemory:
        if spec.texels is None:
            return DeviceBuffer(spec, guarded, self._device, self._stream)
        if spec.texels.linear:
            return LinearTexture(spec, spec.texels, guarded, self._device, self._stream)
        return DeviceTexels(spec, spec.texels, self._stream)

    def forget(self) -> None:
        """Relies on no content: see `DeviceMemory.forget`."""
        for memory in self._memory.values():
            memory.forget()
