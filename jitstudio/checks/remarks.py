"""The remarks of a check: what fails, each with its place, as code hosts show them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from jitstudio.analysis.sass.model import SourceLocation
from jitstudio.checks.verdicts import BudgetReport
from jitstudio.core.diagnostics import Diagnostic, Severity

BUILD = "build"
"""The rule that is broken where nothing could be judged."""


class Remark(NamedTuple):
    """A condition that fails, or a message of a build that failed.

    Attributes:
        rule: The word of the condition, or `BUILD`.
        severity: How much it matters.
        text: The message.
        place: The line; None where none is known.
        column: The column in that line; None where it is not known.
    """

    rule: str
    severity: Severity
    text: str
    place: SourceLocation | None
    column: int | None = None


def remarks(report: BudgetReport) -> Iterator[Remark]:
    """Yields the failures of a budget."""
    budget = report.budget
    for verdict in report.verdicts:
        if not verdict.holds:
            line = verdict.place or SourceLocation(report.files[0], 1)
            text = f"{verdict.demangled} ({report.target}): {verdict.failure}"
            yield Remark(verdict.condition.word, Severity.ERROR, text, line)
    if not report.status:
        return
    # A build that failed without a diagnostic has no line; code hosts need a place all the same.
    if report.problem or not report.diagnostics:
        # A problem is one of the file of budgets, which may name a source that is not there.
        file = report.conditions_file if report.problem else report.files[0]
        text = f"{budget.name}: {report.problem or report.outcome}"
        yield Remark(BUILD, Severity.ERROR, text, SourceLocation(file, 1) if file else None)
    for diagnostic in report.diagnostics:
        column = diagnostic.column if diagnostic.line else None
        place = place_of(diagnostic)
        yield Remark(BUILD, diagnostic.severity, diagnostic.message, place, column)


def place_of(diagnostic: Diagnostic) -> SourceLocation | None:
    """Returns the line of a message, the first where it names a file alone; None without a file."""
    return SourceLocation(diagnostic.file, diagnostic.line or 1) if diagnostic.file else None
