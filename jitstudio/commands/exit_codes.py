"""The exit status of each command, with the meaning."""

from __future__ import annotations

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

MEANINGS = {
    BUILT: "Success: built; of `diff`: equal; of `run`: it ran and all checks passed; of `sweep`: "
    "some variant did and no check failed",
    FAILED: "A compile, a link or a launch failed; of `diff`: different",
    USAGE: "Wrong usage; of `diff` also: one of the two cannot be built",
    MISSING: "Something is missing: a library, the driver, a GPU",
    CRASHED: "A tool or a launch crashed or exceeded its time limit",
    WRONG: "A check failed, something was written out of bounds, or the simulator has found a "
    "fault or a race; of `check`: a condition fails; of `lesson check`: a goal is not reached",
    INTERRUPTED: "Interrupted by Ctrl+C",
}
"""For the manual."""
