"""Arithmetic of constant expressions in CUDA C++, as far as array bounds need it."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

_LITERAL = re.compile(r"(-?)(?:0[xX]([\da-fA-F]+)|0[bB]([01]+)|0([0-7]+)|(\d+))[uUlLzZ]*")
_BASES = (16, 2, 8, 10)
_LARGEST = 1 << 64


def _divided(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_UNARY: dict[str, Callable[[int], int]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "!": operator.not_,
}
_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divided,
    "%": lambda a, b: a - b * _divided(a, b),
    "<<": lambda a, b: a << min(b, 64),
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&&": lambda a, b: bool(a and b),
    "||": lambda a, b: bool(a or b),
}


def literal(text: str) -> int | None:
    """The value of an integer literal, or of a character; None for anything else."""
    if len(text) == 3 and text[0] == text[2] == "'":
        return ord(text[1])
    match = _LITERAL.fullmatch(text.replace("'", ""))
    if match is None:
        return None
    sign, *digits = match.groups()
    value = next(int(d, base) for d, base in zip(digits, _BASES, strict=True) if d)
    return bounded(-value if sign else value)


def unary(sign: str, value: int) -> int | None:
    """What an operator makes of a number, or None."""
    apply = _UNARY.get(sign)
    return bounded(int(apply(value))) if apply else None


def binary(sign: str, left: int, right: int) -> int | None:
    """What an operator makes of two numbers, or None."""
    apply = _BINARY.get(sign)
    try:
        return bounded(int(apply(left, right))) if apply else None
    except (ZeroDivisionError, ValueError):  # the latter for a shift by less than nothing
        return None


def bounded(value: int) -> int | None:
    """The number, or None where no type of C++ could hold it."""
    return value if abs(value) <= _LARGEST else None
