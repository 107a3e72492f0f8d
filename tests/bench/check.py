"""What `jitstudio check` of twenty budgets costs: at first, and again without a change.

    python3 -m tests.bench.check [ROUNDS]

Goal: twenty unchanged budgets take at most a tenth of what the bare tools take for the same
kernels, by the processors, with all processes: a script that compiles each with NVRTC and runs
nvdisasm twice on it, with encodings and lines and with live registers, as it prints both in no
single run.
The bare start of Python is printed beside it, and what the first check takes.
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

from jitstudio.analysis.sass.reading import CODE_OPTIONS, LIVE_OPTIONS
from jitstudio.toolchain import locate

ROOT = Path(__file__).resolve().parents[2]
BUDGETS, ROUNDS = 20, 5
GOAL = 0.1
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
BARE = """
import subprocess, sys
from cuda.bindings import nvrtc

program, *options = sys.argv[1:]
for n in range(BUDGETS):
    text = open(f"k{n}.cu", "rb").read()
    _, made = nvrtc.nvrtcCreateProgram(text, b"k.cu", 0, [], [])
    nvrtc.nvrtcCompileProgram(made, 3, [b"-arch=sm_90", b"-lineinfo", b"-I."])
    _, size = nvrtc.nvrtcGetCUBINSize(made)
    cubin = b" " * size
    nvrtc.nvrtcGetCUBIN(made, cubin)
    open("k.cubin", "wb").write(cubin)
    for part in options:
        subprocess.run([program, *part.split(), "k.cubin"], check=True, stdout=subprocess.DEVNULL)
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
        tools = [
            sys.executable,
            "-P",
            "-c",
            BARE.replace("BUDGETS", str(BUDGETS)),
            locate.nvdisasm(),
        ]
        cold, _ = spent([*tools, *map(" ".join, (CODE_OPTIONS, LIVE_OPTIONS))], folder, environment)
        bare, again = [], []
        for _ in range(rounds):
            bare.append(spent(bare_start, folder, environment))
            again.append(spent(check, folder, environment))
        start, _ = map(statistics.median, zip(*bare, strict=True))
        unchanged, clock = map(statistics.median, zip(*again, strict=True))
    print(f"bare start of Python        {start:8.3f} s of processors")
    print(f"{BUDGETS} budgets, checked first   {first:8.3f} s of processors, {first_clock:.3f} s")
    print(f"{BUDGETS} budgets, unchanged       {unchanged:8.3f} s of processors, {clock:.3f} s")
    print(f"  in starts of Python       {unchanged / start:8.1f}")
    print(f"bare tools                  {cold:8.3f} s of processors")
    print(f"  unchanged, of bare tools  {unchanged / cold:8.3f} times  (goal: at most {GOAL})")
    return 0 if unchanged <= GOAL * cold else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
