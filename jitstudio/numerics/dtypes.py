"""NumPy's types for the elements of buffers, and the .npy files that hold buffers.

A buffer of `n` elements is an array whose first axis has `n` entries; vectors such as ``float4``
and arrays have their lanes as further axes, other structs are structured types.

The .npy format has no names for bfloat16 and the 8-bit floats: `numpy.save` writes them as bytes
without a meaning. Files written here hold their bits as unsigned integers of the same size
instead, which every reader of .npy understands, and `open_buffer` looks at them as what they are.
"""

from __future__ import annotations

import os
from typing import Any

import ml_dtypes
import numpy as np
from numpy.lib.format import open_memmap

from jitstudio.core.launch.types import Array, Opaque, Pointer, Scalar, Struct, Type

_ADDRESS = np.dtype(np.uint64)


def numpy_dtype(type: Type) -> np.dtype[Any]:  # noqa: A002
    """One element with its lanes: `base` is the type of a lane, `shape` how many there are.

    `numpy.empty(n, numpy_dtype(type))` has the lanes as further axes.
    """
    match type:
        case Scalar():
            return _scalar(type)
        case Pointer():
            return _ADDRESS
        case Opaque():
            return _bytes(type.size)
        case Array(element, count):
            inner = numpy_dtype(element)
            return np.dtype((inner.base, (count, *inner.shape)))
        case Struct():
            return _lanes(type) or _structured(type)


def shape_of(type: Type, length: int) -> tuple[int, ...]:  # noqa: A002
    """The shape of a buffer of so many elements."""
    return (length, *numpy_dtype(type).shape)


def is_floating(dtype: np.dtype[Any]) -> bool:
    """Whether it is a floating-point type, those of `ml_dtypes` included."""
    return dtype.kind == "f" or _needs_bits(dtype)


def is_integer(dtype: np.dtype[Any]) -> bool:
    """Whether it is an integer type; `bool` is none."""
    return dtype.kind in "iu"


def save_buffer(path: str | os.PathLike[str], array: np.ndarray) -> None:
    """Write a buffer to an .npy file.

    Raises:
        OSError: It cannot be written.
    """
    with open(path, "wb") as file:
        np.save(file, array.view(_bits(array.dtype)), allow_pickle=False)


def new_buffer(
    path: str | os.PathLike[str], element: Type, length: int
) -> np.memmap[Any, np.dtype[Any]]:
    """Make a file like those of `save_buffer`, mapped to be written.

    Raises:
        OSError: It cannot be written.
    """
    shape, dtype = shape_of(element, length), _bits(numpy_dtype(element).base)
    return open_memmap(path, mode="w+", dtype=dtype, shape=shape)


def open_buffer(path: str | os.PathLike[str], element: Type) -> np.ndarray:
    """Map a file of `save_buffer`, to be read only.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no .npy file.
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
    """The same scalar several times without gaps, as in ``float3``; None for another struct."""
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
    """The same type with unsigned integers in place of what .npy files cannot name."""
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
