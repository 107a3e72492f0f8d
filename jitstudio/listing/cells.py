"""How much room text takes on a grid of fixed width."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

TAB = 8
"""Cells between tab stops: what nvdisasm and ptxas reckon with."""

_WIDE = ("W", "F")
_PIECE = 10_000


def char_cells(char: str) -> int:
    """How many cells a character takes that is no tab."""
    if char.isascii():
        return 1
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1


def widest_line(lines: Sequence[str]) -> int:
    """How many cells the longest line takes, or a few more; 300,000 lines take some 30 ms."""
    # In pieces, so that other threads get a turn in between.
    pieces = (lines[at : at + _PIECE] for at in range(0, len(lines), _PIECE))
    return max(map(_widest, pieces), default=0)


def _widest(lines: Sequence[str]) -> int:
    # Nothing in Python is called for each line here: there are hundreds of thousands.
    widest = max(map(len, map(str.expandtabs, lines)))
    if "".join(lines).isascii():
        return widest
    # No character takes more cells than bytes of UTF-8.
    special = (line.expandtabs() for line in lines if not line.isascii())
    others = (len(line.encode("utf-8", "replace")) for line in special)
    return max(widest, max(others, default=0))
