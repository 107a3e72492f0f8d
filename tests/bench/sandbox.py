"""What the sandbox costs: at the start of a worker process, and in a build.

    python tests/bench/sandbox.py [ROUNDS]

Sealed processes and processes with JITSTUDIO_SANDBOX=off take turns, so that a slow moment of the
machine hits both. The goals: a seal takes at most twice as long as a bare Python takes to start, a
part of which is for the 150 folders of NVIDIA's headers, and a warm build at most a tenth longer.
The best of the rounds counts, as others may use the machine.
"""

import os
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from jitstudio.worker.builder import Builder  # noqa: E402
from tests.support import request, sample  # noqa: E402

SEAL_GOAL, BUILD_GOAL = 2.0, 1.1
PROGRAMS = ("build", "disassemble", "evaluate", "launch")

SEAL = """
import importlib, sys, time
from jitstudio.worker.sandbox import seal
from jitstudio.worker.sandbox.access import SandboxAccess

program = importlib.import_module(sys.argv[1])
role = getattr(program, "_ROLE", seal.ProgramNeeds())
headers, programs = tuple(role.headers()), tuple(role.programs())
start = time.process_time()
seal.seal(SandboxAccess(), seal.ProgramNeeds(lambda: programs, lambda: headers))
print((time.process_time() - start) * 1000)
"""


def bare_start_ms(rounds: int) -> list[float]:
    """Of its processor, what a Python without any package takes to start."""
    told = "import time; print(time.process_time() * 1000)"
    words = [sys.executable, "-I", "-S", "-c", told]
    return [
        float(subprocess.run(words, capture_output=True, check=True).stdout) for _ in range(rounds)
    ]


def seal_ms(program: str, rounds: int) -> list[float]:
    """Of its processor, what a fresh process takes to seal itself, its libraries being loaded."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", SEAL, f"jitstudio.worker.children.{program}"]
    return [
        float(subprocess.run(words, env=environment, capture_output=True, check=True).stdout)
        for _ in range(rounds)
    ]


def build_ms(rounds: int) -> tuple[list[float], list[float]]:
    """A warm build of a small kernel, sealed and not."""
    builders = {}
    for word in ("on", "off"):
        os.environ["JITSTUDIO_SANDBOX"] = word
        builders[word] = Builder(workers=1)
        builders[word].start()
    wanted = replace(request(sample("vector_add.cu")), use_cache=False)
    times: dict[str, list[float]] = {"on": [], "off": []}
    for number in range(rounds + 3):
        for word in sorted(builders, reverse=bool(number % 2)):
            start = time.perf_counter()
            assert builders[word].build(wanted).ok
            if number >= 3:
                times[word].append((time.perf_counter() - start) * 1000)
    for builder in builders.values():
        builder.close()
    return times["on"], times["off"]


def main(rounds: int) -> int:
    """Measures and prints; returns 1 if a goal is missed."""
    slowest, bare = 0.0, min(bare_start_ms(rounds))
    for program in PROGRAMS:
        times = seal_ms(program, rounds)
        slowest = max(slowest, min(times))
        print(f"seal of {program:<12} {statistics.median(times):6.2f} ms, least {min(times):.2f}")
    print(f"the slowest {slowest / bare:.2f} times the start of a bare Python (goal {SEAL_GOAL})")
    sealed, free = build_ms(rounds * 3)
    ratio = statistics.median(sealed) / statistics.median(free)
    print(f"build, sealed {statistics.median(sealed):.2f} ms, not {statistics.median(free):.2f} ms")
    least = min(sealed) / min(free)
    print(f"ratio of the medians {ratio:.3f}, of the least {least:.3f} (goal {BUILD_GOAL})")
    return int(slowest > SEAL_GOAL * bare or least > BUILD_GOAL)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
