"""The counts of a simulated launch, a line of the source at a time, as cells of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jitstudio.core.file_names import short_names
from jitstudio.core.launch.simulation import LineCounts, Simulation, of_source

COUNT_HEADINGS = (
    *("line", "executed", "lanes", "divergent", "requests", "sectors", "/request"),
    *("128-byte lines", "used", "bank conflicts", "at one address"),
)


def lines_shown(simulation: Simulation) -> tuple[LineCounts, ...]:
    """Returns the counts of each source line; without a line table those of each line of PTX."""
    return of_source(simulation.lines) or simulation.lines


def count_rows(lines: Sequence[LineCounts]) -> Iterator[tuple[str, ...]]:
    """Yields the cells of each row, in the order of the headings; empty for what is zero."""
    names = short_names(line.file for line in lines)
    return (_cells(line, names[line.file]) for line in lines)


def _cells(line: LineCounts, file: str) -> tuple[str, ...]:
    used = line.used_share
    return (
        f"{file}:{line.line}" if line.line else f"PTX:{line.ptx_line}",
        f"{line.executions:,}",
        f"{line.mean_active_lanes:.4g}",
        f"{line.divergent:,}" if line.divergent else "",
        f"{line.requests:,}" if line.requests else "",
        f"{line.sectors:,}" if line.sectors else "",
        f"{line.sectors_per_request:.3g}" if line.sectors else "",
        f"{line.lines_touched:,}" if line.lines_touched else "",
        "" if used is None else f"{used:.0%}",
        f"{line.bank_conflicts:,}" if line.bank_conflicts else "",
        f"{line.lanes_per_address}" if line.lanes_per_address else "",
    )
