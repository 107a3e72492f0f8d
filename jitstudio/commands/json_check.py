"""The JSON object of `jitstudio check`; see `commands.json_output`."""

from __future__ import annotations

from collections.abc import Sequence

from jitstudio.checks.verdicts import BudgetReport, Verdict, from_repository
from jitstudio.commands.json_output import Json, diagnostic_object


def check_object(reports: Sequence[BudgetReport]) -> Json:
    """Returns the object of `jitstudio check`: each budget with the verdicts."""
    root, reports = from_repository(reports)
    return {
        "ok": all(report.ok for report in reports),
        "root": str(root),
        "budgets": [*map(_budget, reports)],
    }


def _budget(report: BudgetReport) -> Json:
    return {
        "name": report.budget.name,
        "files": list(report.files),
        "arch": report.target,
        "ok": report.ok,
        "outcome": report.outcome,
        "problem": report.problem or None,
        "diagnostics": [diagnostic_object(diagnostic) for diagnostic in report.diagnostics],
        "conditions": [_verdict(verdict) for verdict in report.verdicts],
        "written": list(report.written),
        "skipped": report.skipped or None,
        "conditions_file": report.conditions_file,
        "settings_file": report.settings_file,
    }


def _verdict(verdict: Verdict) -> Json:
    return {
        "condition": verdict.condition.text,
        "about": verdict.condition.word,
        "kernel": verdict.kernel,
        "demangled": verdict.demangled,
        "holds": verdict.holds,
        "value": verdict.value,
        "bound": verdict.bound,
        "reason": verdict.reason,
        "source_file": verdict.place.file if verdict.place else None,
        "source_line": verdict.place.line if verdict.place else None,
    }
