"""What is read of arrays of GPUs before their driver copies them, by arrays that NumPy describes.

`tests/worker/gpu/test_python_arrays.py` copies from a GPU.
"""

import ctypes
import sys

import ml_dtypes
import numpy as np
import pytest

from jitstudio.api.arrays import as_numpy, is_array
from jitstudio.api.gpu_arrays import GpuArrayError, _by_dlpack, _by_interface, _capsule, _copied
from jitstudio.command_options.values import UsageError


class Exported:
    """An array as a package of a GPU exports it: by DLPack, for a stream."""

    def __init__(self, array, device=2):
        self.array, self.device = array, device

    def __dlpack__(self, stream):
        assert stream == 1
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.device, 0


class Interface:
    def __init__(self, interface):
        self.__cuda_array_interface__ = interface


@pytest.mark.parametrize("kind", ["i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16", "?"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4), (1, 5), (0, 3)])
def test_dlpack_says_what_numpy_says(kind, shape):
    array = np.zeros(shape, kind)
    held = sys.getrefcount(array)
    with _capsule(Exported(array)) as tensor:
        memory = _by_dlpack(tensor)
        assert sys.getrefcount(array) > held
    assert (memory.shape, memory.dtype) == (array.shape, array.dtype)
    assert not array.size or memory.address == array.ctypes.data
    del tensor
    assert sys.getrefcount(array) == held


def test_a_part_begins_where_it_begins():
    array = np.arange(12, dtype=np.int32).reshape(4, 3)
    with _capsule(Exported(array[2:])) as tensor:
        memory = _by_dlpack(tensor)
    assert ctypes.cast(memory.address, ctypes.POINTER(ctypes.c_int32))[0] == 6


@pytest.mark.parametrize("array", [np.zeros((3, 4)).T, np.zeros(8)[::2], np.zeros((4, 4))[:, :2]])
def test_another_order_is_refused(array):
    with _capsule(Exported(array)) as tensor, pytest.raises(GpuArrayError, match="order of C"):
        _by_dlpack(tensor)
    interface = array.__array_interface__ | {"version": 3, "strides": array.strides}
    with pytest.raises(GpuArrayError, match="order of C"):
        _by_interface(interface)


def test_the_interface_of_numba_and_cupy_is_read():
    array = np.zeros((2, 3), np.float32)
    memory = _by_interface(array.__array_interface__ | {"version": 3, "stream": 7})
    assert (memory.address, memory.stream) == (array.ctypes.data, 7)
    assert (memory.shape, memory.dtype) == ((2, 3), np.float32)
    pairs = np.zeros(2, np.dtype([("a", np.int32), ("b", np.float32)]))
    assert _by_interface(pairs.__array_interface__).dtype == pairs.dtype
    with pytest.raises(GpuArrayError, match="mask"):
        _by_interface(array.__array_interface__ | {"mask": array})


def test_what_cannot_be_copied_is_a_sentence_about_the_argument():
    array = np.ones(4, np.float32)
    for thing in (Interface(array.__array_interface__), Exported(array)):
        assert is_array(thing)
        # There is no driver, or the address is none of a GPU's.
        with pytest.raises(UsageError, match=r"arguments\['x'\]: the driver"):
            as_numpy(thing, "arguments['x']")
    with pytest.raises(UsageError, match=r"expect: it lies on a device that is neither"):
        as_numpy(Exported(array, device=10), "expect")


def test_an_empty_array_needs_no_driver():
    empty = np.zeros((0, 3), np.float32)
    assert _copied(_by_interface(empty.__array_interface__)).shape == (0, 3)


def test_a_package_that_refuses_its_interface_is_asked_by_dlpack():
    class Tensor(Exported):
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("no name for bfloat16")

    assert is_array(Tensor(np.zeros(3)))
    with pytest.raises(UsageError, match=r"^x: "):
        as_numpy(Tensor(np.zeros(3), device=10), "x")

    class Bare:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("requires grad")

    with pytest.raises(UsageError, match="x: its package gives no access"):
        as_numpy(Bare(), "x")


def test_arrays_on_the_host_are_taken_by_each_protocol():
    array = np.arange(3, dtype=ml_dtypes.bfloat16)

    class OnlyDlpack:
        __dlpack__, __dlpack_device__ = np.arange(3.0).__dlpack__, np.arange(3.0).__dlpack_device__

    class OnlyArray:
        def __array__(self, dtype=None, copy=None):
            return array

    assert as_numpy(OnlyDlpack(), "x").tolist() == [0, 1, 2]
    assert as_numpy(OnlyArray(), "x") is array
    assert as_numpy(b"\x01\x02", "x").tolist() == [1, 2]
    for thing in (3, 2.5, "text", None, np.float32(1), np.array(1), np.ndarray, [1], {}):
        assert not is_array(thing)
