"""What a cubin tells about itself: what it was built for, and the PTX that it was made from.

A cubin is an ELF file of 64 bits. This reads the little that is wanted before any tool has run; of
bytes that are something else, or cut short, nothing is told.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from jitstudio.core.arch import Arch

_ELF_64 = b"\x7fELF\x02"
_CUDA_MACHINE = 190
_RELOCATABLE = 1
# Behind the 16 bytes of the mark: type, machine, where the sections' headers begin, flags, bytes of
# such a header, how many there are, and which one is that of the names.
_HEADER = struct.Struct("<16x HH 20x Q I 6x HHH")
_SECTION = struct.Struct("<I 20x QQ")  # where its name begins; where it lies and its bytes
# How far the architecture is shifted in the flags, by the version of the ABI.
_SHIFTS = {7: 0, 8: 8}

_PTX = re.compile(rb"\.nv_debug_ptx_txt(\.\d+)?")
_TOOLS = re.compile(rb"\.note\.nv\.tkinfo")
_TARGET = re.compile(rb"-arch sm_(\d+)([af])\b")
_LABEL = re.compile(r"[\w$]+:$")
# Of the sections that are looked for.
_LONGEST_NAME = 64


def cubin_target(content: bytes) -> Arch | None:
    """What a cubin was built for; None for bytes that are none.

    The header has the number only. The letter behind it is in the note that the assembler leaves,
    if it leaves one.
    """
    elf = _elf(content)
    shift = _SHIFTS.get(content[8]) if elf else None
    if elf is None or shift is None:
        return None
    number = elf.flags >> shift & 0xFF
    targets = _TARGET.findall(b" ".join(_sections(content, elf, _TOOLS)))
    letters = {letter.decode() for of, letter in targets if int(of) == number}
    return Arch(number, letters.pop() if len(letters) == 1 else "")


def is_relocatable(content: bytes) -> bool:
    """Whether a cubin has to be linked before it can run."""
    elf = _elf(content)
    return elf is not None and elf.type == _RELOCATABLE


def keeps_ptx(content: bytes) -> bool:
    """Whether a cubin keeps the whole PTX that it was made from, as one with line tables does.

    A link of several modules keeps the PTX of each, which together is no module.
    """
    return bool(_kept(content))


def kept_ptx(content: bytes) -> str:
    """The PTX that a cubin keeps; empty where it does not.

    The assembler keeps each line of it, ended by a NUL and without what stood before the first
    word; comments and line marks are kept as empty lines. So line numbers are those of the PTX that
    was assembled.
    """
    kept = _kept(content).decode("utf-8", "replace")
    return "\n".join(_indented(kept.removesuffix("\0").split("\0"))) + "\n" if kept else ""


def _kept(content: bytes) -> bytes:
    elf = _elf(content)
    # Its name has a number behind it where modules are linked.
    found = list(_sections(content, elf, _PTX)) if elf else []
    kept = found[0] if len(found) == 1 else b""
    whole = kept.endswith(b"\0") and b".version" in kept and b".target" in kept
    return kept if whole else b""


@dataclass(frozen=True)
class _Elf:
    type: int
    flags: int
    sections: int
    size: int
    count: int
    names: int


def _elf(content: bytes) -> _Elf | None:
    if not content.startswith(_ELF_64) or len(content) < _HEADER.size:
        return None
    kind, machine, sections, flags, size, count, names = _HEADER.unpack_from(content)
    if machine != _CUDA_MACHINE:
        return None
    return _Elf(kind, flags, sections, size, count, names)


def _sections(content: bytes, elf: _Elf, named: re.Pattern[bytes]) -> Iterator[bytes]:
    """What the sections of this name hold; one that reaches beyond the end is left out."""
    headers = list(_headers(content, elf))
    if elf.names >= len(headers):
        return
    _, begin, length = headers[elf.names]
    names = content[begin : begin + length]
    # Sections lie side by side: where they overlap, a small file would become a large one.
    left = len(content)
    for at, begin, length in headers:
        name = names[at : max(at, names.find(b"\0", at, at + _LONGEST_NAME))]
        if named.fullmatch(name) and begin + length <= len(content):
            left -= length
            if left < 0:
                return
            yield content[begin : begin + length]


def _headers(content: bytes, elf: _Elf) -> Iterator[tuple[int, int, int]]:
    if elf.size < _SECTION.size:
        return
    for index in range(elf.count):
        at = elf.sections + index * elf.size
        if at + _SECTION.size > len(content):
            return
        yield _SECTION.unpack_from(content, at)


def _indented(lines: list[str]) -> Iterator[str]:
    """The lines of bodies behind a tab, as compilers write them."""
    inside = 0
    for line in lines:
        inside -= line.startswith("}")
        plain = inside < 1 or not line or line == "{" or _LABEL.match(line)
        yield line if plain else f"\t{line}"
        inside += line.startswith("{")
