"""Textures and surfaces on a GPU: CUDA arrays with their texture and surface objects.

The calls are those of "Memory Management", "Texture Object Management" and "Surface Object
Management" of the driver API.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, Stream

from jitstudio.core.launch.request import Buffer, Direction
from jitstudio.core.launch.result import OutOfBoundsWrite
from jitstudio.core.launch.texels import CHANNEL_FORMATS, Sampling, Texels, channels_of
from jitstudio.core.launch.types import Type
from jitstudio.toolchain.driver import checked, doing
from jitstudio.toolchain.gpu.buffers import DeviceBuffer, DeviceMemory, content_of

_AXES = 3


class LinearTexture(DeviceBuffer):
    """A texture of texels in global memory."""

    def __init__(
        self, spec: Buffer, texels: Texels, guarded: bool, device: Device, stream: Stream
    ) -> None:
        """Takes the memory and makes the texture.

        Raises:
            GpuError: There is not enough, or the driver refuses it.
        """
        super().__init__(spec, guarded, device, stream)
        self._texels = texels
        resource = driver.CUDA_RESOURCE_DESC()
        resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_LINEAR
        resource.res.linear.devPtr = driver.CUdeviceptr(self.address)
        resource.res.linear.format, resource.res.linear.numChannels = _format(spec.element)
        resource.res.linear.sizeInBytes = spec.bytes
        self._object = _texture(spec.name, resource, texels.sampling)
        self.argument = int(self._object)

    def fits(self, spec: Buffer, guarded: bool) -> bool:
        """Returns whether this texture does for `spec`, too."""
        alike = (self.spec.element, self._texels) == (spec.element, spec.texels)
        return alike and self.guarded == guarded

    def close(self) -> None:
        """Gives texture and memory back."""
        with doing(f"giving '{self.spec.name}' back"):
            checked("cuTexObjectDestroy", driver.cuTexObjectDestroy(self._object))
        super().close()


class DeviceTexels(DeviceMemory):
    """A CUDA array, with a texture or surface on top."""

    def __init__(self, spec: Buffer, texels: Texels, stream: Stream) -> None:
        """Takes the memory and makes the texture or surface.

        Raises:
            GpuError: There is not enough, or the driver refuses it.
        """
        super().__init__(spec, stream)
        self._texels = texels
        self._original: Any = None
        self._array = _array(spec, texels)
        resource = driver.CUDA_RESOURCE_DESC()
        resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
        resource.res.array.hArray = self._array
        if texels.is_surface:
            with doing(f"making the surface '{spec.name}'"):
                answer = driver.cuSurfObjectCreate(resource)
                (self._object,) = checked("cuSurfObjectCreate", answer)
        else:
            self._object = _texture(spec.name, resource, texels.sampling)
        self.argument = int(self._object)

    def fits(self, spec: Buffer, guarded: bool) -> bool:
        """Returns whether this array does for another argument, too."""
        return (self.spec.element, self._texels) == (spec.element, spec.texels)

    def restore(self) -> None:
        """Undoes the kernel's changes: the content is as before the first launch."""
        if self.spec.direction is Direction.INOUT and self._original is not None:
            with doing(f"restoring '{self.spec.name}'"):
                self._copy(self._original, self._array)

    def guard(self) -> None:
        """Does nothing: a surface has no address that a kernel could go beyond."""

    def strays(self) -> tuple[OutOfBoundsWrite, ...]:
        """Returns none: see `guard`."""
        return ()

    def copy_to(self, target: np.ndarray[Any, Any]) -> None:
        """Copies the content into an array of as many bytes."""
        with doing(f"reading '{self.spec.name}'"):
            self._copy(self._array, target)
            self._stream.sync()

    def pieces(self) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
        """Yields the content as a single piece: 0, and the bytes."""
        content = np.empty(self.spec.bytes, np.uint8)
        self.copy_to(content)
        yield 0, content

    def close(self) -> None:
        """Gives texture or surface and array back."""
        with doing(f"giving '{self.spec.name}' back"):
            if self._texels.is_surface:
                checked("cuSurfObjectDestroy", driver.cuSurfObjectDestroy(self._object))
            else:
                checked("cuTexObjectDestroy", driver.cuTexObjectDestroy(self._object))
            for array in (self._original, self._array):
                if array is not None:
                    checked("cuArrayDestroy", driver.cuArrayDestroy(array))

    def _put(self, prepared: Path | None) -> None:
        self._upload(content_of(self.spec, prepared))

    def _poison(self, byte: int) -> None:
        self._upload(np.full(self.spec.bytes, byte, np.uint8))

    def _upload(self, content: np.ndarray[Any, Any]) -> None:
        self._copy(content, self._array)
        self._stream.sync()

    def _keep_original(self) -> None:
        if self._original is None:
            self._original = _array(self.spec, self._texels)
        self._copy(self._array, self._original)

    def _copy(self, source: Any, target: Any) -> None:
        """Puts a copy into the stream; either side is a CUDA array or a NumPy array."""
        width, height, depth = self._texels.extent
        is_deep = len(self._texels.shape) == _AXES
        copy = driver.CUDA_MEMCPY3D() if is_deep else driver.CUDA_MEMCPY2D()
        row = width * self.spec.element.size
        for side, array in (("src", source), ("dst", target)):
            if isinstance(array, np.ndarray):
                memory = driver.CUmemorytype.CU_MEMORYTYPE_HOST
                setattr(copy, f"{side}Host", array.ctypes.data)
                setattr(copy, f"{side}Pitch", row)
                if is_deep:
                    setattr(copy, f"{side}Height", height)
            else:
                memory = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY
                setattr(copy, f"{side}Array", array)
            setattr(copy, f"{side}MemoryType", memory)
        copy.WidthInBytes, copy.Height = row, height
        if is_deep:
            copy.Depth = depth
            checked("cuMemcpy3DAsync", driver.cuMemcpy3DAsync(copy, self._handle))
        else:
            checked("cuMemcpy2DAsync", driver.cuMemcpy2DAsync(copy, self._handle))


def _format(element: Type) -> tuple[Any, int]:
    """Returns the format of a channel and how many a texel has."""
    channels = channels_of(element)
    assert channels is not None
    channel, count = channels
    return getattr(driver.CUarray_format, CHANNEL_FORMATS[channel.dtype]), count


def _array(spec: Buffer, texels: Texels) -> Any:
    """Returns a new CUDA array for texels.

    Raises:
        GpuError: There is not enough memory, or the driver refuses it.
    """
    wanted = driver.CUDA_ARRAY3D_DESCRIPTOR()
    # What has no such axis has no extent along it.
    wanted.Width, wanted.Height, wanted.Depth = (*texels.shape, 0, 0)[:_AXES]
    wanted.Format, wanted.NumChannels = _format(spec.element)
    for flag in texels.driver_flags:
        wanted.Flags |= getattr(driver, flag)
    with doing(f"allocating {spec.bytes:,} bytes for '{spec.name}'"):
        (array,) = checked("cuArray3DCreate", driver.cuArray3DCreate(wanted))
    return array


def _texture(name: str, resource: Any, sampling: Sampling) -> Any:
    """Returns a new texture object.

    Raises:
        GpuError: The driver refuses it.
    """
    wanted = driver.CUDA_TEXTURE_DESC()
    wanted.addressMode = [getattr(driver.CUaddress_mode, m) for m in sampling.driver_modes]
    wanted.filterMode = getattr(driver.CUfilter_mode, sampling.driver_filter)
    for flag in sampling.driver_flags:
        wanted.flags |= getattr(driver, flag)
    with doing(f"making the texture '{name}'"):
        answer = driver.cuTexObjectCreate(resource, wanted, None)
        (texture,) = checked("cuTexObjectCreate", answer)
    return texture
