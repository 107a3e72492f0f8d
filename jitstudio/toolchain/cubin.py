"""Reads what a cubin says about itself. A cubin is an ELF file; pyelftools reads those.

What a kernel needs stands in the sizes of its sections and in the attributes of `.nv.info`
(the names and numbers of which `cuobjdump -elf` prints).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from io import BytesIO
from math import prod

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section, SymbolTableSection

from jitstudio.core.resources import merge, read_verbose_log
from jitstudio.core.result import Resources

# Each kernel has a constant bank for its parameters; device functions have none.
# (pyelftools drops the bit of `st_other` that marks a kernel in the symbol table.)
_PARAMETER_BANK = ".nv.constant0."
_INFO = ".nv.info"
_SHARED = ".nv.shared."
# From sm_90 on the system's own share stands in front of what a kernel declares.
_RESERVED_BYTES = 1024

# An attribute: format, code, and 16 bits that are the value or, in this format, a length.
_HEAD = struct.Struct("<BBH")
_SIZED = 4
_MAX_THREADS, _REQUIRED_THREADS, _BARRIERS = 0x05, 0x10, 0x4C
# In the section for all functions: a symbol's index and an amount.
_PER_SYMBOL = {0x2F: "registers", 0x11: "stack_bytes", 0x12: "local_bytes"}
_UNBOUNDED = 0xFFFFFFFF
# What pyelftools raises, or lets through, over a file that is cut short or not in order.
_DAMAGED = (ELFError, OverflowError, UnicodeDecodeError, struct.error)


def kernels(cubin: bytes) -> tuple[str, ...]:
    """Names of the kernels in a cubin, in the order of its sections.

    Empty for bytes that are no ELF file.
    """
    return tuple(_kernels(_sections(cubin)))


def has_code(cubin: bytes) -> bool:
    """Whether there is any function in a cubin, kernel or not."""
    return any(name.startswith(".text.") for name in _sections(cubin))


def resources(cubin: bytes) -> dict[str, Resources]:
    """What each kernel of a cubin needs, by its lowered name; spills stand in logs only.

    Of a damaged cubin the names are told at most.
    """
    sections = _sections(cubin)
    try:
        return _resources(sections)
    except _DAMAGED:
        return dict.fromkeys(_kernels(sections), Resources())


def kernels_of(cubin: bytes, log: str) -> tuple[tuple[str, Resources], ...]:
    """The kernels of a cubin with what they need, by the cubin and by the log that came with it."""
    return tuple(merge(resources(cubin), read_verbose_log(log)).items())


def _resources(sections: Mapping[str, Section]) -> dict[str, Resources]:
    per_symbol = _per_symbol(sections)
    reserved = _RESERVED_BYTES if f"{_SHARED}reserved.0" in sections else 0
    return {
        name: Resources(
            shared_bytes=max(0, _size(sections.get(f"{_SHARED}{name}")) - reserved),
            constant_bytes=_size(sections[f"{_PARAMETER_BANK}{name}"]),
            **_per_kernel(sections.get(f"{_INFO}.{name}")),
            **per_symbol.get(name, {}),
        )
        for name in _kernels(sections)
    }


def _kernels(sections: Mapping[str, Section]) -> Iterator[str]:
    for name in sections:
        if name.startswith(_PARAMETER_BANK):
            yield name.removeprefix(_PARAMETER_BANK)


def _per_symbol(sections: Mapping[str, Section]) -> dict[str, dict[str, int]]:
    """Registers and stack of every function, by its name."""
    found: dict[str, dict[str, int]] = {}
    table = sections.get(".symtab")
    if not isinstance(table, SymbolTableSection):
        return found
    for code, _, payload in _attributes(sections.get(_INFO)):
        if code in _PER_SYMBOL:
            index, amount = struct.unpack_from("<II", payload)
            if amount != _UNBOUNDED:
                found.setdefault(table.get_symbol(index).name, {})[_PER_SYMBOL[code]] = amount
    return found


def _per_kernel(info: Section | None) -> dict[str, int]:
    found = {"barriers": 0}
    for code, value, payload in _attributes(info):
        if code == _BARRIERS:
            found["barriers"] = value & 0xFF
        elif code in (_MAX_THREADS, _REQUIRED_THREADS):
            found["max_threads"] = prod(struct.unpack_from("<III", payload))
    return found


def _attributes(info: Section | None) -> Iterator[tuple[int, int, bytes]]:
    """Code, 16-bit value and, for those that have one, payload of each attribute."""
    data = info.data() if info is not None else b""
    at = 0
    while at + _HEAD.size <= len(data):
        form, code, value = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        length = value if form == _SIZED else 0
        yield code, value, data[at : at + length]
        at += length


def _size(section: Section | None) -> int:
    return int(section["sh_size"]) if section is not None else 0


def _sections(cubin: bytes) -> dict[str, Section]:
    try:
        return {section.name: section for section in ELFFile(BytesIO(cubin)).iter_sections()}
    except _DAMAGED:
        return {}
