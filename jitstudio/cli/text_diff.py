"""Differences in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from jitstudio.analysis.diff.model import Comparison
from jitstudio.analysis.diff.program import FigureDelta, changed
from jitstudio.analysis.diff.unified import unified
from jitstudio.cli.text_output import print_diagnostics, print_summary
from jitstudio.commands.machine_code import CodeDifference
from jitstudio.system.terminal import print_error, say, table_lines

_DELTA_HEADINGS = ("function", "figure", "A", "B", "change")


def print_diff(difference: CodeDifference) -> None:
    """Prints the differences on stdout as a unified diff and a table; all else on stderr."""
    comparison = difference.comparison
    for side in difference.sides:
        if side.result:
            print_diagnostics(side.result.diagnostics)
            if not side.result.ok:
                print_summary(side.result)
    if comparison is None:
        return
    if not comparison.equal:
        say(f"--- {difference.sides[0].title}")
        say(f"+++ {difference.sides[1].title}")
    for line in unified(comparison):
        say(line)
    _print_deltas(changed(difference.deltas))
    print_error(_diff_summary(comparison, data_left_out=difference.data_compared is False))


def _diff_summary(comparison: Comparison, *, data_left_out: bool) -> str:
    count = len(comparison.hunks)
    summary = f"{count:,} difference{'' if count == 1 else 's'}"
    if comparison.equal:
        summary = "the code is equal" if data_left_out else "equal"
    if data_left_out:
        summary += "; data was not compared"
    if comparison.control_changes:
        summary += f"; {comparison.control_changes:,} instructions differ in control bits only"
    return summary


def _print_deltas(deltas: Sequence[FigureDelta]) -> None:
    if not deltas:
        return
    rows = [_DELTA_HEADINGS, *(_delta_row(delta) for delta in deltas)]
    say("")
    for line in table_lines(rows, left=2):
        say(line)


def _delta_row(delta: FigureDelta) -> tuple[str, ...]:
    left, right = ("-" if n is None else f"{n:,}" for n in (delta.left, delta.right))
    more = "" if delta.difference is None else f"{delta.difference:+,}"
    return delta.name, delta.figure.replace("_", " "), left, right, more
