"""The cells of the columns of a SASS listing, line by line, and the place of each column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.occupancy.calculate import RegisterCost
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.analysis.sass.pressure import highest, live_gprs, peaks
from jitstudio.analysis.sass.reading import InstructionRef, ListingRows
from jitstudio.core.launch.simulation import LineCounts
from jitstudio.gui.listing.columns.sass_columns import (
    LIVE,
    ColumnChoice,
    ColumnSetting,
    InstructionRow,
    translated,
)
from jitstudio.listing.lines import NOWHERE

NUMBER_CELLS = 4
"""In the column of live registers: the number, with a triangle behind it where there is a peak."""

_PEAK = "▲"
_CUT = "…"
PAD = 2
"""Left of the first column, in pixels."""
# Between the number and its bar, and right of the bar; in cells.
_BESIDE_BAR = 0.5


@dataclass(frozen=True)
class LiveHeights:
    """The live registers of a function.

    Attributes:
        top: The most of all.
        at: Where they are first.
        peaks: The instructions worth going to, in their order.
    """

    top: int
    at: int
    peaks: tuple[int, ...]


@dataclass(frozen=True)
class LiveBar:
    """The live registers at an instruction.

    Attributes:
        share: Of the most of its function, from 0 to 1.
        cost: The cost of the live registers, from 0 to 1: see `analysis.occupancy.calculate`.
        is_peak: Whether it is worth going to.
        is_top: Whether it is the highest.
    """

    share: float
    cost: float
    is_peak: bool
    is_top: bool


class ListingCells:
    """The cells of the columns of a listing."""

    def row(self, line: int) -> Any:
        """Returns the row of the columns at a line, counted from 0; None for none."""
        raise NotImplementedError

    def bar(self, _line: int) -> LiveBar | None:
        """Returns the live registers on a line; None where there are none to show."""
        return None

    def text(self, line: int, choice: ColumnChoice) -> str:
        """Returns all shown columns of a line in a single text, each as wide as configured."""
        row = self.row(line)
        if row is None:
            return ""
        bar = self.bar(line)
        mark = _PEAK if bar and bar.is_peak else " "
        return "".join(
            (setting.column.text(row).rjust(NUMBER_CELLS - 1) + mark).ljust(setting.cells)[
                : setting.cells
            ]
            if setting.key == LIVE
            else _fit(setting.column.text(row), setting)
            for setting in choice.shown
        )

    def words(self, line: int, shown: Sequence[ColumnSetting]) -> str:
        """Returns the columns of a line for a screen reader: each with title."""
        row = self.row(line)
        if row is None:
            return ""
        cells = ((setting.column.title, setting.column.text(row)) for setting in shown)
        return ", ".join(f"{translated(title)} {text}" for title, text in cells if text)

    def tip(self, line: int, setting: ColumnSetting) -> str:
        """Returns the whole content of a cell, and the meaning of the column."""
        row = self.row(line)
        if row is None:
            return setting.column.explanation
        return "\n".join((*self._cell(row, setting), setting.column.explanation))

    def header(self, choice: ColumnChoice) -> str:
        """Returns the names of the shown columns above their texts."""
        return "".join(
            _fit(translated(setting.column.title), setting, setting.key == LIVE)
            for setting in choice.shown
        )

    def _cell(self, row: Any, setting: ColumnSetting) -> list[str]:
        """Returns the whole content of a cell, as lines."""
        return [f"{translated(setting.column.title)}: {setting.column.text(row)}"]


class SassCells(ListingCells):
    """The columns of a listing of SASS.

    Args:
        rows: Which line is which instruction.
        cost: The cost of live registers.
        counts: The counts of a simulated launch, by the lines of the PTX.
        names: Returns the names of the constants of the instruction on a line.
    """

    def __init__(
        self,
        rows: ListingRows,
        cost: RegisterCost,
        counts: Mapping[int, LineCounts] = MappingProxyType({}),
        names: Callable[[int], str] = lambda _line: "",
    ) -> None:
        self._names = names
        self._rows = rows
        self._counts = counts
        self._cost = cost
        self._heights: dict[SassFunction, LiveHeights] = {}

    def spot(self, line: int) -> InstructionRef | None:
        """Returns the instruction on a line, counted from 0."""
        return self._rows.spot(line)

    def line(self, function: SassFunction, index: int) -> int:
        """Returns the line of an instruction."""
        return self._rows.line(function, index)

    def row(self, line: int) -> InstructionRow | None:
        """See `ListingCells`."""
        spot = self._rows.spot(line)
        if spot is None:
            return None
        instruction = spot.function[spot.index]
        counts = self._counts.get(instruction.ptx_line)
        return InstructionRow(instruction, counts, self._names(line))

    def bar(self, line: int) -> LiveBar | None:
        """See `ListingCells`."""
        spot = self._rows.spot(line)
        heights = self.heights(spot.function) if spot else None
        if spot is None or heights is None or not heights.top:
            return None
        live = spot.function.live_at(spot.index)
        assert live is not None
        return LiveBar(
            live.gpr / heights.top,
            self.cost(spot.function, live.gpr),
            spot.index in heights.peaks,
            spot.index == heights.at,
        )

    def cost(self, function: SassFunction, live: int) -> float:
        """Returns the cost of a number of live registers in a function, from 0 to 1."""
        return self._cost.level(live, self._cost.spills_at(function.name, live))

    def heights(self, function: SassFunction) -> LiveHeights:
        """Returns the live registers of a function."""
        heights = self._heights.get(function)
        if heights is None:
            top = max(live_gprs(function), default=0)
            heights = LiveHeights(top, highest(function), peaks(function))
            self._heights[function] = heights
        return heights

    def _cell(self, row: InstructionRow, setting: ColumnSetting) -> list[str]:
        if setting.key != "source":
            return super()._cell(row, setting)
        places = row.instruction.places
        inlined = QCoreApplication.translate("SassCells", "inlined at {file}:{line}")
        parts = [f"{file}:{number}" for file, number in places[:1]]
        return parts + [inlined.format(file=file, line=number) for file, number in places[1:]]


def peak_line(cells: SassCells, line: int, step: int) -> tuple[int, int, SassFunction] | None:
    """Returns the next peak in the function of a line, or the one before; over the ends.

    Returns:
        Its line, its number among the peaks from 1, and the function; None where there is none.
    """
    spot = cells.spot(line)
    if spot is None:
        return None
    peak_indices = cells.heights(spot.function).peaks
    if not peak_indices:
        return None
    beyond = [n for n, at in enumerate(peak_indices) if (at - spot.index) * step > 0]
    number = (beyond or range(len(peak_indices)))[0 if step > 0 else -1]
    at = cells.line(spot.function, peak_indices[number])
    return (at, number + 1, spot.function) if at != NOWHERE else None


def _fit(text: str, setting: ColumnSetting, is_left: bool = False) -> str:
    """Returns a text padded to the width of the column, with a gap."""
    is_right = setting.column.is_number and not is_left
    room = setting.cells - (1 if is_right else 2)
    cut = text if len(text) <= room else text[: max(0, room - 1)] + _CUT
    return cut.rjust(room) + " " if is_right else f" {cut.ljust(room)} "


@dataclass(frozen=True)
class ColumnGeometry:
    """The columns that are shown, measured.

    Attributes:
        choice: Which they are.
        cell: How wide a character is, in pixels.
    """

    choice: ColumnChoice
    cell: float

    @property
    def width(self) -> int:
        """The width of all columns together."""
        return round(PAD + sum(setting.cells for setting in self.choice.shown) * self.cell)

    def columns(self) -> Iterator[tuple[ColumnSetting, int, int]]:
        """Yields each column with the left edge, and the left edge of the next."""
        cells, left = 0, 0
        for setting in self.choice.shown:
            cells += setting.cells
            right = round(PAD + cells * self.cell)
            yield setting, left, right
            left = right

    def at(self, x: float) -> ColumnSetting | None:
        """Returns the column at a place."""
        return next((setting for setting, left, right in self.columns() if left <= x < right), None)

    def bar(self) -> tuple[float, float] | None:
        """Left edge and width of the longest bar; None where there are no bars."""
        for setting, left, right in self.columns():
            if setting.key == LIVE:
                start = (PAD if left == 0 else left) + (NUMBER_CELLS + _BESIDE_BAR) * self.cell
                width = right - _BESIDE_BAR * self.cell - start
                return (start, width) if width >= self.cell else None
        return None

    def cells(self, pixels: int) -> int:
        """Returns the number of cells nearest to a width."""
        return round(pixels / self.cell)
