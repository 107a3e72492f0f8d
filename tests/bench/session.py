"""How much a call of Python costs above the bare call of NVRTC, once a session has its workers.

    python tests/bench/session.py [ROUNDS]

Each round builds a text that nobody has built before, by `jitstudio.build` and by a process that
does nothing but call NVRTC for the same text and target, turn and turn about, so that a slow moment
of the machine hits both; then it inspects a text again that has not changed. The goals are a ratio
of the medians of at most 3 and, for the reading, 30 ms.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Beside a driver NVRTC keeps what it compiled, which a sealed worker neither reads nor writes.
os.environ["CUDA_CACHE_DISABLE"] = "1"
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import jitstudio  # noqa: E402

GOAL, INSPECT_GOAL = 3.0, 30.0
WARM_UP = 3

# The bare call: reads the path of a text, compiles it, and answers with the milliseconds it took.
BARE = """
import sys, time
from cuda.bindings import nvrtc

for path in sys.stdin:
    source = open(path.strip(), "rb").read()
    start = time.perf_counter()
    _, program = nvrtc.nvrtcCreateProgram(source, b"kernel.cu", 0, [], [])
    nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_90"])
    for sized, get in (
        (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX), (nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN)
    ):
        _, size = sized(program)
        code = b" " * size
        get(program, code)
    nvrtc.nvrtcDestroyProgram(program)
    print((time.perf_counter() - start) * 1000, flush=True)
    assert code.startswith(b"\\x7fELF")
"""


def timed(call) -> float:
    """Milliseconds that a call takes, which has to build."""
    start = time.perf_counter()
    assert call().ok
    return (time.perf_counter() - start) * 1000


def measured(rounds: int) -> list[tuple[float, float, float]]:
    """Milliseconds of a build, of the bare call, and of a reading that is known, of each round."""
    text = (ROOT / "resources" / "samples" / "vector_add.cu").read_text()
    times = []
    with (
        tempfile.NamedTemporaryFile("w", suffix=".cu") as file,
        subprocess.Popen(
            [sys.executable, "-c", BARE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        ) as process,
        jitstudio.Session(),
    ):
        for number in range(WARM_UP + rounds):
            changed = f"{text}\n__device__ int changed_{time.time_ns()}_{number};\n"
            file.seek(0)
            file.truncate()
            file.write(changed)
            file.flush()
            built = timed(
                lambda code=changed: jitstudio.build(code, arch="sm_90", emit=["ptx", "cubin"])
            )
            process.stdin.write(f"{file.name}\n")
            bare = float(process.stdout.readline())
            times.append((built, bare, timed(lambda: jitstudio.inspect(text, arch="sm_90"))))
        process.stdin.close()
    return times[WARM_UP:]


def main(rounds: int) -> int:
    """Measure and print; 1 if a goal is missed."""
    built, bare, inspected = map(statistics.median, zip(*measured(rounds), strict=True))
    print(f"build of a changed text        {built:8.2f} ms (median of {rounds})")
    print(f"bare NVRTC call                {bare:8.2f} ms")
    print(f"ratio                          {built / bare:8.2f}    (goal: at most {GOAL:g})")
    print(f"inspect of an unchanged text   {inspected:8.2f} ms (goal: at most {INSPECT_GOAL:g})")
    return 0 if built / bare <= GOAL and inspected <= INSPECT_GOAL else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 30))
