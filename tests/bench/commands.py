"""How much processor time `jitstudio build` of a tiny file takes, against a bare script of NVRTC.

    python tests/bench/commands.py [ROUNDS]

Turn and turn about, the least of the rounds: a Python script that does nothing but call NVRTC, the
command with the result in the cache, and the command that compiles anew. The goals are 1.5 and 2.5
times the script.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ROUNDS = 7
GOALS = {"cached": 1.5, "uncached": 2.5}
KERNEL = 'extern "C" __global__ void k(float* p) { p[threadIdx.x] *= 2; }\n'
BARE = """
import sys
from cuda.bindings import nvrtc

source = open(sys.argv[1], "rb").read()
_, program = nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, [], [])
nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=compute_90"])
_, size = nvrtc.nvrtcGetPTXSize(program)
ptx = b" " * size
nvrtc.nvrtcGetPTX(program, ptx)
print(ptx.decode())
"""


def spent(words: list[str], folder: str) -> float:
    """Milliseconds of processors that a program and its children took."""
    surroundings = os.environ | {
        "JITSTUDIO_CACHE_DIR": f"{folder}/cache",
        "JITSTUDIO_CONFIG_DIR": f"{folder}/config",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", "")))),
        # As where pip has installed the program: compiled once.
        "PYTHONPYCACHEPREFIX": f"{folder}/bytecode",
    }
    surroundings.pop("PYTHONDONTWRITEBYTECODE", None)
    before = os.times()
    done = subprocess.run(words, cwd=folder, env=surroundings, capture_output=True, check=True)
    after = os.times()
    assert b".entry k(" in done.stdout
    return (sum(after[2:4]) - sum(before[2:4])) * 1000


def main(rounds: int = ROUNDS) -> int:
    """Measure and print; 1 if a goal is missed."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "k.cu").write_text(KERNEL)
        build = [sys.executable, "-m", "jitstudio", "build", "k.cu"]
        programs = {
            "bare": [sys.executable, "-c", BARE, "k.cu"],
            "cached": build,
            "uncached": [*build, "--no-cache"],
        }
        all_times = [
            {name: spent(words, folder) for name, words in programs.items()}
            for _ in range(1 + rounds)
        ]
    times = {name: min(row[name] for row in all_times) for name in programs}
    ratios = {name: times[name] / times["bare"] for name in GOALS}
    print(f"{'bare':<9} {times['bare']:6.0f} ms of processors (least of {rounds})")
    for name, goal in GOALS.items():
        ratio = ratios[name]
        print(f"{name:<9} {times[name]:6.0f} ms  {ratio:5.2f} times bare  (goal: at most {goal})")
    return 0 if all(ratios[name] <= goal for name, goal in GOALS.items()) else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
