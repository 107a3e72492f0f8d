"""Tables of the words of PTX and SASS in `resources/reference`, and the search in tables."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Generic, TypeVar

from jitstudio.system.paths import resource

_BRACES = re.compile(r"\{([^{}]*)\}")

Value = TypeVar("Value")


class WordTable(Generic[Value]):
    """Rows of opcodes; for an opcode with modifiers the row with the most modifiers counts.

    Args:
        rows: Names, such as ``atom.add``, with their values.
    """

    def __init__(self, rows: Iterable[tuple[str, Value]]) -> None:
        self._rows: dict[str, list[tuple[Sequence[str], Value]]] = {}
        for name, value in rows:
            parts = name.split(".")
            self._rows.setdefault(parts[0], []).append((parts, value))

    def find(self, word: str) -> tuple[Value, list[str]] | None:
        """Returns the row of a word, and the parts that the row's name lacks; or None."""
        parts = word.split(".")
        fitting = [
            (-len(places), places, value)
            for name_parts, value in self._rows.get(parts[0], ())
            if (places := _places(name_parts, parts))
        ]
        if not fitting:
            return None
        # The most parts; among as many, the first parts.
        _, places, value = min(fitting, key=lambda match: match[:2])
        return value, [part for place, part in enumerate(parts) if place not in places]

    def values(self) -> Iterator[Value]:
        """Returns all rows."""
        return (value for rows in self._rows.values() for _, value in rows)


@cache
def read_table(name: str) -> Mapping[str, Any]:
    """Returns the content of a file of `resources/reference`."""
    return tomllib.loads(resource(f"reference/{name}.toml").read_text("utf-8"))


def rows(table: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yields each name with its fields; braces in a name make a row for each word inside."""
    for pattern, row in table.items():
        fields = [row] if isinstance(row, str) else row
        braces = _BRACES.search(pattern)
        for word in braces[1].split(",") if braces else ("",):
            name = _BRACES.sub(word, pattern)
            yield name, [field.replace("{}", word) if braces else field for field in fields]


def _places(name_parts: Sequence[str], parts: Sequence[str]) -> tuple[int, ...]:
    """Returns the places of the wanted parts, in this order; empty if a part is missing."""
    places: list[int] = []
    for part in name_parts:
        begin = places[-1] + 1 if places else 0
        if part not in parts[begin:]:
            return ()
        places.append(parts.index(part, begin))
    return tuple(places)
