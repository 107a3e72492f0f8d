"""Kernels with every kind of flow for all targets, and all samples."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import pytest

from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.code import CodeKind
from tests.sample_builds import TARGETS, builds
from tests.support import cuda, request
from tests.tools import Tools

# ---- Kernels whose control flows in every way that CUDA C++ has

KERNELS = r"""
extern "C" __device__ __noinline__ float helper(float x, int n) {
    for (int i = 0; i < n; i++) x = x * x + sinf(x);
    return x;
}
extern "C" __global__ void loops(float* p, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            if (p[j] > s) s += p[j];
            else if (p[j] < -100) break;
        }
        if (s > 1e9f) return;
    }
    p[threadIdx.x] = s / p[1];
}
extern "C" __global__ void calls(float* p, int n) {
    p[threadIdx.x] = helper(p[threadIdx.x], n);
    if (n > 3) p[1] = helper(p[2], n * 2);
}
extern "C" __global__ void switches(int* p, int n) {
    int v = p[threadIdx.x];
    switch (n) {
        case 0: v = p[1]; break;
        case 1: v *= p[7] + 3; break;
        case 2: v /= p[3]; break;
        case 3: v ^= p[9]; p[3] = v; break;
        case 4: v = __popc(v); atomicAdd(p, v); break;
        case 5: p[5] = 3; return;
        case 6: v %= p[8]; break;
        case 7: asm volatile("trap;"); break;
    }
    p[threadIdx.x] = v;
}
extern "C" __global__ void slow(double* p, int n) {
    double x = p[threadIdx.x];
    for (int i = 0; i < n; i++) x = sqrt(sin(x) / p[i]);
    p[0] = x;
}
extern "C" __global__ void exits(int* p, int n) {
    if (threadIdx.x >= n) return;
    if (p[0] == 3) asm volatile("exit;");
    __syncthreads();
    while (p[threadIdx.x]) {
        if (p[1]) __syncwarp();
        p[threadIdx.x]--;
    }
}
extern "C" __global__ void crossed(int* p, int n) {
    int i = p[0];
    if (n & 1) goto second;
first:
    i += p[1];
    if (i > 100) return;
second:
    i *= p[2];
    p[3] = i;
    if (i < 1000) goto first;
}
typedef int (*Function)(int);
__device__ __noinline__ int three(int x) { return x * 3; }
__device__ __noinline__ int other(int x) { return x ? three(x - 1) + 1 : 0; }
__device__ Function table[2] = {three, other};
extern "C" __global__ void indirect(int* p, int n) {
    p[threadIdx.x] = table[n & 1](p[threadIdx.x]);
}
__device__ __noinline__ int again(int x) { return x < 2 ? x : again(x - 1) + again(x - 2); }
extern "C" __global__ void recursive(int* p) { p[threadIdx.x] = again(p[threadIdx.x]); }
extern "C" __global__ void empty() {}
extern "C" __global__ void endless(volatile int* p) {
    while (true) if (*p == 4) __nanosleep(100);
}
extern "C" __global__ void votes(int* p, int n) {
    int v = p[threadIdx.x];
    while (__any_sync(~0u, v < n)) {
        v += __shfl_xor_sync(~0u, v, 1) + p[v];
        if (v == 77) __trap();
    }
    p[threadIdx.x] = v;
    __brkpt();
    p[n] = 3;
}
"""


# Each more takes nvdisasm some seconds in all.
DEBUGGED = ("sm_90",)
SAMPLED = ("sm_120",)
EMIT = "ptx,cubin"


@dataclass
class Made:
    """What the real tools make of a source, and what nvdisasm says about it when it is asked."""

    what: str
    tools: Tools
    cubin: bytes
    ptx: tuple[str, ...]

    @cached_property
    def code(self) -> Disassembly:
        return self.tools.code(self.cubin)

    @cached_property
    def dot(self) -> str:
        return self.tools.printed(self.cubin, "-bbcfg", "-poff")

    def function(self, name):
        found = self.code.function(name)
        assert found is not None
        return found


@pytest.fixture(scope="session")
def made(tools):
    """All of them."""

    def one(what, asked):
        ptx = tuple(a.text for a in tools.build(asked).artifacts if a.kind is CodeKind.PTX)
        return Made(what, tools, tools.cubin(asked).content, ptx)

    return tuple(one(what, asked) for what, asked in _requests())


@pytest.fixture
def disassembled(made):
    """The same, read; two at a time, as nvdisasm takes its time to start."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda one: (one.code, one.dot), made))
    return made


@pytest.fixture
def kernels(made):
    """The kernels with every kind of flow for sm_90."""
    return next(one for one in made if one.what == "kernels sm_90")


def _requests():
    for target in TARGETS:
        yield f"kernels {target}", request(cuda(KERNELS), emit=EMIT, arch=target)
    for target in DEBUGGED:
        asked = request(cuda(KERNELS), emit=EMIT, arch=target, options=("-G",))
        yield f"kernels {target} -G", asked
    for build in builds(*SAMPLED):
        yield build.name, build.request
