"""Expectations as C++: a formula for each element, in double precision, and types of elements."""

from __future__ import annotations

import ast
import re

from jitstudio.core.launch.request import (
    Buffer,
    FillKind,
    LaunchRequest,
)
from jitstudio.core.launch.types import Array, Scalar, Struct, Type, complex_name
from jitstudio.export.numpy_text import variable

_TYPES = {
    "bool": "uint8_t",
    **{f"{u}int{bits}": f"{u}int{bits}_t" for u in ("", "u") for bits in (8, 16, 32, 64)},
    "float32": "float",
    "float64": "double",
}


def element_lanes(kind: Type) -> tuple[str, int]:
    """Returns the C++ type of an element's numbers, and the count; bytes for other types."""
    match kind:
        case Scalar(dtype=dtype) if dtype in _TYPES:
            return _TYPES[dtype], 1
        case Array(element=element, count=count):
            inner, lanes = element_lanes(element)
            return inner, lanes * count
        case Struct(fields=fields, size=size) if fields:
            lane = fields[0].type
            same = all(member.type == lane for member in fields) and size == lane.size * len(fields)
            if isinstance(lane, Scalar) and lane.dtype in _TYPES and same:
                return _TYPES[lane.dtype], len(fields)
    return "unsigned char", kind.size


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}
_SAME = (
    *("sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "floor", "ceil"),
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "erf", "hypot"),
)
_FUNCTIONS = {
    **{name: f"std::{name}" for name in _SAME},
    "abs": "std::fabs",
    "fabs": "std::fabs",
    "maximum": "std::fmax",
    "minimum": "std::fmin",
    "power": "std::pow",
}
_SPELT = re.compile(r"(?<![\w.])[^\W\d]\w*")


class Translator:
    """Makes C++ of expressions that are a formula for each element, in double precision.

    What integers are compared with goes through `known` of `_CHECK`, and so does what it is made
    of: 2^53 and more, less as much, may be off by one.
    """

    def __init__(self, request: LaunchRequest, buffer: Buffer) -> None:
        self._request = request
        self._length = buffer.length
        self._lanes = element_lanes(buffer.element)
        self._is_whole = self._lanes[0].endswith("_t")
        self._buffers = {argument.name: argument for argument in request.buffers}
        if any(complex_name(argument.element) for argument in (buffer, *request.buffers)):
            raise ValueError

    def text(self, expression: str) -> str:
        """Returns the formula.

        Raises:
            ValueError, SyntaxError: It is none.
        """
        # Parameters may be called like words of Python.
        spelt = _SPELT.sub(lambda match: f"{match[0]}_", expression.replace("\n", " ").strip())
        return self._node(ast.parse(spelt, mode="eval").body)

    def _node(self, node: ast.expr) -> str:
        text = self._text(node)
        match node:
            case ast.Constant(value=int() | float() as number):
                is_small = abs(number) < 1 << 53
            case ast.Name(id=name):
                is_small = name == "i_"
            case _:
                is_small = False
        return f"known({text})" if self._is_whole and not is_small else text

    def _text(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=bool()):
                raise ValueError
            case ast.Constant(value=int() | float() as number):
                return repr(float(number))
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return f"-({self._node(inner)})"
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return f"std::pow({self._node(left)}, {self._node(right)})"
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
                sign = _OPERATORS[type(operator)]
                return f"({self._node(left)} {sign} {self._node(right)})"
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                if (function := _FUNCTIONS.get(name.removesuffix("_"))) is None:
                    raise ValueError(name)
                return f"{function}({', '.join(map(self._node, arguments))})"
            case ast.Name(id=name):
                return self._name(name.removesuffix("_"))
        raise ValueError

    def _name(self, name: str) -> str:
        if name in self._request.values:
            return repr(float(self._request.values[name]))
        buffer = self._buffers.get(name)
        if buffer and (buffer.length, element_lanes(buffer.element)) == (self._length, self._lanes):
            if buffer.fill.kind in (FillKind.EXPRESSION, FillKind.FILE):
                raise ValueError
            return f"double(h_{variable(name)}[i])"
        if name == "i" and buffer is None and self._lanes[1] == 1:
            return "double(i)"
        raise ValueError(name)
