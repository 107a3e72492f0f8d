"""The exit status of a command that launches, by the outcome."""

from __future__ import annotations

from jitstudio.commands import exit_codes
from jitstudio.core.launch.result import LaunchOutcome

OF_LAUNCH = {
    LaunchOutcome.RAN: exit_codes.BUILT,
    LaunchOutcome.WRONG: exit_codes.WRONG,
    LaunchOutcome.FAILED: exit_codes.FAILED,
    LaunchOutcome.REFUSED: exit_codes.USAGE,
    LaunchOutcome.MISSING: exit_codes.MISSING,
    LaunchOutcome.CRASHED: exit_codes.CRASHED,
    LaunchOutcome.TIMED_OUT: exit_codes.CRASHED,
    LaunchOutcome.CANCELLED: exit_codes.CRASHED,
}
