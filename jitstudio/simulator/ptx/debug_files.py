"""The files that debug information names by number, by the head of a line table (DWARF 6.2.4)."""

from __future__ import annotations

import posixpath

from jitstudio.simulator.ptx.debug_bytes import DebugBytes

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
        version = DebugBytes(table, start + _VERSION).number(2)
        if not _OLDEST <= version <= _NEWEST:
            raise ValueError(f"there is no line table of version {version}")
        first = start + _FIRST_SPECIAL + (version == _NEWEST)
        reader = DebugBytes(table, first + table[first])
        folders = [""]
        while folder := reader.text():
            folders.append(folder)
        self._names = [""]
        while name := reader.text():
            folder = folders[reader.leb()]
            self._names.append(posixpath.join(folder, name))
            for _ in ("time", "size"):
                reader.leb()
        self.length = reader.at - start

    def name(self, number: int) -> str:
        """Returns the path of a file; empty for no file."""
        return self._names[number] if 0 <= number < len(self._names) else ""
