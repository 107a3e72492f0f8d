"""Reads texts that lz-string's `compressToBase64` has made: https://github.com/pieroxy/lz-string.

LZ78 over UTF-16 code units: codes of 2 bits at first, lowest bit first, six to a letter of base64.
The codes 0 and 1 are followed by a new unit of 8 or 16 bits, and 2 ends the text.
"""

from __future__ import annotations

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_VALUES = {letter: f"{value:06b}" for value, letter in enumerate(_LETTERS)} | {"=": "000000"}
_NEW_BYTE, _NEW_UNIT, _END = 0, 1, 2


class LzStringError(ValueError):
    """A text is nothing that lz-string has made, or too long."""


def decompress(text: str, longest: int) -> str:
    """Returns what was compressed.

    Args:
        text: What `compressToBase64` has made.
        longest: UTF-16 code units that it may come to.

    Raises:
        LzStringError: It is damaged, or comes to more.
    """
    bits = _Bits(text)
    entries: list[str] = ["", "", ""]
    width, room = 2, 1
    made: list[str] = []
    length = 0
    before = ""
    while True:
        code = bits.take(width)
        if code == _END:
            return _whole("".join(made))
        if code in (_NEW_BYTE, _NEW_UNIT):
            entries.append(chr(bits.take(16 if code == _NEW_UNIT else 8)))
            code = len(entries) - 1
            room -= 1
            if not room:
                room, width = 1 << width, width + 1
        if code < len(entries):
            entry = entries[code]
        elif code == len(entries) and before:
            entry = before + before[0]
        else:
            raise LzStringError("It is damaged: it refers to what it does not have.")
        length += len(entry)
        if length > longest:
            raise LzStringError(f"It unpacks to more than {longest:,} characters.")
        made.append(entry)
        if before:
            entries.append(before + entry[0])
            room -= 1
            if not room:
                room, width = 1 << width, width + 1
        elif width == 2:
            # After the first unit codes have three bits.
            room, width = 4, 3
        before = entry


def _whole(text: str) -> str:
    """Returns code units as characters."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class _Bits:
    def __init__(self, text: str) -> None:
        if odd := next((letter for letter in text if letter not in _VALUES), ""):
            raise LzStringError(f"It is damaged: '{odd}' is no letter of base64.")
        self._bits, self._at = "".join(map(_VALUES.__getitem__, text)), 0

    def take(self, count: int) -> int:
        """Returns the next so many bits, lowest first."""
        bits = self._bits[self._at : self._at + count]
        if len(bits) < count:
            raise LzStringError("It is damaged: it ends too early.")
        self._at += count
        return int(bits[::-1], 2)
