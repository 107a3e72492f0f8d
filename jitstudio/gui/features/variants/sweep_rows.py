"""The rows of a sweep as a table, and as the lines of a plot. Knows `core.launch` and no widget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt

from jitstudio.core.launch.result import LAUNCH_ENDINGS, LaunchOutcome
from jitstudio.core.result import Outcome
from jitstudio.core.sweep.result import BUILD_ENDED, CALCULATED, SweepResult, VariantResult
from jitstudio.gui.kit.launch_figures import occupancy_text, time_text
from jitstudio.gui.kit.presentation import Column, ModelIndex
from jitstudio.gui.kit.rows import RowsModel

CANCELLED_OUTCOMES = frozenset(
    {LaunchOutcome.CANCELLED.value, f"{BUILD_ENDED}{Outcome.CANCELLED.value}"}
)
"""How variants end that were not reached, or were being worked on, when a sweep was stopped."""

# Sorts what is unknown behind all that is known.
_LAST = float("inf")


@dataclass(frozen=True)
class SweepRow:
    """A variant among the others.

    Attributes:
        result: What came of it.
        fastest_ms: The time of the best of all; None where none is.
        is_best: Whether it is that one.
    """

    result: VariantResult
    fastest_ms: float | None = None
    is_best: bool = False

    @property
    def relative(self) -> float | None:
        """Speed as a share of the best one's."""
        if not self.result.median_ms or self.fastest_ms is None:
            return None
        return self.fastest_ms / self.result.median_ms

    @property
    def mark(self) -> str:
        """How it ended, as a field of `theme.MarkColors`."""
        if self.result.ok:
            return "success"
        return "info" if self.is_built or self.result.outcome in CANCELLED_OUTCOMES else "error"

    @property
    def is_built(self) -> bool:
        """Whether it is built and there was no GPU to launch it on."""
        return self.result.outcome == LaunchOutcome.MISSING.value

    @property
    def is_calculated(self) -> bool:
        """Whether the occupancy is not what a driver tells."""
        return self.result.occupancy_source == CALCULATED

    @property
    def note(self) -> str:
        """The best, or why it did not run; why there is no GPU is said once for all."""
        if self.is_best:
            return _best()
        if self.is_built:
            return QCoreApplication.translate("SweepRows", "built, not launched")
        return self.result.message or ("" if self.result.ok else _ending(self.result.outcome))


@dataclass(frozen=True)
class SweepLine:
    """The times over the first axis, for one value of the others.

    Attributes:
        name: The values of the other axes.
        points: Place on the first axis, milliseconds.
        best: Which of the points is the best of all; None where none is.
    """

    name: str
    points: tuple[tuple[int, float], ...]
    best: int | None = None


@dataclass(frozen=True)
class SweepChart:
    """All lines of a sweep.

    Attributes:
        axis: The title of the first axis.
        ticks: Its values, in order.
        lines: One for each combination of the other axes.
    """

    axis: str
    ticks: tuple[str, ...]
    lines: tuple[SweepLine, ...]


def sweep_rows(result: SweepResult) -> tuple[SweepRow, ...]:
    """The rows in the order of the plan."""
    best = result.best
    chosen = next((row for row in result.rows if row.variant.index == best), None)
    fastest = chosen.median_ms if chosen else None
    return tuple(SweepRow(row, fastest, row is chosen) for row in result.rows)


def sweep_chart(result: SweepResult) -> SweepChart | None:
    """What ran, as lines; None where nothing did or nothing was varied."""
    if not result.axes:
        return None
    first, best = result.axes[0], result.best
    lines: dict[str, list[tuple[int, float]]] = {}
    best_at: dict[str, int] = {}
    for row in result.rows:
        if not row.ok or row.median_ms is None:
            continue
        name = ", ".join(row.variant.values[1:])
        points = lines.setdefault(name, [])
        if row.variant.index == best:
            best_at[name] = len(points)
        points.append((first.values.index(row.variant.values[0]), row.median_ms))
    made = tuple(
        SweepLine(name, tuple(points), best_at.get(name)) for name, points in lines.items()
    )
    return SweepChart(first.title, first.values, made) if made else None


class SweepModel(RowsModel[SweepRow]):
    """A column for each axis before the figures."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_columns(SweepResult((), ())), parent)

    def show_sweep(self, result: SweepResult) -> None:
        """Show another sweep, or more rows of the same."""
        self.beginResetModel()
        self._columns = _columns(result)
        self._rows = sweep_rows(result)
        self.endResetModel()

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What the columns say; for screen readers also how the variant ended."""
        if index.isValid() and role == Qt.ItemDataRole.AccessibleTextRole and not index.column():
            row = self.rows[index.row()]
            best = f" ({_best()})" if row.is_best else ""
            return f"{row.result.variant.label}: {_ending(row.result.outcome)}{best}"
        return super().data(index, role)


def _columns(result: SweepResult) -> tuple[Column[SweepRow], ...]:
    axes = tuple(_axis_column(n, axis.title) for n, axis in enumerate(result.axes))
    return (Column("#", _number, _place, lambda r: r.note, mark=_mark), *axes, *_figures())


def _best() -> str:
    return QCoreApplication.translate("SweepRows", "best")


def _number(row: SweepRow) -> str:
    return str(row.result.variant.index + 1)


def _place(row: SweepRow) -> int:
    return row.result.variant.index


def _mark(row: SweepRow) -> str:
    return row.mark


def _best_mark(row: SweepRow) -> str:
    return "success" if row.is_best else ""


def _axis_column(number: int, title: str) -> Column[SweepRow]:
    def text(row: SweepRow) -> str:
        return row.result.variant.values[number]

    def key(row: SweepRow) -> str | int:
        # Values of an axis are texts; 64 shall stand before 128 all the same.
        value = text(row)
        return int(value) if value.isdecimal() else value

    return Column(title, text, key)


def _known(value: float | None) -> float:
    return _LAST if value is None else value


def _check(row: SweepRow) -> str:
    if row.result.check is None:
        return ""
    if row.result.check:
        return QCoreApplication.translate("SweepRows", "passed")
    return QCoreApplication.translate("SweepRows", "failed")


def _occupancy(row: SweepRow) -> str:
    if row.result.occupancy is None:
        return ""
    share = occupancy_text(row.result.occupancy)
    if not row.is_calculated:
        return share
    return QCoreApplication.translate("SweepRows", "{share}, calculated").format(share=share)


def _ending(outcome: str) -> str:
    if outcome.startswith(BUILD_ENDED):
        return QCoreApplication.translate("SweepRows", "The build made nothing to launch")
    return LAUNCH_ENDINGS[LaunchOutcome(outcome)]


def _figures() -> tuple[Column[SweepRow], ...]:
    translate = QCoreApplication.translate
    spills = translate(
        "SweepRows", "bytes per thread written to local memory for want of registers"
    )
    speed = translate("SweepRows", "compared with the best variant that ran and passed its checks")
    calculated = translate(
        "SweepRows",
        "calculated from the machine code's registers, shared memory and barriers, the block and "
        "the limits of the target; no GPU was asked",
    )
    build = translate(
        "SweepRows", "from the request of the build to its result; short where the cache knew it"
    )
    return (
        Column(
            translate("SweepRows", "Registers"),
            lambda r: "" if r.result.registers is None else str(r.result.registers),
            lambda r: _known(r.result.registers),
            number=True,
        ),
        Column(
            translate("SweepRows", "Spilled"),
            lambda r: "" if r.result.spill_bytes is None else f"{r.result.spill_bytes:,} B",
            lambda r: _known(r.result.spill_bytes),
            lambda _r: spills,
            number=True,
        ),
        Column(
            translate("SweepRows", "Occupancy"),
            _occupancy,
            lambda r: _known(r.result.occupancy),
            lambda r: calculated if r.is_calculated else "",
            number=True,
        ),
        Column(
            translate("SweepRows", "Time"),
            lambda r: "" if r.result.median_ms is None else time_text(r.result.median_ms),
            lambda r: _known(r.result.median_ms),
            number=True,
        ),
        Column(
            translate("SweepRows", "Speed"),
            lambda r: "" if r.relative is None else f"{round(r.relative * 100, 1):g} %",
            lambda r: _known(r.relative),
            lambda _r: speed,
            number=True,
            mark=_best_mark,
        ),
        Column(translate("SweepRows", "Check"), _check),
        Column(
            translate("SweepRows", "Build"),
            lambda r: "" if r.result.compile_ms is None else time_text(r.result.compile_ms),
            lambda r: _known(r.result.compile_ms),
            lambda _r: build,
            number=True,
        ),
        Column(translate("SweepRows", "Note"), lambda r: r.note, mark=_best_mark),
    )
