"""The things that lie in the constant banks of a cubin: parameters of kernels, and variables.

Where the parameters begin in bank 0 differs between architectures (0x160 for sm_75, 0x210 for
sm_90, 0x380 for sm_120): each kernel says so itself, in `EIATTR_PARAM_CBANK`. The attributes have
the names that `cuobjdump -elf` prints.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from jitstudio.core.cubin import (
    ElfSection,
    attributes,
    is_relocatable,
    relocations,
    sections,
    symbol_name,
    variables,
)

_INFO = ".nv.info."
_VARIABLES, _ADDRESSES = ".nv.constant3", ".nv.constant4"
_SYMBOLS = ".symtab"

_PARAM_CBANK = 0x0A
# KPARAM_INFO and, from sm_90 on for large parameters, KPARAM_INFO_V2: how far the size is shifted,
# and its bits. The others are the alignment behind a pointer and the space.
_SIZES = {0x17: (18, (1 << 14) - 1), 0x45: (0, (1 << 24) - 1)}
# The index of a symbol; where the parameters begin in the bank, and how many bytes they take.
_BANK = struct.Struct("<IHH")
# An index, the ordinal, the offset, the size.
_PARAMETER = struct.Struct("<IHHI")
# R_CUDA_64: the address of a symbol, as a whole.
_ADDRESS, _ADDRESS_BYTES = 2, 8


VARIABLE_BANK, ADDRESS_BANK = 3, 4
"""The banks of variables in `__constant__` memory, and of addresses that the loader puts in."""


class BankPlace(NamedTuple):
    """A place in a bank or in the parameter space: the first byte, and how many."""

    offset: int
    size: int


@dataclass(frozen=True)
class ParameterBank:
    """The parameters of a kernel in constant bank 0.

    Attributes:
        base: The first byte of the parameter space in the bank.
        size: The bytes of the parameter space.
        parameters: Where each parameter is in that space, in order.
    """

    base: int
    size: int
    parameters: tuple[BankPlace, ...]


@dataclass(frozen=True)
class ConstantSymbol:
    """A symbol in a constant bank.

    Attributes:
        name: The symbol.
        bank: The number of the bank: `VARIABLE_BANK` holds the variable itself, `ADDRESS_BANK` its
            address.
        place: The place in the bank.
    """

    name: str
    bank: int
    place: BankPlace


@dataclass(frozen=True)
class ConstantBanks:
    """The things with a name or a number in the constant banks of a cubin.

    Attributes:
        parameters: By the lowered names of the kernels.
        symbols: Variables in `__constant__` memory, and variables whose address is in a bank.
    """

    parameters: Mapping[str, ParameterBank] = field(default_factory=dict)
    symbols: tuple[ConstantSymbol, ...] = ()


def constant_banks(cubin: bytes) -> ConstantBanks:
    """Returns the things in the constant banks of a cubin; of a damaged one, none."""
    elf_sections = sections(cubin)
    try:
        parameters = {
            section.name.removeprefix(_INFO): bank
            for section in elf_sections
            if section.name.startswith(_INFO) and (bank := _parameter_bank(section))
        }
        # The linker has not yet placed the variables of code that is to be linked.
        symbols = () if is_relocatable(cubin) else tuple(_symbols(elf_sections))
    except (struct.error, IndexError):
        return ConstantBanks()
    return ConstantBanks(parameters, symbols)


def _parameter_bank(info: ElfSection) -> ParameterBank | None:
    """Returns the parameters by the attributes of a function; None for one that has no bank."""
    place: BankPlace | None = None
    by_ordinal: dict[int, BankPlace] = {}
    for code, _, payload in attributes(info):
        if code == _PARAM_CBANK:
            place = BankPlace(*_BANK.unpack(payload)[1:])
        elif code in _SIZES:
            _, ordinal, offset, size = _PARAMETER.unpack(payload)
            shift, bits = _SIZES[code]
            by_ordinal[ordinal] = BankPlace(offset, size >> shift & bits)
    if place is None or sorted(by_ordinal) != [*range(len(by_ordinal))]:
        return None
    return ParameterBank(*place, tuple(by_ordinal[ordinal] for ordinal in sorted(by_ordinal)))


def _symbols(cubin: Sequence[ElfSection]) -> Iterator[ConstantSymbol]:
    table = next((section for section in cubin if section.name == _SYMBOLS), None)
    if table is None:
        return
    names = cubin[table.link].content
    for variable in variables(table, names):
        if variable.section < len(cubin) and cubin[variable.section].name == _VARIABLES:
            yield ConstantSymbol(
                variable.name, VARIABLE_BANK, BankPlace(variable.offset, variable.size)
            )
    held = next((section.content for section in cubin if section.name == _ADDRESSES), b"")
    for section in cubin:
        kind, _, bank = section.name.removeprefix(".").partition(".")
        if f".{bank}" != _ADDRESSES or kind not in ("rel", "rela"):
            continue
        for offset, form, symbol, added in relocations(section, adds=kind == "rela"):
            # Without a field of its own, what is added is where the address comes.
            if form == _ADDRESS and not added and not any(held[offset : offset + _ADDRESS_BYTES]):
                name = symbol_name(table, names, symbol)
                yield ConstantSymbol(name, ADDRESS_BANK, BankPlace(offset, _ADDRESS_BYTES))
