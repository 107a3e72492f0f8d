"""The two codings that links of Compiler Explorer have: lz-string and Rison.

What is read here comes from others: it is bounded in size and depth.
"""

from __future__ import annotations

import re
from typing import Any

# ---- Rison, JSON's values in the letters that a URL leaves alone: https://github.com/Nanonid/rison
#
# Compiler Explorer writes what it shows behind the ``#`` of its address so.

_LARGEST = 16 << 20
_DEEPEST = 100
_MOST = 200_000
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE]-?\d+)?")
_WORD = re.compile(r"[^-0-9 '!:(),*@$][^ '!:(),*@$]*")
_TEXT = re.compile(r"'((?>[^'!]|!['!])*+)'")
_LITERALS = {"t": True, "f": False, "n": None}


class RisonError(ValueError):
    """A text is no Rison; the message says where the text cannot be read on."""


def decode(text: str) -> Any:
    """Returns the value of a text: numbers, texts, lists, dictionaries, truth values, None.

    Raises:
        RisonError: It is none, or too large or too deep.
    """
    if len(text) > _LARGEST:
        raise RisonError(f"It has more than {_LARGEST:,} characters.")
    reader = _Reader(text)
    value = reader.value(0)
    reader.end()
    return value


def decode_object(text: str) -> dict[str, Any]:
    """Returns the same of a text whose outer parentheses are left out.

    Raises:
        RisonError: See `decode`.
    """
    value = decode(f"({text})")
    assert isinstance(value, dict)
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self._at, self._count = text, 0, 0

    def end(self) -> None:
        """Makes sure that nothing is left."""
        if self._at != len(self._text):
            raise self._error()

    def value(self, depth: int) -> Any:
        """Reads a value."""
        self._count += 1
        if depth > _DEEPEST or self._count > _MOST:
            raise RisonError(f"It is nested too deeply, or has more than {_MOST:,} values.")
        if self._taken("("):
            return self._pairs(depth)
        if self._taken("!("):
            return self._items(depth)
        if self._taken("!"):
            letter = self._text[self._at : self._at + 1]
            if letter not in _LITERALS:
                raise self._error()
            self._at += 1
            return _LITERALS[letter]
        if match := _TEXT.match(self._text, self._at):
            self._at = match.end()
            return re.sub("!(.)", r"\1", match[1], flags=re.DOTALL)
        if match := _NUMBER.match(self._text, self._at):
            self._at = match.end()
            return float(match[0]) if set(match[0]) & set(".eE") else self._whole(match[0])
        if match := _WORD.match(self._text, self._at):
            self._at = match.end()
            return match[0]
        raise self._error()

    def _whole(self, digits: str) -> int | float:
        return int(digits) if len(digits) < _LONGEST_NUMBER else float(digits)

    def _items(self, depth: int) -> list[Any]:
        items: list[Any] = []
        while not self._taken(")"):
            if items:
                self._take(",")
            items.append(self.value(depth + 1))
        return items

    def _pairs(self, depth: int) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        while not self._taken(")"):
            if pairs:
                self._take(",")
            key = self.value(depth + 1)
            self._take(":")
            pairs[str(key)] = self.value(depth + 1)
        return pairs

    def _taken(self, mark: str) -> bool:
        if self._text.startswith(mark, self._at):
            self._at += len(mark)
            return True
        return False

    def _take(self, mark: str) -> None:
        if not self._taken(mark):
            raise self._error()

    def _error(self) -> RisonError:
        rest = self._text[self._at : self._at + 20]
        what = f"'{rest}' is not understood" if rest else "it ends too early"
        return RisonError(f"At character {self._at + 1:,} {what}.")


_LONGEST_NUMBER = 20


# ---- What lz-string's `compressToBase64` has made: https://github.com/pieroxy/lz-string
#
# LZ78 over UTF-16 code units: codes of 2 bits at first, lowest bit first, six to a letter of
# base64. The codes 0 and 1 are followed by a new unit of 8 or 16 bits, and 2 ends the text.

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_VALUES = {letter: f"{value:06b}" for value, letter in enumerate(_LETTERS)} | {"=": "000000"}
_NEW_BYTE, _NEW_UNIT, _END = 0, 1, 2


class LzStringError(ValueError):
    """A text is nothing that lz-string has made, or too long."""


def decompress(text: str, longest: int) -> str:
    """Returns the text that `compressToBase64` has packed.

    Args:
        text: The result of `compressToBase64`.
        longest: UTF-16 code units that it may come to.

    Raises:
        LzStringError: It is damaged, or comes to more.
    """
    bits = _Bits(text)
    entries: list[str] = ["", "", ""]
    width, room = 2, 1
    parts: list[str] = []
    length = 0
    before = ""
    while True:
        code = bits.take(width)
        if code == _END:
            return _whole("".join(parts))
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
        parts.append(entry)
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
            raise LzStringError(f"It is damaged: '{odd}' is not a letter of base64.")
        self._bits, self._at = "".join(map(_VALUES.__getitem__, text)), 0

    def take(self, count: int) -> int:
        """Returns the next so many bits, lowest first."""
        bits = self._bits[self._at : self._at + count]
        if len(bits) < count:
            raise LzStringError("It is damaged: it ends too early.")
        self._at += count
        return int(bits[::-1], 2)
