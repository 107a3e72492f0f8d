"""Constant expressions of PTX, by the rules of "Constant Expressions" in the PTX ISA.

Integers have 64 bits and are signed (``.s64``) or not (``.u64``); floats are ``.f64``. As in ptxas,
and against the PTX ISA, a shift takes the lowest 6 bits of its amount, and ``?:`` keeps the type of
the chosen operand.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from jitstudio.ptx.scanner import Literal, literal_of
from jitstudio.ptx.tokens import PtxTokens

BEGINNINGS = frozenset(["-", "+", "~", "!"])
"""The marks by which an expression may begin, besides numbers and parentheses."""

ABOVE_COMPARISONS = 9
"""The precedence of operators allowed between ``<`` and ``>``."""

_BITS = 64
_UNARY = 11
_PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le,
    ">=": operator.ge,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "|": operator.or_,
    "^": operator.xor, "&": operator.and_, "/": operator.truediv,
}  # fmt: skip
_BY_ZERO = "a constant is divided by zero here"
_OF_FLOATS = frozenset(["+", "-", "*", "/"])


class Constant(NamedTuple):
    """The value of an expression.

    Attributes:
        number: The value as a literal; a float written in bits stays so.
        unsigned: Whether the type is ``.u64``.
    """

    number: Literal
    unsigned: bool = False

    @property
    def is_integer(self) -> bool:
        """Whether the value is no float."""
        return isinstance(self.number.value, int) and not self.number.float_bits


def constant(tokens: PtxTokens, weakest: int = 0) -> Constant:
    """Reads the constant expression that comes next.

    Args:
        tokens: The text.
        weakest: The precedence of the weakest operator that belongs to the expression.

    Raises:
        PtxReadError: If there is no expression, or no value.
    """
    value = _unary(tokens)
    least = weakest or 1
    while (precedence := _PRECEDENCE.get(tokens.peek().text, 0)) >= least:
        mark = tokens.take().text
        value = _binary(tokens, mark, value, constant(tokens, precedence + 1))
    if weakest or not tokens.accept("?"):
        return value
    condition = _integer(tokens, value, "?")
    yes = constant(tokens)
    tokens.expect(":")
    no = constant(tokens)
    if yes.is_integer != no.is_integer:
        raise tokens.error("an integer and a float cannot both be results of “?:”")
    return yes if condition else no


def integer(tokens: PtxTokens, weakest: int = 0) -> int:
    """Returns the value of the integer expression that comes next; see `constant`."""
    token = tokens.peek()
    value = constant(tokens, weakest)
    if not value.is_integer:
        raise tokens.error(f"an integer is expected here, and there is “{token.text[:40]}”")
    return int(value.number.value)


def offset(tokens: PtxTokens) -> int:
    """Returns the offset behind the base of an address, in bytes; 0 without an offset."""
    if not (tokens.accept("+") or tokens.is_next("-")):
        return 0
    return _wrapped(integer(tokens), unsigned=False)


def _unary(tokens: PtxTokens) -> Constant:
    token = tokens.take()
    if token.kind == "number":
        number = literal_of(token.text)
        is_long = isinstance(number.value, int) and number.value >> (_BITS - 1) != 0
        return Constant(number, not number.float_bits and (is_long or token.text[-1] == "U"))
    if token.text == "(":
        if (cast := tokens.peek().text) in (".s64", ".u64"):
            tokens.take()
            tokens.expect(")")
            value = _integer(tokens, _unary(tokens), cast)
            return _constant(value, cast == ".u64")
        inner = constant(tokens)
        tokens.expect(")")
        return inner
    if token.text in BEGINNINGS:
        return _signed(tokens, token.text, constant(tokens, _UNARY))
    if token.text == "WARP_SZ":
        return Constant(Literal(32))
    tokens.position -= 1
    raise tokens.error(f"a number is expected here, and there is “{token.text[:40]}”")


def _signed(tokens: PtxTokens, mark: str, value: Constant) -> Constant:
    number = value.number
    if mark == "+":
        return value
    if mark == "-":
        if number.float_bits:
            flipped = int(number.value) ^ (1 << (number.float_bits - 1))
            return Constant(number._replace(value=flipped))
        if isinstance(number.value, float):
            return Constant(Literal(-number.value))
        return _constant(-number.value, value.unsigned)
    operand = _integer(tokens, value, mark)
    return _constant(int(not operand), False) if mark == "!" else _constant(~operand, True)


def _binary(tokens: PtxTokens, mark: str, left: Constant, right: Constant) -> Constant:
    if not (left.is_integer and right.is_integer):
        a, b = _float(tokens, left, mark), _float(tokens, right, mark)
        if mark in _COMPARISONS:
            return _constant(int(_COMPARISONS[mark](a, b)), False)
        if mark not in _OF_FLOATS:
            raise tokens.error(f"“{mark}” takes integers")
        if mark == "/" and b == 0:
            raise tokens.error(_BY_ZERO)
        return Constant(Literal(_ARITHMETIC[mark](a, b)))
    a, b = int(left.number.value), int(right.number.value)
    unsigned = left.unsigned or right.unsigned
    if mark in ("&&", "||"):
        return _constant(int(bool(a and b) if mark == "&&" else bool(a or b)), False)
    if mark in ("<<", ">>"):
        by = b % _BITS
        return _constant(a << by if mark == "<<" else a >> by, left.unsigned)
    if mark == "%":
        unsigned = True
    a, b = _wrapped(a, unsigned=unsigned), _wrapped(b, unsigned=unsigned)
    if mark in _COMPARISONS:
        return _constant(int(_COMPARISONS[mark](a, b)), False)
    if mark in ("/", "%"):
        if b == 0:
            raise tokens.error(_BY_ZERO)
        quotient = abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)
        return _constant(quotient, unsigned) if mark == "/" else _constant(a - quotient * b, False)
    return _constant(_ARITHMETIC[mark](a, b), unsigned)


def _integer(tokens: PtxTokens, value: Constant, mark: str) -> int:
    if not value.is_integer:
        raise tokens.error(f"“{mark}” takes integers")
    return int(value.number.value)


def _float(tokens: PtxTokens, value: Constant, mark: str) -> float:
    number = value.number
    if value.is_integer:
        raise tokens.error(f"“{mark}” takes two integers or two floats")
    if number.float_bits == 32:
        raise tokens.error("a float in 32 bits (0f…) cannot be part of an expression")
    if number.float_bits == _BITS:
        from_bits: float = struct.unpack("<d", struct.pack("<Q", int(number.value)))[0]
        return from_bits
    return float(number.value)


def _constant(value: int, unsigned: bool) -> Constant:
    return Constant(Literal(_wrapped(value, unsigned=unsigned)), unsigned)


def _wrapped(value: int, *, unsigned: bool) -> int:
    """Returns the 64 lowest bits of a number as a number with or without a sign."""
    low = value % (1 << _BITS)
    return low if unsigned or not low >> (_BITS - 1) else low - (1 << _BITS)
