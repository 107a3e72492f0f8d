"""Which words could become of what is typed, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import itemgetter

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.fuzzy import TIER, Ranking
from jitstudio.listing.word import Word

_MOST_OFFERS = 100
# From here on the letters are not the beginnings of words.
_LOOSE = 4 * TIER
# Short, and typed by heart.
_LAST = "a keyword"
# Words about as long stand in the order in which they are told of.
_LENGTH_STEP = 4
_SIGILS = "_.%$@#"


@dataclass(frozen=True, eq=False)
class Pool:
    """Words of one origin, made ready to be searched.

    Attributes:
        words: What is offered.
        ranking: The same for searching.
        initials: The rows of the words by their first letter or digit.
    """

    words: Sequence[Word]
    ranking: Ranking
    initials: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, words: Iterable[Word]) -> Pool:
        """Make words ready; for some thousands this is work for the background."""
        listed = tuple(words)
        initials: dict[str, list[int]] = {}
        for row, word in enumerate(listed):
            initials.setdefault(_initial(word.text), []).append(row)
        return cls(listed, Ranking([word.text for word in listed]), initials)


@lru_cache
def language_pool(kind: CodeKind) -> Pool:
    """The vocabulary of a language."""
    from jitstudio.listing.vocabulary import vocabulary

    return Pool.of(vocabulary(kind).words.values())


@lru_cache
def header_pool(kind: CodeKind) -> Pool:
    """The headers that are always there."""
    from jitstudio.listing.vocabulary import vocabulary

    return Pool.of(vocabulary(kind).headers.values())


class Offers:
    """What is offered for one word, from its first letters to its last."""

    def __init__(self, pools: Sequence[Pool]) -> None:
        self._pools = pools
        self._typed = ""
        self._rows: list[Iterable[int] | None] = [None] * len(pools)

    def find(self, typed: str, *, loosely: bool) -> tuple[Word, ...]:
        """The words for what is typed by now: those that begin exactly so come first.

        Args:
            typed: The letters of the word so far.
            loosely: Whether the first letter may be another than that of the word, and any of
                them from the middle of it.
        """
        # More letters can only leave fewer words.
        if not (self._typed and typed.startswith(self._typed)):
            self._rows = [None] * len(self._pools)
        self._typed = typed
        initial = _initial(typed)
        found: list[tuple[tuple[bool | int, ...], Word]] = []
        for place, pool in enumerate(self._pools):
            rows = self._rows[place]
            if rows is None and not loosely and initial:
                rows = pool.initials.get(initial, ())
            matches = pool.ranking.find(typed, rows)
            self._rows[place] = [match.row for match in matches]
            for row, score in matches[:_MOST_OFFERS]:
                if loosely or score < _LOOSE:
                    word = pool.words[row]
                    found.append(((*_rank(word, typed, score), place, row), word))
        found.sort(key=itemgetter(0))
        # What is in the vocabulary as well as in the text is told of as the former.
        once = {word.text: word for _, word in reversed(found) if word.text != typed}
        unique = (once.pop(word.text) for _, word in found if word.text in once)
        return tuple(islice(unique, _MOST_OFFERS))


def _rank(word: Word, typed: str, score: int) -> tuple[bool, int, bool, int]:
    is_other_case = not word.text.startswith(typed)
    return is_other_case, score, word.group == _LAST, len(word.text) // _LENGTH_STEP


def _initial(text: str) -> str:
    """The first letter or digit of a word, small; empty where it has none."""
    return text.lstrip(_SIGILS)[:1].lower()
