"""The numbers and texts of debug information, as DWARF encodes them (section 7 of version 4)."""

from __future__ import annotations


class DebugBytes:
    """Goes through bytes.

    Args:
        data: All of them.
        at: Where to begin.

    Raises:
        ValueError, IndexError: By each method, the bytes end within what it reads.
    """

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def number(self, size: int) -> int:
        """Returns the next number of `size` bytes."""
        value = self.data[self.at : self.at + size]
        if len(value) < size:
            raise ValueError("the section ends here")
        self.at += size
        return int.from_bytes(value, "little")

    def leb(self, *, signed: bool = False) -> int:
        """Returns the next number of variable length (LEB128, section 7.6)."""
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            # Names of registers are numbers of many bytes; a hundred are far more than any has.
            if shift > 700:
                raise ValueError("a number is too long")
        return value - (1 << shift) if signed and byte & 0x40 else value

    def text(self) -> str:
        """Returns the next text, which a zero ends."""
        end = self.data.index(0, self.at)
        text = self.data[self.at : end].decode("utf-8", "replace")
        self.at = end + 1
        return text
