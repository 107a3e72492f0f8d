"""What an LTO link inlined, as rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from jitstudio.analysis.correlation.inlined import Inlined
from jitstudio.gui.kit.presentation import Column
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


@dataclass(frozen=True)
class InlinedRow:
    """A function that was inlined.

    Attributes:
        inlined: Where from and where to.
        function: Its name in words of C++; empty where the line table does not tell.
        into: That of the kernel or function that it is in now.
    """

    inlined: Inlined
    function: str
    into: str


def calls_text(row: InlinedRow) -> str:
    """The call, then the calls around it, such as ``helpers.cu:2, kernel.cu:12``."""
    return ", ".join(f"{PurePath(call.file).name}:{call.line}" for call in row.inlined.calls)


INLINED_COLUMNS: tuple[Column[InlinedRow], ...] = (
    Column(QT_TRANSLATE_NOOP("Columns", "Inlined"), lambda row: row.function or "—"),
    Column(QT_TRANSLATE_NOOP("Columns", "Into"), lambda row: row.into),
    Column(QT_TRANSLATE_NOOP("Columns", "Called at"), calls_text),
    Column(
        QT_TRANSLATE_NOOP("Columns", "PTX instructions"),
        lambda row: f"{row.inlined.instructions:,}",
        number=True,
    ),
)
"""The function leads to its source, where it is now to the PTX, and the call to its line."""
FUNCTION, INTO, CALL = range(3)
