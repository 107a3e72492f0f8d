"""Two runs of a launch: NumPy says which elements differ, and the result names both runs."""

import random

import numpy as np
import pytest

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.agreement import OTHER, WITHOUT_FMA, agreed
from jitstudio.core.launch.request import Direction
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    LaunchOutcome,
    LaunchResult,
    Mismatch,
)
from tests.gui.launches import FLOAT


def check(name, mine, theirs):
    """The comparison of a buffer after two runs."""
    wrong = np.flatnonzero(mine != theirs)
    first = tuple(Mismatch((int(n),), str(mine[n]), str(theirs[n])) for n in wrong[:1])
    return CheckResult(name, OTHER, not wrong.size, mine.size, wrong.size, mismatches=first)


@pytest.mark.parametrize("seed", range(30))
def test_each_run_is_named_beside_its_values(seed):
    chance, numbers = random.Random(seed), np.random.default_rng(seed)
    devices = [chance.choice(["", name]) for name in ("NVIDIA H200", "Simulator")]
    build = chance.choice(["", "", WITHOUT_FMA])
    contents = {
        name: (numbers.integers(0, 3, 4), numbers.integers(0, 3, 4) + 10 * chance.randrange(2))
        for name in ("a", "b")
    }
    contents["c"] = (np.arange(3), np.arange(3))
    writers = (("k.cu", 7), ("k.cu", 9))[: chance.randrange(1, 3)]
    written = BufferResult("a", FLOAT, 4, Direction.OUT, writers=writers)
    mine, theirs = (
        LaunchResult(LaunchOutcome.RAN, "k", device, buffers=buffers)
        for device, buffers in zip(devices, ((), (written,)), strict=True)
    )
    checks = [check(name, *arrays) for name, arrays in contents.items()]
    result = agreed(mine, theirs, checks, build)
    who = result.comparison.who
    assert (build or devices[1]) in who
    assert who
    differing = [name for name, (a, b) in contents.items() if (a != b).any()]
    assert (result.outcome is LaunchOutcome.WRONG) == bool(differing)
    errors = [note for note in result.diagnostics if note.severity is Severity.ERROR]
    assert len(errors) == len(differing)
    for name, error in zip(differing, errors, strict=True):
        message = error.message
        a, b = contents[name]
        first = int(np.argmax(a != b))
        own = "this build" if build else devices[0] or "this run"
        assert f"{(a != b).sum()} of 4 elements of '{name}'" in message
        assert f"{name}[{first}] is {a[first]} ({own}) and {b[first]} ({who})" in message
        assert ("line 7" in message) == (name == "a")
        # Nobody knows which of several lines is to blame.
        is_known = name == "a" and len(writers) == 1
        assert (error.file, error.line) == (writers[0] if is_known else ("", None))
        assert own != who
    if not differing:
        (agreement,) = result.diagnostics
        assert who in agreement.message
        assert all(f"'{name}'" in agreement.message for name in contents)


def test_a_run_that_did_not_end_well_is_named_with_the_reason():
    mine = LaunchResult(LaunchOutcome.RAN, "k", "NVIDIA H200")
    theirs = LaunchResult(LaunchOutcome.TIMED_OUT, "k", "Simulator")
    result = agreed(mine, theirs, (), "")
    assert result.outcome is LaunchOutcome.WRONG
    assert result.diagnostics[0].message == f"Simulator: {theirs.reason}"
