"""The matrix as a table: which figures there are, which of them are best, and the table as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from jitstudio.analysis.matrix.rows import MatrixRow
from jitstudio.analysis.occupancy.kernel import occupancy_at
from jitstudio.core.request import LinkMode

Value = float | int | None


class Figure(Enum):
    """One column of figures; the value is its name in CSV and Markdown."""

    REGISTERS = "registers"
    SPILLED = "spilled bytes"
    LIVE = "peak live registers"
    INSTRUCTIONS = "instructions"
    CODE = "code bytes"
    SHARED = "shared bytes"
    OCCUPANCY = "occupancy"
    BUILD = "build ms"


MORE_IS_BETTER = frozenset({Figure.OCCUPANCY})
"""Of all other figures less is better."""

WORDS = ("target", "options", "link")
"""The columns before the figures."""


@dataclass(frozen=True)
class View:
    """What of a matrix is shown.

    Attributes:
        kernel: The lowered name of the kernel that the figures are about.
        threads: The threads of a block, for the occupancy.
    """

    kernel: str
    threads: int = 256


def value(figure: Figure, row: MatrixRow, view: View) -> Value:
    """A figure of a variant; None where it is not known."""
    return _VALUES[figure](row, view)


def best(figure: Figure, rows: Sequence[MatrixRow], view: View) -> Value:
    """The best of a column; None where fewer than two variants differ in it."""
    known = {v for row in rows if (v := value(figure, row, view)) is not None}
    if len(known) < 2:
        return None
    return max(known) if figure in MORE_IS_BETTER else min(known)


def link_title(link: LinkMode) -> str:
    """How a way of linking is called in the table."""
    return _LINKS[link]


def cells(rows: Sequence[MatrixRow], view: View) -> list[list[str]]:
    """The headings, and the cells of each variant: first words, then figures, then the problem."""
    heading = [*WORDS, *(figure.value for figure in Figure), "problem"]
    return [heading, *(_line(row, view) for row in rows)]


def to_csv(rows: Sequence[MatrixRow], view: View) -> str:
    """A heading and a line per variant; cells that nobody knows are empty."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(cells(rows, view))
    return text.getvalue()


def to_markdown(rows: Sequence[MatrixRow], view: View) -> str:
    """A table whose best figures are bold."""
    heading, *lines = cells(rows, view)
    bests = {figure: best(figure, rows, view) for figure in Figure}
    for row, line in zip(rows, lines, strict=True):
        for place, figure in enumerate(Figure, start=len(WORDS)):
            number = value(figure, row, view)
            if number is not None and number == bests[figure]:
                line[place] = f"**{line[place]}**"
    sides = ["---"] * len(WORDS) + ["---:"] * len(Figure) + ["---"]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in (heading, sides, *lines))


def _needs(name: str) -> Callable[[MatrixRow, View], Value]:
    def told(row: MatrixRow, view: View) -> Value:
        found: Value = getattr(row.resources(view.kernel), name, None)
        return found

    return told


def _read(name: str) -> Callable[[MatrixRow, View], Value]:
    def told(row: MatrixRow, view: View) -> Value:
        found: Value = getattr(row.reports.get(view.kernel), name, None)
        return found

    return told


def _live(row: MatrixRow, view: View) -> Value:
    known = row.reports.get(view.kernel)
    return known.peak.gpr if known and known.peak else None


def _occupancy(row: MatrixRow, view: View) -> Value:
    needs = row.resources(view.kernel)
    return occupancy_at(row.variant.arch, needs, view.threads) if needs else None


def _build_ms(row: MatrixRow, _view: View) -> Value:
    return row.result.total_ms if row.result and row.result.ok else None


_VALUES: dict[Figure, Callable[[MatrixRow, View], Value]] = {
    Figure.REGISTERS: _needs("registers"),
    Figure.SPILLED: _needs("spill_stores"),
    Figure.LIVE: _live,
    Figure.INSTRUCTIONS: _read("instructions"),
    Figure.CODE: _read("code_bytes"),
    Figure.SHARED: _needs("shared_bytes"),
    Figure.OCCUPANCY: _occupancy,
    Figure.BUILD: _build_ms,
}
_LINKS = {LinkMode.NONE: "alone", LinkMode.PTX: "PTX", LinkMode.LTO: "LTO"}


def _line(row: MatrixRow, view: View) -> list[str]:
    variant = row.variant
    figures = (_written(figure, value(figure, row, view)) for figure in Figure)
    return [str(variant.arch), variant.options, link_title(variant.link), *figures, row.problem]


def _written(figure: Figure, number: Value) -> str:
    if number is None:
        return ""
    if figure is Figure.OCCUPANCY:
        return f"{number:.3f}"
    return f"{number:.1f}" if isinstance(number, float) else str(number)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
