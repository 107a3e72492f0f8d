"""What precompiled headers save on a kernel that includes CUB, and what they cost the first build.

    python tests/bench/pch.py [ROUNDS]

Each round starts a worker of jitstudio's and a process that does nothing but call NVRTC with the
same options. Both build once; then both build variants of the kernel, turn and turn about, so
that a slow moment of the machine hits both. The goals: the first build at most 1.2 times, and
each later one at least 3.5 times as fast as the bare call (medians).
"""

import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from jitstudio.worker.builder import Builder  # noqa: E402
from tests.support import cuda, request  # noqa: E402

FIRST_GOAL, LATER_GOAL = 1.2, 3.5
LATER = 4
KERNEL = """\
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void sum(const int* in, int* out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  int total = Reduce(storage).Sum(in[threadIdx.x] + VARIANT);
  if (threadIdx.x == 0) *out = total;
}
"""

# The bare call: reads a variant from a line, compiles, and answers with the milliseconds it took.
BARE = """
import sys, time
from cuda.bindings import nvrtc

options = [option.encode() for option in sys.argv[2:]]
for line in sys.stdin:
    source = sys.argv[1].replace("VARIANT", line.strip()).encode()
    start = time.perf_counter()
    _, program = nvrtc.nvrtcCreateProgram(source, b"sum.cu", 0, [], [])
    nvrtc.nvrtcCompileProgram(program, len(options), options)
    _, size = nvrtc.nvrtcGetPTXSize(program)
    ptx = b" " * size
    nvrtc.nvrtcGetPTX(program, ptx)
    nvrtc.nvrtcDestroyProgram(program)
    print((time.perf_counter() - start) * 1000, flush=True)
    assert b".entry sum" in ptx
"""


def main(rounds: int) -> int:
    """Measure and print; 1 if a goal is missed."""
    first: list[float] = []
    later: list[float] = []
    bare_first: list[float] = []
    bare_later: list[float] = []
    options = _warm_up()
    for _ in range(rounds):
        builder = Builder()
        builder.start()
        with subprocess.Popen(
            [sys.executable, "-c", BARE, KERNEL, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        ) as process:
            try:
                bare_first.append(_bare(process, 0))
                first.append(_built(builder, 0))
                builder.settle()
                for variant in range(1, LATER + 1):
                    bare_later.append(_bare(process, variant))
                    later.append(_built(builder, variant, "Precompiled header used."))
            finally:
                builder.close()
                process.stdin.close()
    cost = statistics.median(first) / statistics.median(bare_first)
    gain = statistics.median(bare_later) / statistics.median(later)
    _tell("first build", first, bare_first)
    print(f"  times as slow         {cost:8.2f}    (goal: at most {FIRST_GOAL})")
    _tell("later builds", later, bare_later)
    print(f"  times as fast         {gain:8.2f}    (goal: at least {LATER_GOAL})")
    return 0 if cost <= FIRST_GOAL and gain >= LATER_GOAL else 1


def _warm_up() -> list[str]:
    """Unpack the headers and read them once; the options that a build sends."""
    builder = Builder()
    try:
        result = builder.build(_request(0))
        assert result.ok, result.diagnostics
        return list(result.stages[0].options)
    finally:
        builder.close()


def _built(builder: Builder, variant: int, told: str = "") -> float:
    result = builder.build(_request(variant))
    assert result.ok, result.diagnostics
    assert told in result.stages[0].log, result.stages[0].log
    return result.total_ms


def _request(variant: int):
    return request(cuda(KERNEL.replace("VARIANT", str(variant)), "sum.cu"))


def _bare(process: subprocess.Popen, variant: int) -> float:
    process.stdin.write(f"{variant}\n")
    return float(process.stdout.readline())


def _tell(what: str, built: list[float], bare: list[float]) -> None:
    print(f"{what:<14} jitstudio {statistics.median(built):8.0f} ms (median of {len(built)})")
    print(f"               bare      {statistics.median(bare):8.0f} ms")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
