"""Compares what the simulator's tests run with the GPU that is here.

`python3 -m tests.simulator.on_gpu FIRST COUNT` compares random programs by as many processes as
there are cores, and prints those of which the GPU gives something else; with `record` for numbers
it prints the checksums of what the GPU gives for `forms`, as `h100_forms.json` has them. With
`python3 -m pytest -p tests.simulator.on_gpu` each kernel that a test runs must leave the same bits
on the GPU, too.
"""

from __future__ import annotations

import json
import os
import sys
import time
import zlib
from concurrent.futures import ProcessPoolExecutor
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.simulator import running
from tests.simulator.forms import FORMS, MATRIX_FORMS, Form, MatrixForm
from tests.simulator.gpu_module import GpuModule, Size
from tests.simulator.programs import make_program
from tests.simulator.running import HEAD, Simulated
from tests.simulator.warp_group_forms import WARP_GROUP_FORMS, WarpGroupForm

_OPTIONS = {"shared_bytes", "cluster", "cooperative"}


def pytest_configure() -> None:
    """Has `running.run` compare what it runs with the GPU, before a test imports it."""
    simulated = running.run

    @wraps(simulated)
    def run(
        ptx: str, kernel: str, grid: Size, block: Size, *arguments: Any, **options: Any
    ) -> Simulated:
        done = simulated(ptx, kernel, grid, block, *arguments, **options)
        # Orders, observers, textures and what does not end well are the simulator's alone.
        bound = any(isinstance(argument, running.Texture) for argument in arguments)
        if options.keys() <= _OPTIONS and not (bound or done.result.races or done.result.faults):
            try:
                module = GpuModule(ptx.encode())
            except AssertionError:
                return done  # for another target
            for i, (got, wanted) in enumerate(
                zip(
                    module.launch(kernel, grid, block, arguments, **options),
                    done.arrays,
                    strict=True,
                )
            ):
                np.testing.assert_array_equal(
                    got.reshape(-1).view(np.uint8), wanted.reshape(-1).view(np.uint8), f"array {i}"
                )
            module.close()
        return done

    running.run = run


OPTIMISED = ", the same without optimisation"


def compared(seed: int) -> str:
    """Says where a GPU leaves something else than the simulator after a random program.

    Where it does not if the driver's compiler optimises nothing, that is said: then it is the
    optimiser that has changed the program.
    """
    program = make_program(seed)
    text = HEAD + program.ptx()
    out = np.zeros(program.output_words(), np.uint32)
    grid, block = (program.blocks, 1, 1), (program.threads, 1, 1)
    wanted = running.run(text, program.name, grid, block, program.inputs(), out).arrays[1]

    def left(level: int) -> NDArray[Any]:
        module = GpuModule(text.encode(), level)
        got: NDArray[Any] = module.launch(program.name, grid, block, [program.inputs(), out])[1]
        module.close()
        return got

    got = left(4)
    different = np.flatnonzero(got != wanted)
    if not different.size:
        return ""
    at = int(different[0])
    same = OPTIMISED if np.array_equal(left(0), wanted) else ""
    return (
        f"program {seed}: {different.size} words; word {at}: "
        f"GPU {got[at]:08x}, simulator {wanted[at]:08x}{same}"
    )


def main(first: int, count: int) -> int:
    """Compares random programs, prints what is different, returns how many are."""
    start = time.perf_counter()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(compared, range(first, first + count), chunksize=20)
        different = [text for text in found if text]
    print(*different, sep="\n")
    seconds = time.perf_counter() - start
    print(f"{count} random programs from {first} on: {len(different)} different, {seconds:.0f} s")
    return len(different)


def given(form: Form | MatrixForm | WarpGroupForm, module: GpuModule) -> NDArray[Any]:
    """What a GPU gives for a form of an instruction."""
    return module.launch(form.name, form.grid, form.block, form.arrays())[-1]


def record() -> str:
    """The checksum of what the GPU gives for each form, by name, as JSON with a line each."""
    sums = {}
    for form in (*FORMS, *MATRIX_FORMS, *WARP_GROUP_FORMS):
        module = GpuModule((HEAD + form.kernel()).encode())
        sums[form.name] = zlib.crc32(given(form, module).tobytes())
        module.close()
    return json.dumps(sums, indent=0)


if __name__ == "__main__":
    if sys.argv[1:] == ["record"]:
        print(record())
    else:
        sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]))))
