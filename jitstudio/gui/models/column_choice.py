"""Which columns stand beside a listing, in which order, and how wide."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from jitstudio.gui.models.sass_columns import BY_KEY, COLUMNS, Column

LEAST_CELLS, MOST_CELLS = 3, 120
"""How narrow and how wide a column may be."""

# `gpr:13`, or `-address:7` for one that is not shown.
_KEPT = re.compile(r"(-?)(\w+):(\d{1,3})\Z")


@dataclass(frozen=True)
class Chosen:
    """A column as the user wants it.

    Attributes:
        key: Which one.
        cells: Its width.
        is_shown: Whether it is there.
    """

    key: str
    cells: int
    is_shown: bool

    @property
    def column(self) -> Column:
        """The column itself."""
        return BY_KEY[self.key]

    @property
    def kept(self) -> str:
        """As it is remembered."""
        return f"{'' if self.is_shown else '-'}{self.key}:{self.cells}"


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
                found.setdefault(match[2], Chosen(match[2], cells, not match[1]))
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
        """With a column, or without it."""
        return self._with(replace(self.of(key), is_shown=shown))

    def resize(self, key: str, cells: int) -> ColumnChoice:
        """With a column as wide as this, as far as that makes sense."""
        return self._with(replace(self.of(key), cells=min(MOST_CELLS, max(LEAST_CELLS, cells))))

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
