"""Kernels that do what they should: arguments of all kinds, configurations, checks, timing."""

from dataclasses import replace

import numpy as np
import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.result import ConsoleText, LaunchOutcome
from jitstudio.core.launch.spec import LoadMode
from jitstudio.core.request import LinkMode
from tests.launching import cuda, spec
from tests.sample_launches import IDS, LAUNCHES, resolved
from tests.support import SAMPLES

# ---- Every sample runs as the launch panel offers it, by both links, on every GPU that is here

pytestmark = pytest.mark.gpu

SAXPY = """\
template <typename T>
__global__ void saxpy(T a, const T* x, T* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
COPY = """\
extern "C" __global__ void copy(const float* in, float* out, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
"""
FIELDS = """\
#include <cuda_fp16.h>
struct Inner { short s; double d; };
struct Params { char c; int n; float v[3]; Inner inner; };
extern "C" __global__ void fill(Params p, __half h, unsigned char b, double* out) {
    if (threadIdx.x || blockIdx.x) return;
    out[0] = p.c; out[1] = p.n; out[2] = p.v[0]; out[3] = p.v[1]; out[4] = p.v[2];
    out[5] = p.inner.s; out[6] = p.inner.d; out[7] = __half2float(h); out[8] = b;
}
"""
SHARED = """\
extern "C" __global__ void reverse(const int* x, int* y, int n) {
    extern __shared__ int held[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) held[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = held[n - 1 - i];
}
"""
CLUSTER = """\
#include <cooperative_groups.h>
extern "C" __global__ void ranks(int* out) {
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) out[blockIdx.x] = cluster.block_rank() * 100 + cluster.num_blocks();
}
"""
COOPERATIVE = """\
#include <cooperative_groups.h>
extern "C" __global__ void total(int* parts, int* sum, int blocks) {
    if (threadIdx.x == 0) parts[blockIdx.x] = blockIdx.x + 1;
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < blocks; ++i) *sum += parts[i];
}
"""
PRINTING = """\
extern "C" __global__ void hello(int n) {
    if (threadIdx.x < n) printf("hello from %d of block %d\\n", threadIdx.x, blockIdx.x);
}
"""


def _modules():
    names = ("apply_transform.cu", "user_transform.cu")
    return tuple(Source(n, CodeKind.CUDA, (SAMPLES / n).read_bytes()) for n in names)


@pytest.mark.parametrize("link", [LinkMode.PTX, LinkMode.LTO])
def test_the_linked_sample_is_right(bench, link):
    for device in range(len(bench.devices.devices)):
        launch = spec(
            "apply_transform",
            "in=n:random(3)",
            "out=n:zeros:out",
            "n=1000003",
            cover="n",
            expectations=("in * in + 1",),
        )
        result = bench.run(_modules(), launch, link=link, device=device)
        assert result.ok, result
        assert result.checks[0].count == 1_000_003
        assert result.buffers[1].unwritten == 0
        assert result.timing is not None
        assert len(result.timing.samples) == launch.repeats


@pytest.mark.parametrize(("type_name", "dtype"), [("float", "float32"), ("double", "float64")])
def test_a_template_runs_by_its_name_expression(bench, type_name, dtype):
    launch = spec(
        f"saxpy<{type_name}>",
        "a=2.5",
        "x=n:range",
        "y=n:constant(1):inout",
        "n=5000",
        cover="n",
        expectations=("y = a * x + y",),
    )
    result = bench.run(SAXPY, launch)
    assert result.ok, result
    held = np.load(result.buffers[1].path)
    assert held.dtype == dtype
    # The launches that were timed did not change what was checked and kept.
    assert held[10] == 26


def test_a_wrong_expectation_tells_where(bench):
    launch = spec(
        "saxpy<float>",
        "a=2",
        "x=n:range",
        "y=n:zeros:inout",
        "n=100",
        cover="n",
        expectations=("y = where(i < 50, a * x, 7)",),
    )
    result = bench.run(SAXPY, launch)
    assert result.outcome is LaunchOutcome.WRONG
    check = result.checks[0]
    assert (check.wrong, check.count) == (50, 100)
    assert check.mismatches[0].index == (50,)
    assert check.largest_absolute == 2 * 99 - 7


def test_a_struct_and_small_types_arrive_as_written(bench):
    launch = spec(
        "fill",
        "p={c=7, n=-8, v={1.5, 2.5, 3.5}, inner={s=-9, d=1e300}}",
        "h=0.333",
        "b=255",
        "out=9:zeros:out",
        block="32",
        grid="1",
        repeats=0,
    )
    result = bench.run(FIELDS, launch)
    assert result.ok, result
    expected = [7, -8, 1.5, 2.5, 3.5, -9, 1e300, float(np.float16(0.333)), 255]
    assert np.load(result.buffers[0].path).tolist() == expected


def test_shared_memory_above_48_kib_is_asked_for(bench):
    launch = spec(
        "reverse",
        "x=n:range",
        "y=n:zeros:out",
        "n=25000",
        grid="1",
        block="1024",
        shared="n*4",
        expectations=("y = x[::-1]",),
        absolute=0.0,
        relative=0.0,
    )
    result = bench.run(SHARED, launch)
    assert result.ok, result


def test_a_cluster_knows_its_blocks(bench):
    if not bench.devices.devices[0].limits.clusters:
        pytest.skip("this GPU has no clusters")
    launch = spec("ranks", "out=8:zeros:out", grid="8", block="32", cluster="4", repeats=0)
    result = bench.run(CLUSTER, launch)
    assert result.ok, result
    assert np.load(result.buffers[0].path).tolist() == [4, 104, 204, 304] * 2


def test_a_cooperative_kernel_meets_at_its_barrier(bench):
    launch = spec(
        "total",
        "parts=blocks:zeros:out",
        "sum=1:zeros:inout",
        "blocks=64",
        grid="blocks",
        block="64",
        cooperative=True,
        expectations=("sum = 64 * 65 // 2",),
    )
    result = bench.run(COOPERATIVE, launch)
    assert result.ok, result


def test_what_a_kernel_prints_comes_while_it_runs(bench):
    heard = []
    request = bench.request(PRINTING, spec("hello", "n=2", grid="2", block="32", repeats=0))
    result = bench.launcher.launch(request, on_event=heard.append)
    assert result.ok, result
    assert sorted(result.console.split("\n"))[1:] == [
        f"hello from {thread} of block {block}" for thread in (0, 1) for block in (0, 1)
    ]
    assert "".join(event.text for event in heard if isinstance(event, ConsoleText)) == (
        result.console
    )


def test_the_driver_tells_its_figures(bench):
    result = bench.run(COPY, spec("copy", "in=n", "out=n:zeros:out", "n=4096", cover="n"))
    facts = result.facts
    assert 4 <= facts.registers <= 64
    assert facts.binary_version == bench.devices.devices[0].number
    assert [(slot.offset, slot.size) for slot in facts.slots] == [(0, 8), (8, 8), (16, 8)]
    assert 0 < facts.occupancy <= 1
    assert 32 <= facts.suggested_block <= 1024
    assert result.moved_bytes == 2 * 4 * 4096
    assert result.bandwidth == result.moved_bytes / (result.timing.median / 1000)


def test_the_drivers_own_compiler_makes_the_same(bench):
    launch = spec(
        "copy", "in=n:random", "out=n:zeros:out", "n=4096", cover="n", expectations=("in",)
    )
    by_cubin = bench.run(COPY, launch)
    by_driver = bench.run(COPY, replace(launch, load=LoadMode.DRIVER_JIT))
    assert by_cubin.ok
    assert by_driver.ok, by_driver
    assert by_driver.facts.binary_version == by_cubin.facts.binary_version
    assert by_cubin.counterpart is None
    assert by_driver.counterpart.facts.registers == by_cubin.facts.registers
    assert len(by_driver.counterpart.timing.samples) == len(by_driver.timing.samples)


def test_a_cubin_is_loaded_as_it_is(bench):
    _, result = bench.build((cuda(COPY.replace("long long n", "int n")),), "copy")
    cubin = result.artifact(CodeKind.CUBIN, "k.cu").content
    sources = (Source("copy.cubin", CodeKind.CUBIN, cubin),)
    # A cubin knows the sizes of its parameters, but neither names nor types: 1,000 floats in bytes.
    arguments = ("arg0=4000:random", "arg1=4000:zeros:out", "arg2=1000")
    launch = spec("copy", *arguments, cover="1000", expectations=("arg1 = arg0",))
    launched = bench.run(sources, launch)
    assert launched.ok, launched
    assert [check.ok for check in launched.checks] == [True]


def test_expressions_and_files_fill_buffers(bench, tmp_path):
    np.save(tmp_path / "x.npy", np.linspace(0, 1, 1000, dtype=np.float32))
    launch = spec(
        "copy",
        f"in=n:file({tmp_path / 'x.npy'})",
        "out=n:expr(sin(i) + n):inout",
        "n=1000",
        cover="n",
        expectations=("in",),
    )
    assert bench.run(COPY, launch).ok


def test_a_second_launch_of_the_same_starts_at_once(bench):
    launch = spec("copy", "in=n:random", "out=n:zeros:out", "n=1<<24", cover="n")
    request = bench.request(COPY, launch)
    bench.launcher.launch(request)
    starts = [bench.launcher.launch(request).start_ms for _ in range(5)]
    assert min(starts) < 20


@pytest.mark.parametrize(("sample", "spec"), LAUNCHES, ids=IDS)
def test_a_sample_is_right(bench, sample, spec):
    links = (LinkMode.PTX, LinkMode.LTO) if sample.link is LinkMode.LTO else (sample.link,)
    for device in bench.devices.devices:
        if (sample.arch is not None) and (sample.arch.number < 100) != (device.number < 100):
            pytest.skip("its dialect of LLVM is not for this GPU")
        for link in links:
            arch = Arch(device.number)
            found = resolved(bench.builder, sample, spec, bench.devices, arch, link, device.ordinal)
            assert found.request is not None, found.problems
            result = bench.launcher.launch(found.request)
            assert result.ok, result
            assert all(check.ok for check in result.checks)
            assert result.checks
