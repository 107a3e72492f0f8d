"""NumPy's types for the elements of buffers, the .npy files of buffers, and fitting numbers.

A buffer of `n` elements is an array whose first axis has `n` entries; vectors such as ``float4``
and arrays have their lanes as further axes, other structs are structured types.

The .npy format has no names for bfloat16 and the 8-bit floats: `numpy.save` writes them as bytes
without a meaning. Files written here hold their bits as unsigned integers of the same size
instead, which every reader of .npy understands, and `open_buffer` looks at them as what they are.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.lib.format import open_memmap

from jitstudio.core.launch.types import (
    Array,
    Handle,
    Opaque,
    Pointer,
    Scalar,
    Struct,
    Type,
    complex_name,
)


class NumericsError(ValueError):
    """A request that cannot be met; the message is fit for a person."""


_ADDRESS = np.dtype(np.uint64)


def numpy_dtype(type: Type) -> np.dtype[Any]:  # noqa: A002
    """Returns the type of an element: `base` is the type of a lane, `shape` the lanes.

    `numpy.empty(n, numpy_dtype(type))` has the lanes as further axes.
    """
    match type:
        case Scalar():
            return _scalar(type)
        case Pointer() | Handle():
            return _ADDRESS
        case Opaque():
            return _bytes(type.size)
        case Array(element, count):
            inner = numpy_dtype(element)
            return np.dtype((inner.base, (count, *inner.shape)))
        case Struct():
            return _lanes(type) or _structured(type)


def complex_dtype(type: Type) -> np.dtype[Any] | None:  # noqa: A002
    """Returns the type of a complex number; None for another type.

    A buffer of complex numbers has real and imaginary part as lanes; expressions see numbers.
    """
    name = complex_name(type)
    return np.dtype(name) if name else None


def as_expressions_see(array: np.ndarray, element: Type) -> np.ndarray:
    """Returns a buffer in the view of expressions: complex numbers in place of two lanes each."""
    dtype = complex_dtype(element)
    return array if dtype is None else np.ascontiguousarray(array).view(dtype)[:, 0]


def shape_of(type: Type, length: int) -> tuple[int, ...]:  # noqa: A002
    """Returns the shape of a buffer of `length` elements."""
    return (length, *numpy_dtype(type).shape)


def is_floating(dtype: np.dtype[Any]) -> bool:
    """Returns whether a type is floating-point; types of `ml_dtypes` count, too."""
    return dtype.kind == "f" or _needs_bits(dtype)


def is_integer(dtype: np.dtype[Any]) -> bool:
    """Returns whether a type is an integer type; `bool` is not."""
    return dtype.kind in "iu"


def save_buffer(path: str | os.PathLike[str], array: np.ndarray) -> None:
    """Writes a buffer to an .npy file.

    Raises:
        OSError: The file cannot be written.
    """
    with open(path, "wb") as file:
        np.save(file, array.view(_bits(array.dtype)), allow_pickle=False)


def new_buffer(
    path: str | os.PathLike[str], element: Type, length: int
) -> np.memmap[Any, np.dtype[Any]]:
    """Makes a file in the format of `save_buffer`, mapped to be written.

    Raises:
        OSError: The file cannot be written.
    """
    shape, dtype = shape_of(element, length), _bits(numpy_dtype(element).base)
    return open_memmap(path, mode="w+", dtype=dtype, shape=shape)


def open_buffer(path: str | os.PathLike[str], element: Type) -> np.ndarray:
    """Maps a file of `save_buffer`, to be read only.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is no .npy file.
    """
    stored = open_memmap(path, mode="r")
    return np.asarray(stored.view(numpy_dtype(element).base))


def _scalar(type: Scalar) -> np.dtype[Any]:  # noqa: A002
    try:
        return np.dtype(type.dtype)
    except TypeError:
        return _bytes(type.size)


def _bytes(size: int) -> np.dtype[Any]:
    return np.dtype((np.uint8, (size,)))


def _lanes(type: Struct) -> np.dtype[Any] | None:  # noqa: A002
    """Returns the lanes of a struct of equal scalars without gaps, as ``float3``; or None."""
    lane = type.fields[0].type if type.fields else None
    if not isinstance(lane, Scalar) or type.size != lane.size * len(type.fields):
        return None
    if any(field.type != lane for field in type.fields):
        return None
    return np.dtype((_scalar(lane), (len(type.fields),)))


def _structured(type: Struct) -> np.dtype[Any]:  # noqa: A002
    return np.dtype(
        {
            "names": [field.name for field in type.fields],
            "formats": [numpy_dtype(field.type) for field in type.fields],
            "offsets": [field.offset for field in type.fields],
            "itemsize": type.size,
        }
    )


def _needs_bits(dtype: np.dtype[Any]) -> bool:
    return dtype.type.__module__ == ml_dtypes.__name__ and dtype.names is None


def _bits(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the type with unsigned integers in place of types that .npy files cannot name."""
    if dtype.subdtype is not None:
        return np.dtype((_bits(dtype.base), dtype.shape))
    if dtype.fields is not None:
        fields = list(dtype.fields.values())
        return np.dtype(
            {
                "names": list(dtype.names or ()),
                "formats": [_bits(field[0]) for field in fields],
                "offsets": [field[1] for field in fields],
                "itemsize": dtype.itemsize,
            }
        )
    return np.dtype(f"u{dtype.itemsize}") if _needs_bits(dtype) else dtype


@dataclass(frozen=True)
class BufferColumn:
    """Numbers of the same type: a whole buffer, or a field of all structs.

    Attributes:
        label: The field, such as ``inner.x``; empty for a whole buffer.
        array: The buffer.
        numbers: The numbers for the buffer, of the same shape.
    """

    label: str
    array: np.ndarray
    numbers: np.ndarray


def spread(
    value: Any, shape: tuple[int, ...], size: str, *, is_complex: bool = False
) -> np.ndarray:
    """Returns numbers in the shape of a buffer, without copying repeated ones.

    A single number is for all, one for each element is for all its lanes, one for each lane is for
    all elements; as many numbers as the buffer has are taken in their order. A complex number is
    two lanes.

    Args:
        value: A number, an array, or a list of both.
        shape: Elements, then lanes.
        size: The number of both, for a message.
        is_complex: Whether the buffer has complex numbers.

    Raises:
        NumericsError: The numbers do not fit.
    """
    array = _array(value)
    if array.dtype.kind == "c" and not is_complex:
        if shape[1:] != (2,):
            raise NumericsError("These are complex numbers; its elements have no two lanes.")
        array = np.stack((array.real, array.imag), axis=-1)
    if array.size == math.prod(shape):
        return array.reshape(shape)
    # An array of one number does not count as a single number: it came out too short.
    if not array.ndim:
        return np.broadcast_to(array, shape)
    if array.shape == shape[:1]:
        return np.broadcast_to(array.reshape(shape[0], *(1 for _ in shape[1:])), shape)
    if array.shape == shape[1:]:
        return np.broadcast_to(array, shape)
    numbers = "is 1 number" if array.size == 1 else f"are {array.size:,} numbers"
    raise NumericsError(f"There {numbers}{_extent(array.shape)}, not {size}.")


def fill_from(value: Any, element: Type, length: int) -> np.ndarray:
    """Returns a buffer with these numbers, converted as an assignment in C converts.

    A struct takes a struct of the same fields or a list with an entry for each field.

    Raises:
        NumericsError: The numbers do not fit.
    """
    array = np.zeros(length, numpy_dtype(element))
    as_seen = array if complex_dtype(element) is None else as_expressions_see(array, element)
    with np.errstate(all="ignore"):
        for column in columns(as_seen, value, size_text_of(element, length)):
            np.copyto(column.array, column.numbers, casting="unsafe")
    return array


def columns(array: np.ndarray, value: Any, size: str, label: str = "") -> Iterator[BufferColumn]:
    """Yields a buffer with the expected numbers; a buffer of structs field by field.

    Args:
        array: The buffer.
        value: A number, an array, or a list of both; for structs also a list of the fields.
        size: The number of numbers in the buffer, for a message.
        label: The label of the field, see `BufferColumn`.

    Raises:
        NumericsError: The numbers do not fit.
    """
    names = array.dtype.names
    if names is None:
        complex_ = array.dtype.kind == "c"
        yield BufferColumn(label, array, spread(value, array.shape, size, is_complex=complex_))
        return
    for number, name in enumerate(names):
        inner = f"{label}.{name}" if label else name
        part = _part(value, names, number)
        yield from columns(array[name], part, f"{size}, field {inner}", inner)


def _part(value: Any, names: tuple[str, ...], number: int) -> Any:
    """Returns the value for a field of a struct."""
    match value:
        case np.ndarray() | np.void() if value.dtype.names == names:
            return value[names[number]]
        case tuple() | list() if len(value) == len(names):
            return value[number]
        case bool() | int() | float() | complex() | np.number():
            return value
    raise NumericsError(
        f"A struct takes a struct of the same fields or a list [{', '.join(names)}] of them."
    )


def _array(value: Any) -> np.ndarray:
    try:
        array = np.asarray(value)
    except ValueError:
        raise NumericsError("The parts of the list have different lengths.") from None
    if array.dtype.kind in "biufc" or is_floating(array.dtype):
        return array
    raise NumericsError(f"These are not numbers, but {array.dtype}.")


def size_text_of(element: Type, length: int) -> str:
    """Returns the number of elements of a buffer in words, and that of numbers if different."""
    lanes = math.prod(numpy_dtype(element).shape)
    elements = f"{length:,} element{'' if length == 1 else 's'} of {element.name}"
    return elements if lanes == 1 else f"{elements}, {length * lanes:,} numbers"


def _extent(shape: tuple[int, ...]) -> str:
    return f" ({' x '.join(map(str, shape))})" if len(shape) > 1 else ""
