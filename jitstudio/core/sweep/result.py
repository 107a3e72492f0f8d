"""What came of a sweep: a row per variant, and which is the best."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass

from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.core.sweep.plan import Axis, Variant

Cell = str | int | float | bool | None

BUILD_ENDED = "build-"
"""What stands before the outcome of a build that made nothing to launch."""
DRIVER, CALCULATED = "driver", "calculated"
"""What the driver of the GPU tells, and what follows from the machine code and its target."""


@dataclass(frozen=True)
class VariantResult:
    """What came of one variant.

    Attributes:
        variant: Which one.
        outcome: The value of a `LaunchOutcome`; that of an `Outcome` behind `BUILD_ENDED` where
            the build made nothing to launch.
        message: Why it did not run or is wrong, a sentence; empty where all is well.
        registers: 32-bit registers per thread.
        spill_bytes: Bytes per thread written to local memory for want of registers.
        occupancy: Resident warps over the most there can be, from 0 to 1.
        median_ms: Time of a launch.
        minimum_ms: The shortest time.
        bandwidth: Bytes per second, as `LaunchResult.bandwidth` tells it.
        check: Whether all checks passed; None where there was none.
        device: The GPU's name; empty where none was reached.
        site: The machine or process that the GPU is of.
        compile_ms: From the request of the build to its result.
        occupancy_source: Where the occupancy is from, `DRIVER` or `CALCULATED`; empty without one.
    """

    variant: Variant
    outcome: str
    message: str = ""
    registers: int | None = None
    spill_bytes: int | None = None
    occupancy: float | None = None
    median_ms: float | None = None
    minimum_ms: float | None = None
    bandwidth: float | None = None
    check: bool | None = None
    device: str = ""
    site: str = ""
    compile_ms: float | None = None
    occupancy_source: str = ""

    @property
    def ok(self) -> bool:
        """Whether it ran and every check passed."""
        return self.outcome == LaunchOutcome.RAN.value


COLUMNS: dict[str, Callable[[VariantResult], Cell]] = {
    "outcome": lambda row: row.outcome,
    "registers": lambda row: row.registers,
    "spill_bytes": lambda row: row.spill_bytes,
    "occupancy": lambda row: row.occupancy,
    "median_ms": lambda row: row.median_ms,
    "minimum_ms": lambda row: row.minimum_ms,
    "bandwidth": lambda row: row.bandwidth,
    "check": lambda row: row.check,
    "compile_ms": lambda row: row.compile_ms,
    "device": lambda row: row.device or None,
    "site": lambda row: row.site or None,
    "message": lambda row: row.message or None,
    "occupancy_source": lambda row: row.occupancy_source or None,
}
"""What a table, a CSV file and JSON tell of each variant beside its values; only ever added to."""


@dataclass(frozen=True)
class SweepResult:
    """All rows of a sweep, in the order of the plan.

    Attributes:
        axes: Those of the plan.
        rows: One per variant; one that was not reached ends as cancelled.
        total_ms: From the start to the last row.
    """

    axes: tuple[Axis, ...]
    rows: tuple[VariantResult, ...]
    total_ms: float = 0.0

    @property
    def best(self) -> int | None:
        """The index of the fastest that ran and passed its checks; None where there is none."""
        times = {
            row.variant.index: row.median_ms
            for row in self.rows
            if row.ok and row.median_ms is not None
        }
        return min(times, key=lambda index: times[index], default=None)

    def to_csv(self) -> str:
        """A heading and a line per row; cells that nobody knows are empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*(axis.title for axis in self.axes), *COLUMNS, "best"])
        best = self.best
        for row in self.rows:
            cells = (column(row) for column in COLUMNS.values())
            writer.writerow([*row.variant.values, *cells, row.variant.index == best])
        return text.getvalue()
