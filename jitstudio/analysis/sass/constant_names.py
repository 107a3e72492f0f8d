"""Names of the constants that instructions read: parameters of the kernel, variables, addresses.

In machine code a parameter is a place in a constant bank, such as ``c[0x0][0x218]``. Which places
are parameters, and which are variables, the cubin says; names and types of the parameters come from
the kernel's declaration or its PTX, where these agree with the cubin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from jitstudio.analysis.sass.opcodes import Space, class_of
from jitstudio.analysis.sass.operands import REGISTER, decode
from jitstudio.core.constant_banks import ADDRESS_BANK, BankPlace, ConstantBanks, ConstantSymbol
from jitstudio.core.launch.request import FormParameter, KernelForm
from jitstudio.core.launch.types import Array, Opaque, Struct, Type
from jitstudio.listing.kernel_names import read_name

_PARAMETERS = 0
_REGISTER_BYTES, _HALF, _WIDE = 4, 4, 8
# `c[0x0][0x160]`, `c[0x4][URZ]`, and of half precision `c[0x0] [0x160].H1_H1`; a place that
# depends on a register has no name.
_CONSTANT = re.compile(
    r"(?<!\w)c\[0x(?P<bank>[0-9a-f]+)\] ?\[(?:U?RZ|(?:U?RZ\+)?0x(?P<offset>[0-9a-f]+))\]"
    r"(?:\.(?P<part>H[01](?:_H[01])?|B[0-3])(?!\w))?"
)
# Bytes from the start of a register, and how many: a half twice, or a byte.
_PARTS = {"H0": (0, 2), "H0_H0": (0, 2), "H1": (2, 2), "H1_H1": (2, 2)} | {
    f"B{byte}": (byte, 1) for byte in range(4)
}


class NameSource(Enum):
    """Where the name of a constant comes from: of a `PLACE`, from its number in the cubin alone."""

    DECLARATION = "declaration"
    PTX = "ptx"
    PLACE = "place"
    SYMBOL = "symbol"


@dataclass(frozen=True)
class ConstantValue:
    """A parameter, a part of a parameter, or a variable.

    Attributes:
        name: Such as ``n``, ``s.weight``, ``x.hi``, ``s+8``, ``param 3`` or ``&table``.
        type: The type as the source writes it, or that of the part; empty where unknown.
        source: Where the name comes from.
        whole: The place of the parameter in the parameter space, or of the variable in its bank.
        parameter: The number of the parameter, from 0; None for a variable.
    """

    name: str
    type: str
    source: NameSource
    whole: BankPlace
    parameter: int | None = None


@dataclass(frozen=True)
class NamedConstant:
    """An operand in a constant bank.

    Attributes:
        span: Its columns in the text of the operands: the first, and the one behind the last.
        bank: The number of the bank.
        offset: The first byte in the bank that is read.
        values: What is there, in order: a wide load may read several.
    """

    span: tuple[int, int]
    bank: int
    offset: int
    values: tuple[ConstantValue, ...]

    @property
    def name(self) -> str:
        """The names of all values."""
        return ", ".join(value.name for value in self.values)


class ConstantNames:
    """Finds the names of the constants in the code of a kernel.

    Args:
        banks: The constant banks of the cubin.
        kernel: The lowered name of the kernel.
        form: The kernel with the names and types of its parameters; None where nothing tells them.
    """

    def __init__(self, banks: ConstantBanks, kernel: str, form: KernelForm | None) -> None:
        self._bank = banks.parameters.get(kernel)
        self._symbols = banks.symbols
        extents = self._bank.parameters if self._bank is not None else ()
        parameters = form.parameters if form is not None else ()
        places = tuple(BankPlace(p.slot.offset, p.slot.size) for p in parameters)
        # Of another build, or of another kernel of that name, names would be wrong.
        self._parameters: Sequence[FormParameter | None] = (
            parameters if places == extents else (None,) * len(extents)
        )
        is_declared = form is not None and bool(form.module)
        self._source = NameSource.DECLARATION if is_declared else NameSource.PTX

    def named(self, opcode: str, operands: str) -> tuple[NamedConstant, ...]:
        """Returns the constants with a name among the operands of an instruction."""
        return tuple(self._named(opcode, operands)) if "c[0x" in operands else ()

    def _named(self, opcode: str, operands: str) -> Iterator[NamedConstant]:
        for place in _places(opcode, operands):
            find = self._in_parameters if place.bank == _PARAMETERS else self._in_symbols
            if values := tuple(find(place)):
                yield NamedConstant(place.span, place.bank, place.offset, values)

    def _in_parameters(self, place: _Place) -> Iterator[ConstantValue]:
        if self._bank is None:
            return
        for number, (whole, parameter) in enumerate(
            zip(self._bank.parameters, self._parameters, strict=True)
        ):
            start = place.offset - self._bank.base - whole.offset
            if not _meets(start, place.size, whole.size):
                continue
            name, source = self._name(parameter, number)
            kind = parameter.type if parameter else Opaque("", whole.size, 1)
            for part in _parts(name, kind, start, place.size):
                spelling = parameter.spelling if parameter and part.name == name else part.type
                yield ConstantValue(part.name, spelling, source, whole, number)

    def _name(self, parameter: FormParameter | None, number: int) -> tuple[str, NameSource]:
        # A form gives a parameter without a name that of an argument, to have a text for it.
        is_nameless = parameter is not None and parameter.name == f"arg{number}"
        if parameter is None or (is_nameless and self._source is NameSource.PTX):
            return f"param {number}", NameSource.PLACE
        return parameter.name, self._source

    def _in_symbols(self, place: _Place) -> Iterator[ConstantValue]:
        for symbol in self._symbols:
            start = place.offset - symbol.place.offset
            if symbol.bank == place.bank and _meets(start, place.size, symbol.place.size):
                name = _symbol_name(symbol)
                kind = Opaque("", symbol.place.size, 1)
                for part in _parts(name, kind, start, place.size):
                    yield ConstantValue(part.name, "", NameSource.SYMBOL, symbol.place)


class _Place(NamedTuple):
    """An operand in a bank; the size is 0 where the opcode does not tell how much is read."""

    span: tuple[int, int]
    bank: int
    offset: int
    size: int


class _Part(NamedTuple):
    name: str
    type: str


def _places(opcode: str, operands: str) -> Iterator[_Place]:
    for match in _CONSTANT.finditer(operands):
        offset = int(match["offset"] or "0", 16)
        if match["part"]:
            behind, size = _PARTS.get(match["part"], (0, 0))
        else:
            behind, size = 0, _bytes_read(opcode, operands, *match.span())
        yield _Place(match.span(), int(match["bank"], 16), offset + behind, size)


def _bytes_read(opcode: str, operands: str, start: int, end: int) -> int:
    """Returns the bytes of the operand in these columns; 0 where they are not known."""
    kind = class_of(opcode)
    if kind.space is Space.CONSTANT:
        return (kind.bits or 0) // 8
    # A register in the place of the constant takes as many.
    before = operands[:start]
    form = decode(opcode, f"{before}R0{operands[end:]}")
    use = form.uses[len(REGISTER.findall(before))]
    return use.size * _REGISTER_BYTES if form.is_known else 0


def _meets(start: int, size: int, whole: int) -> bool:
    """Returns whether `size` bytes from `start` on have any in common with `whole` from 0 on."""
    return -max(size, 1) < start < whole


def _parts(name: str, kind: Type, start: int, size: int) -> Iterator[_Part]:
    """Yields the parts of a value that are read.

    Args:
        name: The value's.
        kind: Its type.
        start: The first byte that is read, from the start of the value.
        size: How many are read; 0 for so many as the part that begins there has.
    """
    if start <= 0 and size and kind.size <= start + size:
        yield _Part(name, kind.name)
        return
    match kind:
        case Struct(fields=fields):
            for field in fields:
                if _meets(start - field.offset, size, field.type.size):
                    path = f"{name}.{field.name}"
                    yield from _parts(path, field.type, start - field.offset, size)
        case Array(element=element, count=count) if element.size:
            last = (start + max(size, 1) - 1) // element.size
            for index in range(max(0, start // element.size), min(count, last + 1)):
                path = f"{name}[{index}]"
                yield from _parts(path, element, start - index * element.size, size)
        case _ if start == 0 and not size:
            yield _Part(name, kind.name)
        case _ if kind.size == _WIDE and size == _HALF and start in (0, _HALF):
            yield _Part(f"{name}.{'hi' if start else 'lo'}", kind.name)
        case _:
            yield _Part(f"{name}+{max(start, 0)}", kind.name)


def _symbol_name(symbol: ConstantSymbol) -> str:
    name = read_name(symbol.name).path or symbol.name
    return f"&{name}" if symbol.bank == ADDRESS_BANK else name
