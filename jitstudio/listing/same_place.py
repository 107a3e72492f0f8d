"""Where a line of a listing is in the listing of a later build."""

from __future__ import annotations

import re
from collections.abc import Sequence

# So far from where it should be a line is sought, and so many lines around it must be alike.
_REACH = 1500
_CONTEXT = 4
# Registers, labels and addresses are numbered anew in each build.
_NUMBERS = re.compile(r"\d+|/\*[0-9a-f]+\*/")
# The rest of a line that is megabytes long says no more.
_LONGEST = 200


def same_line(
    before: Sequence[str], after: Sequence[str], line: int, head: int | None = None
) -> int:
    """Returns the number of the line that a line has become, or of the line now in that place.

    Args:
        before: The old text.
        after: The new text, with one line at least.
        line: Its number in the old one, from 0.
        head: That of the head of the function that it is in, if it is in one.
    """
    first, expected = _expected(before, after, line, head)
    expected = min(expected, len(after) - 1)
    start = max(first, expected - _REACH)
    window = _shapes(after, start - _CONTEXT, expected + _REACH + _CONTEXT)
    wanted = _shapes(before, line - _CONTEXT, line + _CONTEXT)
    own = wanted[_CONTEXT]
    best, best_line = (0, 0), expected
    for at in range(_CONTEXT, len(window) - _CONTEXT):
        if window[at] == own:
            around = window[at - _CONTEXT : at + _CONTEXT + 1]
            number = start + at - _CONTEXT
            alike = sum(map(str.__eq__, around, wanted))
            rank = (alike, -abs(number - expected))
            if rank > best:
                best, best_line = rank, number
    return best_line


def _expected(
    before: Sequence[str], after: Sequence[str], line: int, head: int | None
) -> tuple[int, int]:
    """Returns where the line's function begins, and the line's place if all before is the same."""
    if head is not None:
        try:
            new_head = after.index(before[head])
        except ValueError:
            return 0, line
        return new_head, new_head + line - head
    return 0, line


def _shapes(lines: Sequence[str], first: int, last: int) -> list[str]:
    """Returns lines from `first` to `last` without numbers; beyond the text, nothing is alike."""
    inside = range(max(0, first), min(last + 1, len(lines)))
    shapes = [_NUMBERS.sub("#", lines[number][:_LONGEST]) for number in inside]
    above, below = max(0, -first), max(0, last + 1 - len(lines))
    return ["\0"] * above + shapes + ["\0"] * below
