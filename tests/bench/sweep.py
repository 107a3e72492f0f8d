"""How much faster the variants of a sweep are done by a worker per core than by one worker.

    python tests/bench/sweep.py [ROUNDS] [--launch]

A kernel of 64 variants, a macro times a data type, of which no two compile to the same code. Both
places are warm, and take turns in one run. The goal is 0.8 of the number of workers. Without
`--launch` nothing is launched; with it each GPU is shared by both, one after the other.
"""

import argparse
import statistics
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from jitstudio.core.launch.spec import LaunchSpec  # noqa: E402
from jitstudio.core.launch.sweep import SweepPlan, parse_axis  # noqa: E402
from jitstudio.sweep import sites  # noqa: E402
from jitstudio.sweep.engine import Sweep  # noqa: E402
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


def plan() -> SweepPlan:
    """All 64 variants, compiled anew each time."""
    build = request(cuda(KERNEL, "work.cu"))
    axes = (parse_axis(f"-DSTEPS={','.join(STEPS)}"), parse_axis(f"T={','.join(TYPES)}", {"T"}))
    spec = LaunchSpec(kernel="work<{T}>", cover="n", arguments=(("p", "n"), ("n", "1<<20")))
    return SweepPlan(axes, replace(build, use_cache=False, precompile_headers=False), spec)


def main(rounds: int, launch: bool) -> int:
    """Measure and print; 1 if the goal is missed."""
    workers = cores()
    taken: tuple[list[float], list[float]] = ([], [])
    devices = None if launch else ()
    wanted = "ran" if launch else "missing"
    with sites.local(1) as one, sites.local(workers) as many:
        for _ in range(1 + rounds):
            for places, times in zip((one, many), taken, strict=True):
                result = Sweep(plan(), places, devices=devices).run()
                assert [row.outcome for row in result.rows] == [wanted] * 64
                times.append(result.total_ms)
    single, shared = (statistics.median(times[1:]) for times in taken)
    goal = GOAL * workers
    print(f"rounds                     {rounds}")
    print(f"64 variants by one worker  {single:8.0f} ms (median)")
    print(f"64 variants by {workers} workers   {shared:8.0f} ms")
    print(f"ratio                      {single / shared:8.2f}    (goal: at least {goal:.1f})")
    return 0 if single / shared >= goal else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int, nargs="?", default=3)
    parser.add_argument("--launch", action="store_true")
    arguments = parser.parse_args()
    sys.exit(main(arguments.rounds, arguments.launch))
