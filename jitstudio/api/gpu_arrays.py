"""Arrays in the memory of a GPU, copied to the host by the driver that the program has loaded.

An array with ``__cuda_array_interface__`` or DLPack is known by these alone. Its memory belongs to
this process, so that a worker could not read it: the copy is made here, by libcuda, which is loaded
already where there is such an array.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

_LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
_LEGACY_STREAM, _ANY_STREAM = 1, -1
_POINTER_CONTEXT, _POINTER_DEVICE = 1, 9
"""CU_POINTER_ATTRIBUTE_CONTEXT and _DEVICE_ORDINAL of cuda.h."""
_CUDA, _CUDA_MANAGED = 2, 13
"""Devices of dlpack.h: the memory of a GPU, and memory that host and GPU share."""
_ON_HOST = (1, 3)
"""Devices that NumPy reads: the host's memory, and such that CUDA has pinned."""
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
_BFLOAT = 4
"""Types of dlpack.h; the ones above are also the letters of NumPy."""


class GpuArrayError(ValueError):
    """An array of a GPU cannot be copied; the message says why."""


@dataclass(frozen=True)
class _Memory:
    """Elements at an address of a GPU, in C's order, once all work of a stream is done."""

    address: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    stream: int | None


def is_on_host(array: Any) -> bool:
    """Returns whether NumPy can read an array, as far as DLPack tells."""
    device = _device_of(array)
    return device is None or device in _ON_HOST


def _device_of(array: Any) -> int | None:
    """Returns the type of the device that an array lies on, by dlpack.h; None without DLPack."""
    device = getattr(array, "__dlpack_device__", None)
    return None if device is None else int(device()[0])


def copied_from_gpu(array: Any) -> np.ndarray[Any, Any]:
    """Returns the content of an array that lies on a GPU.

    Raises:
        GpuArrayError: The driver cannot copy it, or its elements are not in the order of C.
    """
    interface = None
    # PyTorch raises various errors for types that the interface cannot name, and DLPack can.
    with contextlib.suppress(Exception):
        interface = array.__cuda_array_interface__
    is_clear = interface is not None and not _is_nameless(interface)
    device = None if is_clear else _device_of(array)
    if interface is not None and device is None:
        return _copied(_by_interface(interface))
    if device is None:
        raise GpuArrayError("its package gives no access to it.")
    if device not in (_CUDA, _CUDA_MANAGED):
        raise GpuArrayError("it lies on a device that is neither this machine's nor NVIDIA's.")
    try:
        with _capsule(array) as tensor:
            return _copied(_by_dlpack(tensor))
    except GpuArrayError:
        raise
    except Exception as error:  # whatever a foreign package raises, such as of a gradient
        raise GpuArrayError(f"its package does not export it: {error}") from None


def _is_nameless(interface: dict[str, Any]) -> bool:
    """Returns whether the type is but a size: PyTorch's bfloat16 is ``<V2``, by DLPack a bfloat."""
    return "V" in interface["typestr"] and not interface.get("descr")


def _by_interface(interface: dict[str, Any]) -> _Memory:
    """Reads ``__cuda_array_interface__`` (Numba's documentation, versions 2 and 3)."""
    dtype, shape = np.dtype(interface["typestr"]), tuple(map(int, interface["shape"]))
    if interface.get("descr") and dtype.kind == "V":
        dtype = np.dtype(list(map(tuple, interface["descr"])))
    if interface.get("mask") is not None:
        raise GpuArrayError("a mask has no meaning to a kernel.")
    strides = interface.get("strides")
    _check_order(shape, None if strides is None else tuple(strides), dtype.itemsize)
    return _Memory(int(interface["data"][0] or 0), shape, dtype, interface.get("stream"))


class _Tensor(ctypes.Structure):
    """`DLTensor` of dlpack.h, the first member of `DLManagedTensor`."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


@contextlib.contextmanager
def _capsule(array: Any) -> Iterator[_Tensor]:
    """Yields the tensor of an array; the capsule, which nobody takes over, frees it afterwards."""
    # The array makes its own stream wait for nothing, and ours, the legacy one, for its work.
    capsule = array.__dlpack__(stream=_LEGACY_STREAM)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    address = pointer(capsule, b"dltensor")
    yield ctypes.cast(address, ctypes.POINTER(_Tensor)).contents
    del capsule


def _by_dlpack(tensor: _Tensor) -> _Memory:
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    size = tensor.bits // 8
    if tensor.lanes != 1 or (tensor.code not in _KINDS and tensor.code != _BFLOAT):
        raise GpuArrayError("its elements are of a type that NumPy has not.")
    if tensor.code == _BFLOAT:
        import ml_dtypes  # noqa: PLC0415 - few arrays need it

        dtype = np.dtype(ml_dtypes.bfloat16)
    else:
        dtype = np.dtype(f"{_KINDS[tensor.code]}{size}")
    strides = None
    if tensor.strides:
        strides = tuple(tensor.strides[axis] * size for axis in range(tensor.ndim))
    _check_order(shape, strides, size)
    return _Memory((tensor.data or 0) + tensor.byte_offset, shape, dtype, _LEGACY_STREAM)


def _check_order(shape: tuple[int, ...], strides: tuple[int, ...] | None, size: int) -> None:
    """Refuses elements that are not in the order of C, one behind the other."""
    step = size
    if 0 in shape:
        return
    for extent, stride in zip(reversed(shape), reversed(strides or ()), strict=False):
        if extent > 1 and stride != step:
            raise GpuArrayError(
                "its elements do not lie one after the other in the order of C, so that a kernel "
                "would count them in another order. Make a contiguous copy of it."
            )
        step *= extent


def _copied(memory: _Memory) -> np.ndarray[Any, Any]:
    content = np.empty(memory.shape, memory.dtype)
    if not content.nbytes:
        return content
    try:
        driver = ctypes.CDLL(_LIBRARY)
    except OSError as error:
        raise GpuArrayError(f"the driver that would copy it cannot be loaded: {error}.") from None
    address = ctypes.c_uint64(memory.address)
    with _context(driver, address):
        # Of no stream, the array says that it is complete.
        if memory.stream is not None and memory.stream != _ANY_STREAM:
            _call(driver, "cuStreamSynchronize", ctypes.c_void_p(memory.stream))
        size = ctypes.c_size_t(content.nbytes)
        _call(driver, "cuMemcpyDtoH_v2", ctypes.c_void_p(content.ctypes.data), address, size)
    return content


@contextlib.contextmanager
def _context(driver: ctypes.CDLL, address: ctypes.c_uint64) -> Iterator[None]:
    """Makes the context of an address current for the block.

    Memory of a pool (`cuMemAllocAsync`) and virtual memory (`cuMemMap`) belong to no context: they
    are copied in the primary one of their device.
    """
    context, device = ctypes.c_void_p(), ctypes.c_int()
    attribute = ctypes.c_int(_POINTER_CONTEXT)
    _call(driver, "cuPointerGetAttribute", ctypes.byref(context), attribute, address)
    is_pooled = not context.value
    if is_pooled:
        attribute = ctypes.c_int(_POINTER_DEVICE)
        _call(driver, "cuPointerGetAttribute", ctypes.byref(device), attribute, address)
        _call(driver, "cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    try:
        _call(driver, "cuCtxPushCurrent_v2", context)
        try:
            yield
        finally:
            _call(driver, "cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
    finally:
        if is_pooled:
            _call(driver, "cuDevicePrimaryCtxRelease_v2", device)


def _call(driver: ctypes.CDLL, function: str, *arguments: Any) -> None:
    status = getattr(driver, function)(*arguments)
    if status:
        name = ctypes.c_char_p()
        driver.cuGetErrorName(status, ctypes.byref(name))
        words = (name.value or b"error %d" % status).decode("ascii", "replace")
        raise GpuArrayError(f"the driver cannot copy it: {function} gives {words}.")
