"""Compares what kernels cost on a GPU, by Nsight Compute, with what the simulator counts.

    python3 -m tests.simulator.traffic_on_gpu FILE

runs the launches of `launches` and, where NVRTC and all that jitstudio needs are here, those of the
samples: in the simulator and under ncu, each twice there, as ptxas optimises it and without that.
Passes of shared memory and sectors of global and local memory of the GPU go to FILE, as JSON with a
line for each launch, such as `h100_traffic.json`; what is not the same in the simulator is printed,
with the reason that `traffic` has for it. It needs nvcc, ncu with leave to read counters,
cuda-bindings and a GPU of sm_90; all of it takes some minutes.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from jitstudio.simulator.ptx.program import PtxProgram
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.running.simulate import simulate
from jitstudio.simulator.state.model import SimulatedLaunch, SimulationOutcome
from tests.simulator.kernel_runs import KERNELS, as_launch
from tests.simulator.launches import LAUNCHES
from tests.simulator.passes_on_gpu import COPIES, COUNTER, counted
from tests.simulator.traffic import KINDS, UNLIKE, Measured, Sums, unlike

ROOT = Path(__file__).parent.parent.parent
LEVELS = {"optimised": 4, "plain": 0}
"""How a launch is compiled, and the level of the driver's compiler for it."""

_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_{}_op_{}.sum"
_SHARED = {"read": [COUNTER.format("ld")], "write": [COUNTER.format("st")]}
_SHARED |= {"atomic": [COUNTER.format("atom")], "copy": [COPIES]}
_OPERATIONS = {"read": ["ld"], "write": ["st"], "atomic": ["atom", "red"]}
COUNTERS = {
    kind: _SHARED[what]
    if space == "shared"
    else [_SECTORS.format(space, operation) for operation in _OPERATIONS[what]]
    for kind in KINDS
    for space, what in (kind.split(),)
}
"""What is compared, and the counters that add up to it."""


Counts = dict[str, int] | str
"""What a launch costs by what is compared, or why nobody has counted it."""


class Row(NamedTuple):
    """A launch with the PTX that both sides run."""

    name: str
    ptx: str
    launch: SimulatedLaunch


def kernel_rows(folder: Path) -> Iterator[Row]:
    """Yields the launches of the tests' kernels, as nvcc compiles them."""
    files = sorted({row.file for row in LAUNCHES})
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = dict(zip(files, pool.map(lambda file: ptx_of(file, folder), files), strict=True))
    for row in LAUNCHES:
        yield Row(f"{row.file} {row.name}", texts[row.file], as_launch(row))


def ptx_of(file: str, folder: Path) -> str:
    """Returns the PTX of a file of kernels."""
    source, target = KERNELS / file, folder / f"{file}.ptx"
    if source.suffix == ".ptx":
        return source.read_text()
    command = ["nvcc", "-ptx", "-lineinfo", "-arch=compute_90", "-std=c++17", "-o", target, source]
    subprocess.run(command, check=True, capture_output=True)
    return target.read_text()


def sample_rows() -> Iterator[Row]:
    """Yields the launches of the samples that have buffers and numbers only."""
    from jitstudio.core.launch.device import SIMULATED_DEVICE, SIMULATOR, DeviceList
    from jitstudio.core.launch.request import FillKind
    from jitstudio.simulator.running.launching import prepare
    from jitstudio.worker.builder import Builder
    from tests import sample_launches

    builder = Builder()
    for sample, spec in sample_launches.LAUNCHES:
        devices = DeviceList((SIMULATED_DEVICE,))
        request = sample_launches.resolved(builder, sample, spec, devices, device=SIMULATOR).request
        by_others = {FillKind.FILE, FillKind.EXPRESSION}
        if request and not any(buffer.fill.kind in by_others for buffer in request.buffers):
            ready = prepare(request, {}, 60.0)
            if not (ready.launch.bound or ready.launch.variables):
                yield Row(f"sample {sample.title}", ready.program.text, ready.launch)
    builder.close()


def sums_of(row: Row) -> Counts:
    """Returns the counts of the simulator for a launch, or the reason for none."""
    sums = Sums()
    result = simulate(row.launch, read_program(row.ptx), (sums,))
    if result.outcome not in (SimulationOutcome.FINISHED, SimulationOutcome.FAULTED):
        return f"simulator: {result.outcome.value}: {result.message}"
    return dict(sums.sums)


def arguments_of(launch: SimulatedLaunch, program: PtxProgram) -> list[Any]:
    """Returns the arguments of a launch: arrays for its buffers, the bytes of the other ones.

    Raises:
        ValueError: A buffer is no parameter, as one whose address is in a struct.
    """
    buffers = {a.address: np.frombuffer(a.data or bytes(a.size), "u1") for a in launch.allocations}
    arguments: list[Any] = []
    at = 0
    for parameter in program.functions[launch.kernel].parameters:
        at += -at % parameter.align
        held = launch.parameters[at : at + parameter.size]
        at += parameter.size
        buffer = buffers.pop(int.from_bytes(held, "little"), None) if len(held) == 8 else None
        arguments.append(np.void(held) if buffer is None else buffer)
    if buffers:
        raise ValueError("a buffer is not a parameter")
    return arguments


def launch_all(folder: Path) -> None:
    """Launches all rows on the GPU, and notes after each how that went; it runs under ncu."""
    from tests.simulator.gpu_module import GpuModule

    rows: list[Row] = pickle.loads((folder / "rows").read_bytes())
    modules: dict[tuple[str, int], GpuModule] = {}
    with (folder / "launched").open("w") as notes:
        for row in rows:
            program, launch = read_program(row.ptx), row.launch
            for title, level in LEVELS.items():
                problem = ""
                try:
                    key = row.ptx, level
                    modules[key] = modules.get(key) or GpuModule(row.ptx.encode(), level)
                    modules[key].launch(
                        launch.kernel,
                        launch.grid,
                        launch.block,
                        arguments_of(launch, program),
                        shared_bytes=launch.shared_bytes,
                        cluster=launch.cluster,
                        cooperative=launch.cooperative,
                    )
                except (AssertionError, ValueError) as error:
                    problem = f"GPU: {error}"
                    modules.clear()
                print(json.dumps([row.name, title, problem]), file=notes, flush=True)
    print()  # What a kernel has printed last may have no end of line, and ncu goes on behind it.


def measured(rows: Sequence[Row], folder: Path) -> dict[str, dict[str, Counts]]:
    """Returns the counts of ncu by launch and level, or the reason for none."""
    (folder / "rows").write_bytes(pickle.dumps(list(rows)))
    program = [sys.executable, "-m", "tests.simulator.traffic_on_gpu", "--launch", str(folder)]
    names = [name for names in COUNTERS.values() for name in names]
    left = iter(counted(names, program, ROOT))
    by_row: dict[str, dict[str, Counts]] = defaultdict(dict)
    for line in (folder / "launched").read_text().splitlines():
        name, title, problem = json.loads(line)
        by_row[name][title] = problem or _summed(next(left))
    assert next(left, None) is None, "ncu has measured more launches than there were"
    return by_row


def _summed(counts: Mapping[str, float]) -> dict[str, int]:
    """Returns the sums of a launch."""
    assert not any(math.isnan(count) for count in counts.values()), "ncu has not counted all"
    return {key: sum(int(counts[name]) for name in names) for key, names in COUNTERS.items()}


def as_measured(by_level: Mapping[str, Counts]) -> Measured | str:
    """Returns the counts of a launch as the file has them, or why there are none."""
    optimised, plain = (by_level[title] for title in LEVELS)
    if isinstance(optimised, str) or isinstance(plain, str):
        return f"{optimised}; {plain}"
    both = {kind: [optimised[kind], plain[kind]] for kind in KINDS}
    return {k: two[0] if two[0] == two[1] else two for k, two in both.items() if any(two)}


def main(target: Path) -> None:
    """Compares all launches and writes the file."""
    start = time.perf_counter()
    with TemporaryDirectory() as made, ProcessPoolExecutor(os.cpu_count()) as pool:
        folder = Path(made)
        rows = list(kernel_rows(folder))
        try:
            rows += sample_rows()
        except Exception as error:  # the kernels of the tests are compared without them, too
            print(f"The samples are left out: {type(error).__name__}: {error}", flush=True)
        counting = pool.map(sums_of, rows)
        theirs = {name: as_measured(counts) for name, counts in measured(rows, folder).items()}
        ours = dict(zip((row.name for row in rows), counting, strict=True))
    counts = {name: each for name, each in theirs.items() if not isinstance(each, str)}
    lines = [f" {json.dumps(name)}: {json.dumps(each)}" for name, each in counts.items()]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    for name, sums in ours.items():
        other = theirs[name]
        if isinstance(sums, str) or isinstance(other, str):
            print(f"{name}: {sums if isinstance(sums, str) else other}")
            continue
        for kind, mine, both in unlike(sums, other):
            why = UNLIKE.get(name, {}).get(kind)
            print(f"{name}: {kind}: simulator {mine}, GPU {both}: {why.value if why else 'NEW'}")
    print(f"{len(rows)} launches, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    if sys.argv[1] == "--launch":
        launch_all(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
