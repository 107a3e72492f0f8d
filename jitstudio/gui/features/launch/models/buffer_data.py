"""The content of a buffer, as table, plot and image read it.

Imports NumPy, which takes a while: `late` loads it off the GUI thread when the first buffer is to
be shown. The file is mapped, so that a buffer of any size opens at once,
and stays readable as long as the map is held, whatever becomes of its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication

from jitstudio.core.launch.result import BufferResult, Mismatch
from jitstudio.core.launch.types import Struct
from jitstudio.numerics.dtypes import open_buffer

Values = np.ndarray[Any, Any]

# A struct with an array in it may have any number of members; more columns nobody reads.
_MOST_LEAVES = 256
_CHUNK = 1 << 21


class Stopped(Exception):
    """Raised in work that nobody waits for any more."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """One number of each element: the element itself, a lane of a vector, a member of a struct.

    Attributes:
        label: What it is called within its element; empty for the element itself.
        values: One for each element, a view of the mapped file.
    """

    label: str
    values: Values

    @property
    def is_number(self) -> bool:
        """Whether it can be drawn and counted; bytes of unknown meaning cannot."""
        return self.values.dtype.type is not np.void


class BufferData:
    """One buffer, opened.

    Attributes:
        result: What the launch said of it.
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
        """A value as a decimal number."""
        value = self.leaves[leaf].values[element]
        return str(value).lower() if self.leaves[leaf].is_number else _hex(value)

    def hex_text(self, element: int, leaf: int) -> str:
        """The bits of a value, the most significant first."""
        return _hex(self.leaves[leaf].values[element])

    def is_unwritten(self, element: int) -> bool:
        """Whether an element still holds the pattern that the first unwritten one holds."""
        return self._pattern is not None and self.array[element].tobytes() == self._pattern

    @property
    def unwritten(self) -> int:
        """Elements that were never written, as far as they can be told from others."""
        return (self.result.unwritten or 0) if self._pattern is not None else 0

    def unwritten_in(self, start: int, stop: int, step: int = 1) -> Values:
        """Which elements of a stretch hold the pattern, each of them by its number there."""
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
    """Open every buffer at once, as a later launch may replace the files; or say why not."""
    opened: dict[str, BufferData | str] = {}
    for buffer in buffers:
        try:
            opened[buffer.name] = BufferData(buffer, mismatches.get(buffer.name, ()))
        except (OSError, ValueError) as error:
            told = QCoreApplication.translate(
                "BufferData", "The content of '{name}' cannot be read: {error}."
            )
            opened[buffer.name] = told.format(name=buffer.name, error=error)
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
