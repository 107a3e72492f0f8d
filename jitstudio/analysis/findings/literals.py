"""Numbers as SASS writes them."""

from __future__ import annotations

import re
import struct

_INTEGER = re.compile(r"(-?)(0x[0-9a-f]+|\d+)")
_NUMBER = re.compile(r"[-+]?(?:0x[0-9a-f]+|\d+(?:\.\d*)?(?:e[-+]?\d+)?|INF|QNAN|SNAN)(?:\.\w+)?")
_HALF = struct.Struct("<e")


def integer(text: str) -> int | None:
    """A whole number, or None if the text is none."""
    found = _INTEGER.fullmatch(text)
    if found is None:
        return None
    value = int(found[2], 0)
    return -value if found[1] else value


def is_number(text: str) -> bool:
    """Whether a text is a number, whole or not."""
    return _NUMBER.fullmatch(text) is not None


def halves(high: str, low: str) -> int | None:
    """The 32 bits of two numbers of half precision; None if they are no such numbers."""
    try:
        parts = [_HALF.pack(float(text)) for text in (low, high)]
    except (OverflowError, ValueError):
        return None
    return int.from_bytes(b"".join(parts), "little")
