from dataclasses import replace

import pytest

from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.c_types import FLOAT
from jitstudio.core.launch.device import SIMULATED_DEVICE
from jitstudio.core.launch.request import Direction
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    LaunchOutcome,
    LaunchResult,
    Mismatch,
)
from jitstudio.core.launch.run_problems import run_problems
from jitstudio.core.tools import Tool

OUT = BufferResult("out", FLOAT, 100, Direction.OUT)
CHECK = CheckResult("out", "a + 1", False, 100, 3, mismatches=(Mismatch((7,), "2", "1"),))
FAULT = Diagnostic(Severity.ERROR, "k.cu", 3, None, "A fault.", Tool.DRIVER, explanation="Why.")
RESULT = LaunchResult(
    LaunchOutcome.WRONG, "k", device="H100", buffers=(OUT,), checks=(CHECK,), diagnostics=(FAULT,)
)


@pytest.mark.parametrize(
    ("writers", "place", "named"),
    [
        ((), ("", None), ""),
        ((("k.cu", 4),), ("k.cu", 4), "4"),
        # Either may be the wrong one.
        ((("k.cu", 4), ("k.cu", 9)), ("", None), "4 and 9"),
    ],
)
def test_a_failed_check_is_at_the_only_line_that_writes_the_buffer(writers, place, named):
    check, _ = run_problems(replace(RESULT, buffers=(replace(OUT, writers=writers),)))
    assert (check.severity, check.file, check.line) == (Severity.ERROR, *place)
    assert check.message.startswith(CHECK.verdict.rstrip("."))
    assert check.message.rstrip(".").endswith(named)
    assert "out = a + 1" in check.explanation
    assert CHECK.differences[0] in check.explanation


def test_errors_and_warnings_stay_as_the_run_tells_them():
    note, gap = (replace(FAULT, severity=level) for level in (Severity.INFO, Severity.WARNING))
    good = replace(CHECK, ok=True)
    result = replace(RESULT, checks=(good,), diagnostics=(FAULT, note, gap))
    fault, warning = run_problems(result)
    assert (fault.tool, fault.message, fault.explanation) == (Tool.DRIVER, "A fault.", "Why.")
    assert warning.severity is Severity.WARNING
    assert not fault.is_simulated
    simulated = run_problems(replace(result, device=SIMULATED_DEVICE.name))
    assert [problem.is_simulated for problem in simulated] == [True, True]


@pytest.mark.parametrize("outcome", LaunchOutcome)
def test_what_has_not_run_has_no_problems(outcome):
    has_run = outcome not in {
        LaunchOutcome.REFUSED,
        LaunchOutcome.MISSING,
        LaunchOutcome.CANCELLED,
    }
    assert bool(run_problems(replace(RESULT, outcome=outcome))) == has_run
