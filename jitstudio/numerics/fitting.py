"""Brings numbers from elsewhere into the shape of a buffer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from jitstudio.core.launch.types import Type
from jitstudio.numerics.dtypes import is_floating, numpy_dtype
from jitstudio.numerics.errors import NumericsError


@dataclass(frozen=True)
class Column:
    """Numbers of one type: a whole buffer, or a field of all its structs.

    Attributes:
        label: The field, such as ``inner.x``; empty for a whole buffer.
        array: The buffer.
        numbers: What belongs to it, of the same shape.
    """

    label: str
    array: np.ndarray
    numbers: np.ndarray


def spread(value: Any, shape: tuple[int, ...], size: str) -> np.ndarray:
    """Numbers in the shape of a buffer, without copying what is repeated.

    One number is for all, one for each element is for all its lanes, one for each lane is for all
    elements; as many numbers as the buffer has are taken in their order.

    Args:
        value: A number, an array, or a list of such.
        shape: Elements, then lanes.
        size: How many these are, for a message.

    Raises:
        NumericsError: They do not fit.
    """
    array = _array(value)
    if array.size == math.prod(shape):
        return array.reshape(shape)
    if array.size == 1:
        return np.broadcast_to(array.reshape(()), shape)
    if array.shape == shape[:1]:
        return np.broadcast_to(array.reshape(shape[0], *(1 for _ in shape[1:])), shape)
    if array.shape == shape[1:]:
        return np.broadcast_to(array, shape)
    raise NumericsError(f"There are {array.size:,} numbers{_extent(array.shape)}, not {size}.")


def fill_from(value: Any, element: Type, length: int) -> np.ndarray:
    """A buffer with these numbers, which become its type as an assignment in C makes them.

    A struct takes a struct of the same fields or a list that has an entry for each field.

    Raises:
        NumericsError: They do not fit.
    """
    array = np.zeros(length, numpy_dtype(element))
    with np.errstate(all="ignore"):
        for column in columns(array, value, size_in_words(element, length)):
            np.copyto(column.array, column.numbers, casting="unsafe")
    return array


def columns(array: np.ndarray, value: Any, size: str, label: str = "") -> Iterator[Column]:
    """A buffer with the numbers that belong to it; the fields of its structs each by itself.

    Args:
        array: The buffer.
        value: A number, an array, or a list of such; for structs also a list of the fields.
        size: How many numbers the buffer has, for a message.
        label: Of the field that this is, see `Column`.

    Raises:
        NumericsError: They do not fit.
    """
    names = array.dtype.names
    if names is None:
        yield Column(label, array, spread(value, array.shape, size))
        return
    for number, name in enumerate(names):
        inner = f"{label}.{name}" if label else name
        part = _part(value, names, number)
        yield from columns(array[name], part, f"{size}, field {inner}", inner)


def _part(value: Any, names: tuple[str, ...], number: int) -> Any:
    """What there is for one field of a struct."""
    match value:
        case np.ndarray() | np.void() if value.dtype.names == names:
            return value[names[number]]
        case tuple() | list() if len(value) == len(names):
            return value[number]
        case bool() | int() | float() | np.number():
            return value
    raise NumericsError(
        f"A struct takes a struct of the same fields or a list [{', '.join(names)}] of them."
    )


def _array(value: Any) -> np.ndarray:
    try:
        array = np.asarray(value)
    except ValueError:
        raise NumericsError("The parts of the list have different lengths.") from None
    if array.dtype.kind in "biuf" or is_floating(array.dtype):
        return array
    raise NumericsError(f"These are no numbers, but {array.dtype}.")


def size_in_words(element: Type, length: int) -> str:
    """How many elements a buffer has, and how many numbers if that is not the same."""
    lanes = math.prod(numpy_dtype(element).shape)
    elements = f"{length:,} element{'' if length == 1 else 's'} of {element.name}"
    return elements if lanes == 1 else f"{elements}, {length * lanes:,} numbers"


def _extent(shape: tuple[int, ...]) -> str:
    return f" ({' x '.join(map(str, shape))})" if len(shape) > 1 else ""
