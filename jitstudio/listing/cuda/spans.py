"""Spans of a text: their lines, and the parts of a text within and outside.

A span is where it begins and where it ends, in bytes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator

from jitstudio.listing.cuda.outline import OutlineItem

_BLANKED = bytes(byte if byte in b" \t\r\n\v\f" else 32 for byte in range(256))


class Spans:
    """Spans by where they begin, to find the spans within others."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._spans = sorted(spans)
        self._starts = [start for start, _ in self._spans]

    def rest_of(self, text: bytes, declaration: OutlineItem) -> bytes:
        """Returns the text of a declaration without the spans inside."""
        start, end = declaration.start, declaration.end
        first = bisect_right(self._starts, start)
        last = bisect_left(self._starts, end)
        return self._outside(text, start, end, self._spans[first:last])

    def outside(self, text: bytes) -> bytes:
        """Returns the parts of a text outside of all spans."""
        return self._outside(text, 0, len(text), self._spans)

    def _outside(self, text: bytes, at: int, last: int, spans: Iterable[tuple[int, int]]) -> bytes:
        pieces = []
        for start, end in spans:
            if end > at:
                pieces.append(text[at:start])
                at = end
        return b" ".join((*pieces, text[at:last]))


def overlapping(declaration: OutlineItem, spans: list[tuple[int, int]]) -> int | None:
    """Returns the index of the first of some spans, in order, that a declaration shares bytes with.

    None where it shares none.
    """
    at = bisect_right(spans, declaration.start, key=lambda span: span[1])
    return at if at < len(spans) and spans[at][0] < declaration.end else None


def line_spans(text: bytes, lines: Collection[int]) -> list[tuple[int, int]]:
    """Returns where lines, from 1, begin and end in a text, in order."""
    spans, at = [], 0
    for number, line in enumerate(text.split(b"\n") if lines else (), 1):
        if number in lines:
            spans.append((at, at + len(line)))
        at += len(line) + 1
    return spans


def is_within(place: int, spans: list[tuple[int, int]]) -> bool:
    """Returns whether a place is in any of some spans, in order and apart from each other."""
    index = bisect_right(spans, place, key=lambda span: span[0])
    return index > 0 and place < spans[index - 1][1]


def lines_of(text: bytes, places: Iterable[int]) -> dict[int, int]:
    """Returns the lines, from 1, of some places in a text."""
    lines, line, at = {}, 1, 0
    for place in sorted(places):
        line += text.count(b"\n", at, place)
        lines[place], at = line, place
    return lines


def directives_within(
    directives: list[tuple[int, int]], spans: list[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yields the directives that lie in any of some spans; both in order."""
    waiting = iter(spans)
    span = next(waiting, None)
    for start, end in directives:
        while span and span[1] < end:
            span = next(waiting, None)
        if span and span[0] <= start:
            yield start, end


def blanked(
    text: bytes, spans: Collection[tuple[int, int]], stays: Collection[tuple[int, int]]
) -> bytes:
    """Returns a text with blanks in some spans, apart from the parts that stay there."""
    pieces, at = [], 0
    staying = sorted(stays)
    index = 0
    for start, end in spans:
        if end <= at:
            continue
        start = max(start, at)
        pieces.append(text[at:start])
        while index < len(staying) and staying[index][0] < end:
            begin, stop = staying[index]
            index += 1
            if begin >= start:
                pieces += [text[start:begin].translate(_BLANKED), text[begin:stop]]
                start = stop
        pieces.append(text[start:end].translate(_BLANKED))
        at = end
    return b"".join((*pieces, text[at:]))
