"""The bytes that stand behind the JSON of a stored value, and how much it may become in memory."""

from __future__ import annotations

import reprlib
from typing import Any

MOST_VALUES = 8_000_000
"""Numbers, texts and lists that one value may consist of; arrays and bytes count as one."""


class CodecError(ValueError):
    """These bytes do not hold such a value, or a value is too large."""


def count_parts(head: str) -> int:
    """At most so many values are in this JSON."""
    count = head.count(",") + head.count("[") + head.count("{")
    if count > MOST_VALUES:
        raise CodecError(f"it has more than {MOST_VALUES:,} parts")
    return count


class Blobs:
    """Hands out what lies behind the JSON, piece by piece."""

    def __init__(self, data: memoryview, start: int, count: int) -> None:
        self._data, self._at, self._count = data, start, count

    def take(self, size: Any) -> bytes:
        """The next so many bytes."""
        if type(size) is not int or not 0 <= size <= len(self._data) - self._at:
            raise CodecError(f"{shortly(size)} is no length of what is left")
        self._at += size
        return bytes(self._data[self._at - size : self._at])

    def spend(self, count: int) -> None:
        """Note that a piece becomes so many values."""
        self._count += count
        if self._count > MOST_VALUES:
            raise CodecError(f"it has more than {MOST_VALUES:,} parts")

    def close(self) -> None:
        """There must be nothing left."""
        if self._at != len(self._data):
            raise CodecError(f"{len(self._data) - self._at:,} bytes are left")


def shortly(value: object) -> str:
    """The value in a message, however large it is."""
    return reprlib.repr(value)
