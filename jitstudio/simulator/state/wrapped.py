"""Finds the calculation in 32 bits that wrapped the offset of an access out of bounds.

The search goes from the address back through sums and products: each one in 32 bits is calculated
again with all digits, from the current values of the thread. An instruction whose result is not the
current value of its register is of an earlier round of a loop, and is left out. So are operands of
a shift to the right, a remainder or a mask, as hashes and random numbers are meant to wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from jitstudio.ptx.opcodes import ADDITIONS, PRODUCTS, SAME_ADDRESS, SAME_VALUE
from jitstudio.simulator.ptx.program import (
    AddressOperand,
    ImmediateOperand,
    PtxInstruction,
    PtxOperand,
    PtxProgram,
    RegisterOperand,
    register_names,
    result_names,
)
from jitstudio.simulator.state.faults import line_of
from jitstudio.simulator.state.wave import Wave

_BITS = 32
_MOST_INT = (1 << (_BITS - 1)) - 1
_WIDER = "Calculate it in 64 bits, such as by (long long) in front of the first factor."
_UNSIGNED = "An unsigned number is never less than 0: check before the subtraction, or use int."
_PRODUCTS = PRODUCTS | {"shl"}
_LINEAR = SAME_VALUE | SAME_ADDRESS | ADDITIONS | _PRODUCTS | {"selp"}
_MOST_REGISTERS = 256
_MOST_LESS = 1 << 30


class _Wrap(NamedTuple):
    """A calculation whose exact result needs more than 32 bits.

    Attributes:
        instruction: The instruction.
        text: The calculation with its exact result.
        end: The wrapped value, in words that go on after "wraps".
        is_below: Whether the exact result is negative, of an unsigned calculation.
    """

    instruction: PtxInstruction
    text: str
    end: str
    is_below: bool = False


def wrap_sentence(wave: Wave, program: PtxProgram, thread: int) -> str:
    """Returns a sentence about the wrapped offset of a thread's current access, if there is any.

    The sentence has a space in front, and is empty where no offset wrapped.
    """
    assert wave.current is not None
    trail = _Trail(wave, program, wave.current, wave.depth, thread)
    wrap = next(trail.wraps(), None)
    if wrap is None:
        return ""
    at = line_of(wave.layout.place(wrap.instruction, thread))
    advice = _UNSIGNED if wrap.is_below else _WIDER
    return f" The offset wraps in 32 bits: {wrap.text} at {at} wraps{wrap.end}. {advice}"


class _Trail:
    """The registers from which the address of an access of one thread was computed."""

    def __init__(
        self,
        wave: Wave,
        program: PtxProgram,
        instruction: PtxInstruction,
        depth: int,
        thread: int,
    ) -> None:
        self._access, self._thread = instruction, thread
        self._registers = wave.bases.get((depth, instruction.function), {})
        function = program.functions[instruction.function]
        self._makers: dict[str, list[PtxInstruction]] = {}
        for maker in program.instructions[function.start : function.end]:
            for name in result_names(maker):
                self._makers.setdefault(name, []).append(maker)
        self._reported: set[tuple[str, bool | None]] = set()

    def wraps(self) -> Iterator[_Wrap]:
        """Yields calculations that wrapped, the earliest on each way to the address first."""
        for operand in self._access.operands:
            if isinstance(operand, AddressOperand):
                for name in register_names(operand):
                    yield from self._wraps_of(name, None)

    def _wraps_of(self, name: str, signed: bool | None) -> Iterator[_Wrap]:
        """Yields wraps of a register; `signed` is how its 32 bits are widened, None for 64 bits."""
        if (name, signed) in self._reported or len(self._reported) > _MOST_REGISTERS:
            return
        self._reported.add((name, signed))
        for maker in self._makers.get(name, ()):
            before = signed if signed is not None else _widening(maker)
            sources = maker.operands[1:]
            if not _is_linear(maker):
                continue
            if maker.opcode == "selp":
                sources = sources[:2]
            wrap = self._wrap(maker, name, signed)
            if wrap is None and signed is not None and not self._is_current(maker, name):
                continue
            for source in sources:
                for source_name in register_names(source):
                    yield from self._wraps_of(source_name, before)
            if wrap is not None:
                yield wrap

    def _is_current(self, maker: PtxInstruction, name: str) -> bool:
        """Returns whether a register may be up to date with the operands of an instruction."""
        calculation = _calculation(maker)
        values = [self._value(operand, signed=False) for operand in maker.operands[1:]]
        if calculation is None or any(value is None for value in values):
            return True
        result = calculation.exact(*[value or 0 for value in values])
        reads_itself = any(name in register_names(o) for o in maker.operands[1:])
        return reads_itself or result % (1 << _BITS) == self._number(name) % (1 << _BITS)

    def _wrap(self, maker: PtxInstruction, name: str, signed: bool | None) -> _Wrap | None:
        calculation = _calculation(maker)
        if calculation is None or signed is None:
            return None
        values = [
            self._value(operand, signed=signed, is_term=maker.opcode in ADDITIONS or at == 2)
            for at, operand in enumerate(maker.operands[1:])
        ]
        if any(value is None for value in values):
            return None
        numbers = [value or 0 for value in values]
        result = self._number(name)
        for index, operand in enumerate(maker.operands[1:]):
            if name in register_names(operand):
                if maker.opcode not in ADDITIONS or index:
                    return None
                # `i += step`: the operand is the register before this round of the loop.
                step = numbers[1] if maker.opcode == "add" else -numbers[1]
                numbers[0] = _as_number(result - step, signed=signed)
        exact = calculation.exact(*numbers)
        # The register is not up to date with these operands: an earlier round of a loop.
        if exact % (1 << _BITS) != result % (1 << _BITS):
            return None
        terms = calculation.text(*[f"{number:,}" for number in numbers]).replace("+ -", "- ")
        text = f"{terms} = {exact:,}"
        least, most = (-_MOST_INT - 1, _MOST_INT) if signed else (0, 2 * _MOST_INT + 1)
        if not least <= exact <= most:
            end = f" to {_as_number(exact, signed=signed):,}"
            return _Wrap(maker, text, end, not signed and exact < 0)
        products = _product(maker, numbers)
        # A product of two int variables that is only then widened as unsigned: PTX shows no sign.
        if not signed and products is not None and _MOST_INT < products[1] <= most:
            return _Wrap(
                maker,
                f"{products[0]} = {products[1]:,}",
                f" if it is of type int, which holds {_MOST_INT:,} at most",
            )
        return None

    def _value(self, operand: PtxOperand, *, signed: bool, is_term: bool = False) -> int | None:
        if isinstance(operand, ImmediateOperand) and not operand.float_bits:
            # A difference is written as the sum with a negative number; so is 2654435761u, the
            # constant of a hash, as -1640531535.
            value = int(operand.value)
            is_less = is_term and -_MOST_LESS <= value < 0
            return value if is_less else _as_number(value, signed=signed)
        if isinstance(operand, RegisterOperand) and operand.name in self._registers:
            return _as_number(self._number(operand.name), signed=signed)
        return None

    def _number(self, name: str) -> int:
        return int(self._registers[name][self._thread])


class _Calculation(NamedTuple):
    """The calculation of an instruction: on numbers with all digits, and as text."""

    exact: Callable[..., int]
    text: Callable[..., str]


_CALCULATIONS = {
    "add": _Calculation(lambda a, b: a + b, lambda a, b: f"{a} + {b}"),
    "sub": _Calculation(lambda a, b: a - b, lambda a, b: f"{a} - {b}"),
    "mul": _Calculation(lambda a, b: a * b, lambda a, b: f"{a} * {b}"),
    "mad": _Calculation(lambda a, b, c: a * b + c, lambda a, b, c: f"{a} * {b} + {c}"),
    "shl": _Calculation(lambda a, b: a << min(b, 64), lambda a, b: f"{a} << {b}"),
}


def _calculation(maker: PtxInstruction) -> _Calculation | None:
    words = set(maker.modifiers)
    if not maker.types or maker.types[0].bits != _BITS or words - {"lo"}:
        return None
    return _CALCULATIONS.get(maker.opcode) if maker.types[0].name[0] in "sub" else None


def _is_linear(maker: PtxInstruction) -> bool:
    """Returns whether a wrapped operand may put a result out of bounds."""
    whole = all(kind.name[0] in "sub" and kind.bits >= _BITS for kind in maker.types)
    return maker.opcode in _LINEAR and whole and "hi" not in maker.modifiers


def _product(maker: PtxInstruction, numbers: list[int]) -> tuple[str, int] | None:
    """Returns a product as text and as number, of factors that are not negative."""
    if maker.opcode not in _PRODUCTS or max(numbers[:2]) > _MOST_INT:
        return None
    calculation = _CALCULATIONS["shl" if maker.opcode == "shl" else "mul"]
    factors = numbers[:2]
    return calculation.text(*[f"{n:,}" for n in factors]), calculation.exact(*factors)


def _widening(maker: PtxInstruction) -> bool | None:
    """Returns whether an instruction that widens 32 bits takes them as signed; None for others."""
    types = [kind.name for kind in maker.types]
    if maker.opcode == "cvt" and len(types) > 1 and types[1] in ("s32", "u32"):
        return types[1] == "s32"
    if maker.opcode in PRODUCTS and "wide" in maker.modifiers and types[0] in ("s32", "u32"):
        return types[0] == "s32"
    return None


def _as_number(bits: int, *, signed: bool) -> int:
    value = bits % (1 << _BITS)
    return value - (1 << _BITS) if signed and value > _MOST_INT else value
