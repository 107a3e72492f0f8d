"""The files that debug information names by number, by the head of a line table (DWARF 6.2.4)."""

from __future__ import annotations

import posixpath

# Where the version is; where the number of the first special opcode is, behind which are the
# lengths of the others. Version 4 has a byte more before that.
_VERSION, _FIRST_SPECIAL = 4, 14
_OLDEST, _NEWEST = 2, 4


class DebugFiles:
    """The files of one unit by number, from 1.

    Args:
        table: The section of line tables.
        start: Where that of the unit begins.

    Attributes:
        length: How many bytes name them.

    Raises:
        ValueError, IndexError: The table is damaged, or of another version.
    """

    def __init__(self, table: bytes, start: int) -> None:
        self._table = table
        version = int.from_bytes(table[start + _VERSION : start + _VERSION + 2], "little")
        if not _OLDEST <= version <= _NEWEST:
            raise ValueError(f"there is no line table of version {version}")
        first = start + _FIRST_SPECIAL + (version == _NEWEST)
        self._at = first + table[first]
        folders = [""]
        while folder := self._text():
            folders.append(folder)
        self._names = [""]
        while name := self._text():
            folder = folders[self._number()]
            self._names.append(posixpath.join(folder, name))
            for _ in ("time", "size"):
                self._number()
        self.length = self._at - start

    def name(self, number: int) -> str:
        """Returns the path of a file; empty for no file."""
        return self._names[number] if 0 <= number < len(self._names) else ""

    def _text(self) -> str:
        end = self._table.index(0, self._at)
        text = self._table[self._at : end].decode("utf-8", "replace")
        self._at = end + 1
        return text

    def _number(self) -> int:
        value = shift = 0
        while True:
            byte = self._table[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            # Eight bytes hold every time and size.
            if byte < 0x80 or shift > 63:
                return value
