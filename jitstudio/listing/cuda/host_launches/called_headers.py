"""The headers without launches that host code needs to be followed: what it calls is in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate

from jitstudio.core.code import CodeKind, Source
from jitstudio.listing.cuda.words import words_in

# What is longer is a library, of which no size of a launch comes.
_LONGEST = 1 << 16
_MOST_BYTES = 1 << 17
_MOST_TEXTS = 64
# `blocks_for(n)`, `ceil_div<int>(n, m)`
_CALLED = re.compile(rb"\b([A-Za-z_]\w*+)[ \t]*+(?><[\w:, ]*+>)?+[ \t]*+\(")
_CLASS = re.compile(rb"\b(?:struct|class)\s++(\w++)")
_COMMON = frozenset(
    {b"if", b"for", b"while", b"switch", b"return", b"sizeof", b"catch", b"defined", b"dim3"}
    | {b"main", b"printf", b"fprintf", b"malloc", b"free", b"exit", b"assert", b"min", b"max"}
)


def called_headers(texts: Iterable[bytes], headers: Iterable[Source]) -> list[Source]:
    """Returns the headers that may define what texts call or make objects of, be it by others.

    Long ones are left out, and those that are more than there is time for.
    """
    needed: list[Source] = []
    left = [x for x in headers if x.kind is CodeKind.HEADER and len(x.content) <= _LONGEST]
    todo = [*texts]
    while todo and left:
        text = todo.pop()
        called, words = _called(text), words_in(text)
        more = [
            header
            for header in left
            if not called.isdisjoint(_called(header.content))
            or not words.isdisjoint(_CLASS.findall(header.content))
        ]
        left = [header for header in left if header not in more]
        needed += more
        todo += [header.content for header in more]
    sizes = accumulate(len(header.content) for header in needed)
    return [header for header, size in zip(needed, sizes, strict=True) if size <= _MOST_BYTES]


@lru_cache(_MOST_TEXTS)
def _called(text: bytes) -> frozenset[bytes]:
    """Returns the names in a text that may be those of its functions, or of those it calls."""
    names = {name for name in _CALLED.findall(text) if not name.startswith(b"cuda")}
    return frozenset(names - _COMMON)
