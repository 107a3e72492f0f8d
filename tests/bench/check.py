"""What `jitstudio check` of ten budgets costs: at first, and again without a change.

    python tests/bench/check.py [ROUNDS]

Goal: ten unchanged budgets take at most 1.5 s, by the processors, of the command and all processes
that it starts. The bare start of Python is printed beside it, and what the first check takes, which
compiles and reads every kernel.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUDGETS, ROUNDS = 10, 5
GOAL = 1.5
# Results of files that were written a moment before a compile are not kept.
SETTLED = 2.1
HEADER = "__device__ float weighed(float x, int n) { return x * n + 0.5f; }\n"
KERNEL = """\
#include "weighed.h"
extern "C" __global__ void k{n}(const float* __restrict__ x, float* __restrict__ y, int n) {{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = weighed(x[i], {n}) + y[i];
}}
"""
BUDGET = """\
[[budget]]
source = "k{n}.cu"
target = "sm_90"
option = "-lineinfo"
require = ["registers <= 64", "spills == 0", "no double", "occupancy(256) >= 50%", "LDG >= 1"]
"""


def spent(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, float]:
    """The seconds that a command takes, of processors with all its children, and by the clock."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL, text=True
    )
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


def main(rounds: int) -> int:
    """Measure and print; 1 if the goal is missed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        folder = Path(made) / "kernels"
        folder.mkdir()
        (folder / "weighed.h").write_text(HEADER)
        for n in range(BUDGETS):
            (folder / f"k{n}.cu").write_text(KERNEL.format(n=n))
        (folder / "BUDGETS.toml").write_text("".join(BUDGET.format(n=n) for n in range(BUDGETS)))
        time.sleep(SETTLED)
        environment = os.environ | {
            "JITSTUDIO_CACHE_DIR": str(Path(made) / "cache"),
            # Modules are compiled once, as where it is installed.
            "PYTHONPYCACHEPREFIX": str(Path(made) / "bytecode"),
            "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        # Not `-m`, which searches the working folder for modules.
        program = "import sys; from jitstudio.__main__ import main; sys.exit(main())"
        check = [sys.executable, "-P", "-c", program, "check"]
        bare_start = [sys.executable, "-P", "-c", "pass"]
        spent([*check[:-1], "--version"], folder, environment)
        first, first_clock = spent(check, folder, environment)
        bare, again = [], []
        for _ in range(rounds):
            bare.append(spent(bare_start, folder, environment))
            again.append(spent(check, folder, environment))
        start, _ = map(statistics.median, zip(*bare, strict=True))
        unchanged, clock = map(statistics.median, zip(*again, strict=True))
    print(f"bare start of Python        {start:8.3f} s of processors")
    print(f"{BUDGETS} budgets, checked first   {first:8.3f} s of processors, {first_clock:.3f} s")
    print(f"{BUDGETS} budgets, unchanged       {unchanged:8.3f} s of processors, {clock:.3f} s")
    print(f"                                      (goal: at most {GOAL} s of processors)")
    print(f"  in starts of Python       {unchanged / start:8.1f}")
    return 0 if unchanged <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
