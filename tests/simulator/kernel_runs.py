"""Runs the launches of `launches` in the simulator and says what is wrong with what comes of them.

`python3 -m tests.simulator.kernel_runs [NAME ...]` runs all of them, or those whose name or file
holds one of the words, with the observers, and prints a line for each.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Source, kind_of
from jitstudio.core.request import BuildRequest
from jitstudio.simulator.observers.counts import Counter
from jitstudio.simulator.observers.races import RaceDetector
from jitstudio.simulator.ptx.program import PtxProgram
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.running.simulate import simulate
from jitstudio.simulator.state.model import (
    Observer,
    SimulatedLaunch,
    SimulationOutcome,
    SimulationResult,
)
from jitstudio.worker.builder import Builder
from tests.simulator.launches import LAUNCHES, Array, KernelLaunch
from tests.simulator.running import launch_of

KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Ran:
    """What came of a launch.

    Attributes:
        result: As the simulator says it.
        buffers: The buffers afterwards.
    """

    result: SimulationResult
    buffers: dict[str, Array]


def built(
    builder: Builder, file: str, emit: frozenset[CodeKind], arch: int = 90
) -> dict[CodeKind, bytes]:
    """What the compiler makes of a file of kernels."""
    content = (KERNELS / file).read_bytes()
    kind = kind_of(file)
    assert kind is not None
    options = ("-lineinfo", "--device-int128") if kind is CodeKind.CUDA else ()
    source = Source(file, kind, content)
    result = builder.build(BuildRequest((source,), arch=Arch(arch), emit=emit, options=options))
    assert result.ok, (file, result.reason)
    return {kind: content} | {a.kind: a.content for a in result.artifacts}


@cache
def program(builder: Builder, file: str) -> PtxProgram:
    """The PTX of a file of kernels, read."""
    emit = frozenset({CodeKind.PTX if file.endswith(".cu") else CodeKind.CUBIN})
    return read_program(built(builder, file, emit)[CodeKind.PTX].decode())


def as_launch(row: KernelLaunch) -> SimulatedLaunch:
    """A row as the simulator takes it."""
    return launch_of(
        row.kernel,
        row.grid,
        row.block,
        tuple(row.arguments.values()),
        shared_bytes=row.shared,
        cluster=(row.cluster, 1, 1) if row.cluster else None,
        cooperative=row.cooperative,
    )


def simulated(row: KernelLaunch, code: PtxProgram, observers: Sequence[Observer] = ()) -> Ran:
    """Runs a launch."""
    result = simulate(as_launch(row), code, observers)
    made = zip(row.buffers.items(), result.memory, strict=True) if result.memory else ()
    return Ran(result, {name: np.frombuffer(data, array.dtype) for (name, array), data in made})


def problems(row: KernelLaunch, ran: Ran) -> Iterator[str]:
    """What is not as it should be; a sentence each."""
    result = ran.result
    if result.outcome is not SimulationOutcome.FINISHED:
        yield f"{result.outcome.value}: {result.message}"
        return
    yield from (fault.message for fault in result.faults)
    if not row.races:
        yield from (race.message for race in result.races)
    if result.output != row.prints:
        yield f"printed {result.output!r}"
    for name, expected in row.expectation().items():
        if name in row.luck:
            continue
        held = ran.buffers[name]
        if held.dtype.kind == "f":
            scale = np.abs(expected[np.isfinite(expected)]).max(initial=0)
            good = np.isclose(held, expected, row.near, row.near * scale, equal_nan=True)
        else:
            good = held == expected
        if not good.all():
            at = int(np.argmin(good))
            yield (
                f"{np.count_nonzero(~good)} of {good.size} wrong in {name}: "
                f"{held[at]!r} at {at}, {expected[at]!r} expected"
            )


def main(words: Sequence[str]) -> int:
    """Runs those launches, prints a line each, returns how many are wrong."""
    builder, wrong = Builder(), 0
    for row in LAUNCHES:
        if words and not any(re.search(word, f"{row.file} {row.name}") for word in words):
            continue
        start = time.perf_counter()
        try:
            code = program(builder, row.file)
            races = RaceDetector(row.kernel, program=code)
            start = time.perf_counter()
            ran = simulated(row, code)
            plain = time.perf_counter() - start
            start = time.perf_counter()
            ran = simulated(row, code, (Counter(), races))
            found = list(problems(row, ran))
            if row.races and not ran.result.races:
                found.append("no race found")
        except Exception as error:  # all of them are listed
            place_ = error.__traceback__
            while place_ and place_.tb_next:
                place_ = place_.tb_next
            where = place_ and f"{Path(place_.tb_frame.f_code.co_filename).name}:{place_.tb_lineno}"
            found, plain, ran = [f"{type(error).__name__} at {where}: {error}"], 0.0, None
        seconds = time.perf_counter() - start
        wrong += bool(found)
        steps = ran.result.steps if ran else 0
        inexact = "" if not ran or ran.result.exact else " inexact"
        print(
            f"{'WRONG' if found else 'ok   '} {row.name:24} {steps:7} steps {plain:6.2f} s "
            f"{seconds:6.2f} s observed{inexact}"
        )
        for line in found[:4]:
            print("     ", line[:400])
    builder.close()
    print(wrong, "wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
