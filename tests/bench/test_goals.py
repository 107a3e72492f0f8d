"""The goals of the benchmarks: each compares with bare tools in the same run, and says by how much.

They run one behind another, with nothing beside them: `python3 -m pytest -m bench -n0 tests/bench`.
"""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REACHED = ("machine_code", "keys", "cache", "correlation", "host_code", "show", "startup")
# Their goals are stated and printed, and not all reached yet.
OPEN = ("warm_build", "pch", "turns")
# Another program may take the machine's cores for a moment.
TRIES = 3


@pytest.mark.bench
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "name",
    [*REACHED, *(pytest.param(name, marks=pytest.mark.xfail(strict=False)) for name in OPEN)],
)
def test_a_benchmark_reaches_its_goals(name):
    told = []
    for _ in range(TRIES):
        done = subprocess.run([sys.executable, HERE / f"{name}.py"], capture_output=True, text=True)
        told.append(f"{done.stdout}{done.stderr}")
        if done.returncode == 0:
            return
    pytest.fail("\n".join(told))
