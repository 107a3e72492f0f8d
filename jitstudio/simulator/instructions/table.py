"""The table of instructions: all forms, and the binding of an instruction to its registers.

A row is one form of an opcode: the types and words that it takes, and a function that returns the
step of an instruction. A step is a function of the wave, the frame and the threads that execute it.
A flow is a step that also returns where these threads go on. To add an instruction is to add a row.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.program import (
    AddressOperand,
    ImmediateOperand,
    PairOperand,
    PtxInstruction,
    PtxOperand,
    RegisterOperand,
    SymbolOperand,
    VectorOperand,
)
from jitstudio.simulator.ptx.types import BITS, PREDICATE, TYPES, PtxType, TypeKind
from jitstudio.simulator.state.faults import UnsupportedInstruction
from jitstudio.simulator.state.frames import (
    CARRY,
    CARRY_FROM,
    Frame,
    FrameLayout,
    ReturnLink,
    SlotKind,
)
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.image import Image
from jitstudio.simulator.state.special import SPECIAL_NAMES
from jitstudio.simulator.state.wave import Meeting, Wave


class Move(NamedTuple):
    """Threads that go on at an instruction at a depth of calls."""

    depth: int
    at: int
    threads: Selection


Moves = Sequence[Move]
Step = Callable[[Wave, Frame, Selection], None]
"""Executes an instruction for some threads, on their registers."""

Flow = Callable[[Wave, Frame, int, Selection, Selection | None], Moves]
"""Executes an instruction that decides where threads go on: takes the depth, the threads whose
guard is true, and the threads whose guard is false, or None."""

Values = NDArray[Any]


@dataclass(frozen=True)
class Row:
    """A form of an instruction.

    Attributes:
        opcode: The first word.
        types: The types that may stand at each place; None for any.
        words: The modifiers that it may have; None for any.
        needs: The modifiers that it must have.
        bind: Returns the step of an instruction.
        is_flow: Whether the step is a `Flow`.
        name: For tests and messages.
        count: The number of operands; 0 for any number.
    """

    opcode: str
    types: tuple[frozenset[str], ...] | None
    words: frozenset[str] | None
    needs: frozenset[str]
    bind: Callable[[Binding], Any]
    is_flow: bool
    name: str
    count: int = 0

    def fits(self, instruction: PtxInstruction) -> bool:
        """Returns whether an instruction has this form."""
        types, words = instruction.types, instruction.modifiers
        return (
            (self.types is None or _matching(types, self.types))
            and self.count in (0, len(instruction.operands))
            and self.needs.issubset(words)
            and (self.words is None or self.words.union(self.needs).issuperset(words))
        )


def _matching(types: tuple[PtxType, ...], allowed: tuple[frozenset[str], ...]) -> bool:
    return len(types) == len(allowed) and all(
        kind.name in names for kind, names in zip(types, allowed, strict=True)
    )


ROWS: dict[str, list[Row]] = {}
"""All forms by their opcode; see `row_of`."""


def form(
    opcode: str,
    *types: str,
    words: str | None = "",
    needs: str = "",
    flow: bool = False,
    count: int = 0,
    any_types: bool = False,
) -> Callable[[Callable[[Binding], Any]], Callable[[Binding], Any]]:
    """Adds a row.

    Args:
        opcode: The first word.
        types: For each type of the instruction the allowed ones, with spaces in between.
        words: Modifiers that it may have, with spaces in between; None for any.
        needs: Modifiers that it must have.
        flow: Whether the decorated function returns a `Flow`.
        count: The number of operands; 0 for any number.
        any_types: Whether the types may be any.
    """

    def add(bind: Callable[[Binding], Any]) -> Callable[[Binding], Any]:
        allowed = tuple(frozenset(names.split()) for names in types)
        optional = None if words is None else frozenset(words.split())
        name = ".".join((opcode, *needs.split(), *(t.replace(" ", "/") for t in types)))
        kinds = None if any_types else allowed
        row = Row(opcode, kinds, optional, frozenset(needs.split()), bind, flow, name, count)
        ROWS.setdefault(opcode, []).append(row)
        return bind

    return add


def computes(
    opcode: str,
    *types: str,
    result: str = "t",
    sources: str = "t t",
    words: str = "",
    needs: str = "",
) -> Callable[
    [Callable[[PtxInstruction], Callable[..., Values]]],
    Callable[[PtxInstruction], Callable[..., Values]],
]:
    """Adds a row whose result depends on sources only, by a function of their values.

    The decorated function returns, for an instruction, the function from the values of the sources
    to the value of the result.

    Args:
        opcode: The first word.
        types: For each type of the instruction the allowed ones, with spaces in between.
        result: The type of the result: ``t`` for the first type of the instruction, ``u`` for the
            second, ``w`` for the first with twice the bits, or a name such as ``u32``; a ``&``
            between two of them for a pair of predicates.
        sources: The type of each source, likewise, with spaces in between.
        words: Modifiers that it may have.
        needs: Modifiers that it must have.
    """

    def add(
        make: Callable[[PtxInstruction], Callable[..., Values]],
    ) -> Callable[[PtxInstruction], Callable[..., Values]]:
        def bind(b: Binding) -> Step:
            function = make(b.instruction)
            kinds = [b.type_named(name) for name in sources.split()]
            operands = b.instruction.operands
            places = [b.source(o, k) for o, k in zip(operands[1:], kinds, strict=True)]
            return _step(function, b.target(operands[0], b.type_named(result)), places)

        form(opcode, *types, words=words, needs=needs, count=len(sources.split()) + 1)(bind)
        return make

    return add


def _step(function: Callable[..., Values], target: int, places: list[int]) -> Step:
    # Unrolled for the usual numbers of sources: most of all time is spent in these few lines.
    match places:
        case [a]:

            def step(_wave: Wave, f: Frame, s: Selection) -> None:
                f[target][s] = function(f[a][s])

        case [a, b]:

            def step(_wave: Wave, f: Frame, s: Selection) -> None:
                f[target][s] = function(f[a][s], f[b][s])

        case [a, b, c]:

            def step(_wave: Wave, f: Frame, s: Selection) -> None:
                f[target][s] = function(f[a][s], f[b][s], f[c][s])

        case _:

            def step(_wave: Wave, f: Frame, s: Selection) -> None:
                f[target][s] = function(*(f[place][s] for place in places))

    return step


def row_of(instruction: PtxInstruction) -> Row:
    """Returns the form that fits an instruction, the most specific if several do.

    Raises:
        UnsupportedInstruction: If there is none.
    """
    rows = ROWS.get(instruction.opcode)
    if not rows:
        raise UnsupportedInstruction("the simulator does not know this instruction")
    fitting = [row for row in rows if row.fits(instruction)]
    if not fitting:
        raise UnsupportedInstruction("the simulator does not know this form of the instruction")
    return max(fitting, key=lambda row: len(row.needs))


class Binding:
    """An instruction with the registers and addresses that its operands stand for.

    Attributes:
        instruction: The instruction.
        layout: The frames of its function.
        layouts: The frames of all functions.
        links: The results to hand over at returns, by call and function.
        meetings: Operations of warps, by instruction.
        image: The addresses of variables.
    """

    def __init__(
        self,
        instruction: PtxInstruction,
        layouts: dict[str, FrameLayout],
        image: Image,
        links: dict[tuple[int, str], ReturnLink],
        meetings: dict[int, Meeting],
    ) -> None:
        self.instruction, self.layouts, self.image = instruction, layouts, image
        self.links, self.meetings = links, meetings
        self.layout = layout = layouts[instruction.function]
        self.function = layout.function

    def has(self, word: str) -> bool:
        """Returns whether the instruction has a modifier."""
        return word in self.instruction.modifiers

    def any_of(self, words: Iterable[str]) -> bool:
        """Returns whether the instruction has any of some modifiers."""
        return not set(self.instruction.modifiers).isdisjoint(words)

    @property
    def type(self) -> PtxType:
        """The first type of the instruction."""
        return self.instruction.types[0]

    def type_named(self, name: str) -> PtxType:
        """Returns the type for a letter or a name of `computes`."""
        types = self.instruction.types
        if name == "t":
            return types[0]
        if name == "u":
            return types[1]
        if name == "w":
            return TYPES[f"{types[0].name[0]}{types[0].bits * 2}"]
        if name == "b":
            return BITS[types[0].bits]
        return TYPES[name]

    # Slots.

    def register_type(self, operand: PtxOperand) -> PtxType:
        """Returns the type of a register; of a number the type of the instruction."""
        if isinstance(operand, RegisterOperand):
            if (kind := self.function.registers.get(operand.name)) is not None:
                return kind
            return TYPES["u64" if operand.name in _WIDE_SPECIAL else "u32"]
        return self.type

    def source(self, operand: PtxOperand, kind: PtxType) -> int:
        """Returns the slot of an operand, read as a type.

        Raises:
            UnsupportedInstruction: If the operand cannot be read so.
        """
        if isinstance(operand, RegisterOperand):
            return self._register(operand, kind.dtype)
        if isinstance(operand, ImmediateOperand):
            return self.constant(bits_of(operand, kind), kind.dtype)
        if isinstance(operand, SymbolOperand):
            if operand.name in self.image.locals[self.function.name]:
                offset = self.image.locals[self.function.name][operand.name] + operand.offset
                if offset == 0:
                    return self.layout.slot(SlotKind("", kind.dtype, "stack"))
                # Its address is another number in each thread.
                raise UnsupportedInstruction("a local variable is used as a number here")
            value = self.symbol(operand.name) + operand.offset
            return self.constant(value.to_bytes(8, "little")[: kind.size], kind.dtype)
        raise UnsupportedInstruction("it has an operand of a kind that is not expected")

    def predicate(self, operand: PtxOperand) -> tuple[int, bool]:
        """Returns the slot of a predicate, and whether it is negated."""
        negated = isinstance(operand, RegisterOperand) and operand.negated
        return self.source(operand, PREDICATE), negated

    def target(self, operand: PtxOperand, kind: PtxType) -> int:
        """Returns the slot of a register that gets a value of a type, extended if wider.

        Signed integers are extended by their sign, all others by zeros.
        """
        if is_sink(operand):
            return self.layout.slot(SlotKind("sink", kind.dtype, "sink"))
        if not isinstance(operand, RegisterOperand) or (
            operand.name not in self.function.registers
        ):
            raise UnsupportedInstruction("what it writes to is no register of the function")
        register = self.function.registers[operand.name]
        if register.bits == kind.bits:
            return self._register(operand, kind.dtype)
        if register.bits < kind.bits or kind.bits == 1:
            raise UnsupportedInstruction(
                f"{operand.name} has {register.bits} bits, and the result {kind.bits}"
            )
        if kind.dtype.kind == "f":
            raise UnsupportedInstruction(
                f"{operand.name} has {register.bits} bits, and the result is .{kind.name}"
            )
        # PTX ISA, "Operand Size Exceeding Instruction-Type Size": sign-extended if the type is a
        # signed integer, zero-extended otherwise.
        letter = "i" if kind.is_signed else "u"
        return self._register(operand, np.dtype(f"{letter}{register.size}"))

    def constant(self, value: bytes, dtype: np.dtype[Any]) -> int:
        """Returns the slot of a constant."""
        return self.layout.slot(SlotKind("", dtype, "constant", 0, value))

    def carry(self) -> int:
        """Returns the slot of the register for carries."""
        return self.layout.slot(SlotKind(CARRY, np.dtype("u1")))

    def carry_from(self) -> int:
        """Returns the slot that names the setter of the carry: see `CARRY_FROM`."""
        return self.layout.slot(SlotKind(CARRY_FROM, np.dtype("i4")))

    def _register(self, operand: RegisterOperand, dtype: np.dtype[Any]) -> int:
        register = self.function.registers.get(operand.name)
        if register is not None:
            if register.bits < dtype.itemsize * 8 and dtype.kind != "b":
                raise UnsupportedInstruction(
                    f"{operand.name} has {register.bits} bits, and {dtype.itemsize * 8} are read"
                )
            if (register.bits == 1) != (dtype.kind == "b"):
                raise UnsupportedInstruction(f"{operand.name} is of type .{register.name}")
            return self.layout.slot(SlotKind(operand.name, dtype))
        if operand.name not in SPECIAL_NAMES:
            raise UnsupportedInstruction(
                f"{operand.name} is not declared, and no special register that the simulator has"
            )
        if dtype.itemsize > self.register_type(operand).size:
            raise UnsupportedInstruction(f"{operand.name} has fewer bits than are read")
        return self.layout.slot(SlotKind(operand.name, dtype, "special"))

    def symbol(self, name: str) -> int:
        """Returns the address of a variable in its state space, or of a function.

        Raises:
            UnsupportedInstruction: If the name is not defined.
        """
        image = self.image
        if name in image.addresses:
            return image.addresses[name]
        if name in image.codes:
            return image.codes[name]
        if self.function.is_kernel and name in image.parameters:
            return image.parameters[name]
        raise UnsupportedInstruction(f"{name} is not defined")

    def address(self, operand: PtxOperand) -> Callable[[Frame, Selection], NDArray[np.int64]]:
        """Returns a function that computes the addresses of an operand in brackets."""
        offset = 0
        if isinstance(operand, AddressOperand):
            base, offset = operand.base, operand.offset
        elif isinstance(operand, (RegisterOperand, ImmediateOperand, SymbolOperand)):
            base = operand
        else:
            raise UnsupportedInstruction("it has no address where one is expected")
        if isinstance(base, SymbolOperand):
            offset += base.offset
            local = self.image.locals[self.function.name]
            if base.name in local:
                offset += local[base.name]
                slot = self.layout.slot(SlotKind("", np.dtype("i8"), "stack"))
                return lambda f, s: f[slot][s] + offset
            base = ImmediateOperand(self.symbol(base.name) + offset)
            offset = 0
        if isinstance(base, ImmediateOperand):
            # `[-4]` is the address 2^64 - 4.
            value = (int(base.value) + offset) % (1 << 64)
            fixed = self.constant(value.to_bytes(8, "little"), np.dtype("i8"))
            return lambda f, s: f[fixed][s]
        if self.register_type(base).bits == 64:
            wide = self._register(base, np.dtype("i8"))
            if offset:
                return lambda f, s: f[wide][s] + offset
            return lambda f, s: f[wide][s]
        # Registers of 32 bits, as for shared memory, are zero-extended.
        narrow = self._register(base, np.dtype("u4"))
        return lambda f, s: f[narrow][s].astype(np.int64) + offset

    def parameter(self, name: str, dtype: np.dtype[Any], offset: int) -> int | None:
        """Returns the slot of a part of a parameter; None for names of no parameter."""
        image, function = self.image, self.function
        if function.is_kernel and name in image.parameters:
            at = image.parameters[name] + offset
            return self.layout.slot(SlotKind("", dtype, "kernel param", at))
        # Parameters and results of a function, and the `.param` variables of calls in its body.
        variables = {v.name: v for v in (*function.parameters, *function.results)}
        variable = function.variables.get(name) or variables.get(name)
        if variable is None or variable.space != "param":
            return None
        if not 0 <= offset <= variable.size - dtype.itemsize:
            raise UnsupportedInstruction(f"byte {offset} of {name} is not in it")
        return self.layout.slot(SlotKind(name, dtype, "param", offset))

    def parts(self, operand: PtxOperand) -> tuple[PtxOperand, ...]:
        """Returns the elements of a vector, or any other operand alone."""
        return operand.parts if isinstance(operand, VectorOperand) else (operand,)

    def elements(self, operand: PtxOperand) -> tuple[PtxOperand, ...]:
        """Returns the registers of a vector, checked by the `.v2`, `.v4` or `.v8`; or a single one.

        Raises:
            UnsupportedInstruction: If there are more or fewer registers.
        """
        words = self.instruction.modifiers
        count = next((_VECTORS[word] for word in words if word in _VECTORS), 1)
        parts = self.parts(operand)
        if len(parts) != count:
            raise UnsupportedInstruction(f"it moves {count} elements, and {len(parts)} are named")
        return parts

    def pair(self, operand: PtxOperand) -> tuple[PtxOperand, PtxOperand | None]:
        """Returns both destinations of a pair; None for a missing second one."""
        if isinstance(operand, PairOperand):
            return operand.first, operand.second
        return operand, None


_VECTORS = {"v2": 2, "v4": 4, "v8": 8}
_WIDE_SPECIAL = frozenset(["%clock64", "%globaltimer", "%current_graph_exec", "%gridid"])


def is_sink(operand: PtxOperand) -> bool:
    """Returns whether an operand is ``_``, which drops a result."""
    return isinstance(operand, SymbolOperand) and operand.name == "_"


def bits_of(number: ImmediateOperand, kind: PtxType) -> bytes:
    """Returns the bytes of a number as a value of a type."""
    value = number.value
    if kind.kind is TypeKind.PREDICATE:
        return bytes([bool(value)])
    if kind.dtype.kind == "f":
        # `0f3F800000` in a .f32 instruction, or an integer in a .f16 one, whose constants are bits.
        if number.float_bits == kind.bits or (not number.float_bits and kind.bits == 16):
            return int(value).to_bytes(kind.size, "little")
        if number.float_bits:
            code = {32: ("<I", "<f"), 64: ("<Q", "<d")}[number.float_bits]
            value = struct.unpack(code[1], struct.pack(code[0], int(value)))[0]
        with np.errstate(all="ignore"):
            return np.array(value, kind.dtype).tobytes()
    if isinstance(value, float):
        return struct.pack("<f" if kind.bits == 32 else "<d", value)[: kind.size].ljust(
            kind.size, b"\0"
        )
    return (value % (1 << (8 * kind.size))).to_bytes(kind.size, "little")
