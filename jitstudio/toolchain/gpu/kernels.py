"""Loads code onto a GPU, asks the driver about kernels, and finds unwritten elements."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, Kernel, ObjectCode

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.cuda_errors import cuda_error
from jitstudio.core.launch.host_needs import DEFAULT_SHARED
from jitstudio.core.launch.request import LaunchConfig, ParameterSlot
from jitstudio.core.launch.result import KernelFacts
from jitstudio.toolchain.driver import GpuError, checked, doing
from jitstudio.toolchain.driver_jit import DriverCubin, assemble_here

_KEPT = 8
# Blocks that every GPU with clusters allows: CUDA C++ Programming Guide, "Thread Block
# Clusters".
_PORTABLE_CLUSTER = 8
_A = driver.CUfunction_attribute


@dataclass(frozen=True)
class LoadedCode:
    """Code on the GPU.

    Attributes:
        code: How cuda.core knows it.
        jit_log: What the driver's compiler said; empty for code that needs none.
    """

    code: ObjectCode
    jit_log: str


class JitError(GpuError):
    """The driver's compiler has refused PTX.

    Attributes:
        log: What it said.
    """

    def __init__(self, name: str, log: str) -> None:
        super().__init__(cuda_error(name), "assembling the PTX")
        self.log = log


class Library:
    """Loads code, and remembers the cubins that the driver's compiler has made of PTX.

    The code itself is loaded anew for each launch, so that its global variables are as they were.
    """

    def __init__(self) -> None:
        self._cubins: OrderedDict[bytes, DriverCubin] = OrderedDict()

    def load(self, code: bytes, kind: CodeKind) -> LoadedCode:
        """Loads code for the current GPU.

        Raises:
            GpuError: The driver refuses it.
        """
        log = ""
        if kind is CodeKind.PTX:
            assembled = self._assembled(code)
            log = "\n".join(text for text in (assembled.log, assembled.error_log) if text)
            if assembled.cubin is None:
                raise JitError(assembled.error, log)
            code = assembled.cubin
        load = ObjectCode.from_fatbin if kind is CodeKind.FATBIN else ObjectCode.from_cubin
        with doing("loading the code"):
            return LoadedCode(load(code), log)

    def _assembled(self, ptx: bytes) -> DriverCubin:
        key = sha256(ptx).digest()
        assembled = self._cubins.pop(key, None) or assemble_here(
            [("kernel.ptx", ptx)], ("-lineinfo",)
        )
        self._cubins[key] = assembled
        while len(self._cubins) > _KEPT:
            self._cubins.popitem(last=False)
        return assembled


def kernel_of(loaded: LoadedCode, name: str) -> Kernel:
    """Returns the kernel of this lowered name.

    Raises:
        GpuError: There is none, or the code does not fit the GPU: loading is lazy.
    """
    with doing(f"loading {name}"):
        return loaded.code.get_kernel(name)


def function_of(kernel: Kernel) -> Any:
    """Returns the kernel's handle for the driver's own calls, in the current context.

    Raises:
        GpuError: It is not loaded there.
    """
    with doing("loading the kernel"):
        handle = driver.CUkernel(int(kernel.handle))
        return checked("cuKernelGetFunction", driver.cuKernelGetFunction(handle))[0]


def allow(kernel: Kernel, config: LaunchConfig) -> None:
    """Asks for shared memory and clusters that a kernel gets on demand only.

    Raises:
        GpuError: The GPU has not that much shared memory, or no such clusters.
    """
    wanted = {}
    attributes = kernel.attributes
    if config.shared and attributes.shared_size_bytes + config.shared > DEFAULT_SHARED:
        wanted[_A.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = config.shared
    declared = (
        attributes.required_cluster_width,
        attributes.required_cluster_height,
        attributes.required_cluster_depth,
    )
    if max(prod(config.cluster or ()), prod(declared)) > _PORTABLE_CLUSTER:
        wanted[_A.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] = 1
    function = function_of(kernel)
    with doing("asking for shared memory and clusters"):
        for attribute, amount in wanted.items():
            checked("cuFuncSetAttribute", driver.cuFuncSetAttribute(function, attribute, amount))


def facts_of(kernel: Kernel, device: Device, config: LaunchConfig) -> KernelFacts:
    """Returns the driver's facts about a kernel, with the occupancy in this configuration.

    The kernel must have what the configuration asks for: see `allow`.

    Raises:
        GpuError: The driver does not say.
    """
    with doing("asking for the kernel's attributes"):
        attributes = kernel.attributes
        facts = KernelFacts(
            registers=attributes.num_regs,
            shared_bytes=attributes.shared_size_bytes,
            local_bytes=attributes.local_size_bytes,
            constant_bytes=attributes.const_size_bytes,
            max_threads=attributes.max_threads_per_block,
            binary_version=attributes.binary_version,
            ptx_version=attributes.ptx_version,
            # The driver gives no alignment.
            slots=tuple(ParameterSlot(info.offset, info.size, 1) for info in kernel.arguments_info),
        )
        return replace(facts, **_occupancy(kernel, device, config))


def _occupancy(kernel: Kernel, device: Device, config: LaunchConfig) -> dict[str, Any]:
    limits, threads = device.properties, config.threads_per_block
    if not 0 < threads <= limits.max_threads_per_block:
        return {}
    most = limits.max_threads_per_multiprocessor // limits.warp_size

    def resident(size: int) -> tuple[int, float]:
        """Blocks of this size on a multiprocessor, and the share of its warps."""
        asked = kernel.occupancy.max_active_blocks_per_multiprocessor(size, config.shared)
        return asked, asked * -(-size // limits.warp_size) / most

    blocks, occupancy = resident(threads)
    best = kernel.occupancy.max_potential_block_size(config.shared, 0).max_block_size
    return {
        "active_blocks": blocks,
        "occupancy": occupancy,
        "suggested_block": best,
        "suggested_occupancy": resident(best)[1],
    }


_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def poisoned(content: np.ndarray[Any, Any], size: int, poison: int) -> np.ndarray[Any, Any]:
    """Returns indices of the elements that still hold the poison in all of their bytes.

    Args:
        content: Bytes.
        size: Bytes of an element.
        poison: The byte.
    """
    word = _WORDS.get(size)
    if word is not None:
        pattern = word(int.from_bytes(bytes([poison]) * size, "little"))
        return np.flatnonzero(content.view(word) == pattern)
    return np.flatnonzero((content.reshape(-1, size) == poison).all(axis=1))
