"""Frozen values as bytes and back, for files that outlive the program.

Not pickle: whoever may write into a pickle's file runs code in the process that reads it. Here the
type to be read is given by the reader, and the bytes can only fill its fields.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

_T = TypeVar("_T")
_HEAD = struct.Struct("<I")
_PLAIN = (str, int, float, bool, NoneType)


class CodecError(ValueError):
    """These bytes do not hold such a value."""


def dump(value: object) -> bytes:
    """A dataclass of the core as bytes: JSON, and behind it the bytes fields as they are."""
    blobs: list[bytes] = []
    head = json.dumps(_lowered(value, blobs), separators=(",", ":")).encode()
    return b"".join((_HEAD.pack(len(head)), head, *blobs))


def load(kind: type[_T], data: bytes) -> _T:
    """The value that `dump` has made these bytes of.

    Raises:
        CodecError: They hold no such value.
    """
    try:
        (size,) = _HEAD.unpack_from(data)
        start = _HEAD.size + size
        value: _T = _raised(kind, json.loads(data[_HEAD.size : start]), _Blobs(data, start).take)
    except (ValueError, TypeError, KeyError, AttributeError, struct.error) as error:
        raise CodecError(str(error)) from error
    return value


class _Blobs:
    """Hands out what lies behind the JSON, piece by piece."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data, self._at = data, start

    def take(self, size: int) -> bytes:
        piece = self._data[self._at : self._at + size]
        if len(piece) != size:
            raise CodecError("the bytes end too early")
        self._at += size
        return piece


def _lowered(value: Any, blobs: list[bytes]) -> Any:
    if isinstance(value, bytes):
        blobs.append(value)
        return len(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_lowered(item, blobs) for item in value]
    if is_dataclass(value):
        return {field.name: _lowered(getattr(value, field.name), blobs) for field in fields(value)}
    if isinstance(value, _PLAIN):
        return value
    raise TypeError(f"{type(value).__name__} cannot be stored")


def _raised(kind: Any, plain: Any, take: Callable[[int], bytes]) -> Any:
    if kind is bytes:
        return take(plain)
    if get_origin(kind) is tuple:
        return _raised_tuple(get_args(kind), plain, take)
    if isinstance(kind, UnionType):
        (arm,) = (arm for arm in get_args(kind) if arm is not NoneType)
        return None if plain is None else _raised(arm, plain, take)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        if plain.keys() != hints.keys():
            raise CodecError(f"no {kind} of this version")
        # In the order of the fields, in which the blobs were laid down.
        return kind(**{name: _raised(hint, plain[name], take) for name, hint in hints.items()})
    if issubclass(kind, Enum):
        return kind(plain)
    if kind not in _PLAIN or not isinstance(plain, kind):
        raise CodecError(f"{plain!r} is no {kind}")
    return plain


def _raised_tuple(kinds: tuple[Any, ...], plain: Any, take: Callable[[int], bytes]) -> Any:
    if kinds[1:] == (...,):
        return tuple(_raised(kinds[0], item, take) for item in plain)
    return tuple(_raised(kind, item, take) for kind, item in zip(kinds, plain, strict=True))


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}
