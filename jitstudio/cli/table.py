"""Tables in a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def table_lines(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """The rows with their columns in line.

    Args:
        rows: The headings and the rows, all of the same length.
        left: How many columns are aligned left; the others are numbers.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_cells(row, widths, left)).rstrip() for row in rows]


def _cells(row: Sequence[str], widths: list[int], left: int) -> list[str]:
    return [
        text.ljust(width) if place < left else text.rjust(width)
        for place, (text, width) in enumerate(zip(row, widths, strict=True))
    ]
