"""How much a warm build costs above the bare call of NVRTC.

    python tests/bench/warm_build.py [ROUNDS]

Two workers are compared in one run, turn and turn about, so that a slow moment of the machine
hits both: jitstudio's own (from request to result, as the window and the command line see it),
and a process that does nothing but call NVRTC for the same kernel. What counts is the time of
processors, of the program and its worker together: by the clock other programs count, too. The
goal is a ratio of the medians of at most 1.1.
"""

import os
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

# Beside a driver NVRTC keeps what it compiled, which a sealed worker neither reads nor writes.
os.environ["CUDA_CACHE_DISABLE"] = "1"
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from jitstudio.worker.builder import Builder  # noqa: E402
from tests.support import request, sample  # noqa: E402

GOAL = 1.1
WARM_UP = 5
PAIRS = 9

# The bare call: reads a line, compiles, and answers with the milliseconds it took.
BARE = """
import sys, time
from cuda.bindings import nvrtc

source = open(sys.argv[1], "rb").read()
for _ in sys.stdin:
    start = time.process_time()
    _, program = nvrtc.nvrtcCreateProgram(source, b"vector_add.cu", 0, [], [])
    nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=compute_90"])
    _, size = nvrtc.nvrtcGetPTXSize(program)
    ptx = b" " * size
    nvrtc.nvrtcGetPTX(program, ptx)
    nvrtc.nvrtcDestroyProgram(program)
    print((time.process_time() - start) * 1000, flush=True)
    assert b".entry vector_add" in ptx
"""


def spent(pid: int) -> float:
    """Milliseconds of processors that a process has had, with all its threads."""
    # The clock of clock_getcpuclockid(3), which Python does not offer.
    return time.clock_gettime(~pid << 3 | 2) * 1000


def compare(rounds: int) -> list[tuple[float, float, float]]:
    """What the program, its worker and the bare call took, in milliseconds, of each round."""
    source = sample("vector_add.cu")
    wanted = replace(request(source), use_cache=False)
    path = str(ROOT / "resources" / "samples" / source.name)
    builder = Builder()
    times: list[tuple[float, float, float]] = []
    with subprocess.Popen(
        [sys.executable, "-c", BARE, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        try:
            assert builder.build(wanted).ok
            both = os.getpid(), builder.pid
            for _ in range(WARM_UP + rounds):
                before = [spent(pid) for pid in both]
                assert builder.build(wanted).ok
                ours, worker = (spent(pid) - at for pid, at in zip(both, before, strict=True))
                process.stdin.write("\n")
                times.append((ours, worker, float(process.stdout.readline())))
            assert builder.pid == both[1]
        finally:
            builder.close()
            process.stdin.close()
    return times[WARM_UP:]


def main(rounds: int) -> int:
    """Measure and print; 1 if the goal is missed."""
    # A process is slow or fast from its start on, by the place of its memory and its core.
    times = [one for _ in range(PAIRS) for one in compare(rounds)]
    ours, worker, bare = (statistics.median(column) for column in zip(*times, strict=True))
    built = statistics.median(ours + worker for ours, worker, _ in times)
    ratio = built / bare
    print(f"rounds                         {rounds} in each of {PAIRS} pairs of processes")
    print(f"warm build, request to result  {built:8.2f} ms (median)")
    print(f"  of this in the program       {ours:8.2f} ms")
    print(f"  in its worker                {worker:8.2f} ms")
    print(f"bare NVRTC call                {bare:8.2f} ms")
    print(f"ratio                          {ratio:8.3f}    (goal: at most {GOAL})")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
