"""Kernels as the Report pane reads them, built by the real tools."""

from functools import cache

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.gui.features.report.model import KernelReading, read
from jitstudio.toolchain.disassembly import read_cubin
from jitstudio.worker.builder import Builder
from tests.support import cuda, request

SLOW_KERNEL = """\
extern "C" __global__ void __launch_bounds__(128) slow(const float* a, float* b, int n)
{
    __shared__ float tile[1024];
    tile[threadIdx.x] = a[threadIdx.x * 64];
    __syncthreads();
    b[threadIdx.x] = tile[threadIdx.x ^ 1] * 2.1;
}
"""
FAST_KERNEL = """\
extern "C" __global__ void fast(const float* a, float* b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] * 2.0f;
}
"""


@cache
def reading(text: str, target: str = "sm_90", told: str = "") -> KernelReading:
    """The only kernel of a source, read; `told` is the target that it is said to be for."""
    builder = Builder()
    try:
        built = builder.build(request(cuda(text), emit="cubin", arch=target))
    finally:
        builder.close()
    (cubin,) = (one for one in built.artifacts if one.kind is CodeKind.CUBIN)
    (function,) = read_cubin(cubin.content, cubin.file_name).functions
    return read(function, built.resources_of(function.name), Arch.parse(told or target))
