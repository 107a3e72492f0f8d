"""Frozen values as bytes and back, for pipes to other processes and for files.

Not pickle: a pickle runs code in the process that reads it. Here the reader names
the type, and the bytes can only fill its fields: dataclasses, named tuples, enums, tuples,
mappings, unions of these, arrays of integers, and plain values. What does not fit is refused, and
so is what would take far more memory than it has bytes.

The bytes are JSON, and behind it what is long, as it is. Rows are stored as columns: machine code
has hundreds of thousands of instructions, and names in it that repeat come back as one string.

Not msgspec 0.22, which writes 200,000 instructions in 0.03 s and reads them in 0.33 s (here 0.67 s
and 0.49 s): it takes no two dataclasses in one union and no half surrogates (file names that are
not UTF-8), and sets no limit to values and texts, which is most of what is here.
"""

from __future__ import annotations

import hashlib
import json
import operator
import reprlib
import struct
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, cached_property, partial
from itertools import accumulate, chain, pairwise, takewhile
from numbers import Real
from types import NoneType, UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

MOST_VALUES = 8_000_000
"""Numbers, texts and lists that one value may consist of; arrays and bytes count as one."""

MOST_TEXT = 512 << 20
"""Bytes of memory that the long texts of one value may take."""

_LARGEST_HEAD = 64 << 20
# A letter beyond the Basic Multilingual Plane makes all of a text so wide (PEP 393).
_WIDEST = 4


class CodecError(ValueError):
    """The bytes do not hold a value of the type, or a value is too large."""


def check_head(size: int) -> None:
    """Checks the bytes of JSON of a value, whose texts are short."""
    if size > _LARGEST_HEAD:
        raise CodecError(f"its head has {size:,} bytes, more than {_LARGEST_HEAD:,}")


def count_parts(head: str) -> int:
    """Returns the most values that this JSON can hold."""
    check_head(len(head))
    count = head.count(",") + head.count("[") + head.count("{")
    if count > MOST_VALUES:
        raise CodecError(f"it has more than {MOST_VALUES:,} parts")
    return count


class Blobs:
    """Hands out the bytes behind the JSON, piece by piece."""

    def __init__(self, data: memoryview, start: int, count: int, most_text: int) -> None:
        self._data, self._at, self._count = data, start, count
        self._most_text = self._text_left = most_text

    def take(self, size: Any) -> bytes:
        """Returns the next so many bytes."""
        if type(size) is not int or not 0 <= size <= len(self._data) - self._at:
            raise CodecError(f"{shortly(size)} is not a length of what is left")
        self._at += size
        return bytes(self._data[self._at - size : self._at])

    def take_text(self, size: Any) -> str:
        """Returns the next so many bytes as a text."""
        if type(size) is int and size > self._text_left:
            raise self._too_much_text()
        data = self.take(size)
        self._text_left -= len(data) if data.isascii() else _WIDEST * len(data)
        if self._text_left < 0:
            raise self._too_much_text()
        return data.decode("utf-8", "surrogatepass")

    def _too_much_text(self) -> CodecError:
        return CodecError(f"its texts take more than {self._most_text:,} bytes of memory")

    def spend(self, count: int) -> None:
        """Notes that a piece becomes so many values."""
        self._count += count
        if self._count > MOST_VALUES:
            raise CodecError(f"it has more than {MOST_VALUES:,} parts")

    def close(self) -> None:
        """Refuses bytes that are left."""
        if self._at != len(self._data):
            raise CodecError(f"{len(self._data) - self._at:,} bytes are left")


def shortly(value: object) -> str:
    """Returns the value as text for a message, shortened."""
    return reprlib.repr(value)


_LONG = 256
"""Characters of a text, or rows of a column, from which on it is stored behind the JSON."""
_SEPARATOR = "\0"
_INTEGERS = frozenset("bBhHiIlLqQ")


class TypeCodec:
    """The storage of values of a type: of a single value, and of a column of values."""

    def lower(self, value: Any, blobs: list[bytes]) -> Any:
        """Returns the value as JSON knows values; long content goes to the blobs."""
        raise NotImplementedError

    def lift(self, plain: Any, blobs: Blobs) -> Any:
        """Returns the value that `lower` has made this of."""
        raise NotImplementedError

    def lower_all(self, values: Collection[Any], blobs: list[bytes]) -> Any:
        """Returns a column of values."""
        return [self.lower(value, blobs) for value in values]

    def lift_all(self, plain: Any, blobs: Blobs) -> Sequence[Any]:
        """Returns the column that `lower_all` has made this of."""
        return [self.lift(item, blobs) for item in _listed(plain)]


def _listed(plain: Any, length: int | None = None) -> list[Any]:
    if type(plain) is not list or length not in (None, len(plain)):
        raise CodecError(
            f"{shortly(plain)} is not a list{'' if length is None else f' of {length}'}"
        )
    return plain


class _Plain(TypeCodec):
    """`None` and truth values."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def lower(self, value: Any, blobs: list[bytes]) -> Any:
        if not isinstance(value, self._kind):
            raise TypeError(f"{shortly(value)} is not of the type {self._kind.__name__}")
        return value

    def lift(self, plain: Any, blobs: Blobs) -> Any:
        if type(plain) is not self._kind:
            raise CodecError(f"{shortly(plain)} is not of the type {self._kind.__name__}")
        return plain


class _Number(TypeCodec):
    """Integers of any size, or floating-point numbers; a long column is an array."""

    def __init__(self, kind: type, typecode: str) -> None:
        self._kind, self._typecode = kind, typecode

    def lower(self, value: Any, blobs: list[bytes]) -> Any:
        if self._kind is int:
            return int(operator.index(value))
        if not isinstance(value, Real):
            raise TypeError(f"{shortly(value)} is not a float")
        return float(value)

    def lift(self, plain: Any, blobs: Blobs) -> Any:
        if type(plain) is not self._kind:
            raise CodecError(f"{shortly(plain)} is not of the type {self._kind.__name__}")
        return plain

    def lower_all(self, values: Collection[Any], blobs: list[bytes]) -> Any:
        if len(values) >= _LONG:
            try:
                blobs.append(array(self._typecode, values).tobytes())
                return len(blobs[-1])
            except OverflowError:
                pass  # beyond 64 bits
        return super().lower_all(values, blobs)

    def lift_all(self, plain: Any, blobs: Blobs) -> Sequence[Any]:
        if type(plain) is list:
            return super().lift_all(plain, blobs)
        column = array(self._typecode, blobs.take(plain))
        blobs.spend(len(column))
        return column.tolist()


class _Str(TypeCodec):
    """Texts, half surrogates included; a long column has each text once."""

    def lower(self, value: Any, blobs: list[bytes]) -> Any:
        if not isinstance(value, str):
            raise TypeError(f"{shortly(value)} is not str")
        if len(value) < _LONG:
            return value
        blobs.append(value.encode("utf-8", "surrogatepass"))
        return len(blobs[-1])

    def lift(self, plain: Any, blobs: Blobs) -> Any:
        if type(plain) is str:
            return plain
        return blobs.take_text(plain)

    def lower_all(self, values: Collection[Any], blobs: list[bytes]) -> Any:
        if len(values) >= _LONG:
            joined = _SEPARATOR.join(values)
            if joined.count(_SEPARATOR) == len(values) - 1:
                return self.lower(joined, blobs)
        return super().lower_all(values, blobs)

    def lift_all(self, plain: Any, blobs: Blobs) -> Sequence[Any]:
        if type(plain) is list:
            return super().lift_all(plain, blobs)
        joined = self.lift(plain, blobs)
        blobs.spend(joined.count(_SEPARATOR) + 1)
        texts = joined.split(_SEPARATOR)
        known: dict[str, str] = {}
        return list(map(known.setdefault, texts, texts))


class _Bytes(TypeCodec):
    """Bytes, as they are."""

    def lower(self, value: Any, blobs: list[bytes]) -> Any:
        if not isinstance(value, bytes):
            raise TypeError(f"{shortly(value)} is not bytes")
        blobs.append(value)
        return len(value)

    def lift(self, plain: Any, blobs: Blobs) -> Any:
        return blobs.take(plain)


class _Array(TypeCodec):
    """Arrays of machine integers, each with a type code."""

    def lower(self, value: Any, blobs: list[bytes]) -> Any:
        if not isinstance(value, array) or value.typecode not in _INTEGERS:
            raise TypeError(f"{shortly(value)} is not an array of integers")
        blobs.append(value.tobytes())
        return [value.typecode, len(blobs[-1])]

    def lift(self, plain: Any, blobs: Blobs) -> Any:
        typecode, size = _listed(plain, 2)
        if typecode not in _INTEGERS:
            raise CodecError(f"{shortly(typecode)} is not a type of integers")
        return array(typecode, blobs.take(size))


class _Enum(TypeCodec):
    """Members of an enum, by their names."""

    def __init__(self, kind: type[Enum]) -> None:
        self._kind = kind

    def lower(self, value: Any, blobs: list[bytes]) -> Any:
        if not isinstance(value, self._kind):
            raise TypeError(f"{shortly(value)} is not of the type {self._kind.__name__}")
        return value.name

    def lift(self, plain: Any, blobs: Blobs) -> Any:
        return self._kind.__members__[plain]


class _Row(TypeCodec):
    """Values with parts, each of a type of its own: dataclasses, named and fixed tuples.

    A single value ends before the last parts that are their defaults, the same objects. A column of
    values is a column for each part.
    """

    def __init__(self, kind: Any, parts: Mapping[str, Any]) -> None:
        self._kind = kind
        self.parts = parts
        self._construct: Callable[[Iterable[Any]], Any]
        self._items: Callable[[Any], Sequence[Any]] = tuple
        self._defaults: tuple[Any, ...] = ()
        if issubclass(kind, tuple):
            self._construct = partial(tuple.__new__, kind)
            return
        self._items = _getter(tuple(parts))
        defaults = (field.default for field in reversed(fields(kind)))
        self._defaults = tuple(takewhile(lambda default: default is not MISSING, defaults))
        if any(field.kw_only for field in fields(kind)):
            self._construct = lambda items: kind(**dict(zip(parts, items, strict=False)))
        else:
            self._construct = lambda items: kind(*items)

    # Not before they are needed: a type may be a part of itself.
    @cached_property
    def _parts(self) -> tuple[TypeCodec, ...]:
        return tuple(map(form_of, self.parts.values()))

    @cached_property
    def _lower(self) -> tuple[Callable[[Any, list[bytes]], Any], ...]:
        return tuple(part.lower for part in self._parts)

    @cached_property
    def _lift(self) -> tuple[Callable[[Any, Blobs], Any], ...]:
        return tuple(part.lift for part in self._parts)

    def lower(self, value: Any, blobs: list[bytes]) -> Any:
        items = self._taken_apart(value)
        if len(items) != len(self._lower):
            raise TypeError(f"{shortly(value)} does not have {len(self._lower)} parts")
        end = len(items)
        for default in self._defaults:
            if items[end - 1] is not default:
                break
            end -= 1
        pairs = zip(self._lower, items[:end], strict=False)
        return [lower(item, blobs) for lower, item in pairs]

    def lift(self, plain: Any, blobs: Blobs) -> Any:
        least = len(self._lift) - len(self._defaults)
        if type(plain) is not list or not least <= len(plain) <= len(self._lift):
            raise CodecError(f"{shortly(plain)} is not a list of {len(self._lift)}")
        pairs = zip(self._lift, plain, strict=False)
        return self._construct([lift(item, blobs) for lift, item in pairs])

    def lower_all(self, values: Collection[Any], blobs: list[bytes]) -> Any:
        if not self._parts or not values:
            return super().lower_all(values, blobs)
        columns = zip(*map(self._taken_apart, values), strict=True)
        pairs = zip(self._parts, columns, strict=True)
        return [part.lower_all(column, blobs) for part, column in pairs]

    def lift_all(self, plain: Any, blobs: Blobs) -> Sequence[Any]:
        if not self._parts or not plain:
            return super().lift_all(plain, blobs)
        pairs = zip(self._parts, _listed(plain, len(self._parts)), strict=True)
        columns = [part.lift_all(column, blobs) for part, column in pairs]
        return list(map(self._construct, zip(*columns, strict=True)))

    def _taken_apart(self, value: Any) -> Sequence[Any]:
        if type(value) is not self._kind:
            raise TypeError(f"{shortly(value)} is not of the type {self._kind.__name__}")
        return self._items(value)


def _getter(names: tuple[str, ...]) -> Callable[[Any], Sequence[Any]]:
    """Returns a getter of the values of these attributes."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return lambda value: [getattr(value, name) for name in names]


class _Many(TypeCodec):
    """Tuples of any length. A column of tuples is the lengths and a column of all items."""

    def __init__(self, item: Any) -> None:
        self._item = form_of(item)

    def lower(self, value: Any, blobs: list[bytes]) -> Any:
        return self._item.lower_all(value, blobs) if self._checked(value) else []

    def lift(self, plain: Any, blobs: Blobs) -> Any:
        return () if plain == [] else tuple(self._item.lift_all(plain, blobs))

    def lower_all(self, values: Collection[Any], blobs: list[bytes]) -> Any:
        lengths = [len(self._checked(value)) for value in values]
        items = tuple(chain.from_iterable(values))
        return [_INT.lower_all(lengths, blobs), self._item.lower_all(items, blobs)]

    def lift_all(self, plain: Any, blobs: Blobs) -> Sequence[Any]:
        lengths, items = _listed(plain, 2)
        lengths = _INT.lift_all(lengths, blobs)
        items = tuple(self._item.lift_all(items, blobs))
        if min(lengths, default=0) < 0 or sum(lengths) != len(items):
            raise CodecError("the lengths do not fit")
        return [items[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]

    def _checked(self, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, tuple):
            raise TypeError(f"{shortly(value)} is not a tuple")
        return value


class _Mapping(TypeCodec):
    """Mappings, which come back as `dict`."""

    def __init__(self, key: Any, value: Any) -> None:
        self._items = _Row(tuple, {"key": key, "value": value})

    def lower(self, value: Any, blobs: list[bytes]) -> Any:
        if not isinstance(value, Mapping):
            raise TypeError(f"{shortly(value)} is not a mapping")
        return self._items.lower_all(value.items(), blobs)

    def lift(self, plain: Any, blobs: Blobs) -> Any:
        return dict(self._items.lift_all(plain, blobs))


class _Optional(TypeCodec):
    """A value or None."""

    def __init__(self, some: TypeCodec) -> None:
        self._some = some

    def lower(self, value: Any, blobs: list[bytes]) -> Any:
        return None if value is None else self._some.lower(value, blobs)

    def lift(self, plain: Any, blobs: Blobs) -> Any:
        return None if plain is None else self._some.lift(plain, blobs)


class _Union(TypeCodec):
    """A value of any of several types, with the name of the type."""

    def __init__(self, kinds: Sequence[Any]) -> None:
        self._arms = {_class_of(kind): form_of(kind) for kind in kinds}
        self._names = {kind.__name__: form for kind, form in self._arms.items()}
        if len(self._names) < len(kinds):
            raise TypeError("two types of a union share their name")

    def lower(self, value: Any, blobs: list[bytes]) -> Any:
        kind = type(value)
        if kind not in self._arms:
            arms = (arm for arm in self._arms if isinstance(value, arm))
            kind = next(arms, kind)
        if kind not in self._arms:
            raise TypeError(f"{shortly(value)} is none of {', '.join(self._names)}")
        return [kind.__name__, self._arms[kind].lower(value, blobs)]

    def lift(self, plain: Any, blobs: Blobs) -> Any:
        name, rest = _listed(plain, 2)
        return self._names[name].lift(rest, blobs)


_INT = _Number(int, "q")
_FIXED: dict[Any, TypeCodec] = {
    NoneType: _Plain(NoneType),
    bool: _Plain(bool),
    int: _INT,
    float: _Number(float, "d"),
    str: _Str(),
    bytes: _Bytes(),
}


@cache
def form_of(kind: Any) -> TypeCodec:
    """Returns how values of a type are stored.

    Raises:
        TypeError: They cannot be.
    """
    if kind in _FIXED:
        return _FIXED[kind]
    arguments = get_args(kind)
    if isinstance(kind, UnionType) or get_origin(kind) is Union:
        some = [arm for arm in arguments if arm is not NoneType]
        form = form_of(some[0]) if len(some) == 1 else _Union(some)
        return _Optional(form) if len(some) < len(arguments) else form
    bare = _class_of(kind)
    if bare is tuple and arguments[1:] == (...,):
        return _Many(arguments[0])
    if bare is array:
        return _Array()
    if issubclass(bare, Mapping):
        return _Mapping(*arguments)
    if issubclass(bare, Enum):
        return _Enum(bare)
    return _Row(bare, _parts_of(bare, arguments))


def _class_of(kind: Any) -> type:
    bare = get_origin(kind) or kind
    if not isinstance(bare, type):
        raise TypeError(f"{kind} cannot be stored")
    return bare


def _parts_of(bare: type, arguments: tuple[Any, ...]) -> dict[str, Any]:
    if bare is tuple:
        return {str(number): kind for number, kind in enumerate(arguments)}
    if is_dataclass(bare):
        names = [field.name for field in fields(bare)]
    elif issubclass(bare, tuple) and hasattr(bare, "_fields"):
        names = list(bare._fields)
    else:
        raise TypeError(f"{bare.__name__} cannot be stored")
    hints = get_type_hints(bare)
    bound = dict(zip(getattr(bare, "__parameters__", ()), arguments, strict=True))
    return {name: bound.get(hints[name], hints[name]) for name in names}


def described(kind: Any) -> str:
    """Returns all names and types in a type: types that differ in any are stored differently."""
    descriptions: dict[Any, str] = {}
    waiting = [kind]
    while waiting:
        part = waiting.pop()
        if part not in descriptions:
            form = form_of(part)
            parts = dict(form.parts) if isinstance(form, _Row) else {}
            descriptions[part] = f"{part} {parts}"
            waiting += [*parts.values(), *(arm for arm in get_args(part) if arm is not ...)]
    return "\n".join(sorted(descriptions.values()))


__all__ = ["Codec", "CodecError"]

_T = TypeVar("_T")
_HEAD = struct.Struct("<I")
_SHAPE = 8


class Codec(Generic[_T]):
    """Values of a type as bytes. Safe for several threads.

    Args:
        kind: The type, as an annotation writes it.

    Raises:
        TypeError: It has a part that cannot be stored.
    """

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._form = form_of(kind)

    def dump(self, value: _T) -> list[bytes]:
        """Returns the bytes in pieces, of which long pieces are those of the value itself.

        Raises:
            TypeError: It is none of the type.
            CodecError: It consists of too many values.
        """
        blobs: list[bytes] = []
        plain = self._form.lower(value, blobs)
        head = json.dumps(plain, separators=(",", ":"), check_circular=False)
        count_parts(head)
        return [_HEAD.pack(len(head)) + head.encode("ascii"), *blobs]

    def load(self, data: bytes, most_text: int = MOST_TEXT) -> _T:
        """Returns the value that `dump` has made these bytes of.

        Args:
            data: The bytes.
            most_text: Bytes of memory that its long texts may take.

        Raises:
            CodecError: They hold no such value.
        """
        try:
            with memoryview(data) as view:
                (size,) = _HEAD.unpack_from(view)
                start = _HEAD.size + size
                check_head(size)
                head = str(view[_HEAD.size : start], "ascii")
                blobs = Blobs(view, start, count_parts(head), most_text)
                value: _T = self._form.lift(json.loads(head), blobs)
                blobs.close()
        except CodecError:
            raise
        except Exception as error:
            # Whatever may be wrong with the bytes, down to lists in lists beyond the stack.
            raise CodecError(f"{type(error).__name__}: {error}") from error
        return value

    def pack(self, value: _T) -> bytes:
        """Returns a value as a file that another build of the program may find: see `unpack`.

        Raises:
            TypeError, CodecError: See `dump`.
        """
        return b"".join((self._shape, *self.dump(value)))

    def unpack(self, data: bytes) -> _T:
        """Returns the value that `pack` has made these bytes of.

        Raises:
            CodecError: They hold no such value, or one whose type has other parts by now.
        """
        if data[:_SHAPE] != self._shape:
            raise CodecError("it is of another make")
        return self.load(data[_SHAPE:])

    @cached_property
    def _shape(self) -> bytes:
        """A digest that distinguishes the type from the same type before a change."""
        return hashlib.blake2b(described(self._kind).encode(), digest_size=_SHAPE).digest()
