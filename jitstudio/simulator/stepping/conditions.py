"""Conditions of breakpoints: expressions over the registers of a thread, for many at a time.

    condition = operand { OPERATOR operand }
    operand   = { "!" | "not" | "-" | "+" | "~" } ( NUMBER | NAME | READING "(" NAME ")"
                | "(" condition ")" )

Operators bind and convert their operands as in C. Only numbers such as ``0.1``, and what is
calculated of numbers alone, such as ``2 * 0.05``, differ: they have the type of the float beside
them. A value that depends on a register without a value, and one that
C leaves undefined, such as ``1 / 0``, is unknown, and an unknown condition does not hold.
``a && b`` is known where a or b is false.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LONGEST_CONDITION = 500
"""Characters."""

_NUMBER = re.compile(
    # 0xFF, 0b101; 7u, 1.5f, 1e-3
    r"(?:0[xX][0-9a-fA-F]++|0[bB][01]++|(?:\d++\.?+\d*+|\.\d++)(?>[eE][+-]?+\d++)?+)\w*+",
    # Python's int() reads the digits of all scripts, C those of ASCII.
    re.ASCII,
)
# %r3, threadIdx.x, a[2].x
_NAME = re.compile(r"(?!(?:and|or)\b)%?+[A-Za-z_$][\w$]*+(?:\.[A-Za-z_]\w*|\[\d+\])*")
# `--a` changes a in C: it is no operator here.
_UNARY_MARK = re.compile(r"not\b|!(?!=)|-(?!-)|\+(?!\+)|~")
_BINARY_MARK = re.compile(r"\|\||&&|or\b|and\b|[=!]=|<<|>>|<=|>=|<|>|[|&^*%]|//|/|-(?!-)|\+(?!\+)")
_OPENING, _CLOSING, _BLANKS = re.compile(r"\("), re.compile(r"\)"), re.compile(r"\s*+")

_LEVELS = {
    "||": 1, "or": 1, "&&": 2, "and": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
    "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9,
    "*": 10, "/": 10, "%": 10, "//": 10,
}  # fmt: skip
"""How tightly operators bind; what is in brackets binds tightest."""
_LOGIC, _BITS, _COMPARISONS, _TIGHTEST = range(1, 3), range(3, 6), range(6, 8), 11

# `f(%r3)` reads the bits of a register as a float.
_READINGS = {"f": "f", "s": "i", "u": "u"}
_READABLE_BITS = {"f": (16, 32, 64), "s": (8, 16, 32, 64), "u": (8, 16, 32, 64)}
# Built-in variables of CUDA C++, and the special registers of PTX that they are.
_BUILT_IN = {"threadIdx": "tid", "blockIdx": "ctaid", "blockDim": "ntid", "gridDim": "nctaid"}
_TRUTHS = {"true": True, "True": True, "false": False, "False": False}


def _quotient(left: Any, right: Any) -> Any:
    """Divides as in C: quotients of integers are cut off towards zero."""
    if left.dtype.kind == "f":
        return np.true_divide(left, right)
    # C cuts off (-7 / 2 is -3), NumPy's `//` rounds down (-4).
    return (left - np.fmod(left, right)) // right


_BINARY: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": _quotient,
    "//": operator.floordiv, "%": np.fmod, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift, "==": operator.eq,
    "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_UNARY: Mapping[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
}
_SHIFTS = frozenset(["<<", ">>"])
_OF_INTEGERS = _SHIFTS | {"&", "|", "^", "~"}


class StopConditionError(ValueError):
    """A condition that cannot be read or evaluated; the message is a sentence."""


Values = Callable[[str], NDArray[Any]]
"""Returns the values of a name, a value for each thread, masked for threads without any; raises
`KeyError` for unknown names."""


class _Part(NamedTuple):
    """The values of a part of a condition, and in which threads they are known.

    A Python float is a number of the condition, or calculated of numbers: it has no type yet.
    """

    data: Any
    known: NDArray[np.bool_]


class _Number(NamedTuple):
    value: Any


class _Name(NamedTuple):
    name: str
    reading: str


class _Operation(NamedTuple):
    mark: str
    is_unary: bool


_Step = _Number | _Name | _Operation


@dataclass(frozen=True)
class StopCondition:
    """A condition that has been read.

    Attributes:
        text: As it was typed.
        names: The names in it: of registers and special registers, as in PTX, without ``%``, and
            of variables of the source, such as ``i``, ``p.x`` and ``a[2]``.
    """

    text: str
    names: tuple[str, ...]
    _steps: tuple[_Step, ...]

    @classmethod
    def read(cls, text: str) -> StopCondition:
        """Reads a condition.

        Operators are those of C, besides ``//`` and the words of Python, names those of PTX, with
        ``%`` or without, the built-in variables of CUDA C++, such as ``threadIdx.x``, and names of
        the source where there is debug information. ``f(x)``, ``s(x)`` and ``u(x)`` read the bits
        of a register as a float, signed or unsigned. Conditions that C and Python would read
        differently for want of brackets are refused.

        Raises:
            StopConditionError: If it cannot be read.
        """
        if len(text) > LONGEST_CONDITION:
            raise StopConditionError(f"A condition has at most {LONGEST_CONDITION} characters.")
        try:
            steps = _Reader(text).steps()
        except (StopConditionError, RecursionError) as error:
            is_deep = isinstance(error, RecursionError)
            why = "it has too many brackets in brackets" if is_deep else str(error)
            raise StopConditionError(
                f"The condition “{text}” cannot be read: {why}. "
                "Write it as in C, such as threadIdx.x < 4 && %r3 == 7."
            ) from None
        names = dict.fromkeys(step.name for step in steps if isinstance(step, _Name))
        return cls(text, tuple(names), steps)

    def holds(self, values: Values, count: int) -> NDArray[np.bool_]:
        """Returns for which of `count` threads the condition is true.

        Raises:
            StopConditionError: If a name stands for nothing here, or the types do not fit.
        """
        try:
            with np.errstate(all="ignore"):
                result = self._result(values)
            return np.broadcast_to(_truth(result) & result.known, (count,))
        except KeyError as error:
            raise StopConditionError(
                f"The condition “{self.text}” names {error.args[0]}, which is neither a register "
                "of the function here nor a variable that its debug information knows. "
                "Registers are named as in PTX, such as %r3, threads by threadIdx.x and "
                "blockIdx.x; variables of the source need a build with -G."
            ) from None
        except (TypeError, ValueError, OverflowError) as error:
            raise StopConditionError(
                f"The condition “{self.text}” cannot be evaluated: {error}."
            ) from None

    def _result(self, values: Values) -> _Part:
        parts: list[_Part] = []
        for step in self._steps:
            match step:
                case _Number(value):
                    parts.append(_Part(value, np.asarray(True)))
                case _Name(name, reading):
                    parts.append(_named(name, values(name), reading))
                case _Operation(mark, True):
                    parts.append(_unary(mark, parts.pop()))
                case _Operation(mark, False):
                    right, left = parts.pop(), parts.pop()
                    parts.append(_binary(mark, left, right))
        return parts.pop()


class _Reader:
    """Reads a condition into steps: each operation stands behind its operands."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._steps: list[_Step] = []

    def steps(self) -> tuple[_Step, ...]:
        """Returns the steps of the whole text.

        Raises:
            StopConditionError: If there is no way to read it.
        """
        self._expression(1)
        if self._rest:
            raise StopConditionError(f"an operator is missing before “{self._rest}”")
        return tuple(self._steps)

    @property
    def _rest(self) -> str:
        return self._text[self._at :].strip()

    def _next(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        blanks = _BLANKS.match(self._text, self._at)
        return pattern.match(self._text, blanks.end()) if blanks else None

    def _accept(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        if match := self._next(pattern):
            self._at = match.end()
        return match

    def _expression(self, least: int) -> int:
        """Reads operands and the operators between them; returns the level of the last operator.

        Args:
            least: The level of the loosest operator that belongs to the expression.
        """
        level = self._operand()
        while (match := self._next(_BINARY_MARK)) and (outer := _LEVELS[match[0]]) >= least:
            self._at = match.end()
            sides = (level, self._expression(outer + 1))
            if any(side in _COMPARISONS for side in sides):
                # a == 1 & b == 2: Python compares `1 & b`, C compares `a` with 1.
                if outer in _BITS:
                    raise StopConditionError(
                        "put brackets around what &, | and ^ join, or write && and ||"
                    )
                # 0 < a < 2: Python compares a with both, C compares the truth of `0 < a` with 2.
                if outer in _COMPARISONS:
                    raise StopConditionError("write a < b && b < c instead of a < b < c")
            self._steps.append(_Operation(match[0], is_unary=False))
            level = outer
        return level

    def _operand(self) -> int:
        """Reads an operand with the marks before it; returns how tightly it binds."""
        # Only where an operand is due is `%` part of a name: `i %n` divides.
        if match := self._accept(_UNARY_MARK):
            self._operand()
            behind = self._next(_BINARY_MARK)
            # not a == 1: Python negates the comparison, C++ negates a.
            if match[0] == "not" and behind and _LEVELS[behind[0]] not in _LOGIC:
                raise StopConditionError("put brackets around what “not” is about")
            self._steps.append(_Operation(match[0], is_unary=True))
        elif self._accept(_OPENING):
            self._expression(1)
            self._close()
        elif match := self._accept(_NUMBER):
            self._steps.append(_Number(_number(match[0])))
        elif match := self._accept(_NAME):
            self._steps.append(self._named(match[0]))
        else:
            where = f"before “{self._rest}”" if self._rest else "at the end"
            raise StopConditionError(f"a register, a variable or a number is missing {where}")
        return _TIGHTEST

    def _named(self, word: str) -> _Step:
        if word in _TRUTHS:
            return _Number(np.asarray(_TRUTHS[word]))
        if not self._accept(_OPENING):
            return _Name(_spelt(word), "")
        argument = self._accept(_NAME)
        if word not in _READINGS or not argument:
            raise StopConditionError(
                "only f(…), s(…) and u(…) can be called, with a register or a variable"
            )
        self._close()
        return _Name(_spelt(argument[0]), word)

    def _close(self) -> None:
        if not self._accept(_CLOSING):
            where = f"before “{self._rest}”" if self._rest else "at the end"
            raise StopConditionError(f"an operator or a closing bracket is missing {where}")


def _spelt(word: str) -> str:
    """Returns the name in PTX, without ``%``, of what is named as in PTX or in CUDA C++."""
    base, dot, axis = word.removeprefix("%").partition(".")
    return _BUILT_IN.get(base, base) + dot + axis


def _number(word: str) -> Any:
    """Returns a number of the type that it has in C: the first one of these that can hold it."""
    is_decimal = word[:2].lower() not in ("0x", "0b")
    try:
        # Python reads 1_000 as 1000.
        if "_" in word:
            raise ValueError
        if is_decimal and re.search(r"[.eE]", word):
            return float(word[:-1] if word[-1] in "fF" else word)
        digits = word.rstrip("uUlL")
        # Base 0 refuses 010, which C reads as 8.
        value, suffix = int(digits, 0), word[len(digits) :].lower()
        if suffix.replace("u", "", 1) not in ("", "l", "ll") or "lul" in suffix:
            raise ValueError
        sizes = (8,) if "l" in suffix else (4, 8)
        kinds = "u" if "u" in suffix else "i" if is_decimal else "iu"
        types = [np.dtype(f"{kind}{size}") for size in sizes for kind in kinds]
        return np.asarray(value, next(kind for kind in types if value <= np.iinfo(kind).max))
    except (ValueError, StopIteration):
        raise StopConditionError(f"“{word}” is not a number") from None


# Values.


def _named(name: str, values: NDArray[Any], reading: str) -> _Part:
    data = np.ma.getdata(values)
    if reading:
        size, readable = data.dtype.itemsize, _READABLE_BITS[reading]
        if 8 * size not in readable:
            raise TypeError(
                f"{reading}(…) reads {', '.join(map(str, readable[:-1]))} or {readable[-1]} bits, "
                f"and {name} has {1 if data.dtype.kind == 'b' else 8 * size}"
            )
        data = data.view(f"{_READINGS[reading]}{size}")
    return _Part(data, ~np.ma.getmaskarray(values))


def _truth(part: _Part) -> NDArray[np.bool_]:
    return np.asarray(part.data).astype(np.bool_)


def _unary(mark: str, part: _Part) -> _Part:
    if mark in ("!", "not"):
        return _Part(~_truth(part), part.known)
    _check_types(mark, part.data)
    return _Part(_UNARY[mark](_promoted(part.data)), part.known)


def _binary(mark: str, left: _Part, right: _Part) -> _Part:
    known = left.known & right.known
    if _LEVELS[mark] in _LOGIC:
        a, b, decides = _truth(left), _truth(right), mark in ("||", "or")
        # A part that is known to be true decides `a || b` alone, one that is false `a && b`.
        decided = ((a == decides) & left.known) | ((b == decides) & right.known)
        return _Part(decided == decides, known | decided)
    _check_types(mark, left.data, right.data)
    if mark in _SHIFTS:
        data, amounts = _promoted(left.data), _promoted(right.data)
        known = known & (amounts >= 0) & (amounts < 8 * data.dtype.itemsize)
        return _Part(_BINARY[mark](data, amounts.astype(data.dtype)), known)
    data, others = _converted(left.data, right.data)
    if mark in ("/", "//", "%") and others.dtype.kind != "f":
        known = known & (others != 0)
    result = _BINARY[mark](data, others)
    # NumPy's scalar, of two numbers: a value for each thread is an array.
    return _Part(float(result) if isinstance(result, float) else result, known)


def _check_types(mark: str, *operands: Any) -> None:
    if mark in _OF_INTEGERS and any(np.asarray(data).dtype.kind == "f" for data in operands):
        raise TypeError(f"{mark} takes whole numbers, no floats")


def _promoted(data: Any) -> Any:
    """Returns values of the type in which C calculates with them, before it looks at others."""
    if isinstance(data, float):
        return data
    is_small = data.dtype.kind in "biu" and data.dtype.itemsize < 4
    return data.astype(np.int32) if is_small else data


def _converted(left: Any, right: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns two operands converted to their common type in C."""
    left, right = _promoted(left), _promoted(right)
    types = [np.asarray(data).dtype for data in (left, right)]
    if any(kind.kind == "f" for kind in types):
        floats = [d for d, k in zip((left, right), types, strict=True) if k.kind == "f"]
        # NumPy lets a Python float take the type of the other one.
        common = np.result_type(*floats)
    else:
        size = max(kind.itemsize for kind in types)
        is_unsigned = any(kind == np.dtype(f"u{size}") for kind in types)
        common = np.dtype(f"{'u' if is_unsigned else 'i'}{size}")
    return np.asarray(left, common), np.asarray(right, common)
