"""What differs inside two lines that belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jitstudio.analysis.diff.lcs import common_subsequence

Marks = tuple[tuple[int, int], ...]
"""Ranges of columns: the first, and the one behind the last."""

TOKEN = re.compile(r"\.?[\w$]+|\S")
"""What is compared as one: a word, a number, a modifier with its dot, or a sign."""

ASIDE = ""
"""Stands for a token that is not compared."""


def line_marks(
    left: str,
    right: str,
    left_words: Sequence[str] | None = None,
    right_words: Sequence[str] | None = None,
) -> tuple[Marks, Marks]:
    """The tokens of each line that the other does not have at this place.

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
        # Of lines of one shape, what stands at the same place belongs together.
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
    """One range for tokens that follow each other."""
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
