"""The texts that "Find in all" searches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SearchedText:
    """A text to be searched.

    Attributes:
        place: What leads to it: a document, the name of a listing, or a function without arguments
            that shows the text.
        title: What it is called.
        lines: Gives its lines; called in the background.
    """

    place: object
    title: str
    lines: Callable[[], Sequence[str]]


class SearchSources:
    """Where the texts of features come from, besides tabs and listings."""

    def __init__(self) -> None:
        self._sources: list[Callable[[], Iterable[SearchedText]]] = []

    def add(self, source: Callable[[], Iterable[SearchedText]]) -> None:
        """Has what this gives searched, too, from now on."""
        self._sources.append(source)

    def texts(self) -> Iterator[SearchedText]:
        """The texts of all sources, as they are now."""
        for source in self._sources:
            yield from source()
