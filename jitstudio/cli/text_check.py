"""Verdicts on budgets in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from jitstudio.checks.conditions import shown
from jitstudio.checks.verdicts import BudgetReport, failures, tally
from jitstudio.system.terminal import print_error, say, table_lines


def print_check(reports: Sequence[BudgetReport]) -> None:
    """Prints a row for each condition and kernel, then each failure with the reason."""
    rows = [("file", "kernel", "target", "condition", "", "value")]
    for report in reports:
        for verdict in report.verdicts:
            value = "unknown" if verdict.value is None else shown(verdict.value)
            words = (verdict.demangled, report.target, verdict.condition.text)
            judged = "holds" if verdict.holds else "FAILS"
            rows.append((", ".join(report.files), *words, judged, value))
    for line in table_lines(rows, left=5) if len(rows) > 1 else ():
        say(line)
    for report in reports:
        for path in report.written:
            say(path)
        if report.skipped:
            print_error(f"{report.budget.name}: left out. {report.skipped}")
    for line in failures(reports):
        print_error(line)
    print_error(tally(reports))
