"""`jitstudio sweep`: a kernel in many variants, and which is the fastest."""

from __future__ import annotations

import json
from pathlib import Path

from jitstudio.command_options.launch import SweepOptions
from jitstudio.commands import exit_codes, launch_exit_codes
from jitstudio.commands.files import write_named
from jitstudio.commands.sweep import sweep, sweep_plan
from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.system.terminal import print_error, say, table_lines
from jitstudio.variants import export
from jitstudio.variants.rows import (
    BUILD_ENDED,
    CALCULATED,
    Value,
    VariantFigure,
    VariantRow,
    VariantTable,
    VariantView,
    value,
)

_BEST = "best"
_HEADINGS = (
    "outcome",
    "registers",
    "spilled",
    "occupancy",
    "median ms",
    "minimum ms",
    "GB/s",
    "compile ms",
)
_SIMULATED_HEADINGS = (*_HEADINGS[:4], "executed", "sectors", "bank conflicts", _HEADINGS[-1])
_STATUSES = {outcome.value: code for outcome, code in launch_exit_codes.OF_LAUNCH.items()} | {
    f"{BUILD_ENDED}{outcome.value}": code for outcome, code in exit_codes.OF_OUTCOME.items()
}


def run(options: SweepOptions) -> int:
    """Builds and launches all variants, prints the table, and returns the exit status.

    Raises:
        UsageError: An argument is wrong, a file cannot be read or written, a cluster not used.
        WorkerError: The worker itself failed.
    """
    plan = sweep_plan(options)
    table = _table_file(options.csv)
    result = sweep(plan, options, _Progress().show)
    if table is not None:
        write_named(table, export.sweep_csv(result).encode(), "--csv")
    if options.json:
        say(json.dumps(export.sweep_object(result), indent=2))
    else:
        _show(result)
    return _status(result)


class _Progress:
    """Prints a line per variant once the variant is done."""

    def __init__(self) -> None:
        self._done = 0

    def show(self, row: VariantRow, total: int) -> None:
        self._done += 1
        head = f"[{self._done:{len(str(total))}}/{total}]"
        time = f"{row.median_ms:.4g} ms" if row.median_ms is not None else ""
        words = (head, row.variant.label, row.outcome, time, row.message)
        print_error("  ".join(filter(None, words)))


def _show(result: VariantTable) -> None:
    axes = [axis.title for axis in result.axes]
    simulated = any(row.executed is not None for row in result.rows)
    rows = [("", *axes, *(_SIMULATED_HEADINGS if simulated else _HEADINGS))]
    for row in result.rows:
        mark = _BEST if row.variant.index == result.best else ""
        rows.append((mark, *row.variant.values, *_cells(row, simulated=simulated)))
    for line in table_lines(rows, left=len(axes) + 2):
        say(line)
    if result.best is not None:
        best = result.rows[result.best]
        print_error(f"best: {best.variant.label}, {best.median_ms:.4g} ms on {best.device}")
    print_error(f"{len(result.rows)} variants in {result.total_ms / 1000:.1f} s")


def _cells(row: VariantRow, *, simulated: bool) -> tuple[str, ...]:
    bandwidth = None if row.bandwidth is None else row.bandwidth / 1e9
    return (
        row.outcome,
        _number(row.registers),
        _number(value(VariantFigure.SPILLED, row, VariantView())),
        _occupancy(row),
        *(
            (_number(n, ",") for n in (row.executed, row.sectors, row.bank_conflicts))
            if simulated
            else (
                _number(row.median_ms, ".4g"),
                _number(row.minimum_ms, ".4g"),
                _number(bandwidth, ",.4g"),
            )
        ),
        _number(row.compile_ms, ".0f"),
    )


def _occupancy(row: VariantRow) -> str:
    if row.occupancy is None:
        return "-"
    source = " (calculated)" if row.occupancy_source == CALCULATED else ""
    return f"{row.occupancy:.0%}{source}"


def _number(number: Value, form: str = "") -> str:
    return "-" if number is None else format(number, form)


def _status(result: VariantTable) -> int:
    """Returns a failed check first; else success if any ran; else the worst status."""
    outcomes = {row.outcome for row in result.rows}
    if LaunchOutcome.WRONG.value in outcomes:
        return exit_codes.WRONG
    if LaunchOutcome.RAN.value in outcomes:
        return exit_codes.BUILT
    return max(_STATUSES[outcome] for outcome in outcomes)


def _table_file(text: str | None) -> Path | None:
    """Returns the file, opened once before the work so that a wrong path costs no time."""
    if text is None:
        return None
    path = Path(text)
    # Appending keeps the table of an earlier sweep until this one has ended.
    write_named(path, b"", "--csv", "ab")
    return path
