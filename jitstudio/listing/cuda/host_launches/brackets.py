"""Lists in brackets of a text in C++."""

from __future__ import annotations

import re

_BRACKET = re.compile(rb"->|[<>]=|(?<=\w)<(?!<)|[(\[{>}\]),]")
_ROUND = re.compile(rb"[(),]")
_SPACED_OPENING = re.compile(rb"<<[ \t]++<")
# No shift has such a sign behind it.
_SPACED = re.compile(rb"(<<[ \t]*+<)((?>[^;{}<>]|<(?!<)|>(?!>[ \t]*+>))++)(>>[ \t]*+>)(?=\s*+\()")
_OPENING = frozenset((b"(", b"[", b"{", b"<"))


def with_joined_chevrons(text: bytes) -> bytes:
    """Returns a text with ``<<<`` and ``>>>`` for those with blanks in them, as some editors write.

    All else stays where it is.
    """
    return _SPACED.sub(_joined, text) if _SPACED_OPENING.search(text) else text


def _joined(match: re.Match[bytes]) -> bytes:
    opening, sizes, closing = match.groups()
    return b"<<<".ljust(len(opening)) + sizes + b">>>".ljust(len(closing))


def past_blanks(text: bytes, at: int) -> int:
    """Returns the first place from one on that is no blank."""
    while text[at : at + 1].isspace():
        at += 1
    return at


def split(text: bytes) -> list[bytes]:
    """Returns what is between commas, those in brackets aside; a ``<`` behind a word is one."""
    commas = _commas(text, _BRACKET) if b"," in text else []
    return split_for_macro(text) if commas is None else _parts(text, commas)


def split_for_macro(text: bytes) -> list[bytes]:
    """Returns what is between commas for the preprocessor, which knows round brackets alone."""
    return _parts(text, _commas(text, _ROUND) or [])


def split_texts(text: str) -> list[str]:
    """Returns the parts of a text between commas, as `split` does."""
    return [part.decode("utf-8", "replace") for part in split(text.encode())]


def between_angles(name: str) -> str:
    """Returns the text of the template arguments in a name: from the first ``<`` to the last ``>``.

    Empty for none.
    """
    return name.partition("<")[2].rpartition(">")[0]


def arguments_at_end(text: bytes) -> bytes:
    """Returns what is in the angle brackets at the end of a name; empty for none."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at : at + 1] == b">") - (text[at : at + 1] == b"<")
        if depth == 0:
            return text[at + 1 : -1]
    return b""


def _commas(text: bytes, brackets: re.Pattern[bytes]) -> list[int] | None:
    """Returns where commas are outside of brackets; None where a ``<`` was no bracket."""
    commas: list[int] = []
    opened: list[bytes] = []
    for match in brackets.finditer(text):
        sign = match[0]
        if sign == b",":
            if not opened:
                commas.append(match.start())
        elif sign in _OPENING:
            opened.append(sign)
        elif sign == b">":
            if opened[-1:] == [b"<"]:
                opened.pop()
        elif len(sign) == 1:
            while opened and opened.pop() == b"<":
                pass
    return None if b"<" in opened else commas


def _parts(text: bytes, commas: list[int]) -> list[bytes]:
    if not commas:
        return [text.strip()] if text.strip() else []
    starts = (0, *(at + 1 for at in commas))
    return [text[a:b].strip() for a, b in zip(starts, (*commas, len(text)), strict=True)]
