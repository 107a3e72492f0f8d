"""Searches definitions: in a text, in the headers included, and in the other tabs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from threading import Event

from PySide6.QtCore import QCoreApplication

from jitstudio.core.code import CodeKind
from jitstudio.core.plain_files import read_file
from jitstudio.gui.features.editing.definitions_state import (
    DefinitionLocation,
    DefinitionQuery,
    DefinitionResult,
    OpenText,
)
from jitstudio.listing.includes import includes
from jitstudio.listing.scopes.renaming import defined_in, question

_LARGEST = 4 << 20
_MOST_FILES = 500
_REST = 0.001
_CUDA = (CodeKind.CUDA, CodeKind.HEADER)


def find(query: DefinitionQuery, stop: Event) -> DefinitionResult:
    """Searches the definition that a query asks for; may take as long as reading all headers."""
    wanted = question(query.text.kind, query.text.text, query.line, query.column)
    if wanted.include:
        return _included(query, wanted.include)
    if not wanted.name:
        return DefinitionResult(
            message=QCoreApplication.translate("Definitions", "There is no name to look for here")
        )
    if wanted.places:
        spots = _spots(query.text.name, query.text.text, wanted.places)
        here = any(spot.line == query.line + 1 for spot in spots)
        message = (
            QCoreApplication.translate("Definitions", "This is where {name} is defined").format(
                name=wanted.name
            )
            if here
            else ""
        )
        return DefinitionResult(spots, message)
    if query.text.kind in _CUDA:
        for texts in (_headers(query, stop), _others(query)):
            locations: list[DefinitionLocation] = []
            for file, text in texts:
                if stop.wait(_REST):
                    return DefinitionResult()
                locations += _spots(file, text, defined_in(text, wanted.name, wanted.is_member))
            if locations:
                return DefinitionResult(tuple(locations))
    if wanted.is_built_in:
        message = QCoreApplication.translate(
            "Definitions", "{name} belongs to CUDA C++ itself: no file defines it"
        )
    else:
        message = QCoreApplication.translate(
            "Definitions",
            "No definition of {name} was found, in the open tabs and the headers included",
        )
    return DefinitionResult(message=message.format(name=wanted.name))


def _included(query: DefinitionQuery, name: str) -> DefinitionResult:
    tabs = {text.name: text for text in query.others if text.is_header}
    location = _place_of(name, query.text.folder, tabs, tuple(query.folders))
    if location is None:
        message = QCoreApplication.translate(
            "Definitions",
            "No tab and no file here is called {name}: add its folder with -I in the options",
        )
        return DefinitionResult(message=message.format(name=name))
    return DefinitionResult((DefinitionLocation(location, 1, 1),))


def _place_of(
    name: str, beside: str, tabs: Mapping[str, OpenText], folders: Iterable[str]
) -> str | None:
    """Returns the tab or file of an include, in the search order of a compiler."""
    if name in tabs:
        return name
    for folder in filter(None, (beside, *folders)):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return os.path.realpath(path)
    return name if os.path.isabs(name) and os.path.isfile(name) else None


def _headers(query: DefinitionQuery, stop: Event) -> Iterator[tuple[str, str]]:
    """Yields all files that the text includes, also indirectly, with their texts."""
    tabs = {text.name: text for text in query.others if text.is_header}
    folders = tuple(dict.fromkeys(query.folders))
    waiting = [(query.text.text, query.text.folder)]
    seen: set[str] = set()
    while waiting and len(seen) < _MOST_FILES and not stop.is_set():
        text, beside = waiting.pop(0)
        for name in sorted(includes(text.encode("utf-8", "replace")).names):
            file = _place_of(name, beside, tabs, folders)
            if file is None or file in seen:
                continue
            seen.add(file)
            try:
                inner = tabs[file].text if file in tabs else _read(file)
            except OSError:
                continue
            yield file, inner
            waiting.append((inner, tabs[file].folder if file in tabs else os.path.dirname(file)))


def _others(query: DefinitionQuery) -> Iterator[tuple[str, str]]:
    return ((other.name, other.text) for other in query.others if other.kind in _CUDA)


def _read(path: str) -> str:
    return read_file(Path(path), _LARGEST).decode("utf-8", "replace").replace("\r\n", "\n")


def _spots(
    file: str, text: str, places: Iterable[tuple[int, int]]
) -> tuple[DefinitionLocation, ...]:
    lines = text.split("\n") if places else []
    return tuple(
        DefinitionLocation(file, at + 1, column + 1, lines[at].strip()) for at, column in places
    )
