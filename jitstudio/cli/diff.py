"""`jitstudio diff`: two programs, or two builds of a program, side by side."""

from __future__ import annotations

import json

from jitstudio.cli.text_diff import print_diff
from jitstudio.command_options.build import DiffOptions
from jitstudio.commands import exit_codes
from jitstudio.commands.diff import diff
from jitstudio.commands.json_code import diff_object
from jitstudio.commands.machine_code import CodeDifference
from jitstudio.system.terminal import say


def run(options: DiffOptions) -> int:
    """Builds both sides if need be, compares them and returns the exit status.

    Raises:
        UsageError: An argument is wrong or a file cannot be read.
        WorkerError: The worker itself failed.
    """
    difference = diff(options)
    if options.json:
        words = options.what, options.kernel
        say(json.dumps(diff_object(difference, *words, normalised=options.normalised)))
    else:
        print_diff(difference)
    return _status(difference)


def _status(difference: CodeDifference) -> int:
    """Returns an exit status as that of `diff`: 1 where both could be read and differ."""
    if difference.comparison is not None:
        return exit_codes.BUILT if difference.comparison.equal else exit_codes.FAILED
    statuses = (
        exit_codes.OF_OUTCOME[side.result.outcome] for side in difference.sides if side.result
    )
    return max(exit_codes.USAGE, *statuses)
