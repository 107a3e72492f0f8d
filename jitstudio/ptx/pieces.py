"""Matches in texts of megabytes, a piece at a time.

A thread that looks through 16 MB by one call of `re` keeps the window's thread waiting for a
quarter of a second, as Python runs one thread at a time and the call does not give way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

# Some milliseconds of work.
_PIECE = 1 << 18
_MOST_PARTS = 10_000
_LONGEST_START = 64
"""Characters that decide whether something begins: `R"delimiter(` and the word before are less."""


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yields the matches of `pattern.finditer(text)`, and lets other threads run after each piece.

    Args:
        pattern: Matches no empty text; 64 characters decide whether a match begins.
        text: Of any length; a match may be as long.
    """
    at, size = 0, len(text)
    while size - at > _PIECE:
        end = at + _PIECE
        sure = end - _LONGEST_START
        for cut in pattern.finditer(text, at, end):
            if cut.start() > sure:
                at = max(at, sure)
                break
            match = pattern.match(text, cut.start())
            if match is not None:
                yield match
            at = match.end() if match else cut.start() + 1
            # What the end of the piece has cut off may be longer, and hide what is next in it.
            if match is None or match.end() != cut.end():
                break
        else:
            at = max(at, sure)
    yield from pattern.finditer(text, at)


def replaced(
    pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str], text: str
) -> str:
    """Returns the text with all matches replaced, as `pattern.sub(replacement, text)` does."""
    if len(text) <= _PIECE:
        return pattern.sub(replacement, text)
    at = 0
    joined: list[str] = []
    parts: list[str] = []
    for match in matches(pattern, text):
        parts += text[at : match.start()], replacement(match)
        at = match.end()
        if len(parts) > _MOST_PARTS:
            joined.append("".join(parts))
            parts.clear()
    return "".join((*joined, *parts, text[at:]))


def blank(text: str) -> str:
    """Returns as many blanks as the text has characters, with its newlines."""
    return "\n".join(" " * len(line) for line in text.split("\n"))
