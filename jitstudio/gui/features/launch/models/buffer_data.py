"""The content of a buffer, in the form for table, plot and image.

Imports NumPy, which takes a while: `late` loads it off the GUI thread when the first buffer is to
be shown. The file is mapped, so that a buffer of any size opens at once,
and stays readable as long as the map is held, whatever becomes of its name.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication

from jitstudio.core.launch.result import BufferResult, Mismatch
from jitstudio.core.launch.types import Struct
from jitstudio.gui.kit.translating import counted
from jitstudio.numerics.dtypes import open_buffer, save_buffer

Values = np.ndarray[Any, Any]

# A struct with an array in it may have any number of members; more columns cannot be read.
_MOST_LEAVES = 256
_CHUNK = 1 << 21


class Stopped(Exception):
    """Raised in work whose result is not needed any more."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """A number of each element: the element itself, a lane of a vector, a member of a struct.

    Attributes:
        label: The name within the element; empty for the element itself.
        values: One for each element, a view of the mapped file.
    """

    label: str
    values: Values

    @property
    def is_number(self) -> bool:
        """Whether the values can be drawn and counted; bytes of unknown meaning cannot."""
        return self.values.dtype.type is not np.void


class BufferData:
    """An opened buffer.

    Attributes:
        result: The buffer as the launch reports.
        array: Its content as stored.
        leaves: Its columns; at least one.
        mismatches: The first of the elements that are wrong, by element and leaf.
    """

    def __init__(self, result: BufferResult, mismatches: tuple[Mismatch, ...] = ()) -> None:
        self.result = result
        self.array: Values = open_buffer(result.path, result.element)
        self.leaves = tuple(_leaves(self.array, _lane_names(result)))[:_MOST_LEAVES]
        self.mismatches = {
            (wrong.index[0], leaf): wrong for wrong in mismatches for leaf in self._leaves_of(wrong)
        }
        self._pattern = self._unwritten_bytes()

    @property
    def length(self) -> int:
        """Elements."""
        return len(self.array)

    def text(self, element: int, leaf: int) -> str:
        """Returns a value as a decimal number."""
        value = self.leaves[leaf].values[element]
        return str(value).lower() if self.leaves[leaf].is_number else _hex(value)

    def hex_text(self, element: int, leaf: int) -> str:
        """Returns the bits of a value, the most significant first."""
        return _hex(self.leaves[leaf].values[element])

    def is_unwritten(self, element: int) -> bool:
        """Returns whether an element still holds the pattern of unwritten memory."""
        return self._pattern is not None and self.array[element].tobytes() == self._pattern

    @property
    def unwritten(self) -> int:
        """Elements that were never written, as far as they can be known from others."""
        return (self.result.unwritten or 0) if self._pattern is not None else 0

    def unwritten_in(self, start: int, stop: int, step: int = 1) -> Values:
        """Returns the unwritten elements of a stretch, numbered from its start."""
        if self._pattern is None:
            return np.zeros(0, np.intp)
        # Word by word: comparing byte by byte takes four times as long.
        width = next(width for width in (8, 4, 2, 1) if len(self._pattern) % width == 0)
        pattern = np.frombuffer(self._pattern, f"u{width}")
        words = np.ascontiguousarray(self.array[start:stop:step]).view(f"u{width}")
        columns = words.reshape(-1, len(pattern)).T
        holds = columns[0] == pattern[0]
        for column, word in zip(columns[1:], pattern[1:], strict=True):
            holds &= column == word
        return np.flatnonzero(holds)

    def marked_after(self, element: int) -> int | None:
        """The next element that is known to be wrong or unwritten; from the start after the last.

        None where there is none.
        """
        marked = {index for index, _ in self.mismatches}
        if self._pattern is not None and self.result.first_unwritten is not None:
            marked.add(self.result.first_unwritten)
        return min((m for m in marked if m > element), default=min(marked, default=None))

    def _leaves_of(self, wrong: Mismatch) -> range:
        if len(wrong.index) == 1:
            return range(len(self.leaves))
        lane = int(np.ravel_multi_index(wrong.index[1:], self.array.shape[1:]))
        return range(lane, lane + 1)

    def _unwritten_bytes(self) -> bytes | None:
        first = self.result.first_unwritten
        if not self.result.unwritten or first is None or first >= self.length:
            return None
        return bytes(self.array[first].tobytes())


def open_all(
    buffers: tuple[BufferResult, ...], mismatches: dict[str, tuple[Mismatch, ...]]
) -> dict[str, BufferData | str]:
    """Opens every buffer at once, as a later launch may replace the files; or says why not."""
    opened: dict[str, BufferData | str] = {}
    for buffer in buffers:
        try:
            opened[buffer.name] = BufferData(buffer, mismatches.get(buffer.name, ()))
        except (OSError, ValueError) as error:
            message = QCoreApplication.translate(
                "BufferData", "The content of '{name}' cannot be read: {error}."
            )
            opened[buffer.name] = message.format(name=buffer.name, error=error)
    return opened


def chunks(values: Values, stop: Event, size: int = _CHUNK) -> Iterator[Values]:
    """Parts of a column that fit the processor's cache.

    Raises:
        Stopped: As soon as `stop` is set.
    """
    for start in range(0, len(values), size):
        if stop.is_set():
            raise Stopped
        yield as_numbers(values[start : start + size])


def as_numbers(values: Values) -> Values:
    """Values that NumPy can compare and sum: the magnitude of complex ones, 0 and 1 for bool."""
    match values.dtype.kind:
        case "i" | "u":
            return values
        case "f" if values.dtype.itemsize > 2:
            return values
        case "c":
            return np.abs(values)
        case "b":
            return values.view(np.uint8)
    # Half precision, which NumPy works out one by one, and the types of ml_dtypes.
    return values.astype(np.float32)


def _leaves(array: Values, names: tuple[str, ...], label: str = "") -> Iterator[Leaf]:
    if array.dtype.names:
        for name in array.dtype.names:
            yield from _leaves(array[name], (), f"{label}.{name}" if label else name)
    elif array.ndim == 1:
        yield Leaf(label, array)
    else:
        for number, index in enumerate(np.ndindex(array.shape[1:])):
            lane = "".join(f"[{part}]" for part in index)
            name = names[number] if number < len(names) else f"{label}{lane}"
            yield from _leaves(array[(slice(None), *index)], (), name)


def _lane_names(result: BufferResult) -> tuple[str, ...]:
    element = result.element
    return tuple(field.name for field in element.fields) if isinstance(element, Struct) else ()


def _hex(value: Any) -> str:
    return f"0x{value.tobytes()[::-1].hex()}"


_BINS = 60
_POINTS = 2000
# The histogram of more would take longer than anybody waits: some represent all.
_MOST_COUNTED = 1 << 23


@dataclass(frozen=True, eq=False)
class Statistics:
    """A column in figures.

    Attributes:
        count: Values.
        minimum, maximum: Of the finite ones that were written; None where there are none.
        mean: Likewise.
        nans, infinities: Written values that are no finite numbers.
        histogram: How many of the finite ones are in each bin.
        edges: The bins' limits, one more than bins.
        step: Every so many-th value was counted into the bins.
        unwritten: Values that the kernel never wrote, which are in no other figure but `count`.
    """

    count: int
    minimum: float | int | None
    maximum: float | int | None
    mean: float | None
    nans: int
    infinities: int
    histogram: Values
    edges: Values
    step: int = 1
    unwritten: int = 0

    @property
    def text(self) -> str:
        """The figures in a line."""
        translate = QCoreApplication.translate
        values = counted(
            self.count,
            translate("Statistics", "{count:,} value"),
            translate("Statistics", "{count:,} values"),
        )
        nans = translate("Statistics", "{count:,} NaN").format(count=self.nans)
        infinite = translate("Statistics", "{count:,} infinite").format(count=self.infinities)
        unwritten = translate("Statistics", "{count:,} never written").format(count=self.unwritten)
        last = (unwritten,) if self.unwritten else ()
        if self.minimum is None or self.maximum is None or self.mean is None:
            nothing = translate("Statistics", "none finite")
            return ", ".join((values, nothing, nans, infinite, *last))
        figures = (
            translate("Statistics", "min {value}").format(value=_value(self.minimum)),
            translate("Statistics", "max {value}").format(value=_value(self.maximum)),
            translate("Statistics", "mean {value:.6g}").format(value=self.mean),
            nans,
            *((infinite,) if self.infinities else ()),
        )
        return " · ".join((values, *figures, *last))


@dataclass(frozen=True, eq=False)
class DecimatedCurve:
    """A part of a column as a line that no screen has the points for.

    Attributes:
        x, y: The points.
        start, stop: The elements they represent.
        per_point: Elements that share a point's place; their smallest and largest are drawn.
    """

    x: Values
    y: Values
    start: int
    stop: int
    per_point: int


@dataclass(frozen=True, eq=False)
class PlottedBuffer:
    """A buffer as the plots draw the values.

    Attributes:
        curve: The line.
        statistics: For the histogram; None until it is known.
        whole: Elements of the buffer.
    """

    curve: DecimatedCurve
    statistics: Statistics | None
    whole: int


def statistics(data: BufferData, leaf: int, stop: Event) -> Statistics:
    """Looks at every value of a column that was written.

    Raises:
        Stopped: As soon as `stop` is set.
    """
    lows: list[float | int] = []
    highs: list[float | int] = []
    total, finite_count, nans, infinities = 0.0, 0, 0, 0
    for chunk in _written(data, leaf, stop):
        finite = chunk
        if chunk.dtype.kind == "f":
            good = np.isfinite(chunk)
            if not good.all():
                bad = int(np.isnan(chunk).sum())
                nans += bad
                infinities += int(chunk.size - good.sum()) - bad
                finite = chunk[good]
        if finite.size:
            lows.append(finite.min().item())
            highs.append(finite.max().item())
            total += float(finite.sum(dtype=np.float64))
            finite_count += finite.size
    count, unwritten = data.length, data.unwritten
    if not finite_count:
        nothing = np.zeros(0)
        return Statistics(
            count, None, None, None, nans, infinities, nothing, nothing, unwritten=unwritten
        )
    low, high = min(lows), max(highs)
    step = -(-count // _MOST_COUNTED)
    histogram, edges = _histogram(_written(data, leaf, stop, step), low, high)
    mean = total / finite_count
    return Statistics(count, low, high, mean, nans, infinities, histogram, edges, step, unwritten)


def curve(leaf: Leaf, start: int, stop_at: int, stop: Event) -> DecimatedCurve:
    """Returns the smallest and the largest of each stretch of elements, so that no spike is lost.

    Raises:
        Stopped: As soon as `stop` is set.
    """
    start, stop_at = max(0, start), min(len(leaf.values), stop_at)
    count = stop_at - start
    per_point = max(1, -(-count // _POINTS))
    values = leaf.values[start:stop_at]
    if per_point == 1:
        return DecimatedCurve(
            np.arange(start, stop_at), _drawable(as_numbers(values)), start, stop_at, 1
        )
    size = per_point * max(1, _CHUNK // per_point)
    y = np.concatenate([_ends(part, per_point) for part in chunks(values, stop, size)])
    # Both ends of a stretch are in its middle half, the smallest first.
    x = start + per_point * (np.arange(len(y)) / 2 + 0.25)
    return DecimatedCurve(x, y, start, stop_at, per_point)


def _written(data: BufferData, leaf: int, stop: Event, step: int = 1) -> Iterator[Values]:
    """Yields every `step`-th value of a column without the values that were never written.

    A kernel may write the very value that represents "never written". All of them are equal, so
    that it does not matter which are left out as long as their number is right.
    """
    left = -(-data.unwritten // step)
    start = 0
    for chunk in chunks(data.leaves[leaf].values[::step], stop):
        after = start + step * len(chunk)
        if left:
            unwritten = data.unwritten_in(start, after, step)[:left]
            left -= len(unwritten)
            yield np.delete(chunk, unwritten)
        else:
            yield chunk
        start = after


def _histogram(
    parts: Iterator[Values], low: float | int, high: float | int
) -> tuple[Values, Values]:
    # Equal limits would make bins of no width; whole numbers get a bin each where there are few.
    is_whole = isinstance(low, int) and isinstance(high, int)
    bins = int(high - low) + 1 if is_whole and high - low < _BINS else _BINS
    first, last = (low - 0.5, high + 0.5) if is_whole and bins < _BINS else (low, high)
    if first == last:
        first, last = first - 0.5, last + 0.5
    edges = np.linspace(float(first), float(last), bins + 1)
    counts = np.zeros(bins, np.int64)
    if not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
        return np.zeros(0), np.zeros(0)
    for chunk in parts:
        finite = chunk[np.isfinite(chunk)] if chunk.dtype.kind == "f" else chunk
        counts += np.histogram(finite.astype(np.float64), edges)[0]
    return counts, edges


def _ends(values: Values, per_point: int) -> Values:
    drawable = _drawable(values)
    whole = len(drawable) // per_point * per_point
    rows = drawable[:whole].reshape(-1, per_point)
    parts = [np.fmin.reduce(rows, axis=1), np.fmax.reduce(rows, axis=1)]
    ends = np.stack(parts, axis=1).ravel()
    rest = drawable[whole:]
    if not rest.size:
        return ends
    return np.concatenate((ends, [np.fmin.reduce(rest), np.fmax.reduce(rest)]))


def _drawable(values: Values) -> Values:
    """Returns the values as floating point; infinite values become NaN: a gap in the line."""
    numbers = values.astype(np.float64)
    numbers[~np.isfinite(numbers)] = np.nan
    return numbers


def _value(value: float | int) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


_ROWS = 1 << 16


def save_npy(data: BufferData, path: Path, _stop: Event) -> None:
    """Writes the content as stored."""
    save_buffer(path, data.array)


def save_csv(data: BufferData, path: Path, stop: Event) -> None:
    """Writes a row for each element, starting with the index.

    Raises:
        Stopped: As soon as `stop` is set; the written part stays.
    """
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("index", *(leaf.label or data.result.name for leaf in data.leaves)))
        for start in range(0, data.length, _ROWS):
            if stop.is_set():
                raise Stopped
            end = min(start + _ROWS, data.length)
            columns = (_texts(leaf.values[start:end], leaf.is_number) for leaf in data.leaves)
            writer.writerows(zip(range(start, end), *columns, strict=True))


def _texts(values: Values, is_number: bool) -> list[str]:
    # The shortest text that reads back as the same number, of single precision too.
    return [str(value) if is_number else value.tobytes().hex() for value in values]
