"""Conditions of breakpoints: expressions over the registers of a thread, for many at a time.

A value that depends on a register without a value is unknown, a masked element, and an unknown
condition does not hold. ``a && b`` is known where a or b is false.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

LONGEST_CONDITION = 500
"""Characters."""

# Numbers such as 0xFF and 1.5, names such as %r3, threadIdx.x and a[2], and the logic of C.
_WORD = re.compile(
    r"0[xX][0-9a-fA-F]+|\d[\w.]*|%?[A-Za-z_$][\w$]*(?:\.[A-Za-z_]\w*|\[\d+\])*"
    r"|&&|\|\||!(?!=)"
)
# `f(%r3)` reads the bits of a register as a float.
_READINGS = frozenset("fsu")
_LOGIC = {"&&": " and ", "||": " or ", "!": " not "}
# Built-in variables of CUDA C++, and the special registers of PTX that they are.
_BUILT_IN = {"threadIdx": "tid", "blockIdx": "ctaid", "blockDim": "ntid", "gridDim": "nctaid"}
_PLAIN = frozenset(["and", "or", "not", "True", "False"])


def _quotient(left: Any, right: Any) -> Any:
    """Divides as in C: quotients of integers are cut off towards zero."""
    if np.result_type(left, right).kind not in "iu":
        return operator.truediv(left, right)
    # C cuts off (-7 / 2 is -3), NumPy's `//` rounds down (-4).
    return (np.subtract(left, np.fmod(left, right))) // right


_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _quotient,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: np.fmod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: lambda value: np.logical_not(value),
}


class StopConditionError(ValueError):
    """A condition that cannot be read or evaluated; the message is a sentence."""


Values = Callable[[str], NDArray[Any]]
"""Returns the values of a name, a value for each thread, masked for threads without any; raises
`KeyError` for unknown names."""


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
    _tree: ast.expr

    @classmethod
    def read(cls, text: str) -> StopCondition:
        """Reads a condition.

        Operators are those of C and of Python, names those of PTX, with ``%`` or without, the
        built-in variables of CUDA C++, such as ``threadIdx.x``, and names of the source where there
        is debug information. ``f(x)``, ``s(x)`` and ``u(x)`` read the bits of a register as a
        float, signed or unsigned. Conditions that C and Python would read differently for want of
        brackets are refused.

        Raises:
            StopConditionError: If it cannot be read.
        """
        if len(text) > LONGEST_CONDITION:
            raise StopConditionError(f"A condition has at most {LONGEST_CONDITION} characters.")
        names: list[str] = []

        def spelt(match: re.Match[str]) -> str:
            word = match[0]
            if word in _LOGIC:
                return _LOGIC[word]
            is_reading = word in _READINGS and text[match.end() :].lstrip().startswith("(")
            if word[0].isdigit() or word in _PLAIN or is_reading:
                return word
            name = word.removeprefix("%")
            base, dot, axis = name.partition(".")
            name = _BUILT_IN.get(base, base) + dot + axis
            if name not in names:
                names.append(name)
            return f"_{names.index(name)}"

        try:
            python = _WORD.sub(spelt, text).strip()
            # Names are spelt _0, _1 …: `%r1` and `threadIdx.x` are no names of Python.
            tree = ast.parse(python, mode="eval").body
            _check(tree)
            _check_brackets(tree, python)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            why = str(error) if isinstance(error, StopConditionError) else "it is no expression"
            raise StopConditionError(
                f"The condition “{text}” cannot be read: {why}. "
                "Write it as in C, such as threadIdx.x < 4 && %r3 == 7."
            ) from None
        return cls(text, tuple(names), tree)

    def holds(self, values: Values, count: int) -> NDArray[np.bool_]:
        """Returns for which of `count` threads the condition is true.

        Raises:
            StopConditionError: If a name stands for nothing here, or the types do not fit.
        """
        try:
            with np.errstate(all="ignore"):
                result = self._value(self._tree, values)
            truth = np.ma.filled(np.ma.asarray(result).astype(np.bool_), False)
            return np.broadcast_to(truth, (count,))
        except KeyError as error:
            raise StopConditionError(
                f"The condition “{self.text}” names {error.args[0]}, which is neither a register "
                "of the function here nor a variable that its debug information knows. "
                "Registers are named as in PTX, such as %r3, threads by threadIdx.x and "
                "blockIdx.x; variables of the source need a build with -G."
            ) from None
        except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
            raise StopConditionError(
                f"The condition “{self.text}” cannot be evaluated: {error}."
            ) from None

    def _value(self, node: ast.expr, values: Values) -> Any:
        match node:
            case ast.Constant(value):
                return value
            case ast.Name(name):
                return values(self.names[int(name[1:])])
            case ast.BoolOp(op, parts):
                return _joined(
                    [self._value(part, values) for part in parts], isinstance(op, ast.Or)
                )
            case ast.UnaryOp(op, operand):
                return _UNARY[type(op)](self._value(operand, values))
            case ast.BinOp(left, op, right):
                return _BINARY[type(op)](self._value(left, values), self._value(right, values))
            case ast.Compare(left, ops, rights):
                sides = [self._value(side, values) for side in (left, *rights)]
                truths = [
                    _COMPARE[type(op)](*two) for op, two in zip(ops, pairwise(sides), strict=True)
                ]
                return _joined(truths, False)
            case ast.Call(ast.Name(kind), [argument]):
                operand_values = self._value(argument, values)
                bits = np.asarray(operand_values)
                read = bits.view(f"{kind.replace('s', 'i')}{bits.dtype.itemsize}")
                return (
                    np.ma.MaskedArray(read, operand_values.mask)
                    if np.ma.isMaskedArray(operand_values)
                    else read
                )
        raise TypeError("it is no expression")


def _joined(parts: Sequence[Any], decides: bool) -> Any:
    """Returns truth values joined by `or`, where `decides` is true, or by `and`.

    A part that is known to be `decides` decides alone.
    """
    truths = [np.ma.asarray(part).astype(np.bool_) for part in parts]
    decided = reduce(np.logical_or, [np.ma.filled(t == decides, False) for t in truths])
    # Three-valued: unknown only where no part decides.
    unknown = reduce(np.logical_or, [np.ma.getmaskarray(t) for t in truths]) & ~decided
    return np.ma.MaskedArray(decided == decides, unknown) if unknown.any() else decided == decides


def _check(node: ast.expr) -> None:
    for part in ast.walk(node):
        match part:
            case ast.Constant(bool() | int() | float()) | ast.Name() | ast.BoolOp():
                allowed = True
            case ast.BinOp():
                allowed = type(part.op) in _BINARY
            case ast.UnaryOp():
                allowed = type(part.op) in _UNARY
            case ast.Compare():
                allowed = all(type(op) in _COMPARE for op in part.ops)
            case ast.Call(ast.Name("f" | "s" | "u"), [ast.Name()], []):
                allowed = True
            case ast.expr():
                allowed = False
            case _:
                allowed = True
        if not allowed:
            raise StopConditionError("it has more than registers, numbers and operators")


def _check_brackets(tree: ast.expr, text: str) -> None:
    """Refuses ``a == 1 & b == 2``: Python compares ``1 & b``, C compares ``a`` with ``1``."""
    for part in ast.walk(tree):
        if not isinstance(part, ast.Compare):
            continue
        for side in (part.left, *part.comparators):
            if not isinstance(side, ast.BinOp) or type(side.op) not in _BITS:
                continue
            before = text.encode()[: side.col_offset].rstrip()
            behind = text.encode()[side.end_col_offset :].lstrip()
            if not (before.endswith(b"(") and behind.startswith(b")")):
                raise StopConditionError(
                    "put brackets around what &, | and ^ join, or write && and ||"
                )
