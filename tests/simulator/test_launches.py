"""The launches of `launches` end as NumPy says, without a fault, a race or a read of nothing."""

import pytest

from jitstudio.simulator.races import RaceDetector
from tests.simulator.kernel_runs import problems, program, simulated
from tests.simulator.launches import LAUNCHES

_LONG = ("clusters.cu", "cooperative.cu", "floats.cu")  # NVRTC takes seconds for them

_FILES = list(dict.fromkeys(row.file for row in LAUNCHES))


@pytest.mark.parametrize(
    "file", [pytest.param(f, marks=pytest.mark.bench) if f in _LONG else f for f in _FILES]
)
def test_kernels_give_what_numpy_says(builder, file):
    wrong = {}
    for row in LAUNCHES:
        if row.file == file:
            ran = simulated(row, program(builder, file), (RaceDetector(row.kernel),))
            if found := list(problems(row, ran)):
                wrong[row.name] = found
            assert bool(ran.result.races) is row.races or wrong, row.name
    assert wrong == {}
