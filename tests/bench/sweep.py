"""How much faster the variants of a sweep are done by a worker per core than by one worker.

    python tests/bench/sweep.py [ROUNDS] [--launch]

A kernel of 64 variants, a macro times a data type, of which no two compile to the same code. Both
places are warm, and take turns in one run. So do as many processes that do nothing but call NVRTC
for the same variants: what they gain over one of them is what the cores can give, as two threads of
a core are no two cores. The goal is 0.8 of that. Without `--launch` nothing is launched; with it
each GPU is shared by both, one after the other.
"""

import argparse
import statistics
import sys
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from itertools import product
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from jitstudio.core.axes import parse_axis  # noqa: E402
from jitstudio.core.launch.spec import LaunchSpec  # noqa: E402
from jitstudio.variants import sites  # noqa: E402
from jitstudio.variants.engine import VariantRun  # noqa: E402
from jitstudio.variants.plan import VariantPlan  # noqa: E402
from jitstudio.worker.pool import cores  # noqa: E402
from tests.support import cuda, request  # noqa: E402

GOAL = 0.8
TYPES = ("float", "double", "int", "unsigned", "long long", "short", "char", "unsigned char")
STEPS = tuple(map(str, range(40, 48)))

LINES = "".join(f"    x = x * p[{i * 7 % 97}] + STEPS;\n" for i in range(100))
KERNEL = f"""\
template <class T> __global__ void work(T* p, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T x = p[i];
#pragma unroll
    for (int k = 0; k < STEPS; ++k) x = x * p[k] + k;
{LINES}    p[i] = x;
}}
"""


def plan() -> VariantPlan:
    """All 64 variants, compiled anew each time."""
    build = request(cuda(KERNEL, "work.cu"))
    axes = (parse_axis(f"-DSTEPS={','.join(STEPS)}"), parse_axis(f"T={','.join(TYPES)}", {"T"}))
    spec = LaunchSpec(kernel="work<{T}>", cover="n", arguments=(("p", "n"), ("n", "1<<20")))
    return VariantPlan(axes, replace(build, use_cache=False, precompile_headers=False), spec)


def compile_bare(variant: tuple[str, str]) -> None:
    """What a worker's child does for a variant, and nothing else."""
    from cuda.bindings import nvrtc

    kind, steps = variant
    _, program = nvrtc.nvrtcCreateProgram(KERNEL.encode(), b"work.cu", 0, [], [])
    nvrtc.nvrtcAddNameExpression(program, f"work<{kind}>".encode())
    options = [b"--gpu-architecture=sm_90", f"-DSTEPS={steps}".encode()]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    assert status == nvrtc.nvrtcResult.NVRTC_SUCCESS
    nvrtc.nvrtcDestroyProgram(program)


def bare(pool: Executor) -> float:
    """Milliseconds for all variants by bare processes."""
    start = time.perf_counter()
    list(pool.map(compile_bare, product(TYPES, STEPS)))
    return (time.perf_counter() - start) * 1000


def main(rounds: int, launch: bool) -> int:
    """Measure and print; 1 if the goal is missed."""
    workers = cores()
    taken: tuple[list[float], list[float]] = ([], [])
    devices = None if launch else ()
    wanted = "ran" if launch else "missing"
    alone: tuple[list[float], list[float]] = ([], [])
    spawn = get_context("spawn")
    with (
        sites.local(1) as one,
        sites.local(workers) as many,
        ProcessPoolExecutor(1, spawn) as single_process,
        ProcessPoolExecutor(workers, spawn) as processes,
    ):
        for _ in range(1 + rounds):
            for pool, times in zip((single_process, processes), alone, strict=True):
                times.append(bare(pool))
            for places, times in zip((one, many), taken, strict=True):
                result = VariantRun(plan(), places, devices=devices).run()
                assert [row.outcome for row in result.rows] == [wanted] * 64
                times.append(result.total_ms)
    single, shared = (statistics.median(times[1:]) for times in taken)
    cores_give = statistics.median(alone[0][1:]) / statistics.median(alone[1][1:])
    goal = GOAL * cores_give
    print(f"rounds                     {rounds}")
    print(f"64 variants by one worker  {single:8.0f} ms (median)")
    print(f"64 variants by {workers} workers   {shared:8.0f} ms")
    print(f"bare NVRTC, {workers} processes   {cores_give:8.2f} times one")
    print(f"ratio                      {single / shared:8.2f}    (goal: at least {goal:.1f})")
    return 0 if single / shared >= goal else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int, nargs="?", default=3)
    parser.add_argument("--launch", action="store_true")
    arguments = parser.parse_args()
    sys.exit(main(arguments.rounds, arguments.launch))
