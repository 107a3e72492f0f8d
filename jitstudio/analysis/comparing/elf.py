"""The sections and symbols of a cubin, which is an ELF file of 64 bits.

pyelftools knows far more, and takes longer to load than the command line may take to start.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_MAGIC = b"\x7fELF\x02"
# Where the headers of the sections begin, bytes of one, how many, and which one has the names.
_HEADER = struct.Struct("<40xQ10xHHH")
# Name, type, offset, bytes, the section it refers to.
_SECTION = struct.Struct("<II16xQQI")
_RESERVES_ONLY = 8
# Name, type and binding, visibility and more, section, value, bytes.
_SYMBOL = struct.Struct("<IBBHQQ")
# Objects, and objects that only CUDA can address, such as static ones of code yet to be linked.
_VARIABLES = (1, 13)
# Offset, type, symbol; and what is added, where there is that.
_RELOCATION = struct.Struct("<QII")
_ADDEND = struct.Struct("<q")
# Mangled names of templates are long.
_LONGEST_NAME = 1 << 16


@dataclass(frozen=True)
class Section:
    """A section.

    Attributes:
        name: Such as ``.nv.constant3``.
        content: What it holds; nothing where memory is only reserved.
        size: Its bytes, held or reserved.
        link: The index of a section that it refers to.
    """

    name: str
    content: bytes
    size: int
    link: int


@dataclass(frozen=True)
class Variable:
    """A variable of a cubin.

    Attributes:
        name: Its symbol.
        section: The index of its section.
        offset: Where it begins in there.
        size: Its bytes.
        other: What else its symbol tells, such as that its memory is managed.
    """

    name: str
    section: int
    offset: int
    size: int
    other: int


def sections(content: bytes) -> tuple[Section, ...]:
    """All sections in their order; none of bytes that are no such file, or are cut short."""
    try:
        return tuple(_sections(content))
    except (struct.error, IndexError):
        return ()


def variables(symbols: Section, names: bytes) -> Iterator[Variable]:
    """The variables of a table of symbols.

    Args:
        symbols: The table.
        names: What its names are read from.
    """
    for at, kind, other, section, value, size in _rows(_SYMBOL, symbols.content, _SYMBOL.size):
        if kind & 0xF in _VARIABLES:
            yield Variable(_text(names, at), section, value, size, other)


def symbol_names(symbols: Section, names: bytes) -> tuple[str, ...]:
    """The names of a table of symbols, in its order."""
    return tuple(_text(names, row[0]) for row in _rows(_SYMBOL, symbols.content, _SYMBOL.size))


def relocations(section: Section, *, adds: bool) -> Iterator[tuple[int, int, int, int]]:
    """What is filled in later: offset, type, the symbol's index, and what is added to it.

    Args:
        section: The relocations of another section.
        adds: Whether they tell what is added.
    """
    size = _RELOCATION.size + (_ADDEND.size if adds else 0)
    for at, row in enumerate(_rows(_RELOCATION, section.content, size)):
        offset, kind, symbol = row
        behind = at * size + _RELOCATION.size
        added = _ADDEND.unpack_from(section.content, behind)[0] if adds else 0
        yield offset, kind, symbol, added


def _sections(content: bytes) -> Iterator[Section]:
    if not content.startswith(_MAGIC):
        return
    begin, size, count, names_at = _HEADER.unpack_from(content)
    heads = [_SECTION.unpack_from(content, begin + n * size) for n in range(count)]
    _, _, start, length, _ = heads[names_at]
    names = content[start : start + length]
    # Sections lie side by side: where they overlap, a small file would become a large one.
    left = len(content)
    for name, kind, start, length, link in heads:
        held = b"" if kind == _RESERVES_ONLY else content[start : start + min(length, left)]
        left -= len(held)
        yield Section(_text(names, name), held, length, link)


def _rows(row: struct.Struct, content: bytes, size: int) -> Iterator[tuple[int, ...]]:
    for at in range(0, len(content) - size + 1, size):
        yield row.unpack_from(content, at)


def _text(names: bytes, at: int) -> str:
    return names[at : names.find(b"\0", at, at + _LONGEST_NAME)].decode("utf-8", "replace")
