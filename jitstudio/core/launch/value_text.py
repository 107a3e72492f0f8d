"""The bytes of a value as they would be written: ``0.5``, ``{1, 2, 1}``, ``{x=1, y=2}``."""

from __future__ import annotations

import struct

from jitstudio.core.launch.types import REFERENCES, Array, Scalar, Struct, Type

_LETTERS = {
    "bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i",
    "uint32": "I", "int64": "q", "uint64": "Q", "float16": "e", "float32": "f", "float64": "d",
}  # fmt: skip
_DIGITS = {"float16": 5, "float32": 9}
"""How many digits tell all numbers of a type apart, where Python's own are too many."""

_MOST = 8


def value_text(kind: Type, data: bytes, most: int = _MOST) -> str:
    """Returns a value as text; empty for values without a text here, as bytes of no known type.

    Args:
        kind: The type of the value.
        data: Its bytes.
        most: How many elements of an array are written; of more, an ellipsis stands for the rest.
    """
    if len(data) != kind.size:
        return ""
    match kind:
        case Scalar(dtype=dtype) if dtype in _LETTERS:
            (value,) = struct.unpack(f"<{_LETTERS[dtype]}", data)
            return _number(value, dtype)
        case Array(element=element, count=count):
            size = element.size
            parts = [
                value_text(element, data[at * size : (at + 1) * size], most)
                for at in range(min(count, most))
            ]
            more = ["…"] if count > most else []
            return f"{{{', '.join((*parts, *more))}}}" if all(parts) else ""
        case Struct(fields=fields) if fields:
            texts = {
                f.name: value_text(f.type, data[f.offset : f.offset + f.type.size], most)
                for f in fields
            }
            written = (f"{name}={text}" for name, text in texts.items())
            return f"{{{', '.join(written)}}}" if all(texts.values()) else ""
        case _ if isinstance(kind, REFERENCES) and not any(data):
            return "null"
    return ""


def _number(value: float, dtype: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if dtype not in _DIGITS:
        return repr(value)
    letter = f"<{_LETTERS[dtype]}"
    texts = (f"{value:.{digits}g}" for digits in range(1, _DIGITS[dtype]))
    exact = struct.pack(letter, value)
    return next(
        (text for text in texts if _packed(letter, float(text)) == exact),
        f"{value:.{_DIGITS[dtype]}g}",
    )


def _packed(letter: str, value: float) -> bytes:
    try:
        return struct.pack(letter, value)
    except OverflowError:
        return b""
