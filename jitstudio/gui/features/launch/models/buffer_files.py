"""Writes a buffer into files that other programs read."""

from __future__ import annotations

import csv
from pathlib import Path
from threading import Event

from jitstudio.gui.features.launch.models.buffer_data import BufferData, Stopped, Values
from jitstudio.numerics.dtypes import save_buffer

_ROWS = 1 << 16


def save_npy(data: BufferData, path: Path, _stop: Event) -> None:
    """Write the content as it is stored."""
    save_buffer(path, data.array)


def save_csv(data: BufferData, path: Path, stop: Event) -> None:
    """Write a row for each element, its index first.

    Raises:
        Stopped: As soon as `stop` is set; what was written stays.
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
