"""Which columns stand beside a listing, in which order, and how wide."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from jitstudio.gui.listing.columns.sass_columns import BY_KEY, COLUMNS, Column

LEAST_CELLS, MOST_CELLS = 3, 120
"""How narrow and how wide a column may be."""

# `gpr:13`, or `-source:19` for one that is not shown; `@4` where it was chosen as the fourth.
_KEPT = re.compile(r"(-?)(\w+):(\d{1,3})(?:@(\d{1,4}))?\Z")


@dataclass(frozen=True)
class Chosen:
    """A column as the user wants it.

    Attributes:
        key: Which one.
        cells: Its width.
        is_shown: Whether it is there.
        turn: When it was chosen: the last one has the highest number.
    """

    key: str
    cells: int
    is_shown: bool
    turn: int = 0

    @property
    def column(self) -> Column:
        """The column itself."""
        return BY_KEY[self.key]

    @property
    def kept(self) -> str:
        """As it is remembered."""
        turn = f"@{self.turn}" if self.turn else ""
        return f"{'' if self.is_shown else '-'}{self.key}:{self.cells}{turn}"


@dataclass(frozen=True)
class ColumnChoice:
    """All columns in their order, those that are not shown too."""

    columns: tuple[Chosen, ...]

    @classmethod
    def usual(cls) -> ColumnChoice:
        """As at the first start."""
        return cls(tuple(Chosen(one.key, one.cells, one.is_shown) for one in COLUMNS))

    @classmethod
    def read(cls, kept: Iterable[str]) -> ColumnChoice:
        """What was remembered, put right: columns come and go with versions."""
        found: dict[str, Chosen] = {}
        for word in kept:
            match = _KEPT.match(word)
            if match and match[2] in BY_KEY:
                cells = min(MOST_CELLS, max(LEAST_CELLS, int(match[3])))
                one = Chosen(match[2], cells, not match[1], int(match[4] or 0))
                found.setdefault(match[2], one)
        is_first = not found
        for one in cls.usual().columns:
            found.setdefault(one.key, replace(one, is_shown=one.is_shown and is_first))
        return cls(tuple(found.values()))

    @property
    def kept(self) -> list[str]:
        """As it is remembered."""
        return [one.kept for one in self.columns]

    @property
    def shown(self) -> tuple[Chosen, ...]:
        """Those that are there, in their order."""
        return tuple(one for one in self.columns if one.is_shown)

    def of(self, key: str) -> Chosen:
        """One of them."""
        return next(one for one in self.columns if one.key == key)

    def show(self, key: str, shown: bool) -> ColumnChoice:
        """With a column, which is the last one chosen then, or without it."""
        turn = 1 + max(one.turn for one in self.columns) if shown else 0
        return self._with(replace(self.of(key), is_shown=shown, turn=turn))

    def resize(self, key: str, cells: int) -> ColumnChoice:
        """With a column as wide as this, as far as that makes sense."""
        return self._with(replace(self.of(key), cells=min(MOST_CELLS, max(LEAST_CELLS, cells))))

    def fit(self, room: int) -> ColumnChoice:
        """What there is room for: the columns chosen last become narrower, or are left out.

        Args:
            room: In cells.
        """
        fitting = self
        for one in sorted(self.shown, key=lambda one: one.turn):
            least = min(one.cells, one.column.least or one.cells)
            cells = min(one.cells, room) if least <= room else 0
            # Behind the first that is left out, all are: a narrow one chosen later stays out too.
            room = room - cells if cells else 0
            fitting = fitting._with(replace(one, cells=cells or one.cells, is_shown=bool(cells)))
        return fitting

    def move(self, key: str, place: int) -> ColumnChoice:
        """With a column at another place among all of them."""
        others = [one for one in self.columns if one.key != key]
        others.insert(min(max(place, 0), len(others)), self.of(key))
        return ColumnChoice(tuple(others))

    def step(self, key: str, step: int) -> ColumnChoice:
        """With a column one place further, past those that are not shown."""
        shown = [one.key for one in self.shown]
        at = shown.index(key) + step
        if not 0 <= at < len(shown):
            return self
        keys = [one.key for one in self.columns]
        return self.move(key, keys.index(shown[at]))

    def _with(self, changed: Chosen) -> ColumnChoice:
        return ColumnChoice(
            tuple(changed if one.key == changed.key else one for one in self.columns)
        )
