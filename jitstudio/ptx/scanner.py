"""The words of PTX text, for all readers: only here comments and strings are hidden.

Follows "Syntax" of the PTX ISA, and ptxas where that is silent (`tests/ptx` asks ptxas). A word
ends before a dot: ``.reg.b32 a;`` and ``mov .b32 a, 1;`` are as good as the spelling of compilers,
and readers put the parts together. A string may go on over lines and knows no escapes. A mark of a
line (``# 7 "a.cu"``) may stand between any two words, as comments may.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from ctypes import c_float
from typing import NamedTuple

from jitstudio.ptx.pieces import blank, replaced

COMMENT = r"//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)|\#[^\n]*+|@@[^\n]*+"
"""A comment, a mark of a line, or a line of debug information as PTX 1 had."""

STRING = r'"[^"]*+"|"[^\n]*+'
"""A string; without an end, the rest of the line."""

GAP = rf"(?>\s|{COMMENT})*+"
"""The gap between two words of a text whose comments are not hidden."""

NAME = r"[A-Za-z_$%][\w$]*+"
"""An opcode or the name of a register, a variable, a function or a label."""

DOT_WORD = r"\.(?:[A-Za-z_]|\d++[A-Za-z_])\w*+(?>::\w++(?>:\d++)?)*+"
"""A directive, a type or a modifier: ``.reg``, ``.b32``, ``.2d``, ``.shared::cta``,
``.sp::2:4``."""

OPCODE = rf"[a-z]\w*+(?>\s*+{DOT_WORD})*+"
"""An opcode with its modifiers."""

GUARD = rf"@\s*+!?+\s*+{NAME}"
"""The predicate of a guarded instruction."""

LABEL = rf"{NAME}\s*+:(?!:)"

PARENTHESES = r"\((?>[^()]++|\((?>[^()]++|\([^()]*+\))*+\))*+\)"
"""A group in parentheses, three deep at most (``.attribute(.unified(1, 2))``)."""

INTEGER = r"(?:0[xX][0-9a-fA-F]++U?|0[bB][01]++U?|\d++U?)"
"""An integer, which a word may touch: ``.loc 1 7 3ret;``."""

NUMBER = (
    r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]++U?|0[bB][01]++U?"
    r"|\d++\.\d*+(?>[eE][+-]?\d++)?+|\d++[eE][+-]?\d++|\.\d++(?>[eE][+-]?\d++)?+(?!\w)|\d++U?"
)

_HIDDEN = re.compile(rf"{COMMENT}|{STRING}")
# A token begins with the first blank of a row: without `(?<!\s)` the blanks at the end of a text
# would be gone through from each of them.
_TOKEN = re.compile(
    rf"""(?<!\s)\s*+(?:(?P<word>{NAME})|(?P<number>{NUMBER})|(?P<dot>{DOT_WORD})|(?P<string>"[^"]*+"?)
    |(?P<mark><<|>>|<=|>=|==|!=|&&|\|\||\S))""",
    re.VERBOSE | re.DOTALL,
)


_FLOAT_BITS = {"0f": 32, "0d": 64}
_FLOAT_SIZE = 4


class PtxToken(NamedTuple):
    """A word, number, string or mark, with the offset in the text.

    Attributes:
        kind: ``word``, ``dot`` for a word with a dot in front, ``number``, ``string`` or ``mark``.
        text: The token as written; a string with its quotation marks.
        at: The offset of the first character.
    """

    kind: str
    text: str
    at: int


def bare_ptx(text: str) -> str:
    """Returns the text with blanks for comments and inside strings, without moving other text."""
    return replaced(_HIDDEN, _hidden, text)


def without_comments(text: str) -> str:
    """Returns the text with blanks for comments; strings stay."""
    return replaced(_HIDDEN, lambda m: m[0] if m[0][0] == '"' else blank(m[0]), text)


def scan(text: str, bare: str) -> Iterator[PtxToken]:
    """Yields the tokens of a text; `bare` is the text with comments hidden."""
    for match in _TOKEN.finditer(bare):
        kind = match.lastgroup or ""
        start, end = match.span(kind)
        yield PtxToken(kind, text[start:end] if kind == "string" else match[kind], start)


def integer_of(text: str) -> int:
    """Returns the value of an integer in PTX: ``0x1F``, ``0b101U``, ``017`` for 15.

    Raises:
        ValueError: The text is no integer, such as ``09``.
    """
    digits = text.rstrip("U")
    if len(digits) > 1 and digits[0] == "0" and digits.isdigit():
        return int(digits, 8)
    return int(digits, 0)


class Literal(NamedTuple):
    """A number as written.

    Attributes:
        value: The number, or the bits of a float written in bits.
        float_bits: The number of these bits; 0 for a number.
    """

    value: int | float
    float_bits: int = 0


def literal_of(text: str) -> Literal:
    """Returns the number in the text of a token.

    Raises:
        ValueError: The text is no number, such as ``09``.
    """
    prefix = text[:2].lower()
    if prefix in _FLOAT_BITS:
        return Literal(int(text[2:], 16), _FLOAT_BITS[prefix])
    is_float = prefix not in ("0x", "0b") and not text.rstrip("U").isdigit()
    return Literal(float(text) if is_float else integer_of(text))


def initial_bytes(literal: Literal, size: int) -> bytes:
    """Returns the bytes of a number in a variable with elements of `size` bytes.

    ptxas rounds a float of 64 bits for an element of 4 bytes. Of all other values it takes the
    lowest bytes: ``.f64 d = 0f3F800000`` is no 1.0, and ``.b16 h = 0f3F801234`` is 0x1234.
    """
    value, float_bits = literal
    if float_bits == 64 and size == _FLOAT_SIZE:
        value, float_bits = struct.unpack("<d", int(value).to_bytes(8, "little"))[0], 0
    if isinstance(value, float):
        if size == _FLOAT_SIZE:
            return bytes(c_float(value))
        value = int.from_bytes(struct.pack("<d", value), "little")
    return (value % (1 << 8 * size)).to_bytes(size, "little")


def _hidden(match: re.Match[str]) -> str:
    part = match[0]
    blanks = blank(part)
    if part[0] != '"':
        return blanks
    return f'"{blanks[2:]}"' if part[-1] == '"' and len(part) > 1 else f'"{blanks[1:]}'
