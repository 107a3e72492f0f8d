"""The rows of variants as a table, and their times as the lines of a plot. Knows no widget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt

from jitstudio.core.axes import Axis, AxisKind
from jitstudio.core.figures import FIGURES as KERNEL_FIGURES
from jitstudio.core.launch.result import LAUNCH_ENDINGS, LaunchOutcome
from jitstudio.core.request import LinkMode
from jitstudio.gui.kit.launch_figures import number_text, occupancy_text, time_text
from jitstudio.gui.kit.presentation import MARK_ROLE, ModelIndex, TableColumn
from jitstudio.gui.kit.tables import RowsModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.variants.rows import (
    BUILD_ENDED,
    CALCULATED,
    MEASURED,
    SIMULATED,
    Value,
    VariantFigure,
    VariantRow,
    VariantTable,
    VariantView,
    best,
    value,
    whole,
)

_LAST = float("inf")
"""Sorts what is unknown behind all that is known."""
_BEST = "success"
"""The mark of what is best."""


@dataclass(frozen=True)
class FigureTitle:
    """How a figure is shown.

    Attributes:
        heading: Of its column, in English.
        meaning: What it is, in English.
        text: Writes it with its unit.
    """

    heading: str
    meaning: str
    text: Callable[[float], str]


def _count(number: float) -> str:
    return f"{number:,.0f}"


def _bytes(number: float) -> str:
    return f"{number:,.0f} B"


def _gigabytes(number: float) -> str:
    return f"{number_text(number / 1e9)} GB/s"


def _known(name: str, text: Callable[[float], str]) -> FigureTitle:
    """Returns a figure of the table that all panes share."""
    figure = KERNEL_FIGURES[name]
    return FigureTitle(figure.title, figure.meaning, text)


FIGURES: dict[VariantFigure, FigureTitle] = {
    VariantFigure.MEDIAN: FigureTitle(
        QT_TRANSLATE_NOOP("Columns", "Time"),
        QT_TRANSLATE_NOOP("Figures", "the median of the timed launches"),
        time_text,
    ),
    VariantFigure.BANDWIDTH: FigureTitle(
        QT_TRANSLATE_NOOP("Columns", "Bandwidth"),
        QT_TRANSLATE_NOOP("Figures", "all inputs and outputs once each, over the median time"),
        _gigabytes,
    ),
    VariantFigure.EXECUTED: FigureTitle(
        QT_TRANSLATE_NOOP("Columns", "Executed"),
        QT_TRANSLATE_NOOP("Figures", "instructions of the PTX in the simulator, of all threads"),
        _count,
    ),
    VariantFigure.SECTORS: FigureTitle(
        QT_TRANSLATE_NOOP("Columns", "Sectors"),
        QT_TRANSLATE_NOOP("Figures", "of 32 bytes of global and local memory, in the simulator"),
        _count,
    ),
    VariantFigure.CONFLICTS: FigureTitle(
        QT_TRANSLATE_NOOP("Columns", "Bank conflicts"),
        QT_TRANSLATE_NOOP("Figures", "of shared memory in the simulator"),
        _count,
    ),
    VariantFigure.REGISTERS: _known("registers", _count),
    VariantFigure.SPILLED: _known("spill_stores", _bytes),
    VariantFigure.STACK: _known("stack_bytes", _bytes),
    VariantFigure.LIVE: _known("live_registers", _count),
    VariantFigure.INSTRUCTIONS: _known("instructions", _count),
    VariantFigure.CODE: _known("code_bytes", _bytes),
    VariantFigure.SHARED: _known("shared_bytes", _bytes),
    VariantFigure.OCCUPANCY: FigureTitle(
        QT_TRANSLATE_NOOP("Columns", "Occupancy"),
        QT_TRANSLATE_NOOP("Figures", "resident warps of those that a multiprocessor can hold"),
        occupancy_text,
    ),
    VariantFigure.CUBIN: FigureTitle(
        QT_TRANSLATE_NOOP("Columns", "Cubin"),
        QT_TRANSLATE_NOOP("Figures", "bytes of the whole machine code"),
        _bytes,
    ),
    VariantFigure.LINK: FigureTitle(
        QT_TRANSLATE_NOOP("Columns", "Link time"),
        QT_TRANSLATE_NOOP("Figures", "the last link, inside nvJitLink"),
        time_text,
    ),
    VariantFigure.BUILD: FigureTitle(
        QT_TRANSLATE_NOOP("Columns", "Build"),
        QT_TRANSLATE_NOOP("Figures", "from the request to the result; short if the cache knew it"),
        time_text,
    ),
}
"""The columns of figures, in order."""

_OF_LINK = (VariantFigure.STACK, VariantFigure.CUBIN, VariantFigure.LINK)


@dataclass(frozen=True)
class ShownVariants:
    """The content of the table of variants.

    Attributes:
        table: The rows, as far as they have come.
        view: The kernel and the block that the figures are about.
        reference: The index of the variant that the others are compared with; None for none.
    """

    table: VariantTable
    view: VariantView = field(default_factory=VariantView)
    reference: int | None = None

    @property
    def reference_row(self) -> VariantRow | None:
        """The row of the reference."""
        rows = self.table.rows
        return next((row for row in rows if row.variant.index == self.reference), None)


class VariantsModel(RowsModel[VariantRow]):
    """A row per variant: a column for each axis, then the figures."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_columns(ShownVariants(VariantTable((), ()))), parent)

    @property
    def calculated_columns(self) -> list[int]:
        """The columns with figures that are calculated, not measured."""
        if not any(map(_is_calculated, self._rows)):
            return []
        heading = FIGURES[VariantFigure.OCCUPANCY].heading
        return [place for place, column in enumerate(self._columns) if column.title == heading]

    def show_variants(self, content: ShownVariants) -> None:
        """Shows other rows, or other columns of the rows."""
        self.beginResetModel()
        self._rows = content.table.rows
        self._columns = _columns(content)
        self.endResetModel()

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns a cell; for screen readers also how a variant ended and which figure is best."""
        if not index.isValid() or role != Qt.ItemDataRole.AccessibleTextRole:
            return super().data(index, role)
        if not index.column():
            row = self.rows[index.row()]
            return f"{row.variant.label}: {ending(row)}"
        text = super().data(index, Qt.ItemDataRole.DisplayRole)
        is_best = super().data(index, MARK_ROLE) == _BEST
        form = QCoreApplication.translate("Variants", "{figure} (best)")
        return form.format(figure=text) if is_best else text


def note(row: VariantRow, content: ShownVariants) -> str:
    """Returns the remark on a variant beside the figures, or an empty text."""
    translate = QCoreApplication.translate
    if row.variant.index == content.table.best:
        return translate("Variants", "best")
    if row.is_waiting:
        return translate("Variants", "waits")
    if row.outcome == LaunchOutcome.MISSING.value:
        # Why there is no GPU is said once for all.
        return translate("Variants", "built, not launched")
    if row.message or not row.is_built:
        return row.message or ("" if row.ok else ending(row))
    if row.result is not None and not row.result.kernels:
        return translate("Variants", "no kernel in the result")
    kernel = content.view.kernel_of(row)
    if row.resources(kernel) is None and kernel not in row.reports:
        return translate("Variants", "without this kernel")
    if row.variant.index == content.reference:
        return translate("Variants", "reference")
    return ""


def ending(row: VariantRow) -> str:
    """Returns how a variant ended, in a few words."""
    translate = QCoreApplication.translate
    if row.is_waiting:
        return translate("Variants", "waits")
    if row.outcome.startswith(BUILD_ENDED):
        return translate("Variants", "The build made nothing to launch")
    endings = {outcome.value: text for outcome, text in LAUNCH_ENDINGS.items()}
    return endings.get(row.outcome) or translate("Variants", "Built")


@dataclass(frozen=True)
class TimeLine:
    """The times over the first axis, for a combination of values of the other axes.

    Attributes:
        name: The values of the other axes.
        points: Place on the first axis, milliseconds.
        best: Which of the points is the best of all; None where none is.
    """

    name: str
    points: tuple[tuple[int, float], ...]
    best: int | None = None


@dataclass(frozen=True)
class TimeChart:
    """All times of a run.

    Attributes:
        axis: The title of the first axis.
        ticks: Its values, in order.
        lines: One for each combination of the other axes.
    """

    axis: str
    ticks: tuple[str, ...]
    lines: tuple[TimeLine, ...]


def time_chart(table: VariantTable) -> TimeChart | None:
    """Returns the times of the variants that ran; None without times or without an axis."""
    if not table.axes:
        return None
    first, winner = table.axes[0], table.best
    lines: dict[str, list[tuple[int, float]]] = {}
    best_at: dict[str, int] = {}
    for row in table.rows:
        if not row.ok or row.median_ms is None:
            continue
        name = ", ".join(row.variant.values[1:])
        points = lines.setdefault(name, [])
        if row.variant.index == winner:
            best_at[name] = len(points)
        points.append((first.values.index(row.variant.values[0]), row.median_ms))
    series = (TimeLine(name, tuple(points), best_at.get(name)) for name, points in lines.items())
    return TimeChart(first.title, first.values, tuple(series)) if lines else None


def _columns(content: ShownVariants) -> tuple[TableColumn[VariantRow], ...]:
    table = content.table
    timed = any(row.median_ms is not None for row in table.rows)
    linked = any(row.variant.build.link is not LinkMode.NONE for row in table.rows)
    simulated = any(row.executed is not None for row in table.rows)
    skipped = {
        *(() if timed else MEASURED),
        *(() if simulated else SIMULATED),
        *(() if linked else _OF_LINK),
    }
    figures = [_figure_column(f, content) for f in FIGURES if f not in skipped]
    if timed:
        figures.insert(1, _speed_column(table))
    checked = any(row.check is not None for row in table.rows)
    return (
        TableColumn("#", _number, _place, partial(note, content=content), mark=_mark),
        *(_axis_column(number, axis) for number, axis in enumerate(table.axes)),
        *figures,
        *((TableColumn(QT_TRANSLATE_NOOP("Columns", "Check"), _check),) if checked else ()),
        TableColumn(
            QT_TRANSLATE_NOOP("Columns", "Note"),
            partial(note, content=content),
            mark=lambda row: _BEST if row.variant.index == table.best else "",
        ),
    )


def _number(row: VariantRow) -> str:
    return str(row.variant.index + 1)


def _place(row: VariantRow) -> int:
    return row.variant.index


def _mark(row: VariantRow) -> str:
    """Returns the ending of a variant, as a field of `theme.MarkColors`."""
    if row.is_waiting:
        return ""
    if row.ok or (row.is_built and row.outcome != LaunchOutcome.MISSING.value):
        # No tick where all is only built: a tick says that the launch was right.
        return "success" if row.ok else ""
    return "info" if row.is_built or row.is_cancelled else "error"


def _axis_column(number: int, axis: Axis) -> TableColumn[VariantRow]:
    def text(row: VariantRow) -> str:
        written = row.variant.values[number]
        if axis.kind is AxisKind.OPTIONS and not written:
            return QCoreApplication.translate("Variants", "as they are")
        return written

    def key(row: VariantRow) -> str | int:
        # Values of an axis are texts, but 64 comes before 128.
        written = text(row)
        return int(written) if written.isdecimal() else written

    return TableColumn(axis.title, text, key)


def _figure_column(figure: VariantFigure, content: ShownVariants) -> TableColumn[VariantRow]:
    title, view, base = FIGURES[figure], content.view, content.reference_row
    winners = best(figure, content.table.rows, view)
    reference = value(figure, base, view) if base else None

    def number(row: VariantRow) -> Value:
        return value(figure, row, view)

    def text(row: VariantRow) -> str:
        amount = number(row)
        if amount is None:
            return ""
        written = title.text(amount)
        if row is base or not reference:
            calculated = figure is VariantFigure.OCCUPANCY and _is_calculated(row)
            form = QCoreApplication.translate("Variants", "{share}, calculated")
            return form.format(share=written) if calculated else written
        percent = (amount - reference) / reference * 100
        return f"{written}  {percent:+.0f} %" if percent else written

    def tip(row: VariantRow) -> str:
        meaning = QCoreApplication.translate("Figures", title.meaning)
        if figure is VariantFigure.OCCUPANCY and _is_calculated(row):
            meaning = QCoreApplication.translate(
                "Variants",
                "calculated from the machine code's registers, shared memory and barriers, the "
                "block and the limits of the target; no GPU was asked",
            )
        total = whole(figure, row, view)
        if total not in (None, number(row)):
            words = QCoreApplication.translate(
                "Variants", "{meaning}; {total} with those of the functions that it calls"
            )
            meaning = words.format(meaning=meaning, total=title.text(total))
        return f"{text(row)}: {meaning}" if text(row) else meaning

    def key(row: VariantRow) -> float:
        amount = number(row)
        return _LAST if amount is None else amount

    def mark(row: VariantRow) -> str:
        return _BEST if row.variant.index in winners else ""

    return TableColumn(title.heading, text, key, tip, number=True, mark=mark)


def _is_calculated(row: VariantRow) -> bool:
    return row.occupancy_source == CALCULATED and row.outcome == LaunchOutcome.MISSING.value


def _speed_column(table: VariantTable) -> TableColumn[VariantRow]:
    winner = next((row for row in table.rows if row.variant.index == table.best), None)
    fastest = winner.median_ms if winner else None

    def share(row: VariantRow) -> float | None:
        return fastest / row.median_ms if row.median_ms and fastest is not None else None

    def text(row: VariantRow) -> str:
        speed = share(row)
        return "" if speed is None else f"{round(speed * 100, 1):g} %"

    def key(row: VariantRow) -> float:
        speed = share(row)
        return _LAST if speed is None else speed

    def tip(_row: VariantRow) -> str:
        return QCoreApplication.translate(
            "Variants", "compared with the best variant that ran and passed its checks"
        )

    return TableColumn(QT_TRANSLATE_NOOP("Columns", "Speed"), text, key, tip, number=True)


def _check(row: VariantRow) -> str:
    if row.check is None:
        return ""
    passed = QCoreApplication.translate("Variants", "passed")
    return passed if row.check else QCoreApplication.translate("Variants", "failed")
