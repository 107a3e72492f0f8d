"""`jitstudio check`: whether kernels keep their budgets."""

from __future__ import annotations

import json
from pathlib import Path

from jitstudio.checks.budgets import has_budgets
from jitstudio.checks.report_files import junit, sarif
from jitstudio.cli import text_output
from jitstudio.command_options.other import CheckOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands.check import budgets_of, check, status_of, write
from jitstudio.commands.json_output import check_object
from jitstudio.system.terminal import say

_DEFAULT_FILES = ("BUDGETS.toml", "pyproject.toml")


def run(options: CheckOptions) -> int:
    """Checks all budgets of the files and returns the exit status.

    Raises:
        UsageError: A file cannot be read or written, or has a mistake.
        WorkerError: The worker itself failed.
    """
    files = [budgets_of(path) for path in options.files or (_default_file(),)]
    reports = check(files, options)
    if options.sarif is not None:
        write(Path(options.sarif), sarif(reports), "--sarif")
    if options.junit is not None:
        write(Path(options.junit), junit(reports), "--junit")
    if options.json:
        say(json.dumps(check_object(reports), indent=2))
    else:
        text_output.print_check(reports)
    return status_of(reports)


def _default_file() -> str:
    for name in _DEFAULT_FILES:
        if Path(name).is_file() and (name != "pyproject.toml" or has_budgets(Path(name))):
            return name
    raise UsageError(
        "There is neither a BUDGETS.toml here nor a pyproject.toml with [[tool.jitstudio.check."
        "budget]]. Name a file of budgets."
    )
