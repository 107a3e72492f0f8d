"""The variables of the source that registers of machine code hold, by the debug information of -G.

In a cubin DWARF names the register of PTX that holds a variable, as in PTX itself. The section
`.nv_debug_info_reg_sass`, which cuda-gdb and LLDB read, says in which register of machine code each
of those is, and from where to where: name and number of entries of each function, and for each
entry the number of the 32-bit part, the name, the register with its file, the first address, and
the address behind the last. What neither says has no name.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from jitstudio.core.cubin import ElfSection, relocations, sections, symbol_name
from jitstudio.simulator.ptx.debug_info import (
    DebugScope,
    DebugVariable,
    SectionBytes,
    read_debug_sections,
)

_REGISTERS = ".nv_debug_info_reg_sass"
_READ = (".debug_info", ".debug_abbrev", ".debug_loc", ".debug_str", ".debug_line")
# R_CUDA_64: an address, as a whole.
_ADDRESS = 2
_GENERAL = 5
_COUNT, _PART, _WIDE = struct.Struct("<I"), struct.Struct("<I"), struct.Struct("<Q")
# The register: its file in the highest byte; the first address, and that behind the last.
_PLACE = struct.Struct("<III")
_PARTS = ("lo", "hi")


class RegisterVariable(NamedTuple):
    """A variable in a register of machine code.

    Attributes:
        name: Such as ``sum``, or ``out.hi`` for the upper half of 64 bits.
        type: About as the source spells it.
        line: Where it is declared; 0 for unknown.
        file: The path of the file of that line; empty for unknown.
        register: The number of the general register.
        begin: The address of the instruction that puts the value there, or of the first in scope.
        end: The address from which on it is there no more.
        is_written: Whether the instruction at `begin` puts it there, and what that reads is another
            value.
    """

    name: str
    type: str
    line: int
    file: str
    register: int
    begin: int
    end: int
    is_written: bool

    def is_in(self, address: int, *, as_result: bool) -> bool:
        """Returns whether an instruction reads the variable there, or has it there behind."""
        is_before = address == self.begin and self.is_written and not as_result
        return self.begin <= address < self.end and not is_before


class _Span(NamedTuple):
    part: int
    register: int
    begin: int
    end: int


def register_variables(cubin: bytes) -> dict[str, tuple[RegisterVariable, ...]]:
    """Returns the variables in registers by the functions of a cubin; empty without -G."""
    elf_sections = sections(cubin)
    by_name = {section.name: section for section in elf_sections}
    if _REGISTERS not in by_name or ".debug_info" not in by_name:
        return {}
    try:
        spans = dict(_spans(by_name[_REGISTERS].content))
        parts = {
            name: SectionBytes(by_name[name].content, dict(_addresses(name, by_name, elf_sections)))
            for name in _READ
            if name in by_name
        }
    except (struct.error, ValueError, IndexError):
        return {}
    functions = read_debug_sections(parts).functions
    return {
        name: tuple(_in_scope(scope, spans[name], None))
        for name, scope in functions.items()
        if name in spans
    }


def _spans(content: bytes) -> Iterator[tuple[str, dict[str, list[_Span]]]]:
    at = 0
    while at < len(content):
        function, at = _text(content, at)
        (count,) = _COUNT.unpack_from(content, at)
        at += _COUNT.size
        by_register: dict[str, list[_Span]] = {}
        for _ in range(count):
            (part,) = _PART.unpack_from(content, at)
            name, at = _text(content, at + _PART.size)
            register, begin, end = _PLACE.unpack_from(content, at)
            at += _PLACE.size
            if register >> 24 == _GENERAL:
                span = _Span(part, register & 0xFFFFFF, begin, end)
                by_register.setdefault(name, []).append(span)
        yield function, by_register


def _text(content: bytes, at: int) -> tuple[str, int]:
    end = content.index(b"\0", at)
    return content[at:end].decode("utf-8", "replace"), end + 1


def _addresses(
    name: str, by_name: Mapping[str, ElfSection], elf_sections: tuple[ElfSection, ...]
) -> Iterator[tuple[int, str]]:
    """Yields where addresses are in a section, as texts that `_address` reads."""
    table = by_name.get(".symtab")
    if table is None:
        return
    names, content = elf_sections[table.link].content, by_name[name].content
    for kind in (".rel", ".rela"):
        adds = kind == ".rela"
        moved = by_name.get(f"{kind}{name}")
        for offset, form, symbol, added in relocations(moved, adds=adds) if moved else ():
            if form == _ADDRESS:
                # Without a field of its own, what is added is where the address comes.
                at = added if adds else _WIDE.unpack_from(content, offset)[0]
                yield offset, f"{symbol_name(table, names, symbol)}+{at:x}"


def _address(label: str) -> int:
    return int(label.rpartition("+")[2], 16)


def _in_scope(
    scope: DebugScope, spans: Mapping[str, list[_Span]], around: tuple[int, int] | None
) -> Iterator[RegisterVariable]:
    bounds = (_address(scope.begin), _address(scope.end)) if scope.begin and scope.end else around
    for variable in scope.variables:
        yield from _placed(variable, spans, bounds)
    for inner in scope.inner:
        yield from _in_scope(inner, spans, bounds)


def _placed(
    variable: DebugVariable, spans: Mapping[str, list[_Span]], bounds: tuple[int, int] | None
) -> Iterator[RegisterVariable]:
    for place in variable.places:
        within = (_address(place.begin), _address(place.end)) if place.begin else bounds
        if within is None:
            continue
        there = spans.get(place.register, ())
        is_wide = any(span.part for span in there)
        for span in there:
            begin, end = max(span.begin, within[0]), min(span.end, within[1])
            if begin < end and span.part < len(_PARTS):
                yield RegisterVariable(
                    f"{variable.name}.{_PARTS[span.part]}" if is_wide else variable.name,
                    variable.type.name,
                    variable.line,
                    variable.file,
                    span.register,
                    begin,
                    end,
                    is_written=begin == span.begin,
                )
