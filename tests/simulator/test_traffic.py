"""Sectors and passes are those that an H100 counts, or `UNLIKE` says why not."""

import json
from pathlib import Path

import pytest

from tests.simulator.kernel_runs import program, simulated
from tests.simulator.launches import LAUNCHES
from tests.simulator.traffic import UNLIKE, Measured, Sums, Why, unlike
from tests.simulator.traffic_on_gpu import sample_rows, sums_of

H100: dict[str, Measured] = json.loads(
    (Path(__file__).parent / "h100_traffic.json").read_text(encoding="utf-8")
)
_LONG = ("clusters.cu", "cooperative.cu", "floats.cu")  # NVRTC takes seconds for them
_FILES = list(dict.fromkeys(row.file for row in LAUNCHES))

EXACT = {Why.MERGED}
"""What leaves the counts of one of the two ways to compile equal to those of the simulator."""

pytestmark = pytest.mark.tools


def problems(name: str, sums: dict[str, int]) -> list[str]:
    """Returns what is not as `UNLIKE` says."""
    found, expected = [], UNLIKE.get(name, {})
    others = {kind: (ours, theirs) for kind, ours, theirs in unlike(sums, H100[name])}
    for kind, (ours, theirs) in others.items():
        why = expected.get(kind)
        if why is None or (why in EXACT and ours not in theirs):
            found.append(f"{name}: {kind}: simulator {ours}, H100 {theirs}")
    found += [f"{name}: {kind} is equal by now" for kind in expected if kind not in others]
    return found


def test_all_launches_were_measured():
    names = {f"{row.file} {row.name}" for row in LAUNCHES}
    assert names <= set(H100)
    assert set(UNLIKE) <= set(H100)


@pytest.mark.parametrize(
    "file", [pytest.param(f, marks=pytest.mark.bench) if f in _LONG else f for f in _FILES]
)
def test_kernels_cost_what_an_h100_counts(builder, file):
    wrong = []
    for row in LAUNCHES:
        if row.file == file:
            sums = Sums()
            simulated(row, program(builder, file), (sums,))
            wrong += problems(f"{file} {row.name}", sums.sums)
    assert wrong == []


@pytest.mark.bench
def test_samples_cost_what_an_h100_counts():
    rows = [row for row in sample_rows() if row.name in H100]
    assert len(rows) == sum(name.startswith("sample ") for name in H100)
    wrong = []
    for row in rows:
        sums = sums_of(row)
        assert not isinstance(sums, str), sums
        wrong += problems(row.name, sums)
    assert wrong == []
