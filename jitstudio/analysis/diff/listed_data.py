"""The data in the text of a full listing, as nvdisasm writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jitstudio.analysis.diff.data import OBEYED, DataSection
from jitstudio.analysis.diff.names import PublicNames

_SECTION = re.compile(r"\s*+\.section\s++(\S+?),")
_RULE = "//-----"
# Code alone comes in sections of other names.
_OF_FULL_LISTING = ".nv."
_ATTRIBUTES = ".nv.info."
_TOLD = (".nv.constant", ".nv.global", ".nv.shared.", ".nv.local.", _ATTRIBUTES)
_ATTRIBUTE = re.compile(r"\s*+//-+ nvinfo : EIATTR_(\w+)")
_ADDRESS = re.compile(r"/\*[0-9a-f]{4,}\*/\s*+")
# Labels are counted through all sections, debug sections too.
_COUNTED = re.compile(r"\.L_\d+")


def listed_data(text: str) -> tuple[DataSection, ...] | None:
    """What counts beside code; None where the listing is one of code alone."""
    found = dict(_sections(text.splitlines()))
    if not any(name.startswith(_OF_FULL_LISTING) for name in found):
        return None
    told = {name: lines for name, lines in found.items() if name.startswith(_TOLD)}
    public = PublicNames(line for name, lines in told.items() for line in (name, *lines))
    return tuple(
        DataSection(public.within(name), tuple(map(public.within, _lines(name, told[name]))))
        for name in sorted(told)
    )


def _sections(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The sections by their names, with their lines."""
    held: list[str] = []
    for line in lines:
        if section := _SECTION.match(line):
            held = []
            yield section[1], held
        elif line.startswith(_RULE):
            # What follows the last section belongs to none.
            held = []
        else:
            held.append(line)


def _lines(name: str, held: Iterable[str]) -> Iterable[str]:
    if name.startswith(_ATTRIBUTES):
        return sorted(_obeyed(held))
    return [_plain(line) for line in held if line.strip()]


def _obeyed(held: Iterable[str]) -> Iterator[str]:
    """Each attribute that counts, in one line."""
    told: list[list[str]] = []
    counts = False
    for line in held:
        if attribute := _ATTRIBUTE.match(line):
            counts = attribute[1] in OBEYED.values()
            if counts:
                told.append([attribute[1]])
        elif counts and _ADDRESS.search(line):
            told[-1].append(_plain(line))
    return map(" ".join, told)


def _plain(line: str) -> str:
    return " ".join(_COUNTED.sub(".L", _ADDRESS.sub("", line)).split())
