"""Variants as CSV, Markdown and JSON.

The manual describes the columns and keys of the command line; they are only ever added to.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from jitstudio.core.axes import AxisKind
from jitstudio.core.request import LinkMode
from jitstudio.variants.rows import (
    Value,
    VariantFigure,
    VariantRow,
    VariantTable,
    VariantView,
    best,
    figures_known,
    functions_in,
    kernels_in,
    value,
)

Json = dict[str, Any]
Cell = str | int | float | bool | None
Column = Callable[[VariantRow], Cell]


SWEEP_COLUMNS: dict[str, Column] = {
    "outcome": lambda row: row.outcome,
    "registers": lambda row: row.registers,
    "spill_bytes": lambda row: value(VariantFigure.SPILLED, row, VariantView()),
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
    "executed": lambda row: row.executed,
    "sectors": lambda row: row.sectors,
    "bank_conflicts": lambda row: row.bank_conflicts,
}
"""The columns of ``jitstudio sweep``, in JSON and CSV, next to the values of the axes."""

COMPARED_FIGURES = (
    *(
        VariantFigure.REGISTERS,
        VariantFigure.SPILLED,
        VariantFigure.LIVE,
        VariantFigure.INSTRUCTIONS,
    ),
    *(VariantFigure.CODE, VariantFigure.SHARED, VariantFigure.OCCUPANCY, VariantFigure.BUILD),
)
"""The figures of ``--compare-targets``."""
TARGET_HEADINGS = ("target", "options", "link")
"""The headings before those of the figures."""

_OF_FUNCTION = {
    "registers": VariantFigure.REGISTERS,
    "stack, bytes": VariantFigure.STACK,
    "instructions": VariantFigure.INSTRUCTIONS,
}
"""The figures of each function of ``--compare-links``."""

LINK_TITLES = {LinkMode.NONE: "alone", LinkMode.PTX: "PTX", LinkMode.LTO: "LTO"}


class LinkFigure(NamedTuple):
    """A figure of both links; None for a link without the figure.

    Attributes:
        subject: The kernel or function by its lowered name, or empty for the whole.
        name: The name of the figure, with its unit.
        ptx: The figure of the PTX link.
        lto: The figure of the LTO link.
    """

    subject: str
    name: str
    ptx: Value
    lto: Value


def sweep_csv(table: VariantTable) -> str:
    """Returns a heading and a line per row; unknown cells are empty."""
    heading = [*(axis.title for axis in table.axes), *SWEEP_COLUMNS, "best"]
    lines = (
        [
            *row.variant.values,
            *(column(row) for column in SWEEP_COLUMNS.values()),
            row.variant.index == table.best,
        ]
        for row in table.rows
    )
    return _csv((heading, *lines))


def sweep_object(table: VariantTable) -> Json:
    """Returns the object of ``sweep --json``: all variants, and the index of the best."""
    return {
        "ok": table.best is not None
        or any(row.ok and row.executed is not None for row in table.rows),
        "axes": [
            {"kind": axis.kind.value, "name": axis.title, "values": list(axis.values)}
            for axis in table.axes
        ],
        "best": table.best,
        "variants": [
            {
                "index": row.variant.index,
                "label": row.variant.label,
                "values": list(row.variant.values),
                **{name: column(row) for name, column in SWEEP_COLUMNS.items()},
            }
            for row in table.rows
        ],
        "total_ms": round(table.total_ms, 3),
    }


def targets_object(rows: Sequence[VariantRow]) -> Json:
    """Returns the object of ``build --compare-targets --json``."""
    kernels = kernels_in(rows)
    return {
        "ok": all(not row.message for row in rows),
        "threads": VariantView().threads,
        "variants": [
            {
                "target": str(row.variant.build.arch),
                "options": options_of(row),
                "link": row.variant.build.link.value,
                "toolchain": row.variant.build.toolchain or None,
                "outcome": row.result.outcome.value if row.result else None,
                "problem": row.message,
                "kernels": {
                    name: {
                        f.name.lower(): value(f, row, VariantView(name)) for f in COMPARED_FIGURES
                    }
                    for name in kernels
                    if row.resources(name) is not None
                },
            }
            for row in rows
        ],
    }


def targets_cells(rows: Sequence[VariantRow], view: VariantView) -> list[list[str]]:
    """Returns the headings and the cells of ``--compare-targets`` for a kernel."""
    heading = [*target_headings(rows), *(figure.value for figure in COMPARED_FIGURES)]
    lines = (
        [
            str(row.variant.build.arch),
            options_of(row),
            LINK_TITLES[row.variant.build.link],
            *row.variant.values[2:],
            *(written(figure, value(figure, row, view)) for figure in COMPARED_FIGURES),
        ]
        for row in rows
    )
    return [heading, *lines]


def target_headings(rows: Sequence[VariantRow]) -> tuple[str, ...]:
    """Returns the headings before the figures: toolchains are a third axis where they vary."""
    has_toolchains = any(len(row.variant.values) > 2 for row in rows)
    return (*TARGET_HEADINGS, AxisKind.TOOLCHAIN.value) if has_toolchains else TARGET_HEADINGS


def options_of(row: VariantRow) -> str:
    """Returns the option set of a row of ``--compare-targets``, the value of the second axis."""
    return row.variant.values[1]


def link_figures(ptx: VariantRow, lto: VariantRow) -> list[LinkFigure]:
    """Returns the figures of both links, without those that neither has.

    The size and time of the whole come first, then registers, stack and instructions per function.
    """
    figures = [
        LinkFigure("", "cubin, bytes", ptx.cubin_bytes, lto.cubin_bytes),
        LinkFigure("", "link, ms", _rounded(ptx.link_ms), _rounded(lto.link_ms)),
        LinkFigure("", "whole build, ms", _rounded(ptx.compile_ms), _rounded(lto.compile_ms)),
    ]
    figures += [
        LinkFigure(
            function, name, *(value(figure, row, VariantView(function)) for row in (ptx, lto))
        )
        for function in functions_in((ptx, lto))
        for name, figure in _OF_FUNCTION.items()
    ]
    return [figure for figure in figures if figure.ptx is not None or figure.lto is not None]


def table_cells(table: VariantTable, view: VariantView) -> list[list[str]]:
    """Returns a table of all known figures: axes, figures, the outcome of each variant, and why."""
    figures = figures_known(table.rows, view)
    heading = [
        *(axis.title for axis in table.axes),
        *(figure.value for figure in figures),
        *("check", "outcome", "problem", "best"),
    ]
    lines = (
        [
            *row.variant.values,
            *(written(figure, value(figure, row, view)) for figure in figures),
            "" if row.check is None else str(row.check),
            row.outcome,
            row.message,
            str(row.variant.index == table.best),
        ]
        for row in table.rows
    )
    return [heading, *lines]


def to_csv(table: VariantTable, view: VariantView) -> str:
    """Returns a heading and a line per row; unknown cells are empty."""
    return _csv(table_cells(table, view))


def to_markdown(table: VariantTable, view: VariantView) -> str:
    """Returns a table whose best figures are bold."""
    heading, *lines = table_cells(table, view)
    figures = figures_known(table.rows, view)
    first = len(table.axes)
    for place, figure in enumerate(figures, start=first):
        winners = best(figure, table.rows, view)
        for row, line in zip(table.rows, lines, strict=True):
            if row.variant.index in winners:
                line[place] = f"**{line[place]}**"
    behind = len(heading) - first - len(figures)
    sides = ["---"] * first + ["---:"] * len(figures) + ["---"] * behind
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in (heading, sides, *lines))


def written(figure: VariantFigure, number: Value) -> str:
    """Returns a figure as text for CSV, Markdown and the terminal; empty for None."""
    if number is None:
        return ""
    if figure is VariantFigure.OCCUPANCY:
        return f"{number:.3f}"
    if figure in (VariantFigure.MEDIAN, VariantFigure.MINIMUM):
        return f"{number:.6g}"
    return f"{number:.1f}" if isinstance(number, float) else str(number)


def _rounded(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds, 1)


def _csv(lines: Iterable[Sequence[Cell]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
