"""Between the two ways to count in a text.

Python counts characters; Qt counts UTF-16 units, in which an emoji in a comment is two.
"""

from __future__ import annotations

import re

_WIDEST = "\uffff"
_WIDE = re.compile("[\U00010000-\U0010ffff]")


def is_plain(text: str) -> bool:
    """Returns whether both ways of counting agree, as they do for nearly every line of code."""
    return text.isascii() or max(text) <= _WIDEST


def to_units(text: str, column: int) -> int:
    """Returns the position in UTF-16 units of a position in characters."""
    if is_plain(text):
        return column
    return column + sum(char > _WIDEST for char in text[:column])


def from_units(text: str, units: int) -> int:
    """Returns the position in characters of a position in UTF-16 units."""
    if is_plain(text):
        return units
    passed = 0
    for column, char in enumerate(text):
        if passed >= units:
            return column
        passed += 2 if char > _WIDEST else 1
    return len(text)


def in_units(text: str) -> str:
    """Returns the text with a character per UTF-16 unit, so that searches find Qt's positions."""
    return text if text.isascii() else _WIDE.sub(_halves, text)


def _halves(match: re.Match[str]) -> str:
    code = ord(match[0]) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))
