"""What a difference looks like in a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from jitstudio.analysis.comparing.deltas import Delta, changed
from jitstudio.analysis.comparing.json_form import delta_objects, hunk_objects
from jitstudio.analysis.comparing.model import Change, Comparison, Hunk
from jitstudio.analysis.model import NOWHERE
from jitstudio.cli import text_report
from jitstudio.cli.compared import Difference, Side
from jitstudio.cli.table import table_lines
from jitstudio.cli.terminal import say, tell
from jitstudio.core.json_form import Json, diagnostic_object

_AROUND = 3
_HEADINGS = ("function", "figure", "A", "B", "change")


def diff_object(found: Difference, what: str, *, normalised: bool) -> Json:
    """The JSON object of the command; without a comparison `equal` is null."""
    comparison = found.comparison
    return {
        "equal": comparison.equal if comparison else None,
        "what": what,
        "normalised": normalised,
        "data_compared": found.data_compared,
        "a": _side(found.sides[0]),
        "b": _side(found.sides[1]),
        "control_changes": comparison.control_changes if comparison else None,
        "hunks": hunk_objects(comparison) if comparison else [],
        "report": delta_objects(found.deltas),
    }


def print_diff(found: Difference) -> None:
    """The differences on stdout as a unified diff and a table; all else on stderr."""
    comparison = found.comparison
    for side in found.sides:
        if side.result:
            text_report.print_diagnostics(side.result)
            if not side.result.ok:
                text_report.print_summary(side.result)
    if comparison is None:
        return
    if not comparison.equal:
        say(f"--- {found.sides[0].name}")
        say(f"+++ {found.sides[1].name}")
    for line in _unified(comparison):
        say(line)
    _print_deltas(changed(found.deltas))
    tell(_summary(comparison, data_left_out=found.data_compared is False))


def _side(side: Side) -> Json:
    result = side.result
    return {
        "name": side.name,
        "outcome": result.outcome.value if result else None,
        "arch": result.arch.sm if result else None,
        "diagnostics": [diagnostic_object(d) for d in result.diagnostics] if result else [],
    }


def _summary(comparison: Comparison, *, data_left_out: bool) -> str:
    count = len(comparison.hunks)
    told = f"{count:,} difference{'' if count == 1 else 's'}"
    if comparison.equal:
        told = "the code is equal" if data_left_out else "equal"
    if data_left_out:
        told += "; data was not compared"
    if comparison.control_changes:
        told += f"; {comparison.control_changes:,} instructions differ in control bits only"
    return told


def _print_deltas(deltas: Sequence[Delta]) -> None:
    if not deltas:
        return
    rows = [_HEADINGS, *(_delta_row(delta) for delta in deltas)]
    say("")
    for line in table_lines(rows, left=2):
        say(line)


def _delta_row(delta: Delta) -> tuple[str, ...]:
    left, right = ("-" if n is None else f"{n:,}" for n in (delta.left, delta.right))
    more = "" if delta.difference is None else f"{delta.difference:+,}"
    return delta.name, delta.figure.replace("_", " "), left, right, more


def _unified(comparison: Comparison) -> Iterator[str]:
    for start, hunks in _with_surroundings(comparison):
        end = min(len(comparison.rows), hunks[-1].end + _AROUND)
        rows = comparison.rows[start:end]
        left = _range("-", (row.left for row in rows))
        right = _range("+", (row.right for row in rows))
        yield f"@@ {left} {right} @@"
        at = start
        for hunk in hunks:
            yield from _plain(comparison, at, hunk.start)
            changed_rows = comparison.rows[hunk.start : hunk.end]
            yield from (f"-{comparison.left[r.left]}" for r in changed_rows if r.left != NOWHERE)
            yield from (f"+{comparison.right[r.right]}" for r in changed_rows if r.right != NOWHERE)
            at = hunk.end
        yield from _plain(comparison, at, end)


def _plain(comparison: Comparison, start: int, end: int) -> Iterator[str]:
    for row in comparison.rows[start:end]:
        line = comparison.left[row.left]
        # Of the control bits, which are told behind it, each side has its own.
        yield f" {line.partition(' // ')[0] if row.change is Change.CONTROL else line}"


def _with_surroundings(comparison: Comparison) -> Iterator[tuple[int, list[Hunk]]]:
    """Differences that are close to each other together, and the row where they begin."""
    group: list[Hunk] = []
    for hunk in comparison.hunks:
        if group and hunk.start - group[-1].end > 2 * _AROUND:
            yield max(0, group[0].start - _AROUND), group
            group = []
        group.append(hunk)
    if group:
        yield max(0, group[0].start - _AROUND), group


def _range(sign: str, lines: Iterable[int]) -> str:
    known = [line for line in lines if line != NOWHERE]
    return f"{sign}{known[0] + 1},{len(known)}" if known else f"{sign}0,0"
