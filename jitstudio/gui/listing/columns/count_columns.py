"""The columns next to PTX: the counts of a simulated launch at each line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from jitstudio.core.launch.simulation import LineCounts
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.listing.columns.sass_cells import ListingCells
from jitstudio.gui.listing.columns.sass_columns import ListingColumn, counted_by


class PtxRow(NamedTuple):
    """A line of PTX that was executed."""

    counts: LineCounts


class PtxCells(ListingCells):
    """The columns of a listing of PTX.

    Args:
        lines: The counts of the lines.
    """

    def __init__(self, lines: Iterable[LineCounts]) -> None:
        self._rows = {line.ptx_line: PtxRow(line) for line in lines}

    def row(self, line: int) -> PtxRow | None:
        """See `ListingCells`."""
        return self._rows.get(line + 1)


COUNT_COLUMNS = (
    ListingColumn(
        "executed",
        QT_TRANSLATE_NOOP("SassColumns", "Exec"),
        QT_TRANSLATE_NOOP("SassColumns", "How often warps came here in the simulated launch"),
        8,
        counted_by(lambda counts: counts.executions),
        about=QT_TRANSLATE_NOOP("SassColumns", "by warps"),
        is_number=True,
        is_shown=True,
    ),
    ListingColumn(
        "lanes",
        QT_TRANSLATE_NOOP("SassColumns", "Lanes"),
        QT_TRANSLATE_NOOP("SassColumns", "Threads for each time that a warp came here, 32 at most"),
        6,
        counted_by(lambda counts: counts.mean_active_lanes, ".3g"),
        about=QT_TRANSLATE_NOOP("SassColumns", "active, on average"),
        is_number=True,
        is_shown=True,
    ),
    ListingColumn(
        "sectors",
        QT_TRANSLATE_NOOP("SassColumns", "Sect"),
        QT_TRANSLATE_NOOP(
            "SassColumns",
            "Sectors of 32 bytes of global or local memory per request of a warp; 4 are enough for "
            "32 lanes with 4 bytes each",
        ),
        6,
        counted_by(lambda counts: counts.sectors_per_request, ".3g"),
        about=QT_TRANSLATE_NOOP("SassColumns", "per request"),
        is_number=True,
        is_shown=True,
    ),
    ListingColumn(
        "conflicts",
        QT_TRANSLATE_NOOP("SassColumns", "Conf"),
        QT_TRANSLATE_NOOP(
            "SassColumns",
            "Passes through the banks of shared memory that different words in one bank have "
            "caused",
        ),
        8,
        counted_by(lambda counts: counts.bank_conflicts),
        about=QT_TRANSLATE_NOOP("SassColumns", "bank conflicts"),
        is_number=True,
        is_shown=True,
    ),
    ListingColumn(
        "lines",
        QT_TRANSLATE_NOOP("SassColumns", "Line"),
        QT_TRANSLATE_NOOP(
            "SassColumns", "Lines of 128 bytes of global or local memory per request of a warp"
        ),
        6,
        counted_by(lambda counts: counts.lines_per_request, ".3g"),
        about=QT_TRANSLATE_NOOP("SassColumns", "of 128 bytes, per request"),
        is_number=True,
    ),
    ListingColumn(
        "used",
        QT_TRANSLATE_NOOP("SassColumns", "Used"),
        QT_TRANSLATE_NOOP("SassColumns", "The share of their bytes that was asked for"),
        6,
        counted_by(lambda counts: counts.used_share or 0, ".0%"),
        about=QT_TRANSLATE_NOOP("SassColumns", "of the bytes moved"),
        is_number=True,
    ),
    ListingColumn(
        "divergent",
        QT_TRANSLATE_NOOP("SassColumns", "Div"),
        QT_TRANSLATE_NOOP("SassColumns", "How often the lanes of a warp parted at this branch"),
        7,
        counted_by(lambda counts: counts.divergent),
        about=QT_TRANSLATE_NOOP("SassColumns", "divergent branches"),
        is_number=True,
    ),
    ListingColumn(
        "meeting",
        QT_TRANSLATE_NOOP("SassColumns", "Atom"),
        QT_TRANSLATE_NOOP(
            "SassColumns", "Most lanes of a warp that met at one address in this atomic operation"
        ),
        5,
        counted_by(lambda counts: counts.lanes_per_address),
        about=QT_TRANSLATE_NOOP("SassColumns", "lanes at one address"),
        is_number=True,
    ),
)
