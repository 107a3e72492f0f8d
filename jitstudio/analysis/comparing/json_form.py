"""A comparison as JSON objects, documented in README.md and kept stable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jitstudio.analysis.comparing.deltas import Delta
from jitstudio.analysis.comparing.model import Comparison, Hunk
from jitstudio.analysis.model import NOWHERE

Json = dict[str, Any]


def hunk_objects(comparison: Comparison) -> list[Json]:
    """Each difference with its lines; lines count from 1, columns from 0."""
    return [_hunk(comparison, hunk) for hunk in comparison.hunks]


def delta_objects(deltas: Iterable[Delta]) -> list[Json]:
    """Each figure of each function, in both programs."""
    return [
        {
            "name": delta.name,
            "figure": delta.figure,
            "a": delta.left,
            "b": delta.right,
            "delta": delta.difference,
        }
        for delta in deltas
    ]


def _hunk(comparison: Comparison, hunk: Hunk) -> Json:
    rows = []
    for at in range(hunk.start, hunk.end):
        left, right, change = comparison.rows[at]
        left_marks, right_marks = comparison.marks(at)
        rows.append(
            {
                "change": change.value,
                "a": comparison.left[left] if left != NOWHERE else None,
                "b": comparison.right[right] if right != NOWHERE else None,
                "a_line": left + 1 if left != NOWHERE else None,
                "b_line": right + 1 if right != NOWHERE else None,
                "a_marks": left_marks,
                "b_marks": right_marks,
            }
        )
    return {"rows": rows}
