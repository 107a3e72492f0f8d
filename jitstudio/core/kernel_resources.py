"""The needs of kernels, as a cubin and the log of the tool that made the cubin say.

In a cubin it is in the sizes of sections and in the attributes of `.nv.info`, the names and numbers
of which `cuobjdump -elf` prints. In the logs of ptxas and nvlink, which are asked for verbosity, it
has two spellings (NVRTC and nvJitLink 13)::

    ptxas info    : Compiling entry function 'k' for 'sm_90'
    ptxas info    : Function properties for k
    ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
    ptxas info    : Used 10 registers, used 1 barriers, 512 bytes smem

    info    : Function properties for 'k':
    info    : used 10 registers, used 1 barriers, 8 stack, 0 bytes smem, 536 bytes cmem[0]

and its warnings have the spills in the line that names the function::

    ptxas warning : Registers are spilled to local memory in function 'k', 4 bytes spill stores, ...

A cubin has the same except for the spills, and more of it: where both are known, `merge` takes what
the cubin has.

To add an attribute of the cubin: its reading here, with a field of `Resources` and a
row of `core/figures.py`; report and tables then show it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import fields, replace
from math import prod

from jitstudio.core.cubin import (
    ElfSection,
    attributes,
    function_index,
    section_spans,
    sections,
    symbol_name,
)
from jitstudio.core.result import Resources

# Each kernel has a constant bank for its parameters; device functions have none.
_PARAMETER_BANK = ".nv.constant0."
_CODE_PREFIX = ".text."
_CODE = re.compile(r"\.text\..*")
_BANKS = re.compile(rf"{re.escape(_PARAMETER_BANK)}.*")
_SYMBOLS = ".symtab"
_INFO = ".nv.info"
_SHARED = ".nv.shared."
# From sm_90 on the system's own share is in front of what a kernel declares.
_RESERVED_BYTES = 1024

# The name of what a driver reads before it launches a tile kernel.
_TILE_DATA = b"___NV_TILE_LAUNCH_META_DATA___"
_MAX_THREADS, _REQUIRED_THREADS, _BARRIERS = 0x05, 0x10, 0x4C
# In the section for all functions: a symbol's index and an amount.
_PER_SYMBOL = {0x2F: "registers", 0x11: "stack_bytes", 0x12: "local_bytes"}
_UNBOUNDED = 0xFFFFFFFF

_NO_SPILLS = Resources(spill_stores=0, spill_loads=0)
_FUNCTION = re.compile(
    r"(?:Function properties for|spilled to local memory in function) '?([\w$.]+)'?:?"
)
_ENTRY = re.compile(r"Compiling entry function '([\w$.]+)'")
_USED = re.compile(r"\b[Uu]sed \d+ registers\b")
_AMOUNTS: dict[str, re.Pattern[str]] = {
    name: re.compile(rf"(?<![\w.])(\d{{1,18}}+) {unit}")
    for name, unit in {
        "registers": "registers",
        "barriers": "barriers",
        "stack_bytes": r"(?:bytes stack frame|stack\b)",
        "spill_stores": "bytes spill stores",
        "spill_loads": "bytes spill loads",
        "shared_bytes": "bytes smem",
        "constant_bytes": r"bytes cmem\[0\]",
        "local_bytes": "bytes lmem",
    }.items()
}


def has_code(cubin: bytes) -> bool:
    """Returns whether there is any function in a cubin, kernel or not."""
    return bool(sections(cubin, _CODE))


def is_tile_code(cubin: bytes) -> bool:
    """Returns whether tileiras has made a cubin: each kernel has a fixed number of threads."""
    return _TILE_DATA in cubin


def code_sizes(cubin: bytes) -> dict[str, int]:
    """Returns the bytes of machine code of each function of a cubin, by lowered name."""
    return {
        name.removeprefix(_CODE_PREFIX): end - start
        for name, start, end in section_spans(cubin)
        if _CODE.fullmatch(name)
    }


WHOLE_CODE_BYTES = 256 << 10
"""How much machine code nvdisasm prints at once where one function of it would do: what a second
is enough for. One function of a cubin of any size takes it less than that."""


def function_alone(cubin: bytes, wanted: str | None) -> str:
    """Returns the only function of a cubin whose SASS is to be made; empty for all functions.

    Args:
        cubin: The file's content.
        wanted: The function to be shown; None for all functions. If the cubin lacks the function,
            the first kernel takes the place.
    """
    if wanted is None:
        return ""
    sizes = code_sizes(cubin)
    if len(sizes) < 2 or sum(sizes.values()) <= WHOLE_CODE_BYTES:
        return ""
    kernels = (name for name in _kernels(sections(cubin, _BANKS)) if name in sizes)
    name = wanted if wanted in sizes else next(kernels, next(iter(sizes)))
    # nvdisasm finds it by the table of symbols.
    return name if function_index(cubin, name) is not None else ""


def cubin_resources(cubin: bytes) -> dict[str, Resources]:
    """Returns the needs of each kernel of a cubin, by lowered name; spills are in logs only.

    Of a damaged cubin the names are returned at most.
    """
    return _resources_or_names(sections(cubin))


def kernel_figures(cubin: bytes) -> dict[str, tuple[int | None, Resources]]:
    """Returns the bytes of machine code, if any, and the needs of each kernel of a cubin."""
    elf_sections = sections(cubin)
    sizes = {section.name: section.size for section in elf_sections}
    return {
        name: (sizes.get(f"{_CODE_PREFIX}{name}"), needs)
        for name, needs in _resources_or_names(elf_sections).items()
    }


def kernels_of(
    cubin: bytes, log: str, spills: Mapping[str, Resources] | None = None
) -> tuple[tuple[str, Resources], ...]:
    """Returns the kernels of a cubin with the needs that the cubin and the log of its run tell.

    Args:
        cubin: The file's content.
        log: That of `-v`.
        spills: In place of a log, the needs of all functions that spill.
    """
    needs = cubin_resources(cubin)
    if spills is None:
        return tuple(merge(needs, read_verbose_log(log)).items())
    return tuple(merge(merge(needs, spills), dict.fromkeys(needs, _NO_SPILLS)).items())


def _resources_or_names(elf_sections: tuple[ElfSection, ...]) -> dict[str, Resources]:
    try:
        return _resources(elf_sections)
    except (struct.error, IndexError):
        return dict.fromkeys(_kernels(elf_sections), Resources())


def _resources(elf_sections: tuple[ElfSection, ...]) -> dict[str, Resources]:
    by_name = {section.name: section for section in elf_sections}
    per_symbol = _per_symbol(elf_sections)
    reserved = _RESERVED_BYTES if f"{_SHARED}reserved.0" in by_name else 0
    return {
        name: Resources(
            shared_bytes=max(0, _size(by_name.get(f"{_SHARED}{name}")) - reserved),
            constant_bytes=_size(by_name[f"{_PARAMETER_BANK}{name}"]),
            **_per_kernel(by_name.get(f"{_INFO}.{name}")),
            **per_symbol.get(name, {}),
        )
        for name in _kernels(elf_sections)
    }


def _kernels(elf_sections: tuple[ElfSection, ...]) -> tuple[str, ...]:
    names = (section.name for section in elf_sections if section.name.startswith(_PARAMETER_BANK))
    return tuple(dict.fromkeys(name.removeprefix(_PARAMETER_BANK) for name in names))


def _per_symbol(elf_sections: tuple[ElfSection, ...]) -> dict[str, dict[str, int]]:
    """Registers and stack of every function, by name."""
    needs: dict[str, dict[str, int]] = {}
    by_name = {section.name: section for section in elf_sections}
    table = by_name.get(_SYMBOLS)
    if table is None:
        return needs
    names = elf_sections[table.link].content
    for code, _, payload in attributes(by_name.get(_INFO)):
        if code in _PER_SYMBOL:
            index, amount = struct.unpack_from("<II", payload)
            if amount != _UNBOUNDED:
                name = symbol_name(table, names, index)
                needs.setdefault(name, {})[_PER_SYMBOL[code]] = amount
    return needs


def _per_kernel(info: ElfSection | None) -> dict[str, int]:
    needs = {"barriers": 0}
    for code, value, payload in attributes(info):
        if code == _BARRIERS:
            needs["barriers"] = value & 0xFF
        elif code in (_MAX_THREADS, _REQUIRED_THREADS):
            needs["max_threads"] = prod(struct.unpack_from("<III", payload))
    return needs


def _size(section: ElfSection | None) -> int:
    return section.size if section is not None else 0


def read_verbose_log(text: str) -> dict[str, Resources]:
    """Returns the needs of each function in a log, by lowered name.

    Device functions are among them; ptxas prints their spills, too.
    """
    resources: dict[str, Resources] = {}
    function = entry = ""
    for line in text.splitlines():
        if match := _ENTRY.search(line):
            function = entry = match[1]
        elif match := _FUNCTION.search(line):
            function = match[1]
        if function:
            # ptxas may report the functions that a kernel calls before its registers.
            of = entry if _USED.search(line) and line.startswith("ptxas") and entry else function
            if amounts := _amounts(line):
                resources[of] = replace(resources.get(of, Resources()), **amounts)
    return resources


def merge(known: Mapping[str, Resources], logged: Mapping[str, Resources]) -> dict[str, Resources]:
    """Fills unknown needs in `known` from the needs in `logged` of functions of the same name."""
    return {
        name: _filled(resources, logged.get(name, Resources())) for name, resources in known.items()
    }


def _amounts(line: str) -> dict[str, int]:
    matches = {name: pattern.search(line) for name, pattern in _AMOUNTS.items()}
    return {name: int(match[1]) for name, match in matches.items() if match}


def _filled(known: Resources, logged: Resources) -> Resources:
    unknown = (f.name for f in fields(Resources) if getattr(known, f.name) is None)
    return replace(known, **{name: getattr(logged, name) for name in unknown})
