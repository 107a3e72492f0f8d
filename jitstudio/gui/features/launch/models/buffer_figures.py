"""What can be said and drawn of a column of a buffer, however long it is.

Everything here may take seconds and is called off the GUI thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event

import numpy as np
from PySide6.QtCore import QCoreApplication

from jitstudio.gui.features.launch.models.buffer_data import (
    BufferData,
    Leaf,
    Values,
    as_numbers,
    chunks,
)
from jitstudio.gui.kit.translating import counted

_BINS = 60
_POINTS = 2000
# The histogram of more would take longer than anybody waits: some stand for all.
_MOST_COUNTED = 1 << 23
_CHUNK = 1 << 21


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
        """The figures in one line."""
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
class Curve:
    """A part of a column as a line that no screen has the points for.

    Attributes:
        x, y: The points.
        start, stop: The elements they stand for.
        per_point: Elements that share a point's place; their smallest and largest are drawn.
    """

    x: Values
    y: Values
    start: int
    stop: int
    per_point: int


def statistics(data: BufferData, leaf: int, stop: Event) -> Statistics:
    """Look at every value of a column that was written.

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


def curve(leaf: Leaf, start: int, stop_at: int, stop: Event) -> Curve:
    """The smallest and the largest of each stretch of elements, so that no spike is lost.

    Raises:
        Stopped: As soon as `stop` is set.
    """
    start, stop_at = max(0, start), min(len(leaf.values), stop_at)
    count = stop_at - start
    per_point = max(1, -(-count // _POINTS))
    values = leaf.values[start:stop_at]
    if per_point == 1:
        return Curve(np.arange(start, stop_at), _drawable(as_numbers(values)), start, stop_at, 1)
    size = per_point * max(1, _CHUNK // per_point)
    y = np.concatenate([_ends(part, per_point) for part in chunks(values, stop, size)])
    # Both ends of a stretch stand in its middle half, the smallest first.
    x = start + per_point * (np.arange(len(y)) / 2 + 0.25)
    return Curve(x, y, start, stop_at, per_point)


def _written(data: BufferData, leaf: int, stop: Event, step: int = 1) -> Iterator[Values]:
    """Every so many-th value of a column without those that were never written.

    A kernel may write the very value that stands for "never written". All of them are equal, so
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
    """As floating point, with NaN for what is not finite: a gap in the line."""
    numbers = values.astype(np.float64)
    numbers[~np.isfinite(numbers)] = np.nan
    return numbers


def _value(value: float | int) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
