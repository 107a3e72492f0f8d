"""Reads NumPy expressions that come from project files, which travel between people.

`parse` lets nothing through but numbers, parameters and names of NumPy (`FUNCTIONS`) that neither
read nor write anything but numbers. Whoever runs an expression, here or in an export, parses first.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from jitstudio.core.alike import nearest
from jitstudio.numerics.dtypes import NumericsError


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _erf(values: Any) -> Any:
    """Returns the error function, which NumPy lacks, in double precision."""
    array = np.asarray(values, np.float64)
    numbers = np.fromiter(map(math.erf, array.flat), np.float64, array.size)
    return numbers.reshape(array.shape)


_FUNCTIONS = _words(
    """
    abs absolute fabs sign sqrt cbrt square reciprocal exp exp2 expm1 log log2 log10 log1p power pow
    sin cos tan arcsin arccos arctan arctan2 asin acos atan atan2 sinh cosh tanh arcsinh arccosh
    arctanh asinh acosh atanh hypot deg2rad rad2deg floor ceil trunc rint round around
    add subtract multiply divide floor_divide mod remainder fmod negative gcd lcm
    minimum maximum fmin fmax clip where select isnan isinf isfinite isclose nan_to_num copysign
    nextafter ldexp heaviside logical_and logical_or logical_not logical_xor
    bitwise_and bitwise_or bitwise_xor bitwise_not invert left_shift right_shift bitwise_count
    arange linspace zeros ones full zeros_like ones_like full_like eye identity array asarray
    concatenate stack hstack vstack tile repeat broadcast_to reshape ravel transpose swapaxes
    squeeze expand_dims roll flip take pad diag tril triu diff gradient
    sum prod mean median var std min max amin amax ptp argmin argmax any all nansum count_nonzero
    cumsum cumprod sort argsort unique searchsorted bincount histogram digitize interp convolve
    real imag conj conjugate angle
    correlate dot matmul inner outer cross trace
    """
)

_TYPES = _words(
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool_ "
    "complex64 complex128"
)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in _FUNCTIONS},
    "erf": _erf,
}
"""The functions that may be called."""

TYPES: dict[str, Any] = {
    **{name: getattr(np, name) for name in _TYPES},
    "bool": np.bool_,
    "int": np.int64,
    "float": np.float64,
    "complex": np.complex128,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}
"""The types that numbers may be converted to: ``float32(x)`` and ``x.astype(float32)``."""

CONSTANTS: dict[str, float] = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
"""The names that are always known."""

ATTRIBUTES = _words("T shape size ndim dtype real imag")
"""The attributes of arrays that may be read."""

METHODS = _words(
    """
    conj conjugate
    astype view reshape ravel flatten transpose swapaxes squeeze copy clip round repeat take dot
    sum prod mean var std min max argmin argmax argsort any all cumsum cumprod
    """
)
"""The methods of arrays that may be called."""

KEYWORDS = _words(
    """
    axis dtype shape keepdims decimals num endpoint bins range density weights minlength side shift
    repeats a_min a_max min max k n start stop step initial ddof mode constant_values equal_nan
    rtol atol right left
    """
)
"""Names of arguments; not `out`, which writes, nor `like`, which calls its value."""

WORDS = TYPES.keys() | _words("left right constant edge wrap reflect symmetric same valid full")
"""The strings that NumPy takes as arguments."""


_LONGEST = 10_000
_LONGEST_SHOWN = 60

_PREFIXES = ("np", "numpy")

PARAMETER = "$"
"""Stands before the names of parameters in the tree, so that a parameter may be called like a
function, and a function stay within reach behind ``np.``."""

# Strings are skipped; a name right behind a digit or dot is part of a number or an attribute.
_NAME = re.compile(r"'[^']*'|\"[^\"]*\"|(?<![\w.])[^\W\d]\w*")

_PLAIN = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Slice,
    ast.Tuple,
    ast.List,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.cmpop,
    ast.expr_context,
)
"""Nodes that are harmless if their parts are."""

_REFUSED: dict[type[ast.AST], str] = {
    ast.Lambda: "A lambda",
    ast.ListComp: "A comprehension",
    ast.SetComp: "A comprehension",
    ast.DictComp: "A comprehension",
    ast.GeneratorExp: "A comprehension",
    ast.JoinedStr: "A formatted string",
    ast.NamedExpr: "An assignment",
    ast.Starred: "A star",
    ast.Dict: "A dictionary",
    ast.Set: "A set",
}

_CONSTANTS = (bool, int, float, complex, type(None), type(...))


class ExpressionError(NumericsError):
    """An expression cannot be evaluated.

    Attributes:
        position: The place, in characters from 0; None for the whole expression.
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        place = "" if position is None else f" (at character {position + 1})"
        super().__init__(f"{message.rstrip('.')}{place}.")
        self.position = position


@dataclass(frozen=True)
class ExpressionText:
    """Knows the places of the parts of a parsed text in the text of the user.

    Attributes:
        expression: The text of the user.
        text: The text that is parsed.
        origin: The place in `expression` of each character of `text`, and of the end.
    """

    expression: str
    text: str
    origin: Sequence[int]

    def start(self, node: ast.expr) -> int:
        """Returns the beginning of a part, in characters from 0."""
        return self.origin[self._characters(node.col_offset)]

    def words(self, node: ast.expr) -> str:
        """Returns the words of the user for a part, shortened."""
        end = self.origin[self._characters(node.end_col_offset or 0) - 1] + 1
        words = self.expression[self.start(node) : end]
        return words if len(words) <= _LONGEST_SHOWN else f"{words[: _LONGEST_SHOWN - 1]}…"

    def _characters(self, column: int) -> int:
        """Returns a column of the tree, which counts bytes, in characters."""
        return len(self.text.encode()[:column].decode())


@dataclass(frozen=True)
class Parsed:
    """An expression that has been read.

    Attributes:
        body: The tree to evaluate; parameters are behind `PARAMETER`.
        names: The parameters that occur.
        place: The places of the parts.
    """

    body: ast.expr
    names: frozenset[str]
    place: ExpressionText


def parse(expression: str, parameters: Collection[str]) -> Parsed:
    """Reads an expression over these parameters.

    Raises:
        ExpressionError: The text is no expression, or has a part that is not allowed.
    """
    if not expression.strip():
        raise ExpressionError("There is no expression")
    if len(expression) > _LONGEST:
        raise ExpressionError(f"The expression is longer than {_LONGEST:,} characters")
    suffix = "_" * (1 + max(map(len, parameters), default=0))
    odd = [name for name in parameters if keyword.iskeyword(name) or not name.isidentifier()]
    # The longest first: `rows[0].x` before `rows[0]`.
    odd.sort(key=len, reverse=True)
    renamed = {f"_{number}{suffix}": name for number, name in enumerate(odd)}
    place = _prepared(expression, {name: stand_in for stand_in, name in renamed.items()})
    try:
        tree = ast.parse(place.text, mode="eval")
        reader = _Reader(place, parameters, renamed)
        body = reader.visit(tree.body)
    except SyntaxError as error:
        # Python has no place for parts missing at the end.
        column = error.offset - 1 if error.offset else len(place.text)
        position = place.origin[min(column, len(place.origin) - 1)]
        raise ExpressionError(f"This is not a NumPy expression: {error.msg}", position) from None
    except UnicodeError:
        raise ExpressionError("The expression holds characters that no text has") from None
    except (RecursionError, MemoryError):
        raise ExpressionError("The expression is nested too deeply") from None
    return Parsed(body, frozenset(reader.names), place)


def _prepared(expression: str, stand_ins: Mapping[str, str]) -> ExpressionText:
    """Returns the text on a single line, with stand-ins for names that Python would not accept.

    Args:
        expression: The text of the user.
        stand_ins: For parameters named like keywords, and such as ``view.data`` and ``rows[0]``.
    """
    line = re.sub(r"[\s\0]", " ", expression)
    first = len(line) - len(line.lstrip())
    text, origin = "", list[int]()
    for match in _names(tuple(stand_ins)).finditer(line, first):
        if (stand_in := stand_ins.get(match[0])) is not None:
            text += line[first : match.start()] + stand_in
            within = [min(match.start() + at, match.end() - 1) for at in range(len(stand_in))]
            origin += [*range(first, match.start()), *within]
            first = match.end()
    text += line[first:]
    return ExpressionText(expression, text, [*origin, *range(first, len(line) + 1)])


def _names(odd: tuple[str, ...]) -> re.Pattern[str]:
    """Returns the pattern of names, with `odd` in front; the longest of these come first."""
    ends = {name: r"(?!\w)" if re.search(r"\w\Z", name) else "" for name in odd}
    first = "".join(rf"(?<![\w.]){re.escape(name)}{end}|" for name, end in ends.items())
    strings, plain = _NAME.pattern.rpartition("|")[::2]
    return re.compile(f"{strings}|{first}{plain}")


class _Reader(ast.NodeTransformer):
    """Refuses all parts not known to be harmless, and resolves names."""

    def __init__(
        self, place: ExpressionText, parameters: Collection[str], renamed: dict[str, str]
    ) -> None:
        self.names = set[str]()
        self._place = place
        self._parameters = parameters
        self._renamed = renamed

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visits the parts of a harmless node."""
        if not isinstance(node, _PLAIN):
            self._refuse(node, _REFUSED.get(type(node), "This"))
        return super().generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Accepts numbers, and the few strings that NumPy takes."""
        if isinstance(node.value, str) and node.value not in WORDS:
            self._refuse(node, "A string")
        if not isinstance(node.value, (*_CONSTANTS, str)):
            self._refuse(node, "This constant")
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Resolves a parameter, a constant or a type."""
        name = self._parameter(node)
        if name:
            self.names.add(name)
            return ast.copy_location(ast.Name(PARAMETER + name, ast.Load()), node)
        return self._word(node, node.id)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Resolves ``np.pi``, or an attribute of an array."""
        if self._is_numpy(node.value):
            return self._word(node, node.attr)
        if node.attr in METHODS:
            self._fail(node, f".{node.attr} is a function: write .{node.attr}(...)")
        if node.attr not in ATTRIBUTES:
            self._refuse(node, f".{node.attr}")
        node.value = self.visit(node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Visits the choice of elements, or of a field of a struct by name."""
        node.value = self.visit(node.value)
        if not (isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)):
            node.slice = self.visit(node.slice)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Resolves a call of a known function or method."""
        node.func = self._function(node.func)
        for argument in node.keywords:
            if argument.arg not in KEYWORDS:
                self._refuse(argument.value, f"An argument {argument.arg or '**'}")
            argument.value = self.visit(argument.value)
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def _function(self, func: ast.expr) -> ast.expr:
        match func:
            case ast.Attribute(value, name) if not self._is_numpy(value):
                if name not in METHODS:
                    self._refuse(func, f".{name}")
                func.value = self.visit(value)
                return func
            # No parameter can be called, so one that has the name of a function hides nothing.
            case ast.Name(name) | ast.Attribute(_, name) if name in FUNCTIONS or name in TYPES:
                return ast.copy_location(ast.Name(name, ast.Load()), func)
            case ast.Name() if parameter := self._parameter(func):
                self._fail(func, f"{parameter} is a parameter and cannot be called")
            case ast.Name(name) | ast.Attribute(_, name):
                self._unknown(func, name)
            case _:
                self._refuse(func, "Calling this")
        return None

    def _word(self, node: ast.expr, name: str) -> ast.expr:
        if name in FUNCTIONS:
            self._fail(node, f"{name} is a function: write {name}(...)")
        if name not in TYPES and name not in CONSTANTS:
            self._unknown(node, name)
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def _parameter(self, node: ast.Name) -> str:
        """Returns the parameter of this name; empty for none."""
        name = self._renamed.get(node.id, node.id)
        return name if name in self._parameters else ""

    def _is_numpy(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in _PREFIXES and not self._parameter(node)

    def _unknown(self, node: ast.expr, name: str) -> NoReturn:
        known_names = {*self._parameters, *FUNCTIONS, *TYPES, *CONSTANTS}
        near = nearest(name, known_names)
        hint = f"; did you mean {near}?" if near else ""
        self._fail(node, f"{name} is not known in expressions{hint}")

    def _refuse(self, node: ast.AST, what: str) -> NoReturn:
        self._fail(node, f"{what} is not allowed in expressions")

    def _fail(self, node: ast.AST, message: str) -> NoReturn:
        position = self._place.start(node) if isinstance(node, ast.expr) else None
        raise ExpressionError(message, position)
