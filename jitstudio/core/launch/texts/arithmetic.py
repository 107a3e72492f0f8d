"""Evaluates the arithmetic of a launch: ``n*2``, ``(n+255)/256``, ``1<<20``, ``min(n, 1024)``.

The operators are those of C: ``/`` and ``%`` of integers cut towards zero. The rest of Python's
grammar is refused, and no step may grow beyond 64 bits.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Collection, Mapping

from jitstudio.core.launch.texts.c_types import named
from jitstudio.core.launch.texts.phrases import TextError, shortened, unknown

Number = int | float

_EXAMPLE = "Write something like n, n*2, (n+255)/256 or 1<<20."
_LONGEST = 1_000
_LARGEST = 1 << 64
_MOST_SHIFTED = 64

CONSTANTS: dict[str, Number] = {
    "true": 1,
    "True": 1,
    "false": 0,
    "False": 0,
    "nan": math.nan,
    "NAN": math.nan,
    "inf": math.inf,
    "INFINITY": math.inf,
    "pi": math.pi,
    "M_PI": math.pi,
}
"""Names that need no argument; an argument of the same name hides them."""


class UnknownNameError(TextError):
    """A name stands for nothing; it may be that of an argument not yet known.

    Attributes:
        name: That name.
    """

    def __init__(self, name: str, known: Collection[str]) -> None:
        remedy = unknown(name, known) if known else "Write a number such as 1024."
        super().__init__(f"There is no number '{name}'.", remedy)
        self.name = name


def evaluate(text: str, names: Mapping[str, Number] | None = None) -> Number:
    """The number that an expression comes to.

    Args:
        text: In C's words; suffixes such as ``2.5f`` and ``10u`` may be there.
        names: The arguments that may occur.

    Raises:
        TextError: It is no expression, has an unknown name, or leaves the range of 64 bits.
    """
    if not text.strip():
        raise TextError("There is no number.", _EXAMPLE)
    if len(text) > _LONGEST:
        raise TextError(f"The expression is longer than {_LONGEST:,} characters.")
    spelt: list[str] = []
    try:
        tree = ast.parse(_pythonic(text.strip(), spelt), mode="eval")
        return _Evaluator(text.strip(), names or {}, spelt).value(tree.body)
    except (SyntaxError, ValueError) as error:
        if isinstance(error, TextError):
            raise
        raise _no_expression(text) from None
    except (RecursionError, MemoryError):
        raise TextError("The expression is nested too deeply.") from None


def integer(text: str, names: Mapping[str, Number] | None = None) -> int:
    """The same for an expression that has to come to a whole number; ``1e6`` is one.

    Raises:
        TextError: See `evaluate`; or it comes to a fraction.
    """
    value = evaluate(text, names)
    if not math.isfinite(value) or value != int(value):
        raise TextError(f"'{shortened(text)}' is {value}, which is no whole number.")
    whole = int(value)
    _checked(whole)
    return whole


def _no_expression(text: str) -> TextError:
    return TextError(f"'{shortened(text)}' is no number and no expression.", _EXAMPLE)


_TOKEN = re.compile(
    r"""(?P<size>\bsizeof\s*+\((?P<type>[^()]*+)\))
      | (?P<bits>0[xX][0-9a-fA-F']++|0[bB][01']++)[uUlL]{0,3}+(?![\w.])
      | (?P<decimal>(?:\d[\d']*+\.?[\d']*+|\.\d[\d']*+)(?:[eE][+-]?\d++)?+)[fFuUlL]{0,3}+(?![\w.])
      | (?P<name>[^\W\d]\w*+)
      | (?P<odd>[\d.][\w.]*+)""",
    re.VERBOSE,
)
"""What an expression is made of, except for operators; the suffixes of C are left out."""


def _pythonic(text: str, spelt: list[str]) -> str:
    """The same for Python's parser; names go into `spelt`, as some are words of Python."""

    def replaced(token: re.Match[str]) -> str:
        if token["size"]:
            return str(_size_of(token["type"].strip()))
        if token["name"]:
            spelt.append(token["name"])
            return f"_{len(spelt) - 1}"
        if token["odd"]:
            raise TextError(f"'{token['odd']}' is no number.", _EXAMPLE)
        return (token["bits"] or token["decimal"]).replace("'", "")

    return _TOKEN.sub(replaced, text)


def _size_of(spelling: str) -> int:
    found = named(spelling)
    if found is None:
        raise TextError(f"sizeof({spelling}) is unknown here.", "Write its bytes as a number.")
    return found.size


def _checked(value: Number) -> Number:
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise TextError("The expression leaves the range of 64 bits.")
    return value


def _divided(a: Number, b: Number) -> Number:
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: Number, b: Number) -> Number:
    if isinstance(a, float) or isinstance(b, float):
        return math.fmod(a, b)
    return a - b * int(_divided(a, b))


def _ceil_div(a: Number, b: Number) -> Number:
    return -(-a // b)


def _bounded(operation: Callable[[int, int], int]) -> Callable[[Number, Number], Number]:
    """A shift or a power, which only a small second operand keeps small."""

    def work(a: Number, b: Number) -> Number:
        if not 0 <= b <= _MOST_SHIFTED:
            raise TextError(
                f"A shift or a power by {b:,} is refused: it has to be from 0 to {_MOST_SHIFTED}."
            )
        return operation(_whole(a), _whole(b))

    return work


def _bitwise(operation: Callable[[int, int], int]) -> Callable[[Number, Number], Number]:
    return lambda a, b: operation(_whole(a), _whole(b))


def _whole(value: Number) -> int:
    if isinstance(value, float):
        raise TextError(f"Shifts, powers and bits need integers, not {value}.")
    return value


_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divided,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _remainder,
    ast.Pow: _bounded(operator.pow),
    ast.LShift: _bounded(operator.lshift),
    ast.RShift: _bounded(operator.rshift),
    ast.BitAnd: _bitwise(operator.and_),
    ast.BitOr: _bitwise(operator.or_),
    ast.BitXor: _bitwise(operator.xor),
}
_UNARY: dict[type[ast.unaryop], Callable[[Number], Number]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: lambda value: ~_whole(value),
}
_FUNCTIONS: dict[str, tuple[int, Callable[..., Number]]] = {
    "min": (2, min),
    "max": (2, max),
    "ceil_div": (2, _ceil_div),
    "abs": (1, abs),
}
"""By name: how many arguments it takes, and what it does."""


class _Evaluator:
    def __init__(self, text: str, names: Mapping[str, Number], spelt: list[str]) -> None:
        self._text = text
        self._names = names
        self._spelt = spelt

    def value(self, node: ast.expr) -> Number:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return _checked(value)
            case ast.Name(id=name):
                return _checked(self._named(self._spelling(name)))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return _checked(_UNARY[type(op)](self.value(operand)))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return self._applied(_BINARY[type(op)], self.value(left), self.value(right))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._called(self._spelling(name), arguments)
        raise _no_expression(self._text)

    def _spelling(self, name: str) -> str:
        return self._spelt[int(name[1:])]

    def _named(self, name: str) -> Number:
        if name in self._names:
            return self._names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        raise UnknownNameError(name, self._names)

    def _called(self, name: str, arguments: list[ast.expr]) -> Number:
        if name not in _FUNCTIONS:
            raise TextError(f"There is no function '{name}'.", unknown(name, _FUNCTIONS))
        count, work = _FUNCTIONS[name]
        if len(arguments) != count:
            raise TextError(f"{name} takes {count} numbers, not {len(arguments)}.")
        return self._applied(work, *(self.value(argument) for argument in arguments))

    def _applied(self, work: Callable[..., Number], *values: Number) -> Number:
        try:
            return _checked(work(*values))
        except ZeroDivisionError:
            raise TextError(f"'{shortened(self._text)}' divides by zero.") from None
        except OverflowError:
            raise TextError(f"'{shortened(self._text)}' leaves the range of numbers.") from None
