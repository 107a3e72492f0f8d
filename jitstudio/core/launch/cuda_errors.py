"""The CUDA driver's errors and their meaning for the user of a kernel.

The names and their meaning are those of `CUresult` in the CUDA Driver API's reference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = re.compile(r"CUDA_ERROR_[A-Z0-9_]+")
_KEPT = "Your form and your text are kept, and the next launch runs in a fresh process."


@dataclass(frozen=True)
class CudaError:
    """An error of the driver.

    Attributes:
        name: Such as ``CUDA_ERROR_ILLEGAL_ADDRESS``.
        meaning: What happened; a clause without its full stop.
        remedy: Why, and what to do; sentences.
        fatal: Whether the process can launch nothing any more.
    """

    name: str
    meaning: str
    remedy: str
    fatal: bool = False


def name_in(text: str) -> str:
    """Returns the first name of an error in a text; empty where there is none."""
    match = _NAME.search(text)
    return match[0] if match else ""


def cuda_error(name: str) -> CudaError:
    """Returns the error of this name; a name that is missing in the table is taken to be fatal."""
    known = _ERRORS.get(name.removeprefix("CUDA_ERROR_"))
    if known is not None:
        return known
    advice = f"Look for {name} in the reference of the CUDA driver."
    return CudaError(name, "the driver reports an error", advice, fatal=True)


_ROWS = (
    CudaError(
        "ILLEGAL_ADDRESS",
        "the kernel read or wrote memory that is not its own",
        "Most often an index runs past the end of a buffer, or a pointer is null: check the bound "
        "(if (i < n)), the length of each buffer and the order of the arguments. Run it under "
        f"memcheck to see the line. {_KEPT}",
        True,
    ),
    CudaError(
        "ASSERT",
        "an assert in the kernel failed",
        f"The console tells the line, the block and the thread. {_KEPT}",
        True,
    ),
    CudaError(
        "MISALIGNED_ADDRESS",
        "the kernel read or wrote at an address that its type does not allow",
        "A float4 needs a multiple of 16 bytes, a double one of 8: look at casts of pointers and "
        f"at offsets into shared memory. {_KEPT}",
        True,
    ),
    CudaError(
        "ILLEGAL_INSTRUCTION",
        "the kernel met an instruction that this GPU does not have",
        "Was it built for another architecture, or did it jump through a broken function pointer? "
        f"{_KEPT}",
        True,
    ),
    CudaError(
        "INVALID_ADDRESS_SPACE",
        "an instruction for one kind of memory was given an address in another",
        f"Look at asm statements and casts between shared and global addresses. {_KEPT}",
        True,
    ),
    CudaError(
        "INVALID_PC",
        "the kernel jumped to where there is no code",
        f"A function pointer was overwritten, or taken on the host. {_KEPT}",
        True,
    ),
    CudaError(
        "HARDWARE_STACK_ERROR",
        "the call stack of a thread overflowed or was overwritten",
        "Deep recursion or a write past the end of a local array does this. Where no compiler "
        "knows the stack, a thread has 1,024 bytes; host code asks for more by cudaDeviceSetLimit("
        f"cudaLimitStackSize, BYTES). {_KEPT}",
        True,
    ),
    CudaError(
        "LAUNCH_FAILED",
        "the kernel was ended by a fault that the driver has no closer name for",
        "Writes out of bounds in shared or local memory are the usual cause, __trap(), and "
        f"grid.sync() without a cooperative launch. Run it under memcheck. {_KEPT}",
        True,
    ),
    CudaError(
        "LAUNCH_TIMEOUT",
        "the system ended the kernel because it ran for too long",
        "This GPU also drives a display, which must not freeze. Do less per launch, or use a GPU "
        f"without a display. {_KEPT}",
        True,
    ),
    CudaError(
        "LAUNCH_OUT_OF_RESOURCES",
        "a block needs more than one multiprocessor has",
        "Registers per thread times threads per block must fit: use smaller blocks, "
        "__launch_bounds__ (.maxntid in PTX), or -maxrregcount.",
    ),
    CudaError(
        "COOPERATIVE_LAUNCH_TOO_LARGE",
        "not all blocks of the cooperative launch fit on the GPU at the same time",
        "Use fewer blocks: at most the blocks per multiprocessor that the panel shows, times the "
        "multiprocessors. Let each thread do more with a grid-stride loop.",
    ),
    CudaError(
        "INVALID_CLUSTER_SIZE",
        "the cluster is too large, or the grid is no multiple of it",
        "Up to 8 blocks per cluster work everywhere from sm_90 on; shared memory and registers "
        "may allow fewer.",
    ),
    CudaError(
        "INVALID_VALUE",
        "the driver does not take one of the numbers of the launch",
        "Check grid, block, cluster and dynamic shared memory against the limits of the GPU.",
    ),
    CudaError(
        "OUT_OF_MEMORY",
        "the GPU has not enough free memory",
        "Use shorter buffers, another GPU, or end what else runs on this one.",
    ),
    CudaError(
        "NO_BINARY_FOR_GPU",
        "the code was built for a GPU that this one is not",
        "A cubin runs on GPUs of the same major compute capability and at least its minor one; an "
        "'a' target on exactly that one. Build for this GPU's architecture.",
    ),
    CudaError(
        "UNSUPPORTED_PTX_VERSION",
        "this driver is older than the compiler that wrote the PTX",
        "PTX carries the version of its compiler, and a driver takes none newer than its own. "
        "Launch the cubin instead, which has no such limit, or update the driver.",
    ),
    CudaError(
        "INVALID_PTX",
        "the driver's compiler refuses the PTX",
        "Its log tells the line. Does the target of the PTX fit this GPU?",
    ),
    CudaError(
        "INVALID_IMAGE",
        "what was to be loaded is no code that the driver knows",
        "Build again; a cubin of a newer toolkit may need a newer driver.",
    ),
    CudaError(
        "NOT_FOUND",
        "there is no kernel of this name in the code",
        "Templates need a name expression to be made at all; build again and choose the kernel.",
    ),
    CudaError(
        "JIT_COMPILER_NOT_FOUND",
        "the driver's PTX compiler is not installed",
        "Launch the cubin instead, or install the library libnvidia-ptxjitcompiler of the driver.",
    ),
    CudaError(
        "NOT_SUPPORTED",
        "this GPU or driver cannot do what was asked for",
        "Clusters need sm_90, cooperative launches sm_60; look at the configuration.",
    ),
    CudaError(
        "ECC_UNCORRECTABLE",
        "the GPU's memory has a defect that could not be corrected",
        "The fault is not the kernel's. Use another GPU and have this one looked at.",
        True,
    ),
    CudaError(
        "DEVICE_UNAVAILABLE",
        "the GPU is taken by another process or is being reset",
        "Wait, or use another GPU; its compute mode may allow one process only.",
    ),
    CudaError(
        "SYSTEM_DRIVER_MISMATCH",
        "the driver's kernel module and its library are of different versions",
        "Restart the machine after an update of the driver.",
        True,
    ),
)
_ERRORS = {
    row.name: CudaError(f"CUDA_ERROR_{row.name}", row.meaning, row.remedy, row.fatal)
    for row in _ROWS
}
