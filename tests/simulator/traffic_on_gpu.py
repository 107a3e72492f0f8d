"""Compares what kernels cost on a GPU, by Nsight Compute, with what the simulator counts.

    python3 -m tests.simulator.traffic_on_gpu FILE

runs the launches of `launches` and, where NVRTC and all that jitstudio needs are here, those of the
samples: in the simulator and under ncu, each twice there, as ptxas optimises it and without that.
Passes of shared memory and sectors of global and local memory go to FILE, as JSON with a line for
each launch, and those that are not the same are printed. It needs nvcc, ncu with leave to read
counters, cuda-bindings and a GPU of sm_90; all of it takes some minutes.

What ptxas merges, leaves out or hoists makes fewer accesses than the PTX has, what it spills makes
more, and a race or a spin goes another way: an unlike number is a question, and no error yet.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from jitstudio.core.launch.simulation import AccessKind, StateSpace
from jitstudio.simulator.observers.accesses import traffic_of
from jitstudio.simulator.ptx.program import PtxProgram
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.running.simulate import simulate
from jitstudio.simulator.state.model import Access, Observer, SimulatedLaunch, SimulationOutcome
from tests.simulator.kernel_runs import KERNELS, as_launch
from tests.simulator.launches import LAUNCHES
from tests.simulator.passes_on_gpu import COPIES, COUNTER, counted

ROOT = Path(__file__).parent.parent.parent
LEVELS = {"optimised": 4, "plain": 0}
"""How a launch is compiled, and the level of the driver's compiler for it."""

_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_{}_op_{}.sum"
COUNTERS = {
    "shared read": [COUNTER.format("ld")],
    "shared write": [COUNTER.format("st")],
    "shared atomic": [COUNTER.format("atom")],
    "shared copy": [COPIES],
    "global read": [_SECTORS.format("global", "ld")],
    "global write": [_SECTORS.format("global", "st")],
    "global atomic": [_SECTORS.format("global", "atom"), _SECTORS.format("global", "red")],
    "local read": [_SECTORS.format("local", "ld")],
    "local write": [_SECTORS.format("local", "st")],
}
"""What is compared, and the counters that add up to it."""


Counts = dict[str, int | None] | str
"""What a launch costs by what is compared, or why nobody has counted it."""


class Row(NamedTuple):
    """A launch with the PTX that both sides run."""

    name: str
    ptx: str
    launch: SimulatedLaunch


class Sums(Observer):
    """Adds up passes of shared memory and sectors of the other ones, over a launch."""

    def __init__(self) -> None:
        self.sums: Counter[str] = Counter()

    def accessed(self, access: Access) -> None:
        """See `Observer`."""
        kind, cost = access.kind.value, traffic_of(access)
        if access.instruction.opcode == "cp" and access.space is StateSpace.SHARED:
            kind = "copy" if access.kind is AccessKind.WRITE else kind
        self.sums[f"{access.space.value} {kind}"] += cost.wavefronts or cost.sectors


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


def simulated(row: Row) -> Counts:
    """Returns the counts of the simulator for a launch, or the reason for none."""
    sums = Sums()
    result = simulate(row.launch, read_program(row.ptx), (sums,))
    if result.outcome not in (SimulationOutcome.FINISHED, SimulationOutcome.FAULTED):
        return f"simulator: {result.outcome.value}: {result.message}"
    return {name: sums.sums[name] for name in COUNTERS}


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
        raise ValueError("a buffer is no parameter")
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
    try:
        counts = counted(names, program, ROOT)
    except RuntimeError as error:
        print(f"Once more without {COPIES}: {error}", flush=True)
        counts = counted([name for name in names if name != COPIES], program, ROOT)
    left = iter(counts)
    by_row: dict[str, dict[str, Counts]] = defaultdict(dict)
    for line in (folder / "launched").read_text().splitlines():
        name, title, problem = json.loads(line)
        by_row[name][title] = problem or _summed(next(left))
    assert next(left, None) is None, "ncu has measured more launches than there were"
    return by_row


def _summed(counts: Mapping[str, float]) -> dict[str, int | None]:
    """Returns the sums of a launch; None where ncu has not counted."""
    sums = {
        key: sum(counts.get(name, math.nan) for name in names) for key, names in COUNTERS.items()
    }
    return {key: None if math.isnan(count) else int(count) for key, count in sums.items()}


def differences(name: str, ours: Counts, theirs: Mapping[str, Counts]) -> Iterator[str]:
    """Yields a line for each thing that is not the same on both sides."""
    yield from (f"{name}: {each}" for each in (ours, *theirs.values()) if isinstance(each, str))
    if isinstance(ours, str):
        return
    sides = {title: counts for title, counts in theirs.items() if not isinstance(counts, str)}
    for key, count in ours.items():
        seen = {title: counts[key] for title, counts in sides.items()}
        if any(other not in (count, None) for other in seen.values()):
            words = ", ".join(f"{other} {title}" for title, other in seen.items())
            yield f"{name}: {key}: simulator {count}, GPU {words}"


def main(target: Path) -> int:
    """Compares all launches, writes the file, returns how many have other counts on the GPU."""
    start = time.perf_counter()
    with TemporaryDirectory() as made, ProcessPoolExecutor(os.cpu_count()) as pool:
        folder = Path(made)
        rows = list(kernel_rows(folder))
        try:
            rows += sample_rows()
        except Exception as error:  # the kernels of the tests are compared without them, too
            print(f"The samples are left out: {type(error).__name__}: {error}", flush=True)
        counting = pool.map(simulated, rows)
        theirs = measured(rows, folder)
        ours = dict(zip((row.name for row in rows), counting, strict=True))
    lines = [
        f"{json.dumps(name)}: {json.dumps({'simulator': counts} | theirs[name])}"
        for name, counts in ours.items()
    ]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    unlike = {name: [*differences(name, ours[name], theirs[name])] for name in ours}
    for found in unlike.values():
        print(*found, sep="\n", end="\n" if found else "")
    different = sum(bool(found) for found in unlike.values())
    seconds = time.perf_counter() - start
    print(f"{len(rows)} launches, {different} of them with other counts, {seconds:.0f} s")
    return different


if __name__ == "__main__":
    if sys.argv[1] == "--launch":
        launch_all(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
