"""Rison, JSON's values in the letters that a URL leaves alone: https://github.com/Nanonid/rison.

Compiler Explorer writes what it shows behind the ``#`` of its address so. What is read here comes
from others: it is bounded in size and depth.
"""

from __future__ import annotations

import re
from typing import Any

_LARGEST = 16 << 20
_DEEPEST = 100
_MOST = 200_000
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE]-?\d+)?")
_WORD = re.compile(r"[^-0-9 '!:(),*@$][^ '!:(),*@$]*")
_TEXT = re.compile(r"'((?:[^'!]|!['!])*+)'")
_LITERALS = {"t": True, "f": False, "n": None}


class RisonError(ValueError):
    """A text is no Rison; the message says where it ends to be."""


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
        """Reads one value."""
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
        found: list[Any] = []
        while not self._taken(")"):
            if found:
                self._take(",")
            found.append(self.value(depth + 1))
        return found

    def _pairs(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self._taken(")"):
            if found:
                self._take(",")
            key = self.value(depth + 1)
            self._take(":")
            found[str(key)] = self.value(depth + 1)
        return found

    def _taken(self, mark: str) -> bool:
        if self._text.startswith(mark, self._at):
            self._at += len(mark)
            return True
        return False

    def _take(self, mark: str) -> None:
        if not self._taken(mark):
            raise self._error()

    def _error(self) -> RisonError:
        found = self._text[self._at : self._at + 20]
        what = f"'{found}' is not understood" if found else "it ends too early"
        return RisonError(f"At character {self._at + 1:,} {what}.")


_LONGEST_NUMBER = 20
