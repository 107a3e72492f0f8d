"""Runs launches on the GPU that is here, by the bare driver: NumPy and cuda-bindings are enough."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from cuda.bindings import driver
from numpy.typing import NDArray

from tests.simulator.running import parameter_bytes

Size = tuple[int, int, int]
_NAME = driver.CUlaunchAttributeID


def checked(answer: Sequence[Any]) -> Any:
    """What a call of the driver returns, which must be no error."""
    error, *rest = answer
    assert error == driver.CUresult.CUDA_SUCCESS, error
    return rest[0] if rest else None


@cache
def _ready() -> None:
    """Makes the primary context of the first GPU current, once for the process or after a fault."""
    checked(driver.cuInit(0))
    context = checked(driver.cuDevicePrimaryCtxRetain(checked(driver.cuDeviceGet(0))))
    checked(driver.cuCtxSetCurrent(context))
    checked(driver.cuCtxSetLimit(driver.CUlimit.CU_LIMIT_STACK_SIZE, 16 << 10))


def compute_capability() -> tuple[int, int]:
    """That of the first GPU."""
    _ready()
    device, attribute = checked(driver.cuDeviceGet(0)), driver.CUdevice_attribute
    return (
        checked(driver.cuDeviceGetAttribute(
            attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)),
        checked(driver.cuDeviceGetAttribute(
            attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device)),
    )  # fmt: skip


class GpuModule:
    """PTX or a cubin on the GPU.

    Args:
        code: It.
        level: How far the driver's compiler optimises PTX, from 0 to 4.
    """

    def __init__(self, code: bytes, level: int = 4) -> None:
        _ready()
        names = [driver.CUjit_option.CU_JIT_OPTIMIZATION_LEVEL]
        loaded = driver.cuModuleLoadDataEx(code + b"\0", len(names), names, [level])
        self._module = checked(loaded)

    def launch(
        self,
        kernel: str,
        grid: Size,
        block: Size,
        arguments: Sequence[Any],
        *,
        shared_bytes: int = 0,
        cluster: Size | None = None,
        cooperative: bool = False,
    ) -> list[NDArray[Any]]:
        """Returns the arrays among the arguments as the kernel has left them."""
        function = checked(driver.cuModuleGetFunction(self._module, kernel.encode()))
        attribute = driver.CUfunction_attribute
        if shared_bytes > 48 << 10:
            most = attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            checked(driver.cuFuncSetAttribute(function, most, shared_bytes))
        large = attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
        checked(driver.cuFuncSetAttribute(function, large, 1))
        arrays = [np.ascontiguousarray(a) for a in arguments if isinstance(a, np.ndarray)]
        places = [checked(driver.cuMemAlloc(max(a.nbytes, 1))) for a in arrays]
        for at, a in zip(places, arrays, strict=True):
            checked(driver.cuMemcpyHtoD(at, a.ctypes.data, a.nbytes))
        given = np.frombuffer(parameter_bytes(arguments, [int(at) for at in places]), np.uint8)
        pointers = np.array(_offsets(arguments), np.uint64) + np.uint64(given.ctypes.data)
        config = driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = grid
        config.blockDimX, config.blockDimY, config.blockDimZ = block
        config.sharedMemBytes = shared_bytes
        config.attrs = list(_attributes(cluster, cooperative))
        config.numAttrs = len(config.attrs)
        checked(driver.cuLaunchKernelEx(config, function, pointers.ctypes.data, 0))
        try:
            checked(driver.cuCtxSynchronize())
        except AssertionError:
            driver.cuDevicePrimaryCtxReset(checked(driver.cuDeviceGet(0)))
            _ready.cache_clear()
            raise
        results = [np.empty_like(a) for a in arrays]
        for at, a in zip(places, results, strict=True):
            checked(driver.cuMemcpyDtoH(a.ctypes.data, at, a.nbytes))
            checked(driver.cuMemFree(at))
        return results

    def close(self) -> None:
        """Takes it off the GPU."""
        checked(driver.cuModuleUnload(self._module))


def _attributes(cluster: Size | None, cooperative: bool) -> list[Any]:
    made = []
    if cluster:
        attribute = driver.CUlaunchAttribute()
        attribute.id = _NAME.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        dim = attribute.value.clusterDim
        dim.x, dim.y, dim.z = cluster
        made.append(attribute)
    if cooperative:
        attribute = driver.CUlaunchAttribute()
        attribute.id = _NAME.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
        attribute.value.cooperative = 1
        made.append(attribute)
    return made


def _offsets(arguments: Sequence[Any]) -> list[int]:
    """Where each parameter begins; see `parameter_bytes`."""
    offsets, end = [], 0
    for argument in arguments:
        size = 8 if isinstance(argument, np.ndarray) else argument.nbytes
        end += -end % (size & -size)
        offsets.append(end)
        end += size
    return offsets
