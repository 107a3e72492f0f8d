"""Which lines differ between two texts: enough to carry something over with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jitstudio.core.places import at_place

# Comparing takes up to the product of both lengths: more is one change as a whole.
_MOST_LINES = 2000


@dataclass(frozen=True)
class LineChange:
    """Lines of one text in whose place the other has some of its own; counted from 0.

    Attributes:
        old: From the first old line to the one behind the last.
        new: The same in the new text.
    """

    old: slice
    new: slice


def line_changes(old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    """What has to change to make the old lines the new ones, from the top to the bottom."""
    before, behind = alike(old, new)
    old_end, new_end = len(old) - behind, len(new) - behind
    if before == old_end and before == new_end:
        return []
    if max(old_end, new_end) - before > _MOST_LINES:
        return [LineChange(slice(before, old_end), slice(before, new_end))]
    # Loaded here: a window opens files before any of them has changed.
    sequence_matcher = at_place("difflib:SequenceMatcher")
    matcher = sequence_matcher(None, old[before:old_end], new[before:new_end])
    return [
        LineChange(
            slice(before + old_first, before + old_last),
            slice(before + new_first, before + new_last),
        )
        for word, old_first, old_last, new_first, new_last in matcher.get_opcodes()
        if word != "equal"
    ]


def alike(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines, or characters, both have in common at the start, and then at the end."""
    shorter = min(len(old), len(new))
    before = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    rest = shorter - before
    behind = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    return before, behind
