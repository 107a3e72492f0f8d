"""The NVIDIA driver: is it here, what does it serve, which GPUs does it show."""

from __future__ import annotations

from typing import Any

from cuda.bindings import driver
from cuda.pathfinder import DynamicLibNotFoundError

from jitstudio.core.tools import DeviceInfo, DriverInfo

_MAJOR = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
_MINOR = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
_NO_DRIVER = (
    "No NVIDIA driver is installed. Compiling, linking and reading PTX and SASS work without one; "
    "launching a kernel does not."
)


class _DriverError(RuntimeError):
    """A driver call failed."""


def describe() -> DriverInfo:
    """Initialise the driver and list the GPUs, without making a context on any."""
    try:
        (version,) = _checked("cuDriverGetVersion", driver.cuDriverGetVersion())
        cuda_version = f"{version // 1000}.{version % 1000 // 10}"
        _checked("cuInit", driver.cuInit(0))
        (count,) = _checked("cuDeviceGetCount", driver.cuDeviceGetCount())
        return DriverInfo(cuda_version, tuple(_device(ordinal) for ordinal in range(count)))
    except (DynamicLibNotFoundError, RuntimeError) as error:
        if isinstance(error, _DriverError):
            return DriverInfo(problem=f"The NVIDIA driver is here, but {error}.")
        return DriverInfo(problem=_NO_DRIVER)


def _device(ordinal: int) -> DeviceInfo:
    (device,) = _checked("cuDeviceGet", driver.cuDeviceGet(ordinal))
    (name,) = _checked("cuDeviceGetName", driver.cuDeviceGetName(128, device))
    (memory,) = _checked("cuDeviceTotalMem", driver.cuDeviceTotalMem(device))
    major, minor = (
        _checked("cuDeviceGetAttribute", driver.cuDeviceGetAttribute(attribute, device))[0]
        for attribute in (_MAJOR, _MINOR)
    )
    # What follows the NUL is whatever the binding's buffer held before.
    readable = name.partition(b"\0")[0].decode()
    return DeviceInfo(ordinal, readable, f"{major}.{minor}", memory)


def _checked(call: str, answer: tuple[Any, ...]) -> tuple[Any, ...]:
    status, *values = answer
    if status != driver.CUresult.CUDA_SUCCESS:
        raise _DriverError(f"{call} answered {status.name}")
    return tuple(values)
