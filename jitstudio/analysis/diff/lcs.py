"""The longest common subsequence of two sequences, by whole rows of bits.

Hyyrö, "Bit-parallel LCS-length computation revisited" (2004), on Python's own long integers: one
row of the table is three operations. Of all rows only one in some hundred is kept; those between
are made again on the way back.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from math import isqrt


def common_subsequence(
    left: Sequence[Hashable], right: Sequence[Hashable]
) -> Iterator[tuple[int, int]]:
    """The pairs of places that hold the same, ascending in both; as many as there can be."""
    shorter = min(len(left), len(right))
    before = next((at for at in range(shorter) if left[at] != right[at]), shorter)
    rest = shorter - before
    behind = next((at for at in range(rest) if left[-1 - at] != right[-1 - at]), rest)
    yield from zip(range(before), range(before), strict=True)
    left_end, right_end = len(left) - behind, len(right) - behind
    if before < left_end and before < right_end:
        # What only one of them has can match nothing: the tables stay as small as they can.
        common = {*left[before:left_end]} & {*right[before:right_end]}
        columns = [at for at in range(before, left_end) if left[at] in common]
        rows = [at for at in range(before, right_end) if right[at] in common]
        found = _trace([left[at] for at in columns], [right[at] for at in rows])
        yield from ((columns[column], rows[row]) for column, row in reversed(found))
    yield from zip(range(left_end, len(left)), range(right_end, len(right)), strict=True)


def _trace(columns: Sequence[Hashable], rows: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The pairs, from the last to the first."""
    found: list[tuple[int, int]] = []
    where: dict[Hashable, int] = {}
    for column, value in enumerate(columns):
        where[value] = where.get(value, 0) | 1 << column
    step = isqrt(len(rows)) + 1
    masks = [where[value] for value in rows]
    full = (1 << len(columns)) - 1
    kept = [full]
    for start in range(0, len(rows), step):
        kept.append(_table(masks[start : start + step], kept[-1], full)[-1])
    column = len(columns)
    for block in reversed(range(len(kept) - 1)):
        start = block * step
        table = _table(masks[start : start + step], kept[block], full)
        row = len(table) - 1
        while row and column:
            # A bit that is not set: there is one more pair up to here than up to the column before.
            if table[row] >> column - 1 & 1:
                column -= 1
                continue
            row -= 1
            if table[row] >> column - 1 & 1:
                column -= 1
                found.append((column, start + row))
    return found


def _table(masks: Sequence[int], before: int, full: int) -> list[int]:
    """The row in front of these, and theirs."""
    table = [before]
    for mask in masks:
        both = before & mask
        before = (before + both | before - both) & full
        table.append(before)
    return table
