"""Pointers from memory on which the addresses of instructions are based, in a function.

A pointer that was loaded from memory leads into the buffer that it points to, whatever is added to
it. Only registers with a single writer are followed: at the access they still hold the value that
the address was computed from. A value that may as well be a number, as either of two that were
loaded and added, leaves the address open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jitstudio.ptx.opcodes import ACCESSES, PLAIN_LOADS, SHIFTS
from jitstudio.simulator.ptx.program import (
    AddressOperand,
    ImmediateOperand,
    PtxFunction,
    PtxInstruction,
    PtxOperand,
    PtxProgram,
    RegisterOperand,
    result_names,
)

_POINTER_BITS = 64
_NUMBER = ""
"""Stands for values that are no pointer: a product, a shifted or a widened number."""


def loaded_pointers(program: PtxProgram, function: PtxFunction) -> Iterator[tuple[int, str]]:
    """Yields accesses whose address is computed from one pointer from memory and numbers.

    Returns:
        The number of each instruction with the register that holds the pointer.
    """
    body = program.instructions[function.start : function.end]
    makers: dict[str, list[PtxInstruction]] = {}
    for instruction in body:
        for name in result_names(instruction):
            makers.setdefault(name, []).append(instruction)
    single = {name: writers[0] for name, writers in makers.items() if len(writers) == 1}
    if not any(_loads_pointer(maker) for maker in single.values()):
        return
    known: dict[str, str | None] = {}
    for instruction in body:
        if instruction.opcode not in ACCESSES:
            continue
        for operand in instruction.operands:
            if isinstance(operand, AddressOperand) and isinstance(operand.base, RegisterOperand):
                made_of = _made_of(operand.base.name, single, known)
                if made_of:
                    yield instruction.number, made_of


def _made_of(
    name: str, single: Mapping[str, PtxInstruction], known: dict[str, str | None]
) -> str | None:
    """Returns the register of the pointer that a register is based on; empty for a number."""
    if name not in known:
        # Open while it is looked at: a register may depend on itself.
        known[name] = None
        maker = single.get(name)
        if maker is not None and maker.guard is None:
            known[name] = name if _loads_pointer(maker) else _of_maker(maker, single, known)
    return known[name]


def _of_maker(
    maker: PtxInstruction, single: Mapping[str, PtxInstruction], known: dict[str, str | None]
) -> str | None:
    match maker.opcode:
        case "mul" | "shl" | "shr":
            return _product(maker, single, known)
        case "cvt":
            is_widened = len(maker.types) > 1 and maker.types[1].bits < _POINTER_BITS
            return _NUMBER if is_widened else None
        case "mov" | "cvta":
            return _of_operand(maker.operands[1], single, known)
        case "add" | "sub":
            terms = [_of_operand(operand, single, known) for operand in maker.operands[1:3]]
        case "mad":
            product = _product(maker, single, known)
            terms = [product, _of_operand(maker.operands[3], single, known)]
        case _:
            return None
    first, second = terms
    if first is None or second is None or (first and second):
        return None
    if maker.opcode == "sub" and second:
        return None
    return first or second


def _product(
    maker: PtxInstruction, single: Mapping[str, PtxInstruction], known: dict[str, str | None]
) -> str | None:
    """Returns `_NUMBER` for a product, unless a factor may be the difference of two pointers."""
    if maker.types[0].bits < _POINTER_BITS:
        return _NUMBER
    factors = maker.operands[1:2] if maker.opcode in SHIFTS else maker.operands[1:3]
    is_open = any(_of_operand(factor, single, known) is None for factor in factors)
    return None if is_open else _NUMBER


def _of_operand(
    operand: PtxOperand, single: Mapping[str, PtxInstruction], known: dict[str, str | None]
) -> str | None:
    if isinstance(operand, ImmediateOperand):
        return _NUMBER
    return _made_of(operand.name, single, known) if isinstance(operand, RegisterOperand) else None


def _loads_pointer(maker: PtxInstruction) -> bool:
    """Returns whether an instruction loads 64 bits from memory other than parameters."""
    loads = maker.opcode in PLAIN_LOADS and "param" not in maker.modifiers
    return loads and bool(maker.types) and maker.types[-1].bits == _POINTER_BITS
