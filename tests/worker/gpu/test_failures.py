"""Kernels that fail, in every way there is; after each the next launch works."""

import threading
import time
from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.core.launch.spec import Sanitizer
from jitstudio.worker.compute_sanitizer import find_sanitizer
from tests.launching import cuda, spec

pytestmark = pytest.mark.gpu

GOOD = """\
extern "C" __global__ void good(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i * 2;
}
"""
WILD = """\
extern "C" __global__ void wild(int* out, long long at) {
    out[at] = 1;
}
"""
ASSERTING = """\
extern "C" __global__ void asserting(int* out, int n) {
    int i = threadIdx.x;
    assert(i < n);
    out[i] = i;
}
"""
ENDLESS = """\
extern "C" __global__ void endless(volatile int* flag) {
    while (*flag == 0) { }
}
"""
PARTIAL = """\
extern "C" __global__ void partial(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 0 && i < n) out[i] = 0xa7a7a7a7;
    if (i == 0) out[n + 2] = 5;
}
"""


@pytest.fixture(autouse=True)
def _the_next_launch_works(bench):
    yield
    started = time.monotonic()
    result = bench.run(
        GOOD, spec("good", "out=n:zeros:out", "n=100", cover="n", expectations=("2 * i",))
    )
    assert result.ok, result
    assert time.monotonic() - started < 10


def test_an_illegal_address_is_explained(bench):
    good = bench.request(GOOD, spec("good", "out=n:zeros:out", "n=100", cover="n"))
    launch = spec("wild", "out=16:zeros:out", "at=1<<40", grid="1", block="1")
    result = bench.run(WILD, launch)
    assert result.outcome is LaunchOutcome.FAILED
    (told,) = result.diagnostics
    assert told.message.startswith("wild: the kernel read or wrote memory that is not its own")
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in told.message
    assert "next launch" in told.explanation
    start = time.monotonic()
    assert bench.launcher.launch(good).ok
    assert time.monotonic() - start < 2


def test_a_failed_assert_names_its_line(bench):
    launch = spec("asserting", "out=64:zeros:out", "n=40", grid="1", block="64")
    result = bench.run(ASSERTING, launch)
    assert result.outcome is LaunchOutcome.FAILED
    first = result.diagnostics[0]
    assert (first.file, first.line) == ("k.cu", 3)
    assert "`i < n` failed" in first.message
    assert "and 23 more threads" in first.message
    assert "Assertion `i < n` failed" in result.console


def test_an_endless_kernel_ends_at_its_limit(bench):
    launch = spec("endless", "flag=1:zeros:inout", grid="1", block="1", timeout=3)
    start = time.monotonic()
    result = bench.run(ENDLESS, launch)
    assert time.monotonic() - start < 10
    assert result.outcome is LaunchOutcome.TIMED_OUT
    assert "endless had not ended after 3 s" in result.diagnostics[0].message


def test_an_endless_kernel_can_be_cancelled(bench):
    request = bench.request(ENDLESS, spec("endless", "flag=1:zeros:inout", grid="1", block="1"))
    alarm = threading.Timer(1, bench.launcher.cancel, (77,))
    alarm.start()
    start = time.monotonic()
    result = bench.launcher.launch(request, ticket=77)
    assert result.outcome is LaunchOutcome.CANCELLED
    assert time.monotonic() - start < 8


def test_too_long_a_buffer_is_refused_by_the_driver(bench):
    request = bench.request(GOOD, spec("good", "out=n:zeros:out", "n=100", cover="n"))
    (buffer, *rest) = request.arguments
    result = bench.launcher.launch(
        replace(request, arguments=(replace(buffer, length=1 << 50), *rest))
    )
    assert result.outcome is LaunchOutcome.FAILED
    assert "CUDA_ERROR_OUT_OF_MEMORY" in result.diagnostics[0].message


def test_gaps_and_strays_are_found(bench):
    launch = spec("partial", "out=n:zeros:out", "n=1000", cover="n", repeats=0)
    result = bench.run(PARTIAL, launch)
    assert result.outcome is LaunchOutcome.WRONG
    (out,) = result.buffers
    # Half of them were written with the very pattern that marks what was not.
    assert (out.unwritten, out.first_unwritten) == (500, 1)
    (stray,) = out.strays
    assert (stray.before, stray.distance, stray.count) == (False, 8, 4)
    assert "element 1,002" in result.diagnostics[0].message


def test_ptx_newer_than_the_driver_is_explained_and_the_cubin_runs(bench):
    request = bench.request(GOOD, spec("good", "out=n:zeros:out", "n=100", cover="n"))
    _, built = bench.build((cuda(GOOD),), "good")
    ptx = next(a for a in built.artifacts if a.kind is CodeKind.PTX)
    lines = [
        ".version 99.0" if line.startswith(".version") else line for line in ptx.text.splitlines()
    ]
    newer = replace(request, code="\n".join(lines).encode(), code_kind=CodeKind.PTX)
    result = bench.launcher.launch(newer)
    assert result.outcome is LaunchOutcome.FAILED
    assert "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" in result.diagnostics[0].message
    assert "cubin" in result.diagnostics[0].explanation
    assert "Unsupported .version 99.0" in result.jit_log
    assert bench.launcher.launch(request).ok


def test_memcheck_names_the_line(bench):
    if find_sanitizer() is None:
        pytest.skip("no compute-sanitizer")
    launch = spec(
        "wild", "out=16:zeros:out", "at=20", grid="1", block="1", sanitizer=Sanitizer.MEMCHECK
    )
    result = bench.run(WILD, launch)
    assert result.findings, result
    finding = result.findings[0]
    assert finding.message.startswith("Invalid __global__ write of size 4 bytes")
    assert (finding.kernel.partition("(")[0], finding.line) == ("wild", 2)


def test_a_build_goes_on_while_a_kernel_hangs(bench):
    request = bench.request(
        ENDLESS, spec("endless", "flag=1:zeros:inout", grid="1", block="1", timeout=4)
    )
    launched = threading.Thread(target=bench.launcher.launch, args=(request,))
    launched.start()
    time.sleep(1)
    _, result = bench.build((cuda(GOOD.replace("* 2", "* 3")),), "good")
    assert result.ok
    assert launched.is_alive()
    launched.join()
