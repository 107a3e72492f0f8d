"""Buffers on a GPU, with a watched zone on either side."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, ObjectCode, Stream

from jitstudio.core.launch.request import Buffer, Direction, FillKind
from jitstudio.core.launch.result import OutOfBoundsWrite
from jitstudio.numerics.dtypes import open_buffer
from jitstudio.numerics.fills import generate
from jitstudio.toolchain.driver import checked, doing

GUARD_BYTES = 256 << 10
"""Bytes of the zone on either side: a stray block of threads lands there. A multiple of any
alignment a type may ask for."""

GUARD = 0xB5
POISONS = (0xFF, 0x5C)
"""Two patterns: what holds the first after a launch on the first, and the second after a launch on
the second, was not written. The first is no number in any floating-point type, so that no check
takes it for one."""

# Bytes read at once: a buffer of many GB need not be in the host's memory as a whole.
_PIECE = 64 << 20


class DeviceMemory(ABC):
    """The memory, texture or variable behind an argument on a GPU.

    Attributes:
        spec: What it was made for; another content of the same size may be put in.
        argument: What the kernel is given: an address or a handle.
    """

    def __init__(self, spec: Buffer, stream: Stream) -> None:
        self.spec = spec
        self.argument = 0
        self._stream = stream
        self._content: object = None
        self._addresses: Mapping[int, int] = {}

    @abstractmethod
    def fits(self, spec: Buffer, guarded: bool) -> bool:
        """Returns whether this memory does for another buffer, too."""

    def fill(
        self, spec: Buffer, prepared: Path | None, addresses: Mapping[int, int] | None = None
    ) -> None:
        """Puts the content in that the launch begins with, unless already present.

        Args:
            spec: The buffer.
            prepared: A file with the content, for what is neither a pattern nor a number.
            addresses: Those of other buffers that it holds, by their places in it.
        """
        self._addresses = addresses or {}
        address_places = tuple(self._addresses.items())
        content = (spec.element, spec.length, spec.fill, spec.direction, prepared, address_places)
        known = self._content == content
        # Until all of it is there, there is nothing to rely on.
        self._content, self.spec = None, spec
        if known:
            self.restore()
        elif spec.direction is not Direction.OUT and spec.fill.kind is not FillKind.UNFILLED:
            with doing(f"filling '{spec.name}'"):
                self._put(prepared)
                if spec.direction is Direction.INOUT:
                    self._keep_original()
        self._content = content

    def forget(self) -> None:
        """Does not rely on the content: a kernel may have written out of bounds."""
        self._content = None

    @abstractmethod
    def restore(self) -> None:
        """Undoes the kernel's changes: the content is as before the first launch."""

    def clear(self, poison: int | None, prepared: Path | None) -> None:
        """Makes an output ready to be written: poisoned, or filled as `spec` says."""
        if self.spec.direction is not Direction.OUT:
            return
        with doing(f"filling '{self.spec.name}'"):
            if poison is not None:
                self._poison(poison)
            elif self.spec.fill.kind is not FillKind.UNFILLED:
                self._put(prepared)

    @abstractmethod
    def guard(self) -> None:
        """Writes the guard zones around the memory anew."""

    @abstractmethod
    def strays(self) -> tuple[OutOfBoundsWrite, ...]:
        """Returns the writes into the guard zones."""

    @abstractmethod
    def copy_to(self, target: np.ndarray[Any, Any]) -> None:
        """Copies the content into an array of as many bytes."""

    @abstractmethod
    def pieces(self) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
        """Yields the content in pieces: the first element of each, and the bytes."""

    @abstractmethod
    def close(self) -> None:
        """Gives the memory back."""

    @abstractmethod
    def _put(self, prepared: Path | None) -> None:
        """Puts the content of the file or of the fill in."""

    @abstractmethod
    def _keep_original(self) -> None:
        """Keeps the content for `restore`."""

    @abstractmethod
    def _poison(self, byte: int) -> None:
        """Sets each byte to `byte`."""

    @property
    def _handle(self) -> Any:
        return driver.CUstream(int(self._stream.handle))


def content_of(spec: Buffer, prepared: Path | None) -> np.ndarray[Any, Any]:
    """Returns the content of a buffer before a launch, by its file or fill."""
    content = open_buffer(prepared, spec.element) if prepared else generate(spec)
    return np.ascontiguousarray(content)


class DeviceBuffer(DeviceMemory):
    """Global memory for an argument.

    Attributes:
        address: Where it begins.
    """

    def __init__(self, spec: Buffer, guarded: bool, device: Device, stream: Stream) -> None:
        """Takes the memory.

        Raises:
            GpuError: There is not enough.
        """
        super().__init__(spec, stream)
        self._zone = GUARD_BYTES if guarded else 0
        self._device = device
        self._original: Any = None
        self._memory: Any = None
        self._start = self.address = 0
        self._take(spec)

    def _take(self, spec: Buffer) -> None:
        with doing(f"allocating {spec.bytes:,} bytes for '{spec.name}'"):
            size = max(1, spec.bytes) + 2 * self._zone
            self._memory = self._device.allocate(size, stream=self._stream)
        self._start = int(self._memory.handle)
        self.argument = self.address = self._start + self._zone

    @property
    def guarded(self) -> bool:
        """Whether there are zones."""
        return self._zone > 0

    def fits(self, spec: Buffer, guarded: bool) -> bool:
        """Returns whether this memory does for another buffer, too."""
        alike = self.spec.bytes == spec.bytes and self.guarded == guarded
        return alike and spec.texels is None

    def restore(self) -> None:
        """Undoes the kernel's changes: the content is as before the first launch."""
        unfilled = self.spec.fill.kind is FillKind.UNFILLED
        if self.spec.direction is Direction.INOUT and self._original is not None and not unfilled:
            with doing(f"restoring '{self.spec.name}'"):
                copied = driver.cuMemcpyDtoDAsync(
                    self.address, int(self._original.handle), self.spec.bytes, self._handle
                )
                checked("cuMemcpyDtoDAsync", copied)

    def guard(self) -> None:
        """Draws the zones anew."""
        if self._zone:
            self._set(self._start, GUARD, self._zone)
            self._set(self.address + self.spec.bytes, GUARD, self._zone)

    def strays(self) -> tuple[OutOfBoundsWrite, ...]:
        """Writes that the zones have caught."""
        if not self._zone:
            return ()
        with doing(f"looking around '{self.spec.name}'"):
            before = self._read(self._start, self._zone)[::-1]
            after = self._read(self.address + self.spec.bytes, self._zone)
        return tuple(_writes_in(before, True)) + tuple(_writes_in(after, False))

    def copy_to(self, target: np.ndarray[Any, Any]) -> None:
        """Copies the content into an array of as many bytes."""
        with doing(f"reading '{self.spec.name}'"):
            answer = driver.cuMemcpyDtoH(target.ctypes.data, self.address, self.spec.bytes)
            checked("cuMemcpyDtoH", answer)

    def pieces(self) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
        """Yields the content in pieces: the first element of each, and the bytes."""
        size = self.spec.element.size
        step = max(1, _PIECE // size)
        for first in range(0, self.spec.length, step):
            count = min(step, self.spec.length - first)
            with doing(f"reading '{self.spec.name}'"):
                yield first, self._read(self.address + first * size, count * size)

    def close(self) -> None:
        """Gives the memory back."""
        if self._original is not None:
            self._original.close()
        if self._memory is not None:
            self._memory.close()

    def _put(self, prepared: Path | None) -> None:
        if self.spec.fill.kind is FillKind.ZEROS:
            self._set(self.address, 0, self.spec.bytes)
        elif self.spec.fill.kind is not FillKind.INITIAL:
            self._write(0, content_of(self.spec, prepared))
        for at, address in self._addresses.items():
            self._write(at, np.array([address], np.uint64))

    def _write(self, at: int, content: np.ndarray[Any, Any]) -> None:
        # In our own stream: a copy outside it may still be on its way when the kernel starts.
        place, stream = content.ctypes.data, self._handle
        answer = driver.cuMemcpyHtoDAsync(self.address + at, place, content.nbytes, stream)
        checked("cuMemcpyHtoDAsync", answer)
        self._stream.sync()

    def _keep_original(self) -> None:
        if self._original is None:
            self._original = self._device.allocate(max(1, self.spec.bytes), stream=self._stream)
        copied = driver.cuMemcpyDtoDAsync(
            int(self._original.handle), self.address, self.spec.bytes, self._handle
        )
        checked("cuMemcpyDtoDAsync", copied)

    def _poison(self, byte: int) -> None:
        self._set(self.address, byte, self.spec.bytes)

    def _set(self, address: int, byte: int, count: int) -> None:
        if count:
            answer = driver.cuMemsetD8Async(address, byte, count, self._handle)
            checked("cuMemsetD8Async", answer)

    def _read(self, address: int, count: int) -> np.ndarray[Any, Any]:
        content = np.empty(count, np.uint8)
        checked("cuMemcpyDtoH", driver.cuMemcpyDtoH(content.ctypes.data, address, count))
        return content


class DeviceVariable(DeviceBuffer):
    """A module variable, whose memory came with the code that is loaded.

    Args:
        spec: What it is filled with.
        code: The code that has it.
        device: Where.
        stream: In which stream it is filled.

    Raises:
        GpuError: The code has no such variable, or one of another size.
    """

    def __init__(self, spec: Buffer, code: ObjectCode, device: Device, stream: Stream) -> None:
        self._code = code
        super().__init__(spec, False, device, stream)

    def _take(self, spec: Buffer) -> None:
        library, name = driver.CUlibrary(int(self._code.handle)), spec.symbol.encode()
        with doing(f"looking for the variable '{spec.name}'"):
            status, address, size = driver.cuLibraryGetGlobal(library, name)
            if status == driver.CUresult.CUDA_ERROR_NOT_FOUND:
                # `__managed__` variables have this call: CUDA Driver API, "Library Management".
                status, address, size = driver.cuLibraryGetManaged(library, name)
            checked("cuLibraryGetGlobal", (status,))
        if size != spec.bytes:
            raise VariableSizeError(spec, size)
        self.argument = self.address = self._start = int(address)

    def fits(self, spec: Buffer, guarded: bool) -> bool:
        """Returns False: code that is loaded anew has its variables elsewhere."""
        return False


class VariableSizeError(RuntimeError):
    """A module variable of the code is not as large as that of the form."""

    def __init__(self, spec: Buffer, size: int) -> None:
        super().__init__(
            f"'{spec.name}' has {spec.bytes:,} bytes in the source and {size:,} in the code that "
            "is loaded. Build again and choose the kernel again."
        )


def _writes_in(zone: np.ndarray[Any, Any], before: bool) -> Iterator[OutOfBoundsWrite]:
    """Yields the changes in a zone, which begins at the buffer's edge."""
    changed = np.flatnonzero(zone != GUARD)
    if changed.size:
        yield OutOfBoundsWrite(before, int(changed[0]), int(changed.size))
