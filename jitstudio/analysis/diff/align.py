"""Pairs the lines of two texts."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from math import isqrt

from jitstudio.listing.lines import NOWHERE

Keys = Sequence[Hashable]
"""The values by which lines are compared."""

Pairs = list[tuple[int, int]]
"""Places in both texts, ascending."""

# The most cells of a table; beyond, each half of one text is aligned with a half of the other.
_MOST_CELLS = 1 << 32


def align(left: Keys, right: Keys) -> Pairs:
    """Returns the pairs of places with equal keys, ascending in both.

    Lines that occur once in each text tie the texts together first: that is how people see texts,
    and little remains between the ties.
    """
    pairs: Pairs = []
    at_left = at_right = 0
    for anchor, partner in [*_anchors(left, right), (len(left), len(right))]:
        part = _between(left[at_left:anchor], right[at_right:partner])
        pairs += (
            (at_left + our_offset, at_right + their_offset) for our_offset, their_offset in part
        )
        if anchor < len(left):
            pairs.append((anchor, partner))
        at_left, at_right = anchor + 1, partner + 1
    return pairs


def align_by(stages: Sequence[tuple[Keys, Keys]]) -> Pairs:
    """Aligns by the first keys, then the lines between by the next keys, and so on.

    Lines that remain at last are paired in their order: a line in the place of another.
    """
    (left, right), *more = stages
    pairs = align(left, right)
    for left_keys, right_keys in more:
        pairs = _filled(pairs, len(left), len(right), left_keys, right_keys)
    return _in_order(pairs, len(left), len(right))


def merged(pairs: Pairs, left_count: int, right_count: int) -> Iterator[tuple[int, int]]:
    """Yields all places of both texts in their order; `NOWHERE` for a missing partner."""
    at_left = at_right = 0
    for left, right in [*pairs, (left_count, right_count)]:
        yield from ((at, NOWHERE) for at in range(at_left, left))
        yield from ((NOWHERE, at) for at in range(at_right, right))
        if left < left_count:
            yield left, right
        at_left, at_right = left + 1, right + 1


def _anchors(left: Keys, right: Keys) -> Pairs:
    """Returns the pairs of lines that occur once in each text, as many as are in the same order."""
    counts, others = Counter(left), Counter(right)
    place_of = {key: at for at, key in enumerate(right) if others[key] == 1}
    single = [
        (at, place_of[key]) for at, key in enumerate(left) if counts[key] == 1 and key in place_of
    ]
    return _longest_ascending(single)


def _longest_ascending(pairs: Pairs) -> Pairs:
    """Returns the most pairs whose second places ascend, too; by patience sorting."""
    tops: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (_, value) in enumerate(pairs):
        pile = bisect_left(tops, value)
        before.append(last[pile - 1] if pile else NOWHERE)
        tops[pile : pile + 1] = [value]
        last[pile : pile + 1] = [at]
    ascending: Pairs = []
    at = last[-1] if last else NOWHERE
    while at != NOWHERE:
        ascending.append(pairs[at])
        at = before[at]
    return ascending[::-1]


def _between(left: Keys, right: Keys) -> Iterator[tuple[int, int]]:
    if len(left) * len(right) <= _MOST_CELLS:
        yield from common_subsequence(left, right)
        return
    half, right_half = len(left) // 2, len(right) // 2
    yield from _between(left[:half], right[:right_half])
    yield from ((half + a, right_half + b) for a, b in _between(left[half:], right[right_half:]))


def _gaps(pairs: Pairs, left: int, right: int) -> Iterator[tuple[range, range]]:
    """Yields the lines of both texts between consecutive pairs."""
    at_left = at_right = 0
    for left_at, right_at in [*pairs, (left, right)]:
        if at_left < left_at and at_right < right_at:
            yield range(at_left, left_at), range(at_right, right_at)
        at_left, at_right = left_at + 1, right_at + 1


def _filled(pairs: Pairs, left_count: int, right_count: int, left: Keys, right: Keys) -> Pairs:
    more = [
        (ours.start + a, theirs.start + b)
        for ours, theirs in _gaps(pairs, left_count, right_count)
        for a, b in align(left[ours.start : ours.stop], right[theirs.start : theirs.stop])
    ]
    return sorted(pairs + more) if more else pairs


def _in_order(pairs: Pairs, left_count: int, right_count: int) -> Pairs:
    more = [
        pair
        for ours, theirs in _gaps(pairs, left_count, right_count)
        for pair in zip(ours, theirs, strict=False)
    ]
    return sorted(pairs + more) if more else pairs


# ---- The longest common subsequence, by whole rows of bits


def common_subsequence(
    left: Sequence[Hashable], right: Sequence[Hashable]
) -> Iterator[tuple[int, int]]:
    """Yields the pairs of equal places, ascending in both sequences; as many as possible."""
    shorter = min(len(left), len(right))
    before = next((at for at in range(shorter) if left[at] != right[at]), shorter)
    rest = shorter - before
    behind = next((at for at in range(rest) if left[-1 - at] != right[-1 - at]), rest)
    yield from zip(range(before), range(before), strict=True)
    left_end, right_end = len(left) - behind, len(right) - behind
    if before < left_end and before < right_end:
        # A value in only one of them can match nothing: without it the tables stay small.
        common = {*left[before:left_end]} & {*right[before:right_end]}
        columns = [at for at in range(before, left_end) if left[at] in common]
        rows = [at for at in range(before, right_end) if right[at] in common]
        pairs = _trace([left[at] for at in columns], [right[at] for at in rows])
        yield from ((columns[column], rows[row]) for column, row in reversed(pairs))
    yield from zip(range(left_end, len(left)), range(right_end, len(right)), strict=True)


def _trace(columns: Sequence[Hashable], rows: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Returns the pairs of a longest common subsequence, from the last to the first."""
    pairs: list[tuple[int, int]] = []
    column_bits: dict[Hashable, int] = {}
    for column, value in enumerate(columns):
        column_bits[value] = column_bits.get(value, 0) | 1 << column
    step = isqrt(len(rows)) + 1
    masks = [column_bits[value] for value in rows]
    full = (1 << len(columns)) - 1
    block_rows = [full]
    for start in range(0, len(rows), step):
        block_rows.append(_table(masks[start : start + step], block_rows[-1], full)[-1])
    column = len(columns)
    for block in reversed(range(len(block_rows) - 1)):
        start = block * step
        table = _table(masks[start : start + step], block_rows[block], full)
        row = len(table) - 1
        while row and column:
            # A cleared bit: the subsequence is longer by a pair than up to the column before.
            if table[row] >> column - 1 & 1:
                column -= 1
                continue
            row -= 1
            if table[row] >> column - 1 & 1:
                column -= 1
                pairs.append((column, start + row))
    return pairs


def _table(masks: Sequence[int], before: int, full: int) -> list[int]:
    """Returns the row `before` and the row behind each of the masks."""
    table = [before]
    for mask in masks:
        both = before & mask
        before = (before + both | before - both) & full
        table.append(before)
    return table
