"""Two texts side by side: which lines belong together, and which of them differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from jitstudio.analysis.diff.align import align_by, common_subsequence, merged
from jitstudio.core.code import CodeKind
from jitstudio.listing.line_classes import classify
from jitstudio.listing.lines import NOWHERE, LineClass
from jitstudio.ptx.scanner import without_comments

# ---- What differs inside two lines that belong together

Marks = tuple[tuple[int, int], ...]
"""Ranges of columns: the first, and the one behind the last."""

TOKEN = re.compile(r"\.?[\w$]+|\S")
"""What is compared as one: a word, a number, a modifier with its dot, or a sign."""

ASIDE = ""
"""Represents a token that is not compared."""


def line_marks(
    left: str,
    right: str,
    left_words: Sequence[str] | None = None,
    right_words: Sequence[str] | None = None,
) -> tuple[Marks, Marks]:
    """Returns the tokens of each line that the other does not have at this place.

    Args:
        left: One line.
        right: The other line.
        left_words: What each token of the first line is compared as; as it is if None.
        right_words: The same of the second line.
    """
    one = TOKEN.findall(left) if left_words is None else left_words
    other = TOKEN.findall(right) if right_words is None else right_words
    pairs = [*common_subsequence(one, other)]
    if pairs and len(one) == len(other):
        # Of lines of one shape, what is at the same place belongs together.
        placed = [(at, at) for at, (a, b) in enumerate(zip(one, other, strict=True)) if a == b]
        if 2 * len(placed) > len(pairs):
            pairs = placed
    marks = (
        _ranges(left, one, {at for at, _ in pairs}),
        _ranges(right, other, {at for _, at in pairs}),
    )
    # Where no token differs, what they mean together does.
    return marks if any(marks) else (_ranges(left, one, set()), _ranges(right, other, set()))


def _ranges(line: str, words: Sequence[str], same: set[int]) -> Marks:
    return tuple(_joined(line, words, same))


def _joined(line: str, words: Sequence[str], same: set[int]) -> Iterator[tuple[int, int]]:
    """Yields one range for tokens that follow each other."""
    start = end = 0
    for at, token in enumerate(TOKEN.finditer(line)):
        if at in same or words[at] == ASIDE:
            if start < end:
                yield start, end
            start = end = 0
        else:
            start = start if start < end else token.start()
            end = token.end()
    if start < end:
        yield start, end


class Change(Enum):
    """What became of a line; the value is the word in JSON."""

    EQUAL = "equal"
    CONTROL = "control"
    """The same instruction with other control bits."""
    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"


class DiffRow(NamedTuple):
    """A line of each text, counted from 0; `NOWHERE` where one has none here."""

    left: int
    right: int
    change: Change


class Hunk(NamedTuple):
    """Rows that differ, one behind the other: the first, and the one behind the last."""

    start: int
    end: int


Words = Mapping[int, tuple[str, ...]]
"""By its line: how its tokens are compared, where that is not as they are written."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two texts side by side.

    Attributes:
        left: The lines of the first text.
        right: The lines of the second text.
        rows: All lines of both, in the order of both.
        control_counts: Whether other control bits alone are a difference.
        left_words: Where tokens of the first text represent something else than themselves.
        right_words: The same of the second text.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    rows: tuple[DiffRow, ...]
    control_counts: bool = True
    left_words: Words = field(default_factory=dict)
    right_words: Words = field(default_factory=dict)

    @property
    def equal(self) -> bool:
        """Whether nothing differs that counts."""
        return not self.hunks

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The differences, from the top to the bottom."""
        same = {Change.EQUAL} if self.control_counts else {Change.EQUAL, Change.CONTROL}
        found: list[Hunk] = []
        start = 0
        for at, row in enumerate(self.rows):
            if row.change in same:
                if start < at:
                    found.append(Hunk(start, at))
                start = at + 1
        if start < len(self.rows):
            found.append(Hunk(start, len(self.rows)))
        return tuple(found)

    @cached_property
    def control_changes(self) -> int:
        """How many instructions have other control bits and are the same otherwise."""
        return sum(row.change is Change.CONTROL for row in self.rows)

    def marks(self, row: int) -> tuple[Marks, Marks]:
        """Returns what differs inside the two lines of a row, as ranges of columns."""
        left, right, change = self.rows[row]
        if change not in (Change.CHANGED, Change.CONTROL):
            return (), ()
        return line_marks(
            self.left[left],
            self.right[right],
            self.left_words.get(left),
            self.right_words.get(right),
        )


# ---- Line by line

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
