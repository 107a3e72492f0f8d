"""Between lines and columns in characters, as editors count, and bytes, as parsers do."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

Span = tuple[int, int]
"""The first column and the one behind the last, in characters from 0."""


class Lines:
    """The lines of a text.

    Attributes:
        content: The text in UTF-8.
    """

    def __init__(self, text: str) -> None:
        self._lines = [line.encode("utf-8", "replace") for line in text.split("\n")]
        self.content = b"\n".join(self._lines)
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)][:-1]

    def byte(self, line: int, column: int) -> int:
        """The byte at a place; what lies outside of the text is at its nearest end."""
        line = min(max(line, 0), len(self._lines) - 1)
        before = self._lines[line].decode("utf-8")[: max(column, 0)]
        return self._starts[line] + len(before.encode("utf-8"))

    def place(self, byte: int) -> tuple[int, int]:
        """The line and the column of a byte, both from 0."""
        line = bisect_right(self._starts, byte) - 1
        before = self._lines[line][: byte - self._starts[line]]
        return line, len(before.decode("utf-8", "replace"))

    def span(self, byte: int, length: int) -> tuple[int, Span]:
        """The line and the columns of so many bytes of one line."""
        line, column = self.place(byte)
        return line, (column, self.place(byte + length)[1])
