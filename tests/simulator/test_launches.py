"""The launches of `launches` end as NumPy says, and with the bits that an H100 gave.

`h100.json` has a checksum of each buffer as an H100 with driver 580 left it. Those that depend on
the order of threads are not in it, nor what `approximations` gives: a GPU's tanh is no exact one.
"""

import json
import zlib
from pathlib import Path

import pytest

from jitstudio.simulator.observers.races import RaceDetector
from tests.simulator.kernel_runs import problems, program, simulated
from tests.simulator.launches import LAUNCHES

ANSWERS = json.loads((Path(__file__).parent / "h100.json").read_text())
_LONG = ("clusters.cu", "cooperative.cu", "floats.cu")  # NVRTC takes seconds for them

_FILES = list(dict.fromkeys(row.file for row in LAUNCHES))


@pytest.mark.parametrize(
    "file", [pytest.param(f, marks=pytest.mark.bench) if f in _LONG else f for f in _FILES]
)
def test_kernels_give_what_numpy_says(builder, file):
    wrong = {}
    for row in LAUNCHES:
        if row.file == file:
            code = program(builder, file)
            ran = simulated(row, code, (RaceDetector(row.kernel, program=code),))
            found = list(problems(row, ran))
            for name, answer in ANSWERS.get(row.name, {}).items():
                if zlib.crc32(ran.buffers[name].tobytes()) != answer:
                    found.append(f"{name} is not what an H100 gave")
            if found:
                wrong[row.name] = found
            assert bool(ran.result.races) is row.races or wrong, row.name
    assert wrong == {}
