"""The first elements of a buffer that are not as expected, as columns of a table."""

from __future__ import annotations

from jitstudio.core.launch.result import Mismatch
from jitstudio.gui.models.presentation import Column


def index_text(index: tuple[int, ...]) -> str:
    """An index as it is written in brackets, its lanes behind commas."""
    return ", ".join(f"{part:,}" if not n else str(part) for n, part in enumerate(index))


MISMATCH_COLUMNS: tuple[Column[Mismatch], ...] = (
    Column("Index", lambda m: index_text(m.index), lambda m: m.index[0], number=True),
    Column("Got", lambda m: m.got, number=True),
    Column("Expected", lambda m: m.expected, number=True),
)
