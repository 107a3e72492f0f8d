"""How long it takes to tie 100,000 instructions to their sources, and to follow a cursor in them.

    python tests/bench/correlation.py [INSTRUCTIONS]

The code is made up, with a call chain and a line of PTX for each instruction. The goal is an answer
for a cursor within 16 ms, also on a line that all of it was made of.
"""

import sys
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from jitstudio.analysis.correlation.chains import corrected  # noqa: E402
from jitstudio.analysis.correlation.index import Correlation  # noqa: E402
from jitstudio.analysis.correlation.line_hues import line_hues  # noqa: E402
from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines  # noqa: E402
from jitstudio.analysis.sass.model import SourceLocation  # noqa: E402
from jitstudio.analysis.sass.reading import read_code  # noqa: E402

GOAL_MS = 16
CALL, LINE = SourceLocation("/src/k.cu", 7), SourceLocation("/src/k.cuh", 5)


def sass(count: int) -> str:
    """What nvdisasm would print."""
    head = ['\t.section\t.text.k,"ax",@progbits', "\t.type\tk,@function", "k:", ".text.k:"]
    code = (
        (
            f'\t//## File "{LINE.file}", line {n % 997 + 1} inlined at "{CALL.file}", line 7',
            f'\t//## File "{CALL.file}", line 7',
            f'\t//## File ".nv_debug_ptx_txt", line {2 * n + 4}',
            f"        /*{16 * n:04x}*/                   IADD3 R1, R2, R3, {n} ;",
        )
        for n in range(count)
    )
    return "\n".join(chain(head, chain.from_iterable(code)))


def ptx(count: int) -> list[str]:
    """What it would be made of."""
    code = ((f"\t.loc\t2 {n % 997 + 1} 3", "\tadd.s32 %a, %b, %c;") for n in range(count))
    files = [f'\t.file\t1 "{CALL.file}"', f'\t.file\t2 "{LINE.file}"']
    return [".entry k()", "{", *chain.from_iterable(code), "}", *files]


def timed(what: str, act: Callable[[], object], rounds: int = 1) -> float:
    """Do it and print the quickest of some times, in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        act()
        times.append((time.perf_counter() - start) * 1000)
    print(f"{what:<44} {min(times):9.2f} ms")
    return min(times)


def main(count: int) -> int:
    """Measure and print; 1 if the goal is missed."""
    code, lines = read_code(sass(count)), ptx(count)
    timed(f"read {len(lines):,} lines of PTX", lambda: read_ptx_lines(lines))
    modules = {"k.cu": read_ptx_lines(lines)}
    timed("tell the calls of each instruction", lambda: corrected(code, modules))
    timed("tie all together", lambda: Correlation(code, modules))
    found = Correlation(code, modules)
    timed("colour all", lambda: line_hues(found, lambda _file: True))
    (function,) = code.functions
    cursor = [
        timed("cursor on a line of the source", lambda: found.of_place(LINE), 20),
        timed("cursor on the line that all was made of", lambda: found.of_place(CALL), 20),
        timed("cursor in PTX", lambda: found.of_ptx("k.cu", count // 2), 20),
        timed("cursor in SASS", lambda: found.of_code(function, count // 2), 20),
    ]
    print(f"goal for a cursor: at most {GOAL_MS} ms")
    return 0 if max(cursor) <= GOAL_MS else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
