"""A comparison as a unified diff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jitstudio.analysis.diff.model import Change, Comparison, Hunk
from jitstudio.listing.lines import NOWHERE

_AROUND = 3
"""Equal lines that are shown around a difference."""


def unified(comparison: Comparison) -> Iterator[str]:
    """Yields the differences with the lines around, without the heading of the files."""
    for start, hunks in _with_surroundings(comparison):
        end = min(len(comparison.rows), hunks[-1].end + _AROUND)
        rows = comparison.rows[start:end]
        left = _range("-", (row.left for row in rows))
        right = _range("+", (row.right for row in rows))
        yield f"@@ {left} {right} @@"
        at = start
        for hunk in hunks:
            yield from _plain(comparison, at, hunk.start)
            changed_rows = comparison.rows[hunk.start : hunk.end]
            yield from (f"-{comparison.left[r.left]}" for r in changed_rows if r.left != NOWHERE)
            yield from (f"+{comparison.right[r.right]}" for r in changed_rows if r.right != NOWHERE)
            at = hunk.end
        yield from _plain(comparison, at, end)


def _plain(comparison: Comparison, start: int, end: int) -> Iterator[str]:
    for row in comparison.rows[start:end]:
        line = comparison.left[row.left]
        # Of the control bits, which are shown behind it, each side has its own.
        yield f" {line.partition(' // ')[0] if row.change is Change.CONTROL else line}"


def _with_surroundings(comparison: Comparison) -> Iterator[tuple[int, list[Hunk]]]:
    """Differences that are close to each other together, and the row where they begin."""
    group: list[Hunk] = []
    for hunk in comparison.hunks:
        if group and hunk.start - group[-1].end > 2 * _AROUND:
            yield max(0, group[0].start - _AROUND), group
            group = []
        group.append(hunk)
    if group:
        yield max(0, group[0].start - _AROUND), group


def _range(sign: str, lines: Iterable[int]) -> str:
    known = [line for line in lines if line != NOWHERE]
    return f"{sign}{known[0] + 1},{len(known)}" if known else f"{sign}0,0"
