"""Products that are added up before they are rounded, as `ptxas` does.

"mul and add instructions with no rounding modifier … may be optimized to use fused multiply-add"
(PTX ISA). The choices of ptxas 13.5 for sm_90 were read from the machine code of some hundred
hand-written and 200 random texts: within a basic block a product is fused into all additions that
use it, if nothing else does. Where both operands of an addition are products, the product with
fewer uses is fused, and of equal ones the first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from jitstudio.ptx.opcodes import (
    ACCESSES,
    ADDITIONS,
    DIVISIONS,
    LEAVING,
    ORDERING,
)
from jitstudio.simulator.ptx.program import (
    AddressOperand,
    BracketOperand,
    PairOperand,
    PtxFunction,
    PtxInstruction,
    PtxOperand,
    PtxProgram,
    RegisterOperand,
    SymbolOperand,
    VectorOperand,
    result_names,
)

_TYPES = frozenset(["f16", "bf16", "f16x2", "bf16x2", "f32", "f64"])
_ROUNDING = frozenset(["rn", "rz", "rm", "rp"])
_ENDS = LEAVING | ORDERING


class Contractions(NamedTuple):
    """Additions of a function that are fused with a product.

    Attributes:
        fused: The fused additions by their numbers, with the opcodes ``mul+add`` and, where the
            product or the other operand is subtracted, ``-mul+add`` and ``mul-add``.
        is_certain: Whether ptxas is known to make these choices.
    """

    fused: dict[int, PtxInstruction]
    is_certain: bool


class _Use(NamedTuple):
    instruction: PtxInstruction
    place: int


def contractions(program: PtxProgram, function: PtxFunction) -> Contractions:
    """Returns the additions of a function that are fused with a product."""
    body = program.instructions[function.start : function.end]
    if not any(_is_plain(i) and i.opcode == "mul" for i in body):
        return Contractions({}, True)
    blocks = _blocks(body, function)
    uses: defaultdict[str, list[_Use]] = defaultdict(list)
    written: defaultdict[str, list[int]] = defaultdict(list)
    for instruction in body:
        results = result_names(instruction)
        for place, operand in enumerate(instruction.operands):
            for name in _registers(operand):
                if place == 0 and name in results:
                    written[name].append(instruction.number)
                else:
                    uses[name].append(_Use(instruction, place))
    products = {
        target.name: i
        for i in body
        if i.opcode == "mul"
        and _is_plain(i)
        and i.guard is None
        and "sat" not in i.modifiers
        and isinstance(target := i.operands[0], RegisterOperand)
        and len(written[target.name]) == 1
        and _vanishes(i, uses[target.name], blocks, written)
    }
    fused: dict[int, PtxInstruction] = {}
    is_certain = True
    for name in sorted(products, key=lambda n: (len(uses[n]), min(u.place for u in uses[n]))):
        mine = uses[name]
        if any(use.instruction.number in fused for use in mine):
            is_certain &= len(mine) == 1
            continue
        for use in mine:
            fused[use.instruction.number] = _fused(products[name], use)
    return Contractions(fused, is_certain)


def _is_plain(instruction: PtxInstruction) -> bool:
    """Returns whether an instruction is arithmetic of floats without a rounding modifier."""
    return (
        instruction.opcode in ("mul", *ADDITIONS)
        and bool(instruction.types)
        and instruction.types[0].name in _TYPES
        and _ROUNDING.isdisjoint(instruction.modifiers)
    )


def _vanishes(
    product: PtxInstruction,
    uses: list[_Use],
    blocks: dict[int, int],
    written: dict[str, list[int]],
) -> bool:
    """Returns whether a product may be fused into all of its uses, with the same factors there."""
    last = max((use.instruction.number for use in uses), default=0)
    factors = chain.from_iterable(map(_registers, product.operands[1:]))
    return (
        bool(uses)
        # The factors must still have their values at the last addition.
        and not any(product.number < at < last for name in factors for at in written[name])
        # `x * y + x * y` uses the product twice, and is no fused multiply-add.
        and len({use.instruction.number for use in uses}) == len(uses)
        and all(
            i.opcode in ADDITIONS
            and _is_plain(i)
            and i.types == product.types
            and ("ftz" in i.modifiers) == ("ftz" in product.modifiers)
            and blocks[i.number] == blocks[product.number]
            and i.number > product.number
            for i, _ in uses
        )
    )


def _fused(product: PtxInstruction, use: _Use) -> PtxInstruction:
    addition, place = use
    opcode = "mul+add"
    if addition.opcode == "sub":
        opcode = "mul-add" if place == 1 else "-mul+add"
    target, *terms = addition.operands
    operands = (target, *product.operands[1:], terms[2 - place])
    return replace(addition, opcode=opcode, operands=operands)


def _blocks(body: tuple[PtxInstruction, ...], function: PtxFunction) -> dict[int, int]:
    """Returns the number of the basic block of each instruction, as ptxas counts them."""
    names = set(chain.from_iterable(function.tables.values()))
    for instruction in body:
        if instruction.opcode == "bra":
            names |= {o.name for o in instruction.operands if isinstance(o, SymbolOperand)}
    begins = {function.labels[name] for name in names if name in function.labels}
    blocks, block = {}, 0
    for instruction in body:
        block += instruction.number in begins
        blocks[instruction.number] = block
        block += _ends_block(instruction)
    return blocks


def _ends_block(instruction: PtxInstruction) -> bool:
    """Returns whether an instruction branches, expands to branches, or keeps others in order."""
    if instruction.opcode in DIVISIONS:
        return {"approx", "full"}.isdisjoint(instruction.modifiers)
    is_guarded_access = instruction.guard is not None and instruction.opcode in ACCESSES
    return is_guarded_access or instruction.opcode in _ENDS


def _registers(operand: PtxOperand) -> Iterator[str]:
    match operand:
        case RegisterOperand(name):
            yield name
        case AddressOperand(base):
            yield from _registers(base)
        case VectorOperand(parts) | BracketOperand(parts):
            yield from chain.from_iterable(map(_registers, parts))
        case PairOperand(first, second):
            yield from _registers(first)
            yield from _registers(second)
