"""Starts a kernel, once or to be timed.

cuda.core's `launch` takes no struct and no half by value yet (NVIDIA/cuda-python#2343), so the
parameters go to `cuLaunchKernelEx` as the bytes they are; everything around it is cuda.core's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, EventOptions, Kernel, Stream

from jitstudio.core.launch.request import LaunchConfig, LaunchRequest
from jitstudio.core.launch.result import Timing
from jitstudio.toolchain.driver import GpuError, checked, doing
from jitstudio.toolchain.gpu.buffers import DeviceMemory
from jitstudio.toolchain.gpu.kernels import function_of

_TIMED = EventOptions(timing_enabled=True)


class KernelLaunch:
    """A kernel with configuration and arguments, ready to be started.

    Raises:
        GpuError: The kernel is not on the current GPU.
    """

    def __init__(
        self,
        request: LaunchRequest,
        kernel: Kernel,
        buffers: dict[str, DeviceMemory],
        stream: Stream,
    ) -> None:
        self._stream = stream
        self._function = function_of(kernel)
        self._config = _driver_config(request.config, stream)
        # Both must live as long as the launch: the driver is given their addresses.
        self._space = _parameter_space(request, buffers)
        base = self._space.ctypes.data
        self._pointers = np.array([base + a.offset for a in request.slots], np.uint64)

    def start(self) -> None:
        """Puts the launch into the stream, without waiting.

        Raises:
            GpuError: The driver refuses it.
        """
        with doing("launching the kernel"):
            pointers = self._pointers.ctypes.data if self._pointers.size else 0
            answer = driver.cuLaunchKernelEx(self._config, self._function, pointers, 0)
            checked("cuLaunchKernelEx", answer)

    def wait(self) -> None:
        """Waits for the end of the launch.

        Raises:
            GpuError: The kernel has failed.
        """
        with doing("running the kernel"):
            self._stream.sync()


def time_launches(
    launch: KernelLaunch,
    device: Device,
    stream: Stream,
    request: LaunchRequest,
    prepare: Callable[[], None],
) -> Timing | None:
    """Launches as often as asked, with an event before and behind each timed launch.

    Args:
        launch: What to start.
        device: Where.
        stream: In which stream.
        request: How often.
        prepare: Makes the buffers as they were before the first launch; not timed.

    Raises:
        GpuError: The kernel has failed.
    """
    if not request.repeats:
        return None
    scrub = _scrub(device, stream, needed=request.flush_l2)
    with doing("timing the kernel"):
        if scrub is not None:
            # A head start: the GPU must never wait for us between the two events of a launch, or
            # a short kernel would seem as long as Python takes to start it.
            for _ in range(request.warmup + request.repeats):
                scrub.start()
        for _ in range(request.warmup):
            prepare()
            launch.start()
        pairs = []
        for _ in range(request.repeats):
            prepare()
            if scrub is not None and request.flush_l2:
                scrub.start()
            begin = stream.record(options=_TIMED)
            launch.start()
            pairs.append((begin, stream.record(options=_TIMED)))
    launch.wait()
    if scrub is not None:
        scrub.close()
    return Timing(tuple(float(end - begin) for begin, end in pairs))


def _scrub(device: Device, stream: Stream, needed: bool) -> _Scrub | None:
    """Returns a scrub; None where memory is lacking and the scrub not asked for."""
    try:
        return _Scrub(device, stream)
    except GpuError as error:
        if needed or error.error.fatal:
            raise
        return None


class _Scrub:
    """Overwrites the L2 cache by writing twice the size, which takes some time."""

    def __init__(self, device: Device, stream: Stream) -> None:
        self._stream = stream
        size = max(1 << 20, 2 * int(device.properties.l2_cache_size))
        with doing("allocating memory to overwrite the L2 cache"):
            self._memory = device.allocate(size, stream=stream)

    def start(self) -> None:
        self._memory.fill(0, stream=self._stream)

    def close(self) -> None:
        self._memory.close()


def _parameter_space(
    request: LaunchRequest, buffers: dict[str, DeviceMemory]
) -> np.ndarray[Any, Any]:
    """Returns the bytes of the parameters, each in place."""
    addresses = {name: memory.argument for name, memory in buffers.items()}
    return np.frombuffer(bytearray(request.parameter_space(addresses) or b"\0"), np.uint8)


def _driver_config(config: LaunchConfig, stream: Stream) -> Any:
    driver_config = driver.CUlaunchConfig()
    driver_config.gridDimX, driver_config.gridDimY, driver_config.gridDimZ = config.grid
    driver_config.blockDimX, driver_config.blockDimY, driver_config.blockDimZ = config.block
    driver_config.sharedMemBytes = config.shared
    driver_config.hStream = driver.CUstream(int(stream.handle))
    attributes = []
    if config.cluster:
        cluster = driver.CUlaunchAttribute()
        cluster.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        size = cluster.value.clusterDim
        size.x, size.y, size.z = config.cluster
        attributes.append(cluster)
    if config.cooperative:
        together = driver.CUlaunchAttribute()
        together.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
        together.value.cooperative = 1
        attributes.append(together)
    driver_config.attrs = attributes
    driver_config.numAttrs = len(attributes)
    return driver_config
