"""The bytes of arguments that are passed by value, out of what the user has written.

Numbers are C literals or arithmetic over other arguments, structs and arrays stand in braces as in
``{x=1, y=2.0, v={1, 2}}``, and what nobody knows the meaning of is given as hexadecimal digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jitstudio.core.launch.texts.arithmetic import Number, UnknownNameError, evaluate, integer
from jitstudio.core.launch.texts.float_bits import FORMATS, rounded
from jitstudio.core.launch.texts.phrases import TextError, listing, parts, unknown
from jitstudio.core.launch.types import (
    Array,
    Field,
    NumberKind,
    Opaque,
    Pointer,
    Scalar,
    Struct,
    Type,
)

_NULLS = frozenset({"null", "nullptr", "NULL", "0"})
_SHOWN_ELEMENTS = 4


@dataclass(frozen=True)
class Encoded:
    """A value as a kernel reads it.

    Attributes:
        data: Its bytes.
        number: What it is in expressions, after rounding; None for what is no single number.
    """

    data: bytes
    number: Number | bool | None = None


def encode(type: Type, text: str, names: Mapping[str, Number]) -> Encoded:  # noqa: A002
    """The bytes of a value.

    Args:
        type: What it is.
        text: What the user has written.
        names: Arguments that may occur in it.

    Raises:
        TextError: It is no such value, or does not fit.
    """
    return _ENCODERS[type.__class__](type, text.strip(), names)


def example(type: Type) -> str:  # noqa: A002
    """A text that `encode` takes for this type: all of it zero, with the names of the fields."""
    match type:
        case Scalar(kind=NumberKind.BOOLEAN):
            return "false"
        case Scalar(kind=NumberKind.FLOATING):
            return "0.0"
        case Scalar():
            return "0"
        case Pointer():
            return "null"
        case Array(element, count) if count <= _SHOWN_ELEMENTS:
            return f"{{{', '.join([example(element)] * count)}}}"
        case Array():
            return "{}"
        case Struct(fields=fields):
            return f"{{{', '.join(f'{f.name}={example(f.type)}' for f in fields)}}}"
        case Opaque():
            return ""


def _scalar(type: Scalar, text: str, names: Mapping[str, Number]) -> Encoded:  # noqa: A002
    if not text:
        raise TextError("There is no value.", f"Write one, such as {example(type)}.")
    return _NUMBERS[type.kind](type, text, names)


def _boolean(type: Scalar, text: str, names: Mapping[str, Number]) -> Encoded:  # noqa: A002
    number = evaluate(text, names)
    if number not in (0, 1):
        raise TextError(f"'{text}' is no {type.name}.", "Write true or false.")
    return Encoded(int(number).to_bytes(type.size, "little"), bool(number))


def _integer(type: Scalar, text: str, names: Mapping[str, Number]) -> Encoded:  # noqa: A002
    number, bits = integer(text, names), 8 * type.size
    signed = type.kind is NumberKind.SIGNED
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if not least <= number <= most:
        shown = text if text == str(number) else f"{text} = {number}"
        raise TextError(f"{shown} does not fit: {type.name} goes from {least} to {most}.")
    return Encoded(number.to_bytes(type.size, "little", signed=signed), number)


def _floating(type: Scalar, text: str, names: Mapping[str, Number]) -> Encoded:  # noqa: A002
    format_ = FORMATS.get(type.dtype)
    if format_ is None:
        raise TextError(f"How a {type.name} is written in bits is not known here.")
    value = float(evaluate(text, names))
    try:
        bits, number = rounded(value, format_)
    except OverflowError:
        most = f"{format_.largest:.9g}"
        raise TextError(f"{text} does not fit: {type.name} goes from -{most} to {most}.") from None
    return Encoded(bits.to_bytes(type.size, "little"), number)


_NUMBERS = {
    NumberKind.BOOLEAN: _boolean,
    NumberKind.SIGNED: _integer,
    NumberKind.UNSIGNED: _integer,
    NumberKind.FLOATING: _floating,
}


def _pointer(type: Pointer, text: str, _names: Mapping[str, Number]) -> Encoded:  # noqa: A002
    if text not in _NULLS:
        raise TextError(
            f"'{text}' is no null pointer, and a pointer inside a struct can be no other.",
            "Write null, and pass the buffer as a parameter of its own.",
        )
    return Encoded(bytes(type.size))


def _opaque(type: Opaque, text: str, _names: Mapping[str, Number]) -> Encoded:  # noqa: A002
    if not text:
        return Encoded(bytes(type.size))
    wanted = f"Write {2 * type.size} hexadecimal digits, or nothing for zeros."
    try:
        data = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        raise TextError(f"'{text}' is not made of hexadecimal digits.", wanted) from None
    if len(data) != type.size:
        raise TextError(f"These are {len(data)} bytes; {type.name} has {type.size}.", wanted)
    return Encoded(data)


def _array(type: Array, text: str, names: Mapping[str, Number]) -> Encoded:  # noqa: A002
    texts = _braced(type, text)
    if len(texts) > type.count:
        raise TextError(f"These are {len(texts)} elements; {type.name} has {type.count}.")
    data = bytearray(type.size)
    for index, element in enumerate(texts):
        at = index * type.element.size
        made = _within(f"[{index}]", type.element, element, names)
        data[at : at + type.element.size] = made
    return Encoded(bytes(data))


def _struct(type: Struct, text: str, names: Mapping[str, Number]) -> Encoded:  # noqa: A002
    data = bytearray(type.size)
    for field, value in _fields(type, _braced(type, text)):
        made = _within(f".{field.name}", field.type, value, names)
        data[field.offset : field.offset + field.type.size] = made
    return Encoded(bytes(data))


def _within(place: str, type: Type, text: str, names: Mapping[str, Number]) -> bytes:  # noqa: A002
    """The bytes of a part; an error tells which part, from the outermost on."""
    try:
        return encode(type, text, names).data
    except UnknownNameError:
        raise
    except TextError as error:
        deeper = error.message.startswith(("[", "."))
        raise TextError(f"{place}{'' if deeper else ': '}{error.message}", error.remedy) from None


def _fields(type: Struct, texts: list[str]) -> list[tuple[Field, str]]:  # noqa: A002
    """Each text with its field; those without a name come first, in order."""
    known = {field.name: field for field in type.fields}
    found: dict[str, tuple[Field, str]] = {}
    named = False
    for index, text in enumerate(texts):
        name, value = _assigned(text)
        named = named or bool(name)
        if named and not name:
            raise TextError(
                f"'{text}' has no name, but stands behind a field that has one.",
                f"Write {example(type)}.",
            )
        if not name and index >= len(type.fields):
            raise TextError(f"These are {len(texts)} values; {type.name} has {len(known)} fields.")
        name = name or type.fields[index].name
        if name not in known:
            raise TextError(f"{type.name} has no field '{name}'.", unknown(name, known))
        if name in found:
            raise TextError(f"The field {name} is given twice.")
        found[name] = (known[name], value)
    return list(found.values())


def _assigned(text: str) -> tuple[str, str]:
    """Name and value of ``x=1`` or ``.x=1``; the name is empty where there is none."""
    name, equals, value = text.partition("=")
    if not equals or "{" in name:
        return "", text
    return name.strip().removeprefix("."), value.strip()


def _braced(type: Struct | Array, text: str) -> list[str]:  # noqa: A002
    if not (text.startswith("{") and text.endswith("}")):
        names = listing(f.name for f in type.fields) if isinstance(type, Struct) else ""
        of = f" of {names}" if names else ""
        raise TextError(
            f"'{text}' is no {type.name}: its values{of} stand in braces.",
            f"Write {example(type)}.",
        )
    return parts(text[1:-1])


_ENCODERS: dict[type, Callable[[Any, str, Mapping[str, Number]], Encoded]] = {
    Scalar: _scalar,
    Pointer: _pointer,
    Opaque: _opaque,
    Array: _array,
    Struct: _struct,
}
