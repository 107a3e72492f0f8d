"""Two texts of any kind side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jitstudio.analysis.diff.align import align_by, merged
from jitstudio.analysis.diff.model import Change, Comparison, DiffRow
from jitstudio.core.code import CodeKind
from jitstudio.listing.line_classes import classify
from jitstudio.listing.lines import NOWHERE, LineClass
from jitstudio.listing.ptx import without_comments

# In a debug section, whose data are left out.
_DEBUG_LABEL = re.compile(r"\$?\w*info_string\d*:\s*\Z")
_WORD = re.compile(r"[@%.$\w]+")


def compare_lines(left: Sequence[str], right: Sequence[str]) -> Comparison:
    """Line by line; a line that was rewritten is next to what it became."""
    stages = [
        (left, right),
        ([line.strip() for line in left], [line.strip() for line in right]),
        # The instruction of PTX, the type or the keyword of C++.
        ([_first_word(line) for line in left], [_first_word(line) for line in right]),
    ]
    pairs = align_by(stages)
    paired = {one for one, other in pairs if left[one] == right[other]}
    rows = tuple(
        DiffRow(one, other, change_of(one, other, same=one in paired))
        for one, other in merged(pairs, len(left), len(right))
    )
    return Comparison(tuple(left), tuple(right), rows)


def ptx_lines(text: str) -> list[str]:
    """The lines of PTX without its line tables, which describe the source and not the program."""
    lines = text.splitlines()
    classes = classify(CodeKind.PTX, lines)
    return [
        line
        for line, kind in zip(lines, classes, strict=True)
        if kind != LineClass.DEBUG and not _DEBUG_LABEL.match(line)
    ]


def bare_lines(ptx: Sequence[str]) -> list[str]:
    """Lines of PTX without comments, indentation and blank lines; a cubin keeps only blanks."""
    lines = (line.strip() for line in without_comments("\n".join(ptx)).splitlines())
    return [line for line in lines if line]


def change_of(left: int, right: int, *, same: bool) -> Change:
    """Returns what became of two lines, or of one that has no partner."""
    if left == NOWHERE:
        return Change.ADDED
    if right == NOWHERE:
        return Change.REMOVED
    return Change.EQUAL if same else Change.CHANGED


def _first_word(line: str) -> str:
    found = _WORD.search(line)
    return found[0] if found else ""
