"""The bytes of arguments that are passed by value, out of the user's texts.

Numbers are C literals or arithmetic over other arguments: ``n*2``, ``(n+255)/256``, ``1<<20``,
``min(n, 1024)``. The operators are those of C: ``/`` and ``%`` of integers cut towards zero. The
rest of Python's grammar is refused, and no step may grow beyond 64 bits. Structs and arrays are
written in braces as in ``{x=1, y=2.0, v={1, 2}}``, and what nobody knows the meaning of is given as
hexadecimal digits.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from jitstudio.core.launch.c_types import named
from jitstudio.core.launch.problems import TextError, listing, parts, shortened, unknown
from jitstudio.core.launch.types import (
    Array,
    Field,
    Handle,
    NumberKind,
    Opaque,
    Pointer,
    Scalar,
    Struct,
    Type,
)


@dataclass(frozen=True)
class FloatFormat:
    """A floating-point type.

    Attributes:
        exponent: Bits of the exponent.
        fraction: Bits of the fraction, without the implied one.
        infinite: Whether there are infinities; without, only one pattern is no number.
    """

    exponent: int
    fraction: int
    infinite: bool = True

    @property
    def bias(self) -> int:
        """The number that is added to an exponent before storage."""
        return (1 << (self.exponent - 1)) - 1

    @property
    def infinity(self) -> int:
        """The bits of infinity, or of NaN where there is none."""
        ones = (1 << self.exponent) - 1
        return ones << self.fraction if self.infinite else (ones + 1 << self.fraction) - 1

    @property
    def nan(self) -> int:
        """The bits of a quiet NaN."""
        return self.infinity | (1 << (self.fraction - 1))

    @property
    def largest(self) -> float:
        """The largest finite number."""
        steps = self.infinity - 1
        fraction = steps & ((1 << self.fraction) - 1) | 1 << self.fraction
        return math.ldexp(fraction, (steps >> self.fraction) - self.bias - self.fraction)


FORMATS = {
    "float64": FloatFormat(11, 52),
    "float32": FloatFormat(8, 23),
    "float16": FloatFormat(5, 10),
    "bfloat16": FloatFormat(8, 7),
    "float8_e5m2": FloatFormat(5, 2),
    "float8_e4m3fn": FloatFormat(4, 3, infinite=False),
}
"""By the name that NumPy and `ml_dtypes` have for them."""


def rounded(value: float, to: FloatFormat) -> tuple[int, float]:
    """Returns the bits of the nearest number of this type, and that number.

    Raises:
        OverflowError: There is none: it is too large, or infinite in a type without infinities.
    """
    sign = int(math.copysign(1, value) < 0) << (to.exponent + to.fraction)
    if math.isnan(value):
        return sign | to.nan, value
    if math.isinf(value) and to.infinite:
        return sign | to.infinity, value
    if math.isinf(value):
        raise OverflowError
    if not value:
        return sign, value
    # Below the smallest normal number the steps stay as they are there.
    exponent = max(math.frexp(value)[1] - 1, 1 - to.bias)
    steps = round(math.ldexp(abs(value), to.fraction - exponent))
    # The implied one of a normal number adds the last unit to its exponent, as does a carry.
    bits = steps + ((exponent + to.bias - 1) << to.fraction)
    if bits >= to.infinity:
        raise OverflowError
    return sign | bits, math.copysign(math.ldexp(steps, exponent - to.fraction), value)


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
    """A name has no value; the name may be that of an argument not yet known.

    Attributes:
        name: That name.
    """

    def __init__(self, name: str, known: Collection[str]) -> None:
        remedy = unknown(name, known) if known else "Write a number such as 1024."
        super().__init__(f"There is no number '{name}'.", remedy)
        self.name = name


def evaluate(text: str, names: Mapping[str, Number] | None = None) -> Number:
    """Returns the number that an expression comes to.

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
    """Returns the value of an expression that has to be a whole number; ``1e6`` is whole.

    Raises:
        TextError: See `evaluate`; or it comes to a fraction.
    """
    value = evaluate(text, names)
    if not math.isfinite(value) or value != int(value):
        raise TextError(f"'{shortened(text)}' is {value}, which is not a whole number.")
    whole = int(value)
    _checked(whole)
    return whole


def _no_expression(text: str) -> TextError:
    return TextError(f"'{shortened(text)}' is neither a number nor an expression.", _EXAMPLE)


_TOKEN = re.compile(
    r"""(?P<size>\bsizeof\s*+\((?P<type>[^()]*+)\))
      | (?P<bits>0[xX][0-9a-fA-F']++|0[bB][01']++)[uUlL]{0,3}+(?![\w.])
      | (?P<decimal>(?:\d[\d']*+\.?[\d']*+|\.\d[\d']*+)(?>[eE][+-]?\d++)?+)[fFuUlL]{0,3}+(?![\w.])
      | (?P<name>[^\W\d]\w*+(?>\.[^\W\d]\w*+|\[\d++\])*+)
      | (?P<odd>[\d.][\w.]*+)""",
    re.VERBOSE,
)
"""What an expression is made of, except for operators; the suffixes of C are left out."""


def _pythonic(text: str, spelt: list[str]) -> str:
    """Returns the same for Python's parser; names go into `spelt`, as some are words of Python."""

    def replaced(token: re.Match[str]) -> str:
        if token["size"]:
            return str(_size_of(token["type"].strip()))
        if token["name"]:
            spelt.append(token["name"])
            return f"_{len(spelt) - 1}"
        if token["odd"]:
            raise TextError(f"'{token['odd']}' is not a number.", _EXAMPLE)
        return (token["bits"] or token["decimal"]).replace("'", "")

    return _TOKEN.sub(replaced, text)


def _size_of(spelling: str) -> int:
    kind = named(spelling)
    if kind is None:
        raise TextError(f"sizeof({spelling}) is unknown here.", "Write its bytes as a number.")
    return kind.size


def _checked(value: Number) -> Number:
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise TextError("The expression leaves the range of 64 bits.")
    return value


def c_quotient(a: int, b: int) -> int:
    """Returns the quotient of whole numbers as C divides: towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _divided(a: Number, b: Number) -> Number:
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    return c_quotient(a, b)


def _remainder(a: Number, b: Number) -> Number:
    if isinstance(a, float) or isinstance(b, float):
        return math.fmod(a, b)
    return a - b * int(_divided(a, b))


def _ceil_div(a: Number, b: Number) -> Number:
    return -(-a // b)


def _bounded(operation: Callable[[int, int], int]) -> Callable[[Number, Number], Number]:
    """Returns a shift or a power, which only a small second operand keeps small."""

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


_SHOWN_ELEMENTS = 4


@dataclass(frozen=True)
class EncodedValue:
    """A value as a kernel reads values.

    Attributes:
        data: Its bytes.
        number: The number in expressions, after rounding; None where the value is no single number.
        members: The numbers in it by their paths, such as ``.a.n`` or ``[1]``.
        references: The texts of the pointers and handles in it by their paths; their bytes are 0.
    """

    data: bytes
    number: Number | bool | None = None
    members: Mapping[str, Number | bool] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)


def encode(type: Type, text: str, names: Mapping[str, Number]) -> EncodedValue:  # noqa: A002
    """Returns the bytes of a value.

    Args:
        type: The type of the value.
        text: The user's text.
        names: Arguments that may occur in it.

    Raises:
        TextError: It is no such value, or does not fit.
    """
    return _ENCODERS[type.__class__](type, text.strip(), names)


def example(type: Type) -> str:  # noqa: A002
    """Returns a text that `encode` takes for this type: zeros, with the names of fields."""
    match type:
        case Scalar(kind=NumberKind.BOOLEAN):
            return "false"
        case Scalar(kind=NumberKind.FLOATING):
            return "0.0"
        case Scalar():
            return "0"
        case Pointer() | Handle():
            return "null"
        case Array(element, count) if count <= _SHOWN_ELEMENTS:
            return f"{{{', '.join([example(element)] * count)}}}"
        case Array():
            return "{}"
        case Struct(fields=fields):
            return f"{{{', '.join(f'{f.name}={example(f.type)}' for f in fields)}}}"
        case Opaque():
            return ""


def _scalar(type: Scalar, text: str, names: Mapping[str, Number]) -> EncodedValue:  # noqa: A002
    if not text:
        raise TextError("There is no value.", f"Write one, such as {example(type)}.")
    return _NUMBERS[type.kind](type, text, names)


def _boolean(type: Scalar, text: str, names: Mapping[str, Number]) -> EncodedValue:  # noqa: A002
    number = evaluate(text, names)
    if number not in (0, 1):
        raise TextError(f"'{text}' is not of type {type.name}.", "Write true or false.")
    return EncodedValue(int(number).to_bytes(type.size, "little"), bool(number))


def _integer(type: Scalar, text: str, names: Mapping[str, Number]) -> EncodedValue:  # noqa: A002
    number, bits = integer(text, names), 8 * type.size
    signed = type.kind is NumberKind.SIGNED
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if not least <= number <= most:
        shown = text if text == str(number) else f"{text} = {number}"
        raise TextError(f"{shown} does not fit: {type.name} goes from {least} to {most}.")
    return EncodedValue(number.to_bytes(type.size, "little", signed=signed), number)


def _floating(type: Scalar, text: str, names: Mapping[str, Number]) -> EncodedValue:  # noqa: A002
    format_ = FORMATS.get(type.dtype)
    if format_ is None:
        raise TextError(f"How a {type.name} is written in bits is not known here.")
    value = float(evaluate(text, names))
    try:
        bits, number = rounded(value, format_)
    except OverflowError:
        most = f"{format_.largest:.9g}"
        raise TextError(f"{text} does not fit: {type.name} goes from -{most} to {most}.") from None
    return EncodedValue(bits.to_bytes(type.size, "little"), number)


_NUMBERS = {
    NumberKind.BOOLEAN: _boolean,
    NumberKind.SIGNED: _integer,
    NumberKind.UNSIGNED: _integer,
    NumberKind.FLOATING: _floating,
}


def _reference(type: Pointer | Handle, text: str, _names: Mapping[str, Number]) -> EncodedValue:  # noqa: A002
    return EncodedValue(bytes(type.size), references={"": text})


def _opaque(type: Opaque, text: str, _names: Mapping[str, Number]) -> EncodedValue:  # noqa: A002
    if not text:
        return EncodedValue(bytes(type.size))
    wanted = f"Write {2 * type.size} hexadecimal digits, or nothing for zeros."
    try:
        data = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        raise TextError(f"'{text}' is not made of hexadecimal digits.", wanted) from None
    if len(data) != type.size:
        raise TextError(f"These are {len(data)} bytes; {type.name} has {type.size}.", wanted)
    return EncodedValue(data)


def _array(type: Array, text: str, names: Mapping[str, Number]) -> EncodedValue:  # noqa: A002
    texts = _braced(type, text)
    if len(texts) > type.count:
        raise TextError(f"These are {len(texts)} elements; {type.name} has {type.count}.")
    size, element = type.element.size, type.element
    return _assembled(
        type, [(f"[{at}]", at * size, element, text) for at, text in enumerate(texts)], names
    )


def _struct(type: Struct, text: str, names: Mapping[str, Number]) -> EncodedValue:  # noqa: A002
    named = _fields(type, _braced(type, text))
    return _assembled(type, [(f".{f.name}", f.offset, f.type, value) for f, value in named], names)


def _assembled(
    whole: Struct | Array, parts: list[tuple[str, int, Type, str]], names: Mapping[str, Number]
) -> EncodedValue:
    """Returns a value of parts, each with place, offset, type and text."""
    data = bytearray(whole.size)
    members: dict[str, Number | bool] = {}
    references: dict[str, str] = {}
    for place, offset, kind, text in parts:
        part = _within(place, kind, text, names)
        data[offset : offset + kind.size] = part.data
        members |= {place + path: number for path, number in part.members.items()}
        members |= {} if part.number is None else {place: part.number}
        references |= {place + path: text for path, text in part.references.items()}
    return EncodedValue(bytes(data), None, members, references)


def _within(place: str, type: Type, text: str, names: Mapping[str, Number]) -> EncodedValue:  # noqa: A002
    """Returns a part; an error says which part, from the outermost on."""
    try:
        return encode(type, text, names)
    except UnknownNameError:
        raise
    except TextError as error:
        deeper = error.message.startswith(("[", "."))
        raise TextError(f"{place}{'' if deeper else ': '}{error.message}", error.remedy) from None


def _fields(type: Struct, texts: list[str]) -> list[tuple[Field, str]]:  # noqa: A002
    """Returns each text with the field; texts without a name come first, in order."""
    known = {field.name: field for field in type.fields}
    values: dict[str, tuple[Field, str]] = {}
    named = False
    for index, text in enumerate(texts):
        name, value = _assigned(text)
        named = named or bool(name)
        if named and not name:
            raise TextError(
                f"'{text}' has no name, but stands after a field that has one.",
                f"Write {example(type)}.",
            )
        if not name and index >= len(type.fields):
            raise TextError(f"These are {len(texts)} values; {type.name} has {len(known)} fields.")
        name = name or type.fields[index].name
        if name not in known:
            raise TextError(f"{type.name} has no field '{name}'.", unknown(name, known))
        if name in values:
            raise TextError(f"The field {name} is given twice.")
        values[name] = (known[name], value)
    return list(values.values())


def _assigned(text: str) -> tuple[str, str]:
    """Returns the names and the value of ``x=1`` or ``.x=1``; empty names where there are none."""
    name, equals, value = text.partition("=")
    if not equals or "{" in name:
        return "", text
    return name.strip().removeprefix("."), value.strip()


def _braced(type: Struct | Array, text: str) -> list[str]:  # noqa: A002
    if not (text.startswith("{") and text.endswith("}")):
        names = listing(f.name for f in type.fields) if isinstance(type, Struct) else ""
        of = f" of {names}" if names else ""
        raise TextError(
            f"'{text}' is not of type {type.name}: its values{of} stand in braces.",
            f"Write {example(type)}.",
        )
    return parts(text[1:-1])


_ENCODERS: dict[type, Callable[[Any, str, Mapping[str, Number]], EncodedValue]] = {
    Scalar: _scalar,
    Pointer: _reference,
    Handle: _reference,
    Opaque: _opaque,
    Array: _array,
    Struct: _struct,
}
