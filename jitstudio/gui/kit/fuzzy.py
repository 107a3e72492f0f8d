"""Finds texts by some of their letters, the likeliest first, as palettes do. Knows nothing of Qt.

A text is searched in lower case, with a mark before each word: `goToLine`, `go_to_line` and
`Go to line` all have the words that `gtl` is the beginnings of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

_MARK = "\x01"
# After what is no letter; a capital after a small letter; the last of several capitals; a number
# after a letter, and a name after its length in a mangled one.
_WORD_STARTS = re.compile(
    r"(?<![^\W_])(?=[^\W_])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
    r"|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_]{2})"
)
# The beginning of the next word, or of one of those behind it.
_TO_WORD = rf"(?:[^{_MARK}]*+{_MARK})+?"
_LONGEST_QUERY = 64
TIER = 1000
"""The score that the next worse kind of match adds: more than any place in a text does."""

Span = tuple[int, int]
"""The first matched letter and the one behind the last."""


class Match(NamedTuple):
    """A text that matches a query.

    Attributes:
        row: Which of the texts.
        score: How far the match is from the best one, which has 0.
    """

    row: int
    score: int


class Ranking:
    """Some texts, made ready to be searched again with each letter that is typed."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._marked = [_marked(text) for text in texts]

    def find(self, query: str, rows: Iterable[int] | None = None) -> list[Match]:
        """Returns the texts that have the letters of a query in the same order, best first.

        Best is a text that begins so, then one with a word that does, then one whose words begin
        with parts of the query, then one that holds it anywhere, then its scattered letters.

        Args:
            query: The typed letters; blanks match anything.
            rows: Which texts to look at; all of them where not given.
        """
        marked = self._marked
        looked_at = range(len(marked)) if rows is None else tuple(rows)
        letters = _letters(query)
        if not letters:
            return [Match(row, 0) for row in looked_at]
        if not looked_at:
            return []
        # Most texts have not even the letters, which is the fastest test.
        has_letters = re.compile(_scattered([re.escape(c) for c in letters]), re.DOTALL).match
        matches = []
        match = None
        for row in looked_at:
            if not has_letters(marked[row]):
                continue
            # It takes milliseconds to make, and of a new name no text has all the letters.
            match = match or _pattern(letters, "{}").match
            hit = match(marked[row])
            if hit is not None and hit.lastindex:
                place = min(hit.start(hit.lastindex), TIER - 1)
                matches.append(Match(row, (hit.lastindex - 1) * TIER + place))
        # Among equals the shorter text has less that was not asked for.
        matches.sort(key=lambda match: (match.score, len(marked[match.row])))
        return matches

    def spans(self, query: str, row: int) -> tuple[Span, ...]:
        """Returns the letters of a text that the query matches."""
        text, letters = self._marked[row], _letters(query)
        hit = _pattern(letters, "({})").match(text) if letters else None
        if hit is None:
            return ()
        spans: list[Span] = []
        for group in range(1, len(hit.groups()) + 1):
            if hit.start(group) < 0:
                continue
            place = hit.start(group) - text.count(_MARK, 0, hit.start(group))
            if spans and spans[-1][1] == place:
                spans[-1] = (spans[-1][0], place + 1)
            else:
                spans.append((place, place + 1))
        return tuple(spans)


def _letters(query: str) -> str:
    return "".join(query.split()).lower()[:_LONGEST_QUERY]


# Most of what is searched was searched before.
@lru_cache(maxsize=8192)
def _marked(text: str) -> str:
    # Few letters become two in lower case; the places of all behind them would be wrong.
    marked = _WORD_STARTS.sub(_MARK, text)
    lower = marked.lower()
    return lower if len(lower) == len(marked) else marked


def _pattern(letters: str, group: str) -> re.Pattern[str]:
    """Returns all kinds of match as a single expression, the best first.

    Each has the first letter as a group of its own. A match within a gap is final (`(?>`), so that
    no text, however long, is searched in all ways to split it.
    """
    first = f"({re.escape(letters[0])})"
    rest = [group.format(re.escape(letter)) for letter in letters[1:]]
    near = "".join(rf"[\W_]*?{letter}" for letter in rest)
    words = "".join(rf"(?>[\W_]*?{letter}|{_TO_WORD}{letter})" for letter in rest)
    jumps = "".join(rf"(?>{_TO_WORD}{letter}|[\W_]*?{letter})" for letter in rest)
    kinds = (
        rf"[\W_]*?{first}{near}",
        rf"{_TO_WORD}{first}{near}",
        rf"{_TO_WORD}{first}{words}",
        rf"{_TO_WORD}{first}{jumps}",
        rf".*?{first}{near}",
        _scattered([first, *rest]),
    )
    return re.compile("|".join(kinds), re.DOTALL)


def _scattered(letters: Sequence[str]) -> str:
    return "".join(f"(?>.*?{letter})" for letter in letters)
