"""The contents of a cubin besides code that can make two programs differ, as lines of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from jitstudio.analysis.diff.names import PublicNames
from jitstudio.core.cubin import (
    ElfSection,
    attributes,
    relocations,
    sections,
    symbol_names,
    variables,
)

_LINE_BYTES = 16
_PARAMETERS = ".nv.constant0."
_SYMBOLS = ".symtab"
_MANAGED = 0x04

OBEYED = {
    0x05: "MAX_THREADS",
    0x10: "REQNTID",
    0x17: "KPARAM_INFO",
    0x19: "CBANK_PARAM_SIZE",
    0x3D: "CTA_PER_CLUSTER",
    0x3E: "EXPLICIT_CLUSTER",
    0x3F: "MAX_CLUSTER_RANK",
    0x45: "KPARAM_INFO_V2",
}
"""Attributes that the host or the hardware obeys and that hold no address of the code.

The names are those of `cuobjdump -elf`.
"""


@dataclass(frozen=True)
class DataSection:
    """A section of a cubin that holds no code.

    Attributes:
        name: The name in the file.
        lines: The content; of a section that is only reserved, the size.
    """

    name: str
    lines: tuple[str, ...]


def data_sections(cubin: bytes, function: str | None = None) -> tuple[DataSection, ...]:
    """Returns the sections that count besides code: constants, variables, parameters, limits.

    Empty for bytes that are no cubin.

    Args:
        cubin: The file.
        function: The function whose sections are wanted, by its lowered name; None for all.
    """
    elf_sections = sections(cubin)
    public = PublicNames(section.name for section in elf_sections)
    data = (
        DataSection(public.within(section.name), tuple(_lines(elf_sections, section)))
        for section in elf_sections
        if function is None or section.name.endswith(f".{function}")
    )
    return tuple(
        sorted((section for section in data if section.lines), key=lambda section: section.name)
    )


def _lines(cubin: Sequence[ElfSection], section: ElfSection) -> Iterator[str]:
    for start, read in _READERS.items():
        if section.name.startswith(start):
            yield from read(cubin, section)
            return


def _content(_cubin: Sequence[ElfSection], section: ElfSection) -> Iterator[str]:
    data = section.content
    for at in range(0, len(data), _LINE_BYTES):
        yield f"{at:#06x}  {data[at : at + _LINE_BYTES].hex(' ', 4)}"


def _size(_cubin: Sequence[ElfSection], section: ElfSection) -> Iterator[str]:
    if section.size:
        yield f"{section.size} bytes"


def _attributes(_cubin: Sequence[ElfSection], section: ElfSection) -> Iterator[str]:
    yield from sorted(
        f"{OBEYED[code]} {payload.hex(' ', 4) if payload else f'{value:#x}'}"
        for code, value, payload in attributes(section)
        if code in OBEYED
    )


def _relocations(cubin: Sequence[ElfSection], section: ElfSection) -> Iterator[str]:
    if section.link >= len(cubin):
        return
    symbols = cubin[section.link]
    names = symbol_names(symbols, _names_of(cubin, symbols))
    public = PublicNames(names)
    for offset, kind, symbol, added in relocations(section, adds=section.name.startswith(".rela")):
        name = public.within(names[symbol]) if symbol < len(names) else "?"
        yield f"{offset:#06x}  type {kind} {name} + {added:#x}"


def _variables(cubin: Sequence[ElfSection], section: ElfSection) -> Iterator[str]:
    """Yields the variables that the host can find by their names."""
    names = _names_of(cubin, section)
    public = PublicNames(symbol_names(section, names))
    yield from sorted(
        f"{public.within(variable.name)}: {cubin[variable.section].name} + {variable.offset:#x}, "
        f"{variable.size} bytes{_listed_with(variable.other)}"
        for variable in variables(section, names)
        # Other variables are in no section of this file.
        if 0 < variable.section < len(cubin)
    )


def _listed_with(other: int) -> str:
    rest = other & ~_MANAGED
    return f"{', managed' if other & _MANAGED else ''}{f', other {rest:#x}' if rest else ''}"


def _names_of(cubin: Sequence[ElfSection], symbols: ElfSection) -> bytes:
    return cubin[symbols.link].content if symbols.link < len(cubin) else b""


# By the beginning of a section's name; the first match counts.
_READERS: dict[str, Callable[[Sequence[ElfSection], ElfSection], Iterator[str]]] = {
    _PARAMETERS: _size,
    ".nv.constant": _content,
    ".nv.global.init": _content,
    ".nv.global": _size,
    ".nv.shared.": _size,
    ".nv.local.": _size,
    ".nv.info.": _attributes,
    ".rel.nv.constant": _relocations,
    ".rela.nv.constant": _relocations,
    ".rel.nv.global": _relocations,
    ".rela.nv.global": _relocations,
    _SYMBOLS: _variables,
}


# ---- The same in the text of a full listing, as nvdisasm writes them

_SECTION = re.compile(r"\s*+\.section\s++(\S+?),")
_RULE = "//-----"
# A listing of code alone has sections with other names.
_OF_FULL_LISTING = ".nv."
_ATTRIBUTES = ".nv.info."
_LISTED = (".nv.constant", ".nv.global", ".nv.shared.", ".nv.local.", _ATTRIBUTES)
_ATTRIBUTE = re.compile(r"\s*+//-+ nvinfo : EIATTR_(\w+)")
_ADDRESS = re.compile(r"/\*[0-9a-f]{4,}\*/\s*+")
# Labels are counted through all sections, debug sections too.
_COUNTED = re.compile(r"\.L_\d+")


def listed_data(text: str) -> tuple[DataSection, ...] | None:
    """Returns the sections that count besides code; None where the listing has code alone."""
    by_name = dict(_sections(text.splitlines()))
    if not any(name.startswith(_OF_FULL_LISTING) for name in by_name):
        return None
    listed = {name: lines for name, lines in by_name.items() if name.startswith(_LISTED)}
    public = PublicNames(line for name, lines in listed.items() for line in (name, *lines))
    return tuple(
        DataSection(
            public.within(name), tuple(map(public.within, _listed_lines(name, listed[name])))
        )
        for name in sorted(listed)
    )


def _sections(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yields each section by name, with the lines."""
    section_lines: list[str] = []
    for line in lines:
        if section := _SECTION.match(line):
            section_lines = []
            yield section[1], section_lines
        elif line.startswith(_RULE):
            # Lines behind the last section belong to none.
            section_lines = []
        else:
            section_lines.append(line)


def _listed_lines(name: str, lines: Iterable[str]) -> Iterable[str]:
    if name.startswith(_ATTRIBUTES):
        return sorted(_listed_attributes(lines))
    return [_plain(line) for line in lines if line.strip()]


def _listed_attributes(lines: Iterable[str]) -> Iterator[str]:
    """Returns the attributes that count, a line for each."""
    blocks: list[list[str]] = []
    counts = False
    for line in lines:
        if attribute := _ATTRIBUTE.match(line):
            counts = attribute[1] in OBEYED.values()
            if counts:
                blocks.append([attribute[1]])
        elif counts and _ADDRESS.search(line):
            blocks[-1].append(_plain(line))
    return map(" ".join, blocks)


def _plain(line: str) -> str:
    return " ".join(_COUNTED.sub(".L", _ADDRESS.sub("", line)).split())
