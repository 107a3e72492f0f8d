"""Kernels as the Report pane reads them, built by the real tools."""

from functools import cache

from jitstudio.analysis.reading_request import AnalysisRequest
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.cache.store import Store
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.gui.features.report.model import KernelReading, read
from jitstudio.worker.builder import Builder
from jitstudio.worker.code_readers import DisassemblyReader
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
    # Kept where all tests of windows keep what they make, and read once for all of them.
    builder, reader = Builder(store=Store()), DisassemblyReader(store=Store())
    try:
        built = builder.build(request(cuda(text), emit="cubin", arch=target))
        (cubin,) = (one for one in built.artifacts if one.kind is CodeKind.CUBIN)
        code = reader.analyse(AnalysisRequest(cubin.content, cubin.file_name))
    finally:
        builder.close()
        reader.close()
    assert isinstance(code, Disassembly)
    (function,) = code.functions
    return read(function, built.resources_of(function.name), Arch.parse(told or target))
