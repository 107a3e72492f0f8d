"""The variable or pointer from which the address of an instruction is computed, in a function.

An address that is computed from one variable and numbers must stay within that variable. A value
that may be a pointer of unknown origin (64 bits from memory, from a caller or a call) leaves an
address open, and so do two variables, or a choice between a variable and anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from jitstudio.ptx.opcodes import (
    ACCESSES,
    ADDITIONS,
    CHOICES,
    LOADS,
    MATRIX_ACCESSES,
    OF_OTHERS,
    SAME_ADDRESS,
    SAME_VALUE,
)
from jitstudio.simulator.ptx.program import (
    AddressOperand,
    ImmediateOperand,
    PtxFunction,
    PtxInstruction,
    PtxOperand,
    PtxProgram,
    RegisterOperand,
    SymbolOperand,
    VectorOperand,
    register_names,
    result_names,
)

_ACCESSES = ACCESSES | MATRIX_ACCESSES
# These hand an address on as it is: all their sources have to be of one origin.
_COPIES = SAME_VALUE | SAME_ADDRESS | CHOICES | OF_OTHERS
_LOADED = LOADS | {"call"}
_POINTER_BITS = 64
# Instructions between a variable and an access to it.
_LONGEST = 32
# `_ZZ1fE1a` is the variable `a` in the function `f`: each name stands behind its length.
_MANGLED_PART = re.compile(r"\d+")
_MANGLED_END = re.compile(r"E?(_\d+)?")


class AddressOrigin(NamedTuple):
    """The variable or pointer from which an address is computed.

    Attributes:
        name: A variable of the module or of the function, or a parameter of the kernel.
        offset: The offset of the pointer in the parameter; None for the address of a variable.
        is_local: Whether it is a variable of the function, in local memory.
    """

    name: str
    offset: int | None = None
    is_local: bool = False


_OPEN = AddressOrigin("")
_Origins = frozenset[AddressOrigin]
_Symbols = Mapping[str, AddressOrigin]
_NOTHING: _Origins = frozenset()
_UNKNOWN: _Origins = frozenset([_OPEN])


_VECTORS = frozenset(("v2", "v4", "v8"))


class BasedAccess(NamedTuple):
    """An access with the only variable or parameter of its address.

    Attributes:
        number: Of the instruction; a copy may have an origin for each of its two addresses.
        origin: The variable or parameter.
        constant: The constant bytes that are added to it; None where that is open.
        size: Bytes that a thread accesses; 0 for unknown.
    """

    number: int
    origin: AddressOrigin
    constant: int | None
    size: int


def origins_of(program: PtxProgram, function: PtxFunction) -> Iterator[BasedAccess]:
    """Yields accesses of a function with the only variable or parameter of their address."""
    body = program.instructions[function.start : function.end]
    symbols = {name: AddressOrigin(name) for name in program.variables}
    for variable in function.variables.values():
        if variable.space == "local":
            symbols[variable.name] = AddressOrigin(variable.name, is_local=True)
    origins = _of_registers(symbols, function, body)
    makers = _single_makers(body) if program.has_debug_info else {}
    for instruction in body:
        if not _is_access(instruction):
            continue
        lanes = next((int(m[1:]) for m in instruction.modifiers if m in _VECTORS), 1)
        size = lanes * instruction.types[0].size if instruction.types else 0
        for operand in instruction.operands:
            if isinstance(operand, AddressOperand):
                made_of = _of_operand(operand.base, symbols, origins)
                if len(made_of) == 1 and made_of != _UNKNOWN:
                    constant = _constant_of(operand, makers, origins)
                    yield BasedAccess(instruction.number, next(iter(made_of)), constant, size)


def _single_makers(body: tuple[PtxInstruction, ...]) -> dict[str, PtxInstruction]:
    """Returns the instruction that gives a register its value, of those that only one writes."""
    makers: dict[str, PtxInstruction | None] = {}
    for instruction in body:
        for name in result_names(instruction):
            makers[name] = None if name in makers else instruction
    return {name: maker for name, maker in makers.items() if maker is not None}


def _constant_of(
    address: AddressOperand, makers: Mapping[str, PtxInstruction], origins: dict[str, _Origins]
) -> int | None:
    """Returns the constant bytes between the origin of an address and the address."""
    constant = address.offset
    base: PtxOperand = address.base
    for _ in range(_LONGEST):
        if isinstance(base, SymbolOperand):
            return constant + base.offset
        maker = makers.get(base.name) if isinstance(base, RegisterOperand) else None
        if maker is None:
            return None
        sources = maker.operands[1:]
        if maker.opcode in ADDITIONS:
            # One of both is the address, the other an index or a constant.
            pointers = [x for x in sources if isinstance(x, SymbolOperand) or _leads(x, origins)]
            others = [x for x in sources if x not in pointers]
            if len(pointers) != 1 or len(others) != 1:
                return None
            if isinstance(others[0], ImmediateOperand):
                sign = 1 if maker.opcode == "add" else -1
                constant += sign * int(others[0].value)
            base = pointers[0]
        elif maker.opcode in SAME_ADDRESS | SAME_VALUE and len(sources) == 1:
            base = sources[0]
        else:
            return None
    return None


def _leads(operand: PtxOperand, origins: dict[str, _Origins]) -> bool:
    return isinstance(operand, RegisterOperand) and bool(origins.get(operand.name))


def source_name(symbol: str) -> str:
    """Returns the name of a variable as its author wrote it, such as ``a`` of ``_ZZ1fE1a``."""
    at = 2 if symbol.startswith("_Z") else len(symbol)
    while match := _MANGLED_PART.search(symbol, at):
        at = end = match.end() + int(match[0])
        if end > len(symbol):
            # The value of a template's argument, such as in ILi128EE.
            at = match.end()
        elif _MANGLED_END.fullmatch(symbol, end):
            return symbol[match.end() : end]
    return symbol


def _is_access(instruction: PtxInstruction) -> bool:
    words = instruction.modifiers
    if "async" in words:
        # Asynchronous operations other than cp.async have two addresses in one space.
        return instruction.opcode == "cp" and "bulk" not in words
    return instruction.opcode in _ACCESSES


class _Maker(NamedTuple):
    """An instruction that gives registers values.

    Attributes:
        results: The registers.
        sources: For each source the registers in it, and its origins besides.
        is_choice: Whether all sources have to be of one origin.
    """

    results: list[str]
    sources: list[tuple[list[str], _Origins]]
    is_choice: bool

    def made_of(self, origins: dict[str, _Origins]) -> _Origins:
        """Returns the origins of the results."""
        parts = [
            direct.union(*(origins.get(name, _NOTHING) for name in names))
            for names, direct in self.sources
        ]
        union: _Origins = _NOTHING.union(*parts)
        return union | _UNKNOWN if self.is_choice and union and not all(parts) else union


def _of_registers(
    symbols: _Symbols, function: PtxFunction, body: tuple[PtxInstruction, ...]
) -> dict[str, _Origins]:
    """Returns the origins of each register, whatever the order of the instructions."""
    makers = [_maker(i, names, symbols, function) for i in body if (names := result_names(i))]
    users: dict[str, list[_Maker]] = {}
    for maker in makers:
        for names, _ in maker.sources:
            for name in names:
                users.setdefault(name, []).append(maker)
    origins: dict[str, _Origins] = {}

    def spread(waiting: list[_Maker]) -> None:
        while waiting:
            maker = waiting.pop()
            made_of = maker.made_of(origins)
            for name in maker.results:
                # A work list: origins only grow, so it ends, whatever loops the function has.
                if not made_of <= origins.get(name, _NOTHING):
                    origins[name] = origins.get(name, _NOTHING) | made_of
                    waiting += users.get(name, ())

    spread([maker for maker in makers if any(direct for _, direct in maker.sources)])
    # A register may get several values: if any of them has no known origin, it is open.
    users_of_open: list[_Maker] = []
    for maker in makers:
        for name in maker.results:
            if origins.get(name) and not maker.made_of(origins):
                origins[name] |= _UNKNOWN
                users_of_open += users.get(name, ())
    spread(users_of_open)
    return origins


def _maker(
    instruction: PtxInstruction, results: list[str], symbols: _Symbols, function: PtxFunction
) -> _Maker:
    opcode, is_wide = instruction.opcode, any(t.bits == _POINTER_BITS for t in instruction.types)
    if (origin := _parameter_of(instruction, function)) is not None and is_wide:
        return _Maker(results, [([], frozenset([origin]))], is_choice=False)
    if opcode in _LOADED:
        direct = _UNKNOWN if is_wide or opcode == "call" else _NOTHING
        return _Maker(results, [([], direct)], is_choice=False)
    sources = instruction.operands[1:]
    if opcode in CHOICES:
        sources = instruction.operands[1:3]
    # What chooses a lane or a block is no part of the address.
    elif opcode in OF_OTHERS:
        sources = instruction.operands[1:2]
    made_of = [(register_names(source), _of_operand(source, symbols, {})) for source in sources]
    return _Maker(results, made_of, opcode in _COPIES)


def _parameter_of(instruction: PtxInstruction, function: PtxFunction) -> AddressOrigin | None:
    """Returns the parameter of a kernel from which an instruction loads a register."""
    if instruction.opcode != "ld" or "param" not in instruction.modifiers or not function.is_kernel:
        return None
    match instruction.operands[:2]:
        case (RegisterOperand(), AddressOperand(SymbolOperand(name, inner), offset)):
            if any(parameter.name == name for parameter in function.parameters):
                return AddressOrigin(name, inner + offset)
    return None


def _of_operand(operand: PtxOperand, symbols: _Symbols, origins: dict[str, _Origins]) -> _Origins:
    if isinstance(operand, SymbolOperand):
        origin = symbols.get(operand.name)
        return _UNKNOWN if origin is None else frozenset([origin])
    if isinstance(operand, AddressOperand | VectorOperand):
        parts = operand.parts if isinstance(operand, VectorOperand) else (operand.base,)
        return frozenset().union(*(_of_operand(part, symbols, origins) for part in parts))
    return frozenset().union(*(origins.get(name, _NOTHING) for name in register_names(operand)))
