"""The NVIDIA driver: whether it is here, which GPUs it shows, and errors in a common spelling."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from cuda.bindings import driver
from cuda.pathfinder import DynamicLibNotFoundError

from jitstudio.core.launch.cuda_errors import CudaError, cuda_error, name_in
from jitstudio.core.launch.device import Device, DeviceLimits, DeviceList

_NO_DRIVER = (
    "No NVIDIA driver is installed. Compiling, linking and reading PTX and SASS work without one; "
    "launching a kernel does not."
)
_NO_DEVICE = (
    "The NVIDIA driver is here, but it shows no GPU. Is CUDA_VISIBLE_DEVICES set, or the GPU given "
    "to a container or a virtual machine? Compiling, linking and reading work without one."
)
_AXES = "XYZ"
# Names of `CUdevice_attribute`: CUDA Driver API, "Data types used by CUDA driver".
_NUMBERS = {
    "multiprocessors": "MULTIPROCESSOR_COUNT",
    "clock_khz": "CLOCK_RATE",
    "memory_clock_khz": "MEMORY_CLOCK_RATE",
    "memory_bus_bits": "GLOBAL_MEMORY_BUS_WIDTH",
    "l2_bytes": "L2_CACHE_SIZE",
}
_LIMITS = {
    "threads_per_block": "MAX_THREADS_PER_BLOCK",
    "registers_per_block": "MAX_REGISTERS_PER_BLOCK",
    "registers_per_multiprocessor": "MAX_REGISTERS_PER_MULTIPROCESSOR",
    "threads_per_multiprocessor": "MAX_THREADS_PER_MULTIPROCESSOR",
    "blocks_per_multiprocessor": "MAX_BLOCKS_PER_MULTIPROCESSOR",
    "shared_per_block": "MAX_SHARED_MEMORY_PER_BLOCK",
    "shared_per_block_optin": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "shared_per_multiprocessor": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "warp": "WARP_SIZE",
}
_ABILITIES = {"cooperative": "COOPERATIVE_LAUNCH", "clusters": "CLUSTER_LAUNCH"}
_AXIS_LIMITS = {"block": "MAX_BLOCK_DIM_", "grid": "MAX_GRID_DIM_"}


class DriverError(RuntimeError):
    """A driver call failed.

    Attributes:
        call: Such as ``cuInit``.
        error: Such as ``CUDA_ERROR_NO_DEVICE``.
    """

    def __init__(self, call: str, error: str) -> None:
        super().__init__(f"{call} answered {error}")
        self.call = call
        self.error = error


def why_unusable() -> str:
    """Returns why nothing can be launched; empty where something can. Asks no GPU about itself."""
    counted = _count()
    return counted.problem if isinstance(counted, DeviceList) else ""


def describe() -> DeviceList:
    """Initialises the driver and lists the GPUs, without making a context on any."""
    counted = _count()
    if isinstance(counted, DeviceList):
        return counted
    number, count = counted
    devices, problem = [], ""
    for ordinal in range(count):
        try:
            devices.append(_device(ordinal))
        except DriverError as error:
            problem = f"GPU {ordinal} cannot be used: {error}."
    return DeviceList(number, tuple(devices), "" if devices else problem)


def _count() -> tuple[str, int] | DeviceList:
    """Returns the CUDA version that the driver serves and how many GPUs there are; or why none."""
    try:
        (version,) = checked("cuDriverGetVersion", driver.cuDriverGetVersion())
        number = f"{version // 1000}.{version % 1000 // 10}"
        checked("cuInit", driver.cuInit(0))
        (count,) = checked("cuDeviceGetCount", driver.cuDeviceGetCount())
    except DriverError as error:
        if error.error == "CUDA_ERROR_NO_DEVICE":
            return DeviceList(number, problem=_NO_DEVICE)
        return DeviceList(problem=f"The NVIDIA driver is here, but {error}.")
    except (DynamicLibNotFoundError, RuntimeError):
        return DeviceList(problem=_NO_DRIVER)
    return (number, count) if count else DeviceList(number, problem=_NO_DEVICE)


def checked(call: str, answer: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the values of a driver call's answer, without the status.

    Raises:
        DriverError: The status is not success.
    """
    status, *values = answer
    if status != driver.CUresult.CUDA_SUCCESS:
        raise DriverError(call, getattr(status, "name", str(status)))
    return tuple(values)


def _device(ordinal: int) -> Device:
    (device,) = checked("cuDeviceGet", driver.cuDeviceGet(ordinal))
    (name,) = checked("cuDeviceGetName", driver.cuDeviceGetName(128, device))
    (memory,) = checked("cuDeviceTotalMem", driver.cuDeviceTotalMem(device))
    (uuid,) = checked("cuDeviceGetUuid", driver.cuDeviceGetUuid(device))

    def attribute(name: str) -> int:
        key = getattr(driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(checked("cuDeviceGetAttribute", driver.cuDeviceGetAttribute(key, device))[0])

    major, minor = attribute("COMPUTE_CAPABILITY_MAJOR"), attribute("COMPUTE_CAPABILITY_MINOR")
    limits: dict[str, Any] = {field: attribute(name) for field, name in _LIMITS.items()}
    limits |= {field: bool(attribute(name)) for field, name in _ABILITIES.items()}
    limits |= {
        field: tuple(attribute(prefix + axis) for axis in _AXES)
        for field, prefix in _AXIS_LIMITS.items()
    }
    return Device(
        ordinal=ordinal,
        # What follows the NUL is whatever the binding's buffer held before.
        name=name.partition(b"\0")[0].decode(),
        uuid=f"GPU-{UUID(bytes=bytes(uuid.bytes[:16]))}",
        capability=f"{major}.{minor}",
        memory=memory,
        memory_free=None,
        limits=DeviceLimits(**limits),
        **{field: attribute(name) for field, name in _NUMBERS.items()},
    )


_UNNAMED = "CUDA_ERROR_UNKNOWN"


class GpuError(RuntimeError):
    """The driver has refused something, or a kernel has failed.

    Attributes:
        error: Which error it was.
        doing: In the middle of what, as a phrase.
    """

    def __init__(self, error: CudaError, doing: str) -> None:
        super().__init__(f"{error.name} while {doing}: {error.meaning}.")
        self.error = error
        self.doing = doing


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Turns the errors of the block into a `GpuError` that says what was being done.

    Raises:
        GpuError: See above.
    """
    try:
        yield
    except DriverError as error:
        raise GpuError(cuda_error(error.error), what) from error
    # cuda.core's own class lies in a private module; its text begins with the driver's name.
    except Exception as error:
        name = name_in(str(error))
        if not name and type(error).__name__ != "CUDAError":
            raise
        raise GpuError(cuda_error(name or _UNNAMED), what) from error
