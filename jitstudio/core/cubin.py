"""Reads a cubin: sections and symbols, the target, and the PTX inside.

A cubin is an ELF file of 64 bits (elf(5)); what CUDA adds has the names that `cuobjdump -elf`
prints. Of bytes that are something else, or cut short, nothing is returned. pyelftools, against
which the tests compare this, takes longer to load than the command line may take to start.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from mmap import mmap
from typing import NamedTuple

from jitstudio.core.arch import Arch

_ELF_64 = b"\x7fELF\x02"
_ABI_VERSION_AT = 8
_CUDA_MACHINE = 190
_RELOCATABLE = 1
# Type and machine; where the headers of the sections begin; flags; bytes of one such header, how
# many there are, and which one is that of the names.
_HEADER = struct.Struct("<16x HH 20x Q I 6x HHH")
# Name, type, offset, bytes, the section it refers to.
_SECTION = struct.Struct("<II16xQQI")
_RESERVES_ONLY = 8
# Where the program headers begin, bytes of one, and how many there are: the end of most cubins.
_SEGMENTS = struct.Struct("<32x Q 14x HH")
# Name, type and binding, visibility and more, section, value, bytes.
_SYMBOL = struct.Struct("<IBBHQQ")
# Objects, and objects that only CUDA can address, such as static ones of code yet to be linked.
_VARIABLES = (1, 13)
_FUNCTION = 2
# Offset, type, symbol; and what is added, where there is that.
_RELOCATION = struct.Struct("<QII")
_ADDEND = struct.Struct("<q")
# An attribute of `.nv.info`: format, code, and 16 bits that are the value or a length.
_ATTRIBUTE = struct.Struct("<BBH")
_SIZED = 4
_SMALL = 1 << 18
# Mangled names of templates are long.
_LONGEST_NAME = 1 << 16
# How far the architecture is shifted in the flags, by the version of the ABI.
_SHIFTS = {7: 0, 8: 8}
# EF_CUDA_ACCELERATORS of ABI 7, as nvdisasm calls it: the letter `a`. ptxas 12.8 and 12.9 set it
# for sm_90a, and not for sm_90; they leave no note.
_OLD_ABI, _ACCELERATORS = 7, 0x800

# What mangled names in front of a cubin begin with; CuPy 14.2, cuda/compiler.py.
_CUPY_NAMES = b"\x93CUPYNE\0"
_CUPY_LENGTH = struct.Struct("<I")
# In front of what it keeps: SHA-1, MD5 up to CuPy 8.
_CUPY_HASHES = ((40, "sha1"), (32, "md5"))

_PTX = re.compile(r"\.nv_debug_ptx_txt(\.\d+)?")
_TOOLS = re.compile(r"\.note\.nv\.tkinfo")
_TARGET = re.compile(rb"-arch sm_(\d+)([af])\b")
_LABEL = re.compile(r"[\w$]+:$")


class ElfSection(NamedTuple):
    """A section.

    Attributes:
        name: Such as ``.nv.constant3``.
        content: The bytes of the section; empty where memory is only reserved.
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
        other: What else its symbol says, such as that its memory is managed.
    """

    name: str
    section: int
    offset: int
    size: int
    other: int


def sections(content: bytes | mmap, named: re.Pattern[str] | None = None) -> tuple[ElfSection, ...]:
    """Returns the sections in order; none of bytes that are no ELF file, or are cut short.

    Args:
        content: The file.
        named: A pattern of the whole name of a section; None for all sections.
    """
    try:
        return tuple(_sections(content, named))
    except (struct.error, IndexError, OverflowError):
        return ()


def section_spans(content: bytes | mmap) -> tuple[tuple[str, int, int], ...]:
    """Returns name, offset and end of the content of each section; see `sections`."""
    try:
        return tuple(
            (name, start, start + length)
            for name, kind, start, length, _ in _headers(content)
            if kind != _RESERVES_ONLY
        )
    except (struct.error, IndexError, OverflowError):
        return ()


def is_program(content: bytes | mmap) -> bool:
    """Returns whether an ELF file is linked: an executable or a shared library."""
    head = content[: _HEADER.size]
    is_elf = len(head) == _HEADER.size and head.startswith(_ELF_64)
    return is_elf and _HEADER.unpack(head)[0] != _RELOCATABLE


def variables(symbols: ElfSection, names: bytes) -> Iterator[Variable]:
    """Yields the variables of a table of symbols.

    Args:
        symbols: The table.
        names: What its names are read from.
    """
    for at, kind, other, section, value, size in _rows(_SYMBOL, symbols.content, _SYMBOL.size):
        if kind & 0xF in _VARIABLES:
            yield Variable(_text(names, at), section, value, size, other)


def symbol_names(symbols: ElfSection, names: bytes) -> tuple[str, ...]:
    """Returns the names of a table of symbols, in order."""
    return tuple(_text(names, row[0]) for row in _rows(_SYMBOL, symbols.content, _SYMBOL.size))


def symbol_name(symbols: ElfSection, names: bytes, index: int) -> str:
    """Returns a name of a table of symbols.

    Raises:
        struct.error: It has no such symbol.
    """
    return _text(names, _SYMBOL.unpack_from(symbols.content, index * _SYMBOL.size)[0])


def function_index(cubin: bytes, name: str) -> int | None:
    """Returns the index of a function in the table of symbols, or None if there is none."""
    elf_sections = sections(cubin)
    table = next((section for section in elf_sections if section.name == ".symtab"), None)
    if table is None or table.link >= len(elf_sections):
        return None
    names = elf_sections[table.link].content
    for index, row in enumerate(_rows(_SYMBOL, table.content, _SYMBOL.size)):
        if row[1] & 0xF == _FUNCTION and _text(names, row[0]) == name:
            return index
    return None


def relocations(section: ElfSection, *, adds: bool) -> Iterator[tuple[int, int, int, int]]:
    """Yields the relocations: offset, type, the symbol's index, and the addend.

    Args:
        section: The relocations of another section.
        adds: Whether they say what is added.
    """
    size = _RELOCATION.size + (_ADDEND.size if adds else 0)
    for at, row in enumerate(_rows(_RELOCATION, section.content, size)):
        offset, kind, symbol = row
        behind = at * size + _RELOCATION.size
        added = _ADDEND.unpack_from(section.content, behind)[0] if adds else 0
        yield offset, kind, symbol, added


def attributes(info: ElfSection | None) -> Iterator[tuple[int, int, bytes]]:
    """Yields code, 16-bit value and, where the format has a payload, payload of each attribute.

    Args:
        info: A section `.nv.info`, of all functions or of one; None for no attributes.
    """
    data = info.content if info is not None else b""
    at = 0
    while at + _ATTRIBUTE.size <= len(data):
        form, code, value = _ATTRIBUTE.unpack_from(data, at)
        at += _ATTRIBUTE.size
        length = value if form == _SIZED else 0
        yield code, value, data[at : at + length]
        at += length


def cubin_target(content: bytes | mmap) -> Arch | None:
    """Returns the target of a cubin; None for bytes that are no cubin.

    The header has the number, and of older tools the letter behind it. Else that is in the note
    that the assembler leaves, if it leaves one.
    """
    header = _cuda_header(content)
    shift = _SHIFTS.get(content[_ABI_VERSION_AT]) if header else None
    if header is None or shift is None:
        return None
    _, flags = header
    number = flags >> shift & 0xFF
    if content[_ABI_VERSION_AT] == _OLD_ABI and flags & _ACCELERATORS:
        return Arch(number, "a")
    notes = (note.content for note in sections(content, _TOOLS))
    targets = _TARGET.findall(b" ".join(notes))
    letters = {letter.decode() for of, letter in targets if int(of) == number}
    return Arch(number, letters.pop() if len(letters) == 1 else "")


def cupy_payload(content: bytes) -> bytes | None:
    """Returns the payload of a file of CuPy's cache; None for another file, and a damaged file.

    The file begins with the hash of the rest in hexadecimal digits. With CuPy 14, where name
    expressions were given, the names that they became come before the cubin, as
    `cupy.cuda.compiler._encode_cache_payload` packs them.
    """
    if not re.match(rb"[0-9a-f]{32}", content):
        return None
    # Few files are of CuPy.
    import hashlib  # noqa: PLC0415

    for digits, method in _CUPY_HASHES:
        payload = content[digits:]
        digest = hashlib.new(method, payload, usedforsecurity=False).hexdigest()
        if content[:digits] == digest.encode():
            return _behind_names(payload)
    return None


def _behind_names(payload: bytes) -> bytes:
    if not payload.startswith(_CUPY_NAMES):
        return payload
    try:
        at = len(_CUPY_NAMES)
        (count,) = _CUPY_LENGTH.unpack_from(payload, at)
        at += _CUPY_LENGTH.size
        # Each has a length at least.
        for _ in range(min(count, len(payload) // _CUPY_LENGTH.size)):
            (length,) = _CUPY_LENGTH.unpack_from(payload, at)
            at += _CUPY_LENGTH.size + length
    except struct.error:
        return payload
    return payload[at:]


def bare_cubin(content: bytes) -> bytes:
    """Returns a cubin in the form for tools, without CuPy's bytes in front; others unchanged."""
    payload = cupy_payload(content)
    return completed_cubin(_behind_names(content if payload is None else payload))


def completed_cubin(content: bytes) -> bytes:
    """Returns a cubin with the last byte, a zero, which CuPy cuts off (``nvrtc.getCUBIN``).

    Drivers load the rest all the same; nvdisasm takes it for no ELF file.
    """
    if _cuda_header(content) is None:
        return content
    start, size, count = _SEGMENTS.unpack_from(content)
    return content + b"\0" if start + size * count == len(content) + 1 else content


def is_relocatable(content: bytes) -> bool:
    """Returns whether a cubin has to be linked before a driver can run the code."""
    header = _cuda_header(content)
    return header is not None and header[0] == _RELOCATABLE


def keeps_ptx(content: bytes) -> bool:
    """Returns whether a cubin keeps all PTX that was assembled, as with line tables.

    A link of several modules keeps the PTX of each, which together is no module.
    """
    return bool(_embedded_ptx(content))


def kept_ptx(content: bytes) -> str:
    """Returns the PTX that a cubin keeps; empty for a cubin without PTX.

    The assembler keeps each line of it, ended by a NUL and without what was before the first
    word; comments and line marks are kept as empty lines. So line numbers are those of the PTX that
    was assembled.
    """
    ptx = _embedded_ptx(content).decode("utf-8", "replace")
    return "\n".join(_indented(ptx.removesuffix("\0").split("\0"))) + "\n" if ptx else ""


def _cuda_header(content: bytes | mmap) -> tuple[int, int] | None:
    """Returns type and flags of the file; None for bytes that are no cubin."""
    if content[: len(_ELF_64)] != _ELF_64 or len(content) < _HEADER.size:
        return None
    kind, machine, _, flags, *_ = _HEADER.unpack_from(content)
    return (kind, flags) if machine == _CUDA_MACHINE else None


def _embedded_ptx(content: bytes) -> bytes:
    if _cuda_header(content) is None:
        return b""
    # Its name has a number behind it where modules are linked.
    parts = sections(content, _PTX)
    if len(parts) != 1 or len(parts[0].content) < parts[0].size:
        return b""
    text = parts[0].content
    return text if text.endswith(b"\0") and b".version" in text and b".target" in text else b""


def _indented(lines: list[str]) -> Iterator[str]:
    """Yields the lines of bodies behind a tab, as compilers write bodies."""
    inside = 0
    for line in lines:
        inside -= line.startswith("}")
        plain = inside < 1 or not line or line == "{" or _LABEL.match(line)
        yield line if plain else f"\t{line}"
        inside += line.startswith("{")


_Header = tuple[str, int, int, int, int]
"""Name, type, offset, bytes and link of a section."""


def _headers(content: bytes | mmap) -> tuple[_Header, ...]:
    """Returns the headers of all sections."""
    # Several questions are asked of each cubin in turn, and a cache has thousands of small ones.
    is_small = isinstance(content, bytes) and len(content) <= _SMALL
    return _kept_headers(content) if is_small else tuple(_read_headers(content))


@lru_cache(maxsize=4)
def _kept_headers(content: bytes) -> tuple[_Header, ...]:
    return tuple(_read_headers(content))


def _read_headers(content: bytes | mmap) -> Iterator[_Header]:
    if content[: len(_ELF_64)] != _ELF_64:
        return
    _, _, begin, _, size, count, names_at = _HEADER.unpack_from(content)
    heads = [_SECTION.unpack_from(content, begin + n * size) for n in range(count)]
    _, _, start, length, _ = heads[names_at]
    names = content[start : start + length]
    for name_at, kind, offset, size_in_file, link in heads:
        end = names.find(b"\0", name_at, name_at + _LONGEST_NAME)
        yield names[name_at:end].decode("utf-8", "replace"), kind, offset, size_in_file, link


def _sections(content: bytes | mmap, named: re.Pattern[str] | None) -> Iterator[ElfSection]:
    # Sections lie side by side: where they overlap, a small file would become a large one.
    left = len(content)
    for name, kind, start, length, link in _headers(content):
        if named is not None and not named.fullmatch(name):
            continue
        data = b"" if kind == _RESERVES_ONLY else content[start : start + min(length, left)]
        left -= len(data)
        yield ElfSection(name, data, length, link)


def _rows(row: struct.Struct, content: bytes, size: int) -> Iterator[tuple[int, ...]]:
    for at in range(0, len(content) - size + 1, size):
        yield row.unpack_from(content, at)


def _text(names: bytes, at: int) -> str:
    return names[at : names.find(b"\0", at, at + _LONGEST_NAME)].decode("utf-8", "replace")
