"""How long `jitstudio inspect` takes for 88,000 instructions, against nvdisasm by itself.

    python tests/bench/machine_code.py [ROUNDS]

Both read the same cubin, turn and turn about. Bare is what has to run at least: nvdisasm with
encodings and lines, and at the same time nvdisasm with live registers, as it prints both in no
single run. The goal is a ratio of the median wall times of at most 1.5; the processor's time is
printed besides, as cores may be shared.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from jitstudio.analysis.sass.reading import CODE_OPTIONS, LIVE_OPTIONS  # noqa: E402
from jitstudio.core.code import CodeKind  # noqa: E402
from jitstudio.toolchain import locate  # noqa: E402
from jitstudio.worker.builder import Builder  # noqa: E402
from tests.support import cuda, request  # noqa: E402

GOAL = 1.5
ROUNDS = 5
KERNELS = 52
COMMANDS = {"text": ("inspect", "--no-cache"), "JSON": ("inspect", "--no-cache", "--json")}

HELPER = "__device__ __forceinline__ float mixed(float x, float y) { return x * y + sinf(y); }\n"
LINES = "".join(
    f"    x = mixed(x, p[i + {n * 7 % 97}]) + {n}.5f;\n    if (x > {n}) p[i] = x;\n"
    for n in range(14)
)
KERNEL = f"""\
extern "C" __global__ void work_NUMBER(float* p, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = p[i] + NUMBER;
{LINES}    p[i] = x;
}}
"""


class Cost(NamedTuple):
    """Milliseconds on the wall, and of processors."""

    wall: float
    cpu: float


def large_cubin() -> bytes:
    """A cubin of so many instructions in so many kernels, with inlined code and line tables."""
    text = HELPER + "".join(KERNEL.replace("NUMBER", str(n)) for n in range(KERNELS))
    builder = Builder()
    try:
        wanted = request(cuda(text, "work.cu"), emit="cubin", options=("-lineinfo",))
        result = builder.build(wanted)
    finally:
        builder.close()
    made = result.artifact(CodeKind.CUBIN, "work.cu")
    assert made is not None, result.diagnostics
    return made.content


def timed(*commands: list[str]) -> Cost:
    """Runs these at the same time."""
    before, start = os.times(), time.perf_counter()
    running = [subprocess.Popen(words, stdout=subprocess.DEVNULL) for words in commands]
    assert not any(process.wait() for process in running)
    wall, after = time.perf_counter() - start, os.times()
    cpu = sum(after[2:4]) - sum(before[2:4])
    return Cost(wall * 1000, cpu * 1000)


def compare(rounds: int = ROUNDS) -> dict[str, list[Cost]]:
    """What bare nvdisasm and each command cost, in each round."""
    program = locate.nvdisasm()
    found: dict[str, list[Cost]] = {"bare": [], **{name: [] for name in COMMANDS}}
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(large_cubin())
        file.flush()
        for _ in range(1 + rounds):
            bare = ([program, *options, file.name] for options in (CODE_OPTIONS, LIVE_OPTIONS))
            found["bare"].append(timed(*bare))
            for name, words in COMMANDS.items():
                found[name].append(timed([sys.executable, "-m", "jitstudio", *words, file.name]))
    return {name: costs[1:] for name, costs in found.items()}


def ratio(found: dict[str, list[Cost]], name: str) -> float:
    """How many times as long as bare nvdisasm a command takes."""
    ours, bare = (statistics.median(cost.wall for cost in found[each]) for each in (name, "bare"))
    return ours / bare


def main(rounds: int) -> int:
    """Measure and print; 1 if the goal is missed."""
    found = compare(rounds)
    for name, costs in found.items():
        wall, cpu = (statistics.median(column) for column in zip(*costs, strict=True))
        print(f"{name:<6} {wall:8.0f} ms   processors {cpu:8.0f} ms (medians of {rounds})")
    ratios = [ratio(found, name) for name in COMMANDS]
    for name, found_ratio in zip(COMMANDS, ratios, strict=True):
        print(f"{name:<6} {found_ratio:8.2f} times bare    (goal: at most {GOAL})")
    return 0 if max(ratios) <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
