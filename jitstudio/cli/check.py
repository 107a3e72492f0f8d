"""`jitstudio check`: whether kernels keep their budgets."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from jitstudio.checks.budgets import Budget, has_budgets
from jitstudio.checks.github import summary, workflow_commands
from jitstudio.checks.report_files import junit, sarif
from jitstudio.checks.verdicts import BudgetReport
from jitstudio.cli.text_check import print_check
from jitstudio.command_options.other import CheckOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands.check import budgets_of, check, refused_report, status_of
from jitstudio.commands.files import write_named
from jitstudio.commands.json_check import check_object
from jitstudio.system.terminal import print_error, say
from jitstudio.worker.host import WorkerError

_SUMMARY = "GITHUB_STEP_SUMMARY"
_DEFAULT_FILES = ("BUDGETS.toml", "pyproject.toml")


def run(options: CheckOptions) -> int:
    """Checks all budgets of the files and returns the exit status.

    Raises:
        UsageError: A file cannot be read or written, or has a mistake.
        WorkerError: The worker itself failed.
    """
    paths: Sequence[str] = options.files
    try:
        paths = paths or (_default_file(),)
        reports = check([budgets_of(path) for path in paths], options)
    except (UsageError, WorkerError) as error:
        refused = refused_report(next(iter(paths), ""), str(error), Budget("check", ()))
        for problem in _write_reports(options, (refused,)):
            print_error(problem)
        raise
    problems = _write_reports(options, reports)
    if options.json:
        say(json.dumps(check_object(reports), indent=2))
    else:
        print_check(reports)
    if problems:
        raise UsageError("\n".join(problems))
    return status_of(reports)


def _write_reports(options: CheckOptions, reports: Sequence[BudgetReport]) -> list[str]:
    """Writes the reports for other programs, which expect them whatever fails.

    Returns:
        Why files that the user asked for cannot be written, a sentence for each.
    """
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in workflow_commands(reports):
            print_error(line)
    problems: list[str] = []
    for path, flag, make in ((options.sarif, "--sarif", sarif), (options.junit, "--junit", junit)):
        if path:
            try:
                write_named(Path(path), make(reports), flag)
            except UsageError as error:
                problems.append(str(error))
    if path := os.environ.get(_SUMMARY):
        try:
            write_named(Path(path), summary(reports), _SUMMARY, "ab")
        # GitHub names the file, not the user, and the verdicts do not depend on it.
        except UsageError as error:
            print_error(f"warning: {error}")
    return problems


def _default_file() -> str:
    for name in _DEFAULT_FILES:
        if Path(name).is_file() and (name != "pyproject.toml" or has_budgets(Path(name))):
            return name
    raise UsageError(
        "There is neither a BUDGETS.toml here nor a pyproject.toml with [[tool.jitstudio.check."
        "budget]]. Name a file of budgets."
    )
