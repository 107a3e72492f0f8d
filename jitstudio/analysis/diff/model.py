"""Two texts side by side: pairs of lines, and the differences in between."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from jitstudio.analysis.diff.align import Keys, align_by, common_subsequence, merged
from jitstudio.core.code import CodeKind
from jitstudio.listing.line_classes import classify
from jitstudio.listing.lines import NOWHERE, LineClass
from jitstudio.ptx.scanner import without_comments

# ---- Differences inside a pair of lines

Marks = tuple[tuple[int, int], ...]
"""Ranges of columns: the first column, and the column behind the last."""

TOKEN = re.compile(r"\.?[\w$]+|\S")
"""The unit of comparison: a word, a number, a modifier with its dot, or a sign."""

ASIDE = ""
"""Represents a token that is not compared."""


def line_marks(
    left: str,
    right: str,
    left_words: Sequence[str] | None = None,
    right_words: Sequence[str] | None = None,
) -> tuple[Marks, Marks]:
    """Returns the tokens of each line that the other line lacks at this place.

    Args:
        left: The first line.
        right: The second line.
        left_words: The words by which the tokens of the first line are compared; None for
            themselves.
        right_words: The same of the second line.
    """
    ours = TOKEN.findall(left) if left_words is None else left_words
    theirs = TOKEN.findall(right) if right_words is None else right_words
    pairs = [*common_subsequence(ours, theirs)]
    if pairs and len(ours) == len(theirs):
        # In lines of the same shape, tokens at the same place belong together.
        in_place = [(at, at) for at, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a == b]
        if 2 * len(in_place) > len(pairs):
            pairs = in_place
    marks = (
        _ranges(left, ours, {at for at, _ in pairs}),
        _ranges(right, theirs, {at for _, at in pairs}),
    )
    # Where no token differs, their meaning together does.
    return marks if any(marks) else (_ranges(left, ours, set()), _ranges(right, theirs, set()))


def _ranges(line: str, words: Sequence[str], same: set[int]) -> Marks:
    return tuple(_joined(line, words, same))


def _joined(line: str, words: Sequence[str], same: set[int]) -> Iterator[tuple[int, int]]:
    """Yields the ranges of tokens outside of `same`, joined where consecutive."""
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
    """The change between two lines; the value is the word in JSON."""

    EQUAL = "equal"
    CONTROL = "control"
    """The same instruction with other control bits."""
    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"


class DiffRow(NamedTuple):
    """A line of each text, counted from 0; `NOWHERE` for a missing line."""

    left: int
    right: int
    change: Change


class Hunk(NamedTuple):
    """A run of rows that differ: the first row, and the row behind the last."""

    start: int
    end: int


Words = Mapping[int, tuple[str, ...]]
"""The words by which the tokens of a line are compared, by line; by themselves if absent."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two texts side by side.

    Attributes:
        left: The lines of the first text.
        right: The lines of the second text.
        rows: All lines of both, in the order of both.
        control_counts: Whether other control bits alone are a difference.
        left_words: The words of lines in the first text whose tokens are compared by other words.
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
        """Whether no difference counts."""
        return not self.hunks

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The differences, from the top to the bottom."""
        same = {Change.EQUAL} if self.control_counts else {Change.EQUAL, Change.CONTROL}
        hunks: list[Hunk] = []
        start = 0
        for at, row in enumerate(self.rows):
            if row.change in same:
                if start < at:
                    hunks.append(Hunk(start, at))
                start = at + 1
        if start < len(self.rows):
            hunks.append(Hunk(start, len(self.rows)))
        return tuple(hunks)

    @cached_property
    def control_changes(self) -> int:
        """How many instructions have other control bits and are the same otherwise."""
        return sum(row.change is Change.CONTROL for row in self.rows)

    def marks(self, row: int) -> tuple[Marks, Marks]:
        """Returns the differences inside the two lines of a row, as ranges of columns."""
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


def compare_lines(
    left: Sequence[str],
    right: Sequence[str],
    words_of: Callable[[str], tuple[str, ...]] | None = None,
) -> Comparison:
    """Compares texts line by line; a rewritten line is next to the replacement.

    Args:
        left: The first text.
        right: The second text.
        words_of: The words by which the tokens of a line are compared; None for themselves.
    """
    ours: Keys = left if words_of is None else [words_of(line) for line in left]
    theirs: Keys = right if words_of is None else [words_of(line) for line in right]
    stages: list[tuple[Keys, Keys]] = [
        (ours, theirs),
        ([line.strip() for line in left], [line.strip() for line in right]),
        # The instruction of PTX, the type or the keyword of C++.
        ([_first_word(line) for line in left], [_first_word(line) for line in right]),
    ]
    pairs = align_by(stages)
    paired = {a for a, b in pairs if ours[a] == theirs[b]}
    rows = tuple(
        DiffRow(a, b, change_of(a, b, same=a in paired))
        for a, b in merged(pairs, len(left), len(right))
    )
    if words_of is None:
        return Comparison(tuple(left), tuple(right), rows)
    words = [dict(enumerate(map(words_of, side))) for side in (left, right)]
    return Comparison(tuple(left), tuple(right), rows, left_words=words[0], right_words=words[1])


def ptx_lines(text: str) -> list[str]:
    """Returns the lines of PTX without line tables, which describe the source, not the program."""
    lines = text.splitlines()
    classes = classify(CodeKind.PTX, lines)
    return [
        line
        for line, kind in zip(lines, classes, strict=True)
        if kind != LineClass.DEBUG and not _DEBUG_LABEL.match(line)
    ]


def bare_lines(ptx: Sequence[str]) -> list[str]:
    """Returns PTX without comments, indentation and blank lines; a cubin keeps only blanks."""
    lines = (line.strip() for line in without_comments("\n".join(ptx)).splitlines())
    return [line for line in lines if line]


def change_of(left: int, right: int, *, same: bool) -> Change:
    """Returns the change between two lines, or of a line without a partner."""
    if left == NOWHERE:
        return Change.ADDED
    if right == NOWHERE:
        return Change.REMOVED
    return Change.EQUAL if same else Change.CHANGED


def _first_word(line: str) -> str:
    word = _WORD.search(line)
    return word[0] if word else ""
