"""What the exit status of each command means; documented in README.md."""

from __future__ import annotations

from jitstudio.core.result import Outcome

BUILT = 0
FAILED = 1
USAGE = 2
MISSING = 3
CRASHED = 4
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
