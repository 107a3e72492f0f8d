"""How much faster independent modules are compiled by two workers than by one.

    python tests/bench/parallel.py [ROUNDS]

Both are warm, and take turns in one run. The goal is a ratio of at least 1.6 on two cores; only
the first two workers are used, however many cores there are.
"""

import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from jitstudio.worker.builder import Builder  # noqa: E402
from tests.support import cuda, request  # noqa: E402

GOAL = 1.6
MODULES = 8


def module(number: int) -> str:
    """A kernel that keeps the compiler busy for some 0.2 s."""
    lines = "".join(f"    p[{i}] = p[{i * 7 % 997}] * {i + number} + x;\n" for i in range(300))
    return f'extern "C" __global__ void k{number}(int* p, int x) {{\n{lines}}}\n'


def main(rounds: int) -> int:
    """Measure and print; 1 if the goal is missed."""
    sources = [cuda(module(number), f"m{number}.cu") for number in range(MODULES)]
    wanted = request(*sources, emit="cubin")
    builders = [Builder(workers=1), Builder(workers=2)]
    times: list[list[float]] = [[], []]
    try:
        for _ in range(1 + rounds):
            for builder, taken in zip(builders, times, strict=True):
                result = builder.build(wanted)
                assert result.ok
                assert len(result.stages) == MODULES
                taken.append(result.total_ms)
    finally:
        for builder in builders:
            builder.close()
    one, two = (statistics.median(taken[1:]) for taken in times)
    print(f"rounds                     {rounds}")
    print(f"{MODULES} modules by one worker    {one:8.1f} ms (median)")
    print(f"{MODULES} modules by two workers   {two:8.1f} ms")
    print(f"ratio                      {one / two:8.2f}    (goal: at least {GOAL})")
    return 0 if one / two >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
