"""How the launch compares with bare CuPy: run on a machine with a GPU and CuPy.

Prints the time of a copy of 1 GiB by both, how soon a second launch of the same starts, and how
soon the next good launch is back after an illegal address.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

import cupy

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent)]

from jitstudio.worker.builder import Builder  # noqa: E402
from jitstudio.worker.launcher import Launcher  # noqa: E402
from tests.launching import Bench, spec  # noqa: E402

BYTES = 1 << 30
REPEATS = 50
COPY = """\
extern "C" __global__ void copy(const float4* in, float4* out, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
extern "C" __global__ void wild(const float4* in, float4* out, long long n) {
    out[n << 40] = in[0];
}
"""


def by_cupy() -> float:
    """Median milliseconds of one copy, between two events each."""
    kernel = cupy.RawKernel(COPY, "copy")
    n = BYTES // 16
    source, target = cupy.random.random(BYTES // 4, cupy.float32), cupy.empty(BYTES // 4, "f")
    times = []
    for _ in range(REPEATS + 3):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        kernel((-(-n // 256),), (256,), (source, target, cupy.int64(n)))
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end))
    del source, target
    cupy.get_default_memory_pool().free_all_blocks()
    return median(times[3:])


def main() -> None:
    """Measure and print."""
    builder, launcher = Builder(), Launcher()
    try:
        bench = Bench(builder, launcher, launcher.devices())
        if bench.devices.problem:
            print(bench.devices.problem)
            return
        launch = spec(
            "copy",
            "in=n:random",
            "out=n:zeros:out",
            f"n={BYTES // 16}",
            cover="n",
            repeats=REPEATS,
            warmup=3,
            timeout=120.0,
        )
        request = bench.request(COPY, launch)
        ratios = []
        for _ in range(3):
            bare, result = by_cupy(), launcher.launch(request)
            assert result.ok, result
            ours = result.timing.median
            ratios.append(ours / bare)
            print(
                f"copy of 1 GiB: CuPy {bare:.4f} ms, jitstudio {ours:.4f} ms, ratio "
                f"{ours / bare:.4f}; {result.bandwidth / 1e9:,.0f} GB/s of "
                f"{bench.devices.devices[0].peak_bandwidth / 1e9:,.0f}"
            )
        print(f"median ratio {median(ratios):.4f}")
        small = bench.request(COPY, spec("copy", "in=n", "out=n:zeros:out", "n=4096", cover="n"))
        launcher.launch(small)
        short = launcher.launch(small).timing
        low, middle = short.minimum * 1e3, short.median * 1e3
        print(f"a copy of 64 KiB: median {middle:.2f} us, minimum {low:.2f}")
        starts = sorted(launcher.launch(small).start_ms for _ in range(20))
        print(f"second launch starts after {median(starts):.1f} ms, at worst {starts[-1]:.1f}")
        wild = bench.request(COPY, spec("wild", "in=n", "out=n:zeros:out", "n=4096", grid="1"))
        backs = []
        for _ in range(3):
            launcher.launch(wild)
            begin = time.monotonic()
            assert launcher.launch(small).ok
            backs.append(time.monotonic() - begin)
        print(f"after an illegal address the next launch is back in {max(backs):.2f} s")
    finally:
        launcher.close()
        builder.close()


if __name__ == "__main__":
    main()
