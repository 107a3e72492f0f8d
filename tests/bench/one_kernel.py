"""What one kernel of many costs, against nvdisasm of that kernel alone.

    python tests/bench/one_kernel.py [ROUNDS] [CUBIN [PTX]]

Bare is `nvdisasm -fun` once, with encodings and lines. Against it, turn and turn about: the command
`inspect --kernel`, and what the window does for another kernel, whose SASS is printed and read,
with processes that have started. The cubin has 52 kernels of 88,000 instructions, unless another
is named. The goal is 3 times bare, by the least times of the wall; those of processors are printed
besides, as nvdisasm has to run twice for a reading and once more for the text, at the same time
where there are cores.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from jitstudio.analysis.reading_request import AnalysisRequest  # noqa: E402
from jitstudio.analysis.sass.model import Disassembly  # noqa: E402
from jitstudio.analysis.sass.reading import CODE_OPTIONS  # noqa: E402
from jitstudio.core.code import CodeKind, Source  # noqa: E402
from jitstudio.core.cubin import function_index  # noqa: E402
from jitstudio.core.kernel_resources import code_sizes  # noqa: E402
from jitstudio.toolchain import locate  # noqa: E402
from jitstudio.worker.builder import Builder  # noqa: E402
from jitstudio.worker.code_readers import DisassemblyReader  # noqa: E402
from tests.bench.machine_code import Cost, large_cubin  # noqa: E402
from tests.support import request  # noqa: E402

GOAL = 3.0
ROUNDS = 4


def spent(pids: list[int]) -> float:
    """Milliseconds of processors that processes and the children they have waited for had."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK") * 1000


def timed(work: Callable[[], object], pids: list[int]) -> Cost:
    """Does the work; the processes that take part in it are named."""
    before, start = spent(pids), time.perf_counter()
    work()
    return Cost((time.perf_counter() - start) * 1000, spent(pids) - before)


def compare(cubin: bytes, ptx: str, rounds: int) -> Iterator[dict[str, Cost]]:
    """What each way of reading a kernel cost, in each round with another kernel."""
    names = sorted(code_sizes(cubin))
    program = locate.nvdisasm()
    base = request(Source("work.cu", CodeKind.CUBIN, cubin), emit="sass")
    texts = {"work.cu": ptx} if ptx else {}
    with (
        tempfile.NamedTemporaryFile(suffix=".cubin") as file,
        closing(Builder(workers=1)) as builder,
        closing(DisassemblyReader()) as reader,
    ):
        file.write(cubin)
        file.flush()
        command = [sys.executable, "-m", "jitstudio", "inspect", "--code", "--no-cache", file.name]

        def run(*words: str) -> None:
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)

        def window(name: str) -> None:
            wanted = replace(base, function=name, use_cache=False)
            assert builder.build(wanted).ok
            code = reader.analyse(AnalysisRequest(cubin, "work.cubin", texts, function=name))
            assert isinstance(code, Disassembly)
            assert [function.name for function in code.functions] == [name]

        window(names[0])
        pids = [pid for pid in (os.getpid(), builder.pid, reader.pid) if pid is not None]
        for name in names[1 : rounds + 1]:
            options = (*CODE_OPTIONS, "-fun", str(function_index(cubin, name)))
            yield {
                "bare": timed(partial(run, program, *options, file.name), pids),
                "command": timed(partial(run, *command, "--kernel", name), pids),
                "window": timed(partial(window, name), pids),
            }


def main(rounds: int = ROUNDS, cubin: str = "", ptx: str = "") -> int:
    """Measure and print; 1 if the goal is missed."""
    code = Path(cubin).read_bytes() if cubin else large_cubin()
    all_costs = list(compare(code, Path(ptx).read_text() if ptx else "", rounds))
    ratios = []
    for name in all_costs[0]:
        wall, cpu = (min(column) for column in zip(*(c[name] for c in all_costs), strict=True))
        bare_wall, bare_cpu = (
            min(column) for column in zip(*(c["bare"] for c in all_costs), strict=True)
        )
        ratios.append(wall / bare_wall)
        print(
            f"{name:<8} {wall:8.0f} ms  {wall / bare_wall:5.2f} times bare  (goal: at most {GOAL})"
            f"   processors {cpu:8.0f} ms  {cpu / bare_cpu:5.2f} times"
        )
    return 0 if max(ratios) <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2]), *sys.argv[2:]))
