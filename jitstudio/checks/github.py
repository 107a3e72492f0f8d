"""Reports in the page of a GitHub run: annotations of lines, and the summary.

Annotations are workflow commands, which the runner reads off both streams of a step. The summary is
Markdown, appended to the file that the variable ``GITHUB_STEP_SUMMARY`` names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jitstudio.checks.remarks import Remark, remarks
from jitstudio.checks.verdicts import BudgetReport, from_repository, tally
from jitstudio.core.diagnostics import Severity

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
# As `escapeData` and `escapeProperty` of the runner's toolkit write them.
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})
_MOST_ROWS = 100
"""A summary of more than a mebibyte is not shown."""


def workflow_commands(reports: Sequence[BudgetReport]) -> Iterator[str]:
    """Yields a workflow command for each remark, which the host shows at a line of a change."""
    for remark in _all_remarks(reports):
        values = {"title": f"jitstudio: {remark.rule}"}
        if remark.place is not None:
            values = {"file": remark.place.file, "line": str(remark.place.line), **values}
        if remark.column:
            values["col"] = str(remark.column)
        words = ",".join(f"{key}={text.translate(_PROPERTY)}" for key, text in values.items())
        yield f"::{_COMMANDS[remark.severity]} {words}::{remark.text.translate(_DATA)}"


def summary(reports: Sequence[BudgetReport]) -> bytes:
    """Returns how many conditions hold, and a table of the remarks, in Markdown."""
    lines = ["### jitstudio check", "", tally(reports)]
    rows = list(_all_remarks(reports))
    if rows:
        lines += ["", "| Line | Message |", "| --- | --- |", *map(_row, rows[:_MOST_ROWS])]
    if len(rows) > _MOST_ROWS:
        lines += ["", f"{len(rows) - _MOST_ROWS} more are in the log."]
    return "\n".join([*lines, "", ""]).encode()


def _all_remarks(reports: Sequence[BudgetReport]) -> Iterator[Remark]:
    return (remark for report in from_repository(reports)[1] for remark in remarks(report))


def _row(remark: Remark) -> str:
    place = f"{remark.place.file}:{remark.place.line}" if remark.place else ""
    return f"| {_plain(place)} | {_plain(remark.text)} |"


def _plain(text: str) -> str:
    """Returns the text without meaning in Markdown: `f<int *>` is no tag and no emphasis."""
    escaped = re.sub(r"([\\`*_{}\[\]<>()#|~&])", r"\\\1", text)
    return " ".join(escaped.split())
