"""A PTX text after parsing: functions, instructions, variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from jitstudio.core.line_table_paths import COOPERATIVE_GROUPS, OF_NVIDIA
from jitstudio.ptx.initialisers import SymbolAddress
from jitstudio.ptx.opcodes import BARRIERS, TOUCHING, WITHOUT_RESULT
from jitstudio.simulator.ptx.debug_info import DebugInfo, read_debug_info
from jitstudio.simulator.ptx.types import PtxType


class PtxSourceLine(NamedTuple):
    """A line of a source file, from 1; 0 and an empty name where no line table tells."""

    file: str
    line: int


NO_PLACE = PtxSourceLine("", 0)


class RegisterOperand(NamedTuple):
    """A register, or a special register such as ``%tid.x``; `negated` is for predicates."""

    name: str
    negated: bool = False


class ImmediateOperand(NamedTuple):
    """A number; with `float_bits` an integer that holds the bits of a float of that width."""

    value: int | float
    float_bits: int = 0

    @property
    def is_integer(self) -> bool:
        """Whether it is written as an integer."""
        return not self.float_bits and isinstance(self.value, int)

    @property
    def spelling(self) -> str:
        """The number as in PTX."""
        if not self.float_bits:
            return str(self.value)
        return f"0{'f' if self.float_bits == 32 else 'd'}{self.value:0{self.float_bits // 4}X}"


class SymbolOperand(NamedTuple):
    """The address of a variable, a parameter or a function, plus bytes; or a label."""

    name: str
    offset: int = 0


class AddressOperand(NamedTuple):
    """An address in brackets: register, symbol or number, plus bytes."""

    base: RegisterOperand | SymbolOperand | ImmediateOperand
    offset: int = 0


class VectorOperand(NamedTuple):
    """Operands in braces, such as ``{%f1, %f2}``."""

    parts: tuple[PtxOperand, ...]


class BracketOperand(NamedTuple):
    """Operands in brackets, separated by commas: texture or tensor map with coordinates."""

    parts: tuple[PtxOperand, ...]


class PairOperand(NamedTuple):
    """Two destinations with ``|`` in between; either may be ``_``."""

    first: PtxOperand
    second: PtxOperand


PtxOperand = (
    RegisterOperand
    | ImmediateOperand
    | SymbolOperand
    | AddressOperand
    | VectorOperand
    | BracketOperand
    | PairOperand
)


def register_names(operand: PtxOperand) -> list[str]:
    """Returns the names of the registers in an operand."""
    match operand:
        case RegisterOperand(name):
            return [name]
        case AddressOperand(RegisterOperand(name)):
            return [name]
        case VectorOperand(parts) | BracketOperand(parts):
            return [name for part in parts for name in register_names(part)]
        case PairOperand(first, second):
            return register_names(first) + register_names(second)
    return []


def result_names(instruction: PtxInstruction) -> list[str]:
    """Returns the names of the registers that an instruction gives values."""
    return register_names(instruction.operands[0]) if _has_result(instruction) else []


def source_operands(instruction: PtxInstruction) -> tuple[PtxOperand, ...]:
    """Returns the operands that an instruction reads, the registers of an address among them."""
    return instruction.operands[_has_result(instruction) :]


def _has_result(instruction: PtxInstruction) -> bool:
    match instruction.operands[:1]:
        case (VectorOperand(),) if instruction.opcode == "call":
            # `call (%r1), f, (%r2);` in hand-written PTX: results may be registers.
            return True
        case (RegisterOperand() | VectorOperand() | PairOperand(),):
            # `barrier.red.popc.u32 %r1, 0, %p1` has a result, `barrier.sync 0, %r1` has none.
            is_reduction = instruction.opcode in BARRIERS and "red" in instruction.modifiers
            return is_reduction or instruction.opcode not in WITHOUT_RESULT
        case _:
            return False


@dataclass(frozen=True)
class PtxInstruction:
    """An instruction.

    Attributes:
        number: Its index in `PtxProgram.instructions`; the program counter.
        opcode: The first word, such as ``add``.
        modifiers: All words behind it that are no types, such as ``rn`` and ``ftz``, in order.
        types: The types among these words, in order, such as ``f32``.
        operands: As written; destinations first.
        guard: The predicate that it is executed under, or None.
        line: The line of the PTX, from 1.
        source: The source line, by the line table.
        inlined_at: The calls that it was inlined through, innermost first.
        text: As written, for messages.
        function: The name of its function.
    """

    number: int
    opcode: str
    modifiers: tuple[str, ...]
    types: tuple[PtxType, ...]
    operands: tuple[PtxOperand, ...]
    guard: RegisterOperand | None = None
    line: int = 0
    source: PtxSourceLine = NO_PLACE
    inlined_at: tuple[PtxSourceLine, ...] = ()
    text: str = ""
    function: str = ""

    @property
    def user_source(self) -> PtxSourceLine:
        """The source line, or the line that calls a header of NVIDIA's there."""
        ways = (self.source, *self.inlined_at)
        # A `__shfl_sync` stands in sm_30_intrinsics.hpp, and the user's line calls it.
        return next((way for way in ways if not OF_NVIDIA.search(way.file)), self.source)

    @property
    def is_of_cooperative_groups(self) -> bool:
        """Whether the instruction is of a header of cooperative groups, inlined or not."""
        ways = (self.source, *self.inlined_at)
        return any(COOPERATIVE_GROUPS.search(way.file) for way in ways)

    @property
    def accesses_memory(self) -> bool:
        """Whether the instruction reads or writes memory other than parameters."""
        is_there = any(isinstance(o, AddressOperand | BracketOperand) for o in self.operands)
        return is_there and self.opcode in TOUCHING and "param" not in self.modifiers

    @property
    def full_opcode(self) -> str:
        """The opcode with all modifiers, as written."""
        # The text begins with the guard, such as `@!%p1`, if there is one.
        words = self.text.split(None, 2)
        return words[1] if words and words[0].startswith("@") and len(words) > 1 else words[0]


@dataclass(frozen=True)
class PtxVariable:
    """A variable in some state space.

    Attributes:
        name: The name; in a function the function's name is added where needed to be unique.
        space: ``global``, ``const``, ``shared``, ``local`` or ``param``.
        size: Bytes; 0 for ``extern .shared`` without an extent.
        align: Bytes.
        data: Its initialiser; None for none.
        addresses: The addresses that are put into `data` once they are known.
        type: Such as ``.b8[16]``, ``.texref``.
    """

    name: str
    space: str
    size: int
    align: int
    data: bytes | None = None
    addresses: tuple[SymbolAddress, ...] = ()
    type: str = ""


@dataclass(frozen=True)
class PtxFunction:
    """A kernel or a function.

    Attributes:
        name: Its name.
        is_kernel: Whether it is an ``.entry``.
        start: The number of its first instruction.
        end: One more than the number of its last instruction.
        parameters: In order.
        results: The variables that it returns.
        registers: The types of its registers by their names.
        variables: Its local variables and parameters of calls, by their names.
        line: Of its head in the PTX, from 1.
        required_block: ``.reqntid``, or None.
        most_threads: ``.maxntid``: the product; 0 for none.
        required_cluster: ``.reqnctapercluster``, or None.
        labels: The instructions behind labels.
        tables: ``.branchtargets`` and ``.calltargets`` by their labels.
        prototypes: ``.callprototype`` by their labels: results, then parameters.
    """

    name: str
    is_kernel: bool
    start: int
    end: int
    parameters: tuple[PtxVariable, ...]
    results: tuple[PtxVariable, ...]
    registers: dict[str, PtxType]
    variables: dict[str, PtxVariable]
    line: int = 0
    required_block: tuple[int, int, int] | None = None
    most_threads: int = 0
    required_cluster: tuple[int, int, int] | None = None
    labels: dict[str, int] = field(default_factory=dict)
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    prototypes: dict[str, tuple[tuple[PtxVariable, ...], tuple[PtxVariable, ...]]] = field(
        default_factory=dict
    )


@dataclass(frozen=True)
class PtxProgram:
    """A PTX text.

    Attributes:
        version: Such as ``8.5``.
        target: Such as ``sm_90a``.
        variables: Of the module, by name.
        functions: By name; functions without a body are in `declared`.
        declared: Names of functions without a body.
        instructions: Of all functions.
        text: The PTX itself.
    """

    version: str
    target: str
    variables: dict[str, PtxVariable]
    functions: dict[str, PtxFunction]
    declared: frozenset[str]
    instructions: tuple[PtxInstruction, ...]
    text: str = field(repr=False, default="")

    @cached_property
    def registers_read(self) -> dict[str, frozenset[str]]:
        """The names of the registers that the operands of each function's instructions read."""
        names_read: dict[str, set[str]] = {name: set() for name in self.functions}
        for instruction in self.instructions:
            read = names_read.setdefault(instruction.function, set())
            for operand in source_operands(instruction):
                read.update(register_names(operand))
        return {name: frozenset(names) for name, names in names_read.items()}

    @cached_property
    def debug_info(self) -> DebugInfo:
        """The variables of the source, of a build for a debugger."""
        return read_debug_info(self.text)

    @cached_property
    def has_debug_info(self) -> bool:
        """Whether the PTX is of a build for a debugger (``-G``), with all variables in memory."""
        return ".debug_info" in self.text
