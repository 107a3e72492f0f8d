"""The content of buffers generated from a few numbers.

Everything is made in pieces that fit into a cache, and in the type of the buffer as far as that
goes, so that a buffer of a gigabyte needs little more than that gigabyte.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from jitstudio.core.launch.request import Buffer, FillKind
from jitstudio.numerics.dtypes import (
    NumericsError,
    complex_dtype,
    fill_from,
    is_floating,
    is_integer,
    numpy_dtype,
)

_PIECE = 1 << 18
"""Numbers generated at a time."""

_WORD = 1 << 64

_Number = float | int

_Make = Callable[[int, int, np.dtype[Any]], np.ndarray]
"""Generates the numbers from the first to the last index in (nearly) this type."""


def generate(buffer: Buffer) -> np.ndarray:
    """Returns the content of a buffer before the launch; always the same for the same fill.

    Numbers are counted through all lanes, so that a range of ``float4`` begins ``0 1 2 3``; that of
    complex numbers is ``0 1 2 3``, too, each with no imaginary part. The fields of a struct are
    filled each by itself.

    Raises:
        NumericsError: The numbers of the fill do not suit the type.
    """
    fill = buffer.fill
    array = np.zeros(buffer.length, numpy_dtype(buffer.element))
    match fill.kind:
        case FillKind.ZEROS:
            return array
        case FillKind.VALUES | FillKind.INITIAL:
            if len(fill.data) != array.nbytes:
                raise NumericsError(f"What {buffer.name} holds before the launch is not known.")
            return _of_bytes(buffer, fill.data)
        case FillKind.CONSTANT:
            if len(fill.numbers) > 1:
                return fill_from(complex(*fill.numbers), buffer.element, buffer.length)
            make = _constant(*fill.numbers)
        case FillKind.RANGE:
            make = _range(*fill.numbers)
        case FillKind.RANDOM:
            make = _random(*fill.numbers)
        case FillKind.UNFILLED:
            raise NumericsError(f"{buffer.name} is left unfilled: nobody knows what it holds.")
        case FillKind.FILE | FillKind.EXPRESSION:
            raise NumericsError(f"The content of {buffer.name} is not made from numbers.")
    counts = fill.kind is not FillKind.RANDOM and complex_dtype(buffer.element) is not None
    with np.errstate(all="ignore"):
        for column in _columns(array):
            _write(column[:, :1] if counts else column, make)
    return array


def _of_bytes(buffer: Buffer, data: bytes) -> np.ndarray:
    dtype = numpy_dtype(buffer.element)
    return np.frombuffer(data, dtype.base).reshape(buffer.length, *dtype.shape)


def _columns(array: np.ndarray) -> Iterator[np.ndarray]:
    """Yields the array, or all fields of an array of structs."""
    if array.dtype.names is None:
        yield array
        return
    for name in array.dtype.names:
        yield from _columns(array[name])


def _write(array: np.ndarray, make: _Make) -> None:
    lanes = math.prod(array.shape[1:])
    step = max(1, _PIECE // max(1, lanes))
    for first in range(0, len(array), step):
        piece = array[first : first + step]
        start = first * lanes
        numbers = make(start, start + piece.size, array.dtype)
        piece[...] = numbers.astype(array.dtype, copy=False).reshape(piece.shape)


def _constant(value: _Number = 0) -> _Make:
    def make(first: int, last: int, dtype: np.dtype[Any]) -> np.ndarray:
        number = value if is_floating(dtype) else _word(value)
        return np.full(last - first, number, np.float64 if is_floating(dtype) else np.uint64)

    return make


def _range(start: _Number = 0, step: _Number = 1) -> _Make:
    def make(first: int, last: int, dtype: np.dtype[Any]) -> np.ndarray:
        if is_floating(dtype) or not _whole(start, step):
            index = np.arange(first, last, dtype=np.float64)
            numbers = start + step * index
            # By way of signed integers, as a negative float has no unsigned meaning.
            return numbers if is_floating(dtype) else numbers.astype(np.int64)
        index = np.arange(first, last, dtype=np.uint64)
        return index * np.uint64(_word(step)) + np.uint64(_word(start))

    return make


def _random(seed: _Number = 0, low: _Number | None = None, high: _Number | None = None) -> _Make:
    rng = np.random.default_rng(abs(int(seed)))

    def make(first: int, last: int, dtype: np.dtype[Any]) -> np.ndarray:
        count = last - first
        if is_floating(dtype):
            return _floats(rng, count, dtype, low or 0, 1 if high is None else high)
        if is_integer(dtype):
            return _integers(rng, count, dtype, low or 0, 99 if high is None else high)
        return rng.integers(0, 2, count, dtype=np.uint8)

    return make


def _floats(
    rng: np.random.Generator, count: int, dtype: np.dtype[Any], low: _Number, high: _Number
) -> np.ndarray:
    if not low < high or not math.isfinite(high - low):
        raise NumericsError(f"There is no random number from {low} to below {high}.")
    # NumPy makes random numbers of these two types only.
    generated = np.float64 if dtype == np.float64 else np.float32
    numbers: np.ndarray = rng.random(count, dtype=generated)
    if (low, high) != (0, 1):
        numbers *= high - low
        numbers += low
    numbers = numbers.astype(dtype, copy=False)
    # Rounding may have reached the excluded end.
    end, least = np.array([high, low]).astype(dtype)
    return np.asarray(np.minimum(numbers, np.nextafter(end, least)))


def _integers(
    rng: np.random.Generator, count: int, dtype: np.dtype[Any], low: _Number, high: _Number
) -> np.ndarray:
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    if not least <= low <= high <= most:
        raise NumericsError(
            f"There is no random {dtype.name} from {low} to {high}; it goes from {least} to {most}."
        )
    return rng.integers(int(low), int(high), count, dtype=dtype, endpoint=True)


def _whole(*numbers: _Number) -> bool:
    return all(float(number).is_integer() for number in numbers)


def _word(number: _Number) -> int:
    """Returns a number as 64 bits that wrap around, as an assignment in C does."""
    if not math.isfinite(number):
        raise NumericsError(f"An integer cannot be {number}.")
    return int(number) % _WORD
