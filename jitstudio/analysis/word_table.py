"""Tables of words of PTX and SASS, as `resources/reference` has them, and how a word is found."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Generic, TypeVar

from jitstudio.paths import resource

_BRACES = re.compile(r"\{([^{}]*)\}")

Value = TypeVar("Value")


class WordTable(Generic[Value]):
    """What is known of opcodes; of one with modifiers the row that has most of them counts.

    Args:
        rows: Names, such as ``atom.add``, with what is known of them.
    """

    def __init__(self, rows: Iterable[tuple[str, Value]]) -> None:
        self._rows: dict[str, list[tuple[Sequence[str], Value]]] = {}
        for name, value in rows:
            parts = name.split(".")
            self._rows.setdefault(parts[0], []).append((parts, value))

    def find(self, word: str) -> tuple[Value, list[str]] | None:
        """The row of a word, and the parts of the word that are not in its name; or None."""
        parts = word.split(".")
        fitting = [
            (-len(places), places, value)
            for wanted, value in self._rows.get(parts[0], ())
            if (places := _places(wanted, parts))
        ]
        if not fitting:
            return None
        # The most parts; of as many, those that are first.
        _, places, value = min(fitting, key=lambda found: found[:2])
        return value, [part for place, part in enumerate(parts) if place not in places]

    def values(self) -> Iterator[Value]:
        """Returns all rows."""
        return (value for rows in self._rows.values() for _, value in rows)


@cache
def read_table(name: str) -> Mapping[str, Any]:
    """Returns the content of a file of `resources/reference`."""
    return tomllib.loads(resource(f"reference/{name}.toml").read_text("utf-8"))


def rows(table: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Each name with its fields; a row with words in braces represents one row for each word."""
    for pattern, row in table.items():
        fields = [row] if isinstance(row, str) else row
        braces = _BRACES.search(pattern)
        for word in braces[1].split(",") if braces else ("",):
            name = _BRACES.sub(word, pattern)
            yield name, [field.replace("{}", word) if braces else field for field in fields]


def _places(wanted: Sequence[str], parts: Sequence[str]) -> tuple[int, ...]:
    """Returns where the wanted parts are, in this order; empty if one is missing."""
    places: list[int] = []
    for part in wanted:
        begin = places[-1] + 1 if places else 0
        if part not in parts[begin:]:
            return ()
        places.append(parts.index(part, begin))
    return tuple(places)
