"""What one launch leaves behind must not be seen by the next."""

from dataclasses import replace

import pytest

from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.core.launch.spec import LoadMode
from tests.launching import spec

pytestmark = pytest.mark.gpu

ADD = """\
extern "C" __global__ void add(int* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += 1;
}
"""
TICKET = """\
__device__ int ticket;
extern "C" __global__ void take(int* out) { *out = atomicAdd(&ticket, 1); }
"""
CHEATING = """\
extern "C" __global__ void cheat(const int* x, int* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { y[i] = x[i]; const_cast<int*>(x)[i] = -1; }
}
"""
HONEST = CHEATING.replace(" const_cast<int*>(x)[i] = -1;", "")
BOTH_SHARED = """\
extern "C" __global__ void fill(int* y) {
    __shared__ int fixed[10240];
    extern __shared__ int asked[];
    fixed[threadIdx.x] = threadIdx.x;
    asked[threadIdx.x] = 1;
    __syncthreads();
    y[threadIdx.x] = fixed[threadIdx.x] + asked[threadIdx.x];
}
"""
LARGE_CLUSTER = """\
#include <cooperative_groups.h>
extern "C" __global__ void __cluster_dims__(16) ranks(int* out) {
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) out[blockIdx.x] = cluster.block_rank();
}
"""
EMPTY_OUT = """\
extern "C" __global__ void nothing(float* out, int n) { }
"""


def test_an_inout_buffer_begins_anew_at_each_press(bench):
    request = bench.request(
        ADD, spec("add", "y=n:range:inout", "n=1000", cover="n", expectations=("y + 1",))
    )
    for _ in range(3):
        result = bench.launcher.launch(request)
        assert result.ok, result


def test_a_global_variable_begins_anew_at_each_press(bench):
    launch = spec(
        "take", "out=1:zeros:out", grid="1", block="1", poison=False, expectations=("out = 0",)
    )
    request = bench.request(TICKET, launch)
    for _ in range(3):
        assert bench.launcher.launch(request).ok


def test_what_a_kernel_wrote_into_an_input_is_not_there_for_the_next(bench):
    arguments = ("x=n:range", "y=n:zeros:out", "n=1000")
    bad = spec("cheat", *arguments, cover="n", expectations=("y = x",))
    assert bench.run(CHEATING, bad).ok
    assert bench.run(HONEST, bad).ok


def test_static_and_dynamic_shared_memory_add_up(bench):
    launch = spec("fill", "y=256:zeros:out", grid="1", shared="20480", expectations=("y = i + 1",))
    assert bench.run(BOTH_SHARED, launch).ok


def test_a_cluster_of_16_is_launched(bench):
    if not bench.devices.devices[0].limits.clusters:
        pytest.skip("this GPU has no clusters")
    launch = spec("ranks", "out=32:zeros:out", grid="32", block="32", expectations=("i % 16",))
    result = bench.run(LARGE_CLUSTER, launch)
    assert result.ok, result


def test_what_was_never_written_passes_no_check_against_zero(bench):
    launch = spec(
        "nothing", "out=n:zeros:out", "n=100", cover="n", expectations=("out = zeros(n)",)
    )
    result = bench.run(EMPTY_OUT, launch)
    assert result.outcome is LaunchOutcome.WRONG
    assert result.buffers[0].unwritten == 100


def test_ptx_for_an_older_gpu_runs_by_the_driver(bench):
    launch = spec("add", "y=n:range:inout", "n=64", cover="n", load=LoadMode.DRIVER_JIT)
    request = bench.request(ADD, launch)
    older = replace(request, code=request.code.replace(b"sm_90", b"sm_80"), counterpart=b"")
    assert bench.launcher.launch(older).ok
    # A cubin that cannot run here spoils nothing.
    assert bench.launcher.launch(replace(older, counterpart=b"no cubin")).ok


def test_a_random_range_that_is_none_is_refused(bench):
    launch = spec("add", "y=n:random(1,0,5000000000):inout", "n=64", cover="n")
    result = bench.run(ADD, launch)
    assert result.outcome is LaunchOutcome.REFUSED
    assert "random" in result.reason
    assert bench.run(ADD, replace(launch, arguments=(("y", "n:range"), ("n", "64")))).ok
