"""Runs launches of the simulator's tests on the GPU that is here, by the bare driver.

`python3 -m tests.simulator.on_gpu FIRST COUNT` compares random programs by as many processes as
there are cores, and prints those of which the GPU gives something else; with `record` for numbers
it prints the checksums of what the GPU gives for `forms`, as `h100_forms.json` has them. With
`python3 -m pytest -p tests.simulator.on_gpu` each kernel that a test runs must leave the same bits
on the GPU, too.
"""

from __future__ import annotations

import json
import os
import sys
import time
import zlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, wraps
from typing import Any

import numpy as np
from cuda.bindings import driver
from numpy.typing import NDArray

from tests.simulator import running
from tests.simulator.forms import FORMS, MATRIX_FORMS, Form, MatrixForm
from tests.simulator.programs import make_program
from tests.simulator.running import HEAD, Simulated, parameter_bytes
from tests.simulator.warp_group_forms import WARP_GROUP_FORMS, WarpGroupForm

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


_OPTIONS = {"shared_bytes", "cluster", "cooperative"}


def pytest_configure() -> None:
    """Has `running.run` compare what it runs with the GPU, before a test imports it."""
    simulated = running.run

    @wraps(simulated)
    def run(
        ptx: str, kernel: str, grid: Size, block: Size, *arguments: Any, **options: Any
    ) -> Simulated:
        done = simulated(ptx, kernel, grid, block, *arguments, **options)
        # Orders, observers, textures and what does not end well are the simulator's alone.
        bound = any(isinstance(argument, running.Texture) for argument in arguments)
        if options.keys() <= _OPTIONS and not (bound or done.result.races or done.result.faults):
            try:
                module = GpuModule(ptx.encode())
            except AssertionError:
                return done  # for another target
            for i, (got, wanted) in enumerate(
                zip(
                    module.launch(kernel, grid, block, arguments, **options),
                    done.arrays,
                    strict=True,
                )
            ):
                np.testing.assert_array_equal(
                    got.reshape(-1).view(np.uint8), wanted.reshape(-1).view(np.uint8), f"array {i}"
                )
            module.close()
        return done

    running.run = run


OPTIMISED = ", the same without optimisation"


def compared(seed: int) -> str:
    """Says where a GPU leaves something else than the simulator after a random program.

    Where it does not if the driver's compiler optimises nothing, that is said: then it is the
    optimiser that has changed the program.
    """
    program = make_program(seed)
    text = HEAD + program.ptx()
    out = np.zeros(program.output_words(), np.uint32)
    grid, block = (program.blocks, 1, 1), (program.threads, 1, 1)
    wanted = running.run(text, program.name, grid, block, program.inputs(), out).arrays[1]

    def left(level: int) -> NDArray[Any]:
        module = GpuModule(text.encode(), level)
        got: NDArray[Any] = module.launch(program.name, grid, block, [program.inputs(), out])[1]
        module.close()
        return got

    got = left(4)
    different = np.flatnonzero(got != wanted)
    if not different.size:
        return ""
    at = int(different[0])
    same = OPTIMISED if np.array_equal(left(0), wanted) else ""
    return (
        f"program {seed}: {different.size} words; word {at}: "
        f"GPU {got[at]:08x}, simulator {wanted[at]:08x}{same}"
    )


def main(first: int, count: int) -> int:
    """Compares random programs, prints what is different, returns how many are."""
    start = time.perf_counter()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(compared, range(first, first + count), chunksize=20)
        different = [text for text in found if text]
    print(*different, sep="\n")
    seconds = time.perf_counter() - start
    print(f"{count} random programs from {first} on: {len(different)} different, {seconds:.0f} s")
    return len(different)


def given(form: Form | MatrixForm | WarpGroupForm, module: GpuModule) -> NDArray[Any]:
    """What a GPU gives for a form of an instruction."""
    return module.launch(form.name, form.grid, form.block, form.arrays())[-1]


def record() -> str:
    """The checksum of what the GPU gives for each form, by name, as JSON with a line each."""
    sums = {}
    for form in (*FORMS, *MATRIX_FORMS, *WARP_GROUP_FORMS):
        module = GpuModule((HEAD + form.kernel()).encode())
        sums[form.name] = zlib.crc32(given(form, module).tobytes())
        module.close()
    return json.dumps(sums, indent=0)


if __name__ == "__main__":
    if sys.argv[1:] == ["record"]:
        print(record())
    else:
        sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]))))
