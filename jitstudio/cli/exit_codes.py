"""What the exit status of each command means; documented in README.md."""

from __future__ import annotations

from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.core.result import Outcome

BUILT = 0
FAILED = 1
USAGE = 2
MISSING = 3
CRASHED = 4
WRONG = 5
INTERRUPTED = 130
"""Of Ctrl+C, as shells count it."""

OF_OUTCOME = {
    Outcome.BUILT: BUILT,
    Outcome.FAILED: FAILED,
    Outcome.REFUSED: USAGE,
    Outcome.MISSING: MISSING,
    Outcome.CRASHED: CRASHED,
    Outcome.TIMED_OUT: CRASHED,
    Outcome.CANCELLED: CRASHED,
}

OF_LAUNCH = {
    LaunchOutcome.RAN: BUILT,
    LaunchOutcome.WRONG: WRONG,
    LaunchOutcome.FAILED: FAILED,
    LaunchOutcome.REFUSED: USAGE,
    LaunchOutcome.MISSING: MISSING,
    LaunchOutcome.CRASHED: CRASHED,
    LaunchOutcome.TIMED_OUT: CRASHED,
    LaunchOutcome.CANCELLED: CRASHED,
}
