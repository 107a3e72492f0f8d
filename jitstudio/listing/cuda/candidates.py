"""Declarations that stay if device code needs them, told apart from host code.

A type, an alias, a constant or a constexpr function may be for both compilers. It goes where it
needs something that is set aside, unless it is mentioned by device code or by what that needs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from jitstudio.listing.cuda.heads import head_of
from jitstudio.listing.cuda.outline import OutlineItem
from jitstudio.listing.cuda.spans import Spans, overlapping
from jitstudio.listing.cuda.words import free_words_in

# `std::vector`, `cublasCreate`, `FILE`, but not `cooperative_groups::sync`.
_LIBRARIES = re.compile(
    rb"\busing namespace (?:thrust|cub)\b"
    rb"|\b(?!(?:cuda|nvcuda|cooperative_groups|cg|cub|nv|wmma|cute|cutlass)\b)[a-z]\w*\s*+::"
    rb"|\b(?:cu(?:blas|dnn|fft|rand|sparse|solver|tensor)|nccl|nvml|GL|gl|MPI|omp|pthread)_?[A-Z_a-z]\w*"
    rb"|\b(?:FILE|DIR|timeval|timespec|jmp_buf|va_list)\b"
)
# A text with more classes within each other is no program.
_MOST_NESTED = 100


@dataclass(eq=False)
class Candidate:
    """A declaration that stays if device code mentions the name, unless the host is needed.

    Attributes:
        declaration: The type, alias, constant or constexpr function.
        name: What it declares; empty for what nobody can mention.
        calls: Whether it calls something before `main`.
        is_value: Whether it is a constant, which goes with the host code that alone uses it.
    """

    declaration: OutlineItem
    name: bytes
    calls: bool
    is_value: bool = False


class Weighing:
    """The candidates of a text with the words that each needs.

    Attributes:
        apart: The spans of all candidates, and those that are set aside already.

    Args:
        code: The text without comments and quoted texts.
        candidates: What may stay or go.
        spans: What is set aside already.
        unknown: Where NVRTC has refused a name that it does not know.
        own: The types and namespaces of the text, which no library can be meant by.
    """

    def __init__(
        self,
        code: bytes,
        candidates: Sequence[Candidate],
        spans: list[tuple[int, int]],
        unknown: list[tuple[int, int]],
        own: set[bytes],
    ) -> None:
        self._candidates = candidates
        has_values = any(c.is_value for c in candidates)
        used = (code[start:end] for start, end in (spans if has_values else ()))
        self._used = free_words_in(b"\n".join(used))
        # Candidates may be within others; each mentions only what is in none of these.
        places = [(c.declaration.start, c.declaration.end) for c in candidates]
        inner, self.apart = Spans(spans), Spans([*spans, *places])
        needs = {c: inner.rest_of(code, c.declaration) for c in candidates}
        self._libraries = {
            c
            for c in candidates
            if overlapping(c.declaration, unknown) is not None or _uses_library(needs[c], own)
        }
        self._words = {c: free_words_in(text) for c, text in needs.items()}
        rests = {c: self.apart.rest_of(code, c.declaration) for c in candidates}
        # Another one of its own name, as in another branch of an `#if`, is no reason to stay.
        self._said = {
            c: (self._words[c] if t == needs[c] else free_words_in(t)) - {c.name}
            for c, t in rests.items()
        }

    @cached_property
    def _by_name(self) -> dict[bytes, list[Candidate]]:
        """The candidates by the names of their mentions: their own, or their classes'."""
        by_name: defaultdict[bytes, list[Candidate]] = defaultdict(list)
        for candidate in self._candidates:
            name = candidate.name
            if not name and (owner := candidate.declaration.parent):
                name = head_of(owner).name
            by_name[name].append(candidate)
        return dict(by_name)

    def weigh(self, aside: set[bytes], rest: set[bytes]) -> tuple[list[OutlineItem], set[bytes]]:
        """Returns the declarations that go, and the words of the rest.

        Args:
            aside: The names of what is set aside already.
            rest: The words of what is no candidate.
        """
        waiting, gone = list(self._candidates), dict[Candidate, None]()
        while chosen := {
            c
            for c in waiting
            if c.calls
            or c in self._libraries
            or (c.is_value and c.name in self._used)
            or not aside.isdisjoint(self._words[c])
        }:
            # What a declaration that stays needs has to stay, too.
            while True:
                mentions = self._reached(rest, self._said, chosen.union(gone))
                staying = {c for c in chosen if c.name in mentions}
                if not staying:
                    break
                rest.update(*(self._words[c] for c in staying))
                chosen -= staying
                waiting = [c for c in waiting if c not in staying]
            gone |= dict.fromkeys(chosen)
            aside |= {c.name for c in chosen if c.name}
            waiting = [c for c in waiting if c not in chosen]
        words = rest.union(*_of_what_stays(self._said, gone))
        return [candidate.declaration for candidate in gone], words

    def _reached(
        self,
        rest: set[bytes],
        words: Mapping[Candidate, set[bytes]],
        gone: set[Candidate],
    ) -> set[bytes]:
        """Returns the names of candidates that have to stay: in code, and by others that stay.

        Args:
            rest: The words of what is no candidate.
            words: Those of each candidate.
            gone: The candidates that are no more.
        """
        ended = {id(candidate.declaration) for candidate in gone}
        names = self._by_name.keys()
        reached = names & rest
        waiting = [b"", *(reached - {b""})]
        while waiting:
            for candidate in self._by_name.get(waiting.pop(), ()):
                if all(id(enclosing) not in ended for enclosing in around(candidate.declaration)):
                    more = (names & words[candidate]) - reached
                    reached |= more
                    waiting += more
        return reached


def around(declaration: OutlineItem) -> Iterator[OutlineItem]:
    """Yields a declaration and the classes around, innermost first."""
    around: OutlineItem | None = declaration
    for _ in range(_MOST_NESTED):
        if around is None:
            return
        yield around
        around = around.parent


def _of_what_stays(
    words: Mapping[Candidate, set[bytes]], gone: Iterable[Candidate]
) -> Iterator[set[bytes]]:
    """Yields the words of the candidates that are neither gone nor in a class that is."""
    ended = {id(candidate.declaration) for candidate in gone}
    for candidate, own in words.items():
        if all(id(enclosing) not in ended for enclosing in around(candidate.declaration)):
            yield own


def _uses_library(text: bytes, own: set[bytes]) -> bool:
    """Returns whether a text has a name of a host library, apart from the namespaces given."""
    return any(
        match[0].partition(b":")[0].strip() not in own for match in _LIBRARIES.finditer(text)
    )
