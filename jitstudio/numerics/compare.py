"""Compares the results of a kernel with the expected numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

from jitstudio.core.launch.request import Expectation
from jitstudio.core.launch.result import CheckResult, Mismatch, unchecked
from jitstudio.core.launch.types import Type
from jitstudio.numerics.dtypes import (
    BufferColumn,
    NumericsError,
    as_expressions_see,
    columns,
    is_floating,
    size_text_of,
)
from jitstudio.numerics.targets import BufferPart

_PIECE = 1 << 16
"""Numbers that are compared at a time."""

_LARGEST = np.uint64((1 << 64) - 1)


@dataclass(frozen=True)
class Tolerance:
    """The largest differences allowed, and the number of mismatches to report.

    Attributes:
        relative, absolute: Of floating-point buffers, as `numpy.isclose` takes them.
        integer: The difference allowed between integers, or bools.
        most: The number of mismatches to report.
    """

    relative: float = 0.0
    absolute: float = 0.0
    integer: int = 0
    most: int = 20


@dataclass
class _Tally:
    """The results of the comparison so far.

    Attributes:
        tolerance: The differences allowed.
        axes: The axes of the buffer; further axes of a field of a struct are in its label.
        part: The part compared, if not the whole buffer.
        shape: The shape of the whole buffer.
    """

    tolerance: Tolerance
    axes: int
    part: BufferPart | None = None
    shape: tuple[int, ...] = ()
    count: int = 0
    wrong: int = 0
    nans: int = 0
    largest_absolute: float = 0.0
    largest_relative: float = 0.0
    mismatches: list[Mismatch] = field(default_factory=list)

    def add(self, column: BufferColumn, first: int, got: np.ndarray, expected: np.ndarray) -> None:
        """Compares a piece of a column that begins at element `first`."""
        self.count += got.size
        if np.array_equal(got, expected):
            return
        compare = _compare_floats if _is_inexact(got.dtype) else _compare_exactly
        difference, wrong = compare(got, expected, self.tolerance)
        if _is_inexact(got.dtype):
            self.nans += int(np.count_nonzero(np.isnan(expected) & ~wrong))
        self.wrong += int(np.count_nonzero(wrong))
        # A NaN wins against everything, as it does in NumPy.
        self.largest_absolute = float(np.maximum(self.largest_absolute, np.max(difference)))
        magnitude = np.abs(_wide(expected))
        relative = difference / magnitude
        relative[magnitude == 0] = 0
        self.largest_relative = float(
            np.fmax(self.largest_relative, np.fmax.reduce(relative, None))
        )
        for index in np.argwhere(wrong)[: self.tolerance.most - len(self.mismatches)]:
            at = tuple(map(int, index))
            label = _label(column.label, at[self.axes :])
            self.mismatches.append(
                Mismatch(
                    self._place((first + at[0], *at[1 : self.axes])),
                    f"{label}{got[at]!s}",
                    f"{label}{expected[at]!s}",
                )
            )

    def _place(self, at: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the place of a number in the buffer."""
        if self.part is None:
            return at
        return tuple(map(int, np.unravel_index(self.part.places[at], self.shape)))


def _label(name: str, lanes: tuple[int, ...]) -> str:
    """Returns the text in front of a number of a struct, such as ``position[2]: ``."""
    return f"{name}{''.join(f'[{lane}]' for lane in lanes)}: " if name else ""


def compare(
    got: np.ndarray,
    expected: Any,
    expectation: Expectation,
    element: Type,
    tolerance: Tolerance,
    part: BufferPart | None = None,
) -> CheckResult:
    """Compares a buffer, or a part, with numbers of any type.

    Expected numbers are rounded to the type of a floating-point buffer first, as the buffer can
    hold nothing else; the differences are those of double precision. NaN equals NaN, which is
    counted, and -0.0 equals 0.0. Integers and bools are compared exactly, whatever the tolerances
    of floats are, also with an expression that gives floats. Elements that are expected to be zero
    do not count for the largest relative difference. Structs are compared field by field, with a
    struct of the same fields or with a list of an entry for each. Of complex numbers the distance
    counts.

    Args:
        got: The buffer, perhaps mapped from a file.
        expected: A number, an array, or a list of both.
        expectation: The expectation that the result names.
        element: The type of an element of the buffer.
        tolerance: The differences allowed.
        part: The part to compare; None for the whole buffer.
    """
    whole = as_expressions_see(got, element)
    numbers, size, label, left_out = whole, size_text_of(element, len(whole)), "", 0
    if part is not None:
        numbers, label = part.numbers, part.field
        size = f"{part.numbers.size:,}, as {expectation.target} has"
        left_out = whole.size - np.unique(part.places).size
    tally = _Tally(tolerance, numbers.ndim, part, whole.shape)
    try:
        with np.errstate(all="ignore"):
            for column in columns(numbers, expected, size, label):
                for first, piece, expected_piece in _pieces(column):
                    tally.add(column, first, piece, expected_piece)
    except NumericsError as error:
        return unchecked(expectation, str(error))
    return CheckResult(
        expectation.buffer,
        expectation.expression,
        ok=not tally.wrong,
        count=tally.count,
        wrong=tally.wrong,
        nans=tally.nans,
        largest_absolute=tally.largest_absolute,
        largest_relative=tally.largest_relative,
        mismatches=tuple(tally.mismatches),
        part=expectation.part,
        left_out=left_out,
    )


def _pieces(column: BufferColumn) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yields the numbers in pieces, with the index of the first element of each piece.

    Raises:
        NumericsError: The buffer has integers, and the expected numbers are too inexact.
    """
    got, expected = column.array, column.numbers
    rounds = _is_inexact(got.dtype)
    if not rounds:
        _require_exact(expected)
    step = max(1, _PIECE // max(1, math.prod(got.shape[1:])))
    for first in range(0, len(got), step):
        expected_piece = expected[first : first + step]
        if rounds:
            expected_piece = expected_piece.astype(got.dtype)
        yield first, got[first : first + step], expected_piece


def _is_inexact(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "c" or is_floating(dtype)


def _wide(array: np.ndarray) -> np.ndarray:
    """Returns numbers in double precision."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _require_exact(expected: np.ndarray) -> None:
    """Refuses floats that cannot tell neighbouring integers apart, as their sums may be rounded.

    An `int64` plus a `uint64` is a `float64` in NumPy.
    """
    if not expected.size or not is_floating(expected.dtype):
        return
    finfo: Any = ml_dtypes.finfo
    end = 2.0 ** (finfo(expected.dtype).nmant + 1)
    finite = np.where(np.isfinite(expected), expected, 0)
    if np.max(np.abs(finite)) < end:
        return
    raise NumericsError(
        f"It is compared with integers, and the expression gives {expected.dtype} beyond "
        f"{end:,.0f}, where not every integer has one. Keep it in integers, as with "
        "i.astype(uint64), or say .astype(int64) of what is exact."
    )


def _compare_floats(
    got: np.ndarray, expected: np.ndarray, tolerance: Tolerance
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the differences, and which are too large."""
    left, right = _wide(got), _wide(expected)
    difference = np.abs(left - right)
    allowed = tolerance.absolute + tolerance.relative * np.abs(right)
    if np.isfinite(np.max(difference)):
        return difference, difference > allowed
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    difference[same] = 0
    return difference, ~same & ~((difference <= allowed) & np.isfinite(right))


def _compare_exactly(
    got: np.ndarray, expected: np.ndarray, tolerance: Tolerance
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the differences of integers from the expected numbers, and which are too large."""
    if got.dtype.kind == "b":
        got = got.astype(np.uint8)
    if not is_floating(expected.dtype):
        return _compare_integers(got, expected, tolerance)
    expected_doubles = expected.astype(np.float64)
    # `_require_exact` has made sure that all finite numbers fit.
    whole = np.isfinite(expected_doubles) & (expected_doubles == np.trunc(expected_doubles))
    integers = np.where(whole, expected_doubles, 0).astype(np.int64)
    distance, wrong = _compare_integers(got, integers, tolerance)
    others = np.abs(got.astype(np.float64) - expected_doubles)
    return (
        np.where(whole, distance, others),
        np.where(whole, wrong, ~(others <= tolerance.integer)),
    )


def _compare_integers(
    got: np.ndarray, expected: np.ndarray, tolerance: Tolerance
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the differences, exact and without overflow, and which are too large."""
    greater = got > expected
    left, right = got.astype(np.uint64), expected.astype(np.uint64)
    upper, lower = np.where(greater, left, right), np.where(greater, right, left)
    difference = upper - lower
    # Only a negative and a large unsigned integer are further apart than 64 bits can say.
    apart = np.where(greater, (got >= 0) & (expected < 0), (expected >= 0) & (got < 0))
    difference[apart & (difference < upper)] = _LARGEST
    wrong = (got != expected) & (difference > np.uint64(tolerance.integer))
    return difference.astype(np.float64), wrong
