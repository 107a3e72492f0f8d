"""The benchmarks run, and reach their goals, each of which says with what it compares.

They run one behind another, with nothing beside them: `python3 -m pytest -m bench -n0 tests/bench`.
"""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REACHED = {
    "machine_code": (),
    "keys": (),
    "cache": (),
    "check": (),
    "correlation": (),
    "host_code": (),
    "show": (),
    "startup": (),
    "sandbox": (),
    "starts": ("20",),
    "session": (),
    "walk": (),
}
# Their goals are stated and printed, and not all reached yet.
OPEN = {
    "warm_build": (),
    "pch": (),
    "turns": (),
    "window": ("3",),
    "parallel": ("5",),
    "sweep": ("1",),
    "one_kernel": (),
    "commands": (),
}
# They print, and have no goal; so many rounds show that they run.
WITHOUT_GOAL = {"listing": (), "memory": ("20",)}
ON_A_GPU = ("launch",)
# Another program may take the machine's cores for a moment.
TRIES = 3
_RAN = (0, 1)
"""The exit status of a benchmark: it has reached its goals, or missed one."""

pytestmark = pytest.mark.bench


def ran(name, *words):
    """Runs a benchmark; returns its exit status and what it printed."""
    command = [sys.executable, "-m", f"tests.bench.{name}", *words]
    done = subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True)
    told = f"{done.stdout}{done.stderr}"
    assert "Traceback (most recent call last)" not in told, told
    assert done.returncode in _RAN, told
    return done.returncode, told


@pytest.mark.parametrize("name", REACHED)
def test_a_benchmark_reaches_its_goals(name):
    told = []
    for _ in range(TRIES):
        status, printed = ran(name, *REACHED[name])
        told.append(printed)
        if status == 0:
            return
    pytest.fail("\n".join(told))


@pytest.mark.parametrize("name", OPEN)
def test_a_benchmark_whose_goals_are_open_runs(name):
    status, told = ran(name, *OPEN[name])
    assert "goal" in told
    if status:
        pytest.xfail(told)


@pytest.mark.parametrize("name", WITHOUT_GOAL)
def test_a_benchmark_without_a_goal_runs(name):
    status, told = ran(name, *WITHOUT_GOAL[name])
    assert (status, bool(told)) == (0, True)


@pytest.mark.gpu
@pytest.mark.parametrize("name", ON_A_GPU)
def test_a_benchmark_on_a_gpu_runs(name):
    if importlib.util.find_spec("cupy") is None:
        pytest.skip("it compares with CuPy, which is not installed")
    assert ran(name)[0] == 0
