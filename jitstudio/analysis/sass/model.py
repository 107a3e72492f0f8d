"""Machine code as read from a listing: functions, instructions, and their places in the source.

Columns rather than objects: a cubin has hundreds of thousands of instructions, which cross a pipe.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from jitstudio.core.constant_banks import ConstantBanks
from jitstudio.core.result import Resources
from jitstudio.listing.lines import NOWHERE

# ---- Control bits, by which an instruction tells the scheduler, on sm_70 and later

_FIRST_BIT = 105
_NO_BARRIER = 7

BARRIERS = 6
"""Scoreboard barriers of a warp, counted from 0."""


class Control(NamedTuple):
    """The control bits of an instruction.

    Attributes:
        stall: Cycles to wait before the next instruction of the warp may issue.
        yields: Whether the scheduler is asked to prefer another warp now.
        write_barrier: The barrier that is released when the result is written; None for none.
        read_barrier: The barrier that is released when the operands are read; None for none.
        wait_mask: A bit for each barrier that is waited for before this instruction issues.
        reuse: A bit for each operand slot whose register stays in the reuse cache.
    """

    stall: int
    yields: bool
    write_barrier: int | None
    read_barrier: int | None
    wait_mask: int
    reuse: int

    @property
    def waits_for(self) -> tuple[int, ...]:
        """The barriers of the wait mask."""
        return tuple(n for n in range(BARRIERS) if self.wait_mask >> n & 1)


def control_of(encoding: int) -> Control:
    """Returns the control bits of a 128-bit encoding."""
    bits = encoding >> _FIRST_BIT
    return Control(
        stall=bits & 0xF,
        # The bit is set where the scheduler should stay with this warp.
        yields=not bits >> 4 & 1,
        write_barrier=_barrier(bits >> 5),
        read_barrier=_barrier(bits >> 8),
        wait_mask=bits >> 11 & 0x3F,
        reuse=bits >> 17 & 0xF,
    )


def _barrier(bits: int) -> int | None:
    number = bits & 7
    return None if number == _NO_BARRIER else number


if TYPE_CHECKING:
    Integers: TypeAlias = array[int]
else:
    Integers = array  # takes no parameter before Python 3.12


WORD_BYTES = 16
"""Bytes of an instruction, on sm_70 and later."""


class SourceLocation(NamedTuple):
    """A line of a source file, counted from 1; the file as the line table has it."""

    file: str
    line: int


InlineChain = tuple[SourceLocation, ...]
"""The place of code: the line itself, then, if inlined, the call, the call's call..."""


class LiveRegisters(NamedTuple):
    """The registers that hold values still needed.

    General ones and predicates are those of one thread, uniform ones those of one warp.
    """

    gpr: int
    pred: int
    ugpr: int
    upred: int


class Instruction(NamedTuple):
    """An instruction.

    Attributes:
        address: Bytes from the start of the section.
        predicate: The guard, such as ``@!P0``; empty where the instruction always runs.
        opcode: The opcode with modifiers, such as ``LDG.E.64``.
        operands: The operands, such as ``R2, desc[UR4][R2.64]``; empty without any.
        encoding: All 128 bits; 0 where the listing did not say.
        places: The places in the source; empty where the line table does not say.
        ptx_line: The line of the PTX, counted from 1; 0 where the line table does not say.
        live: The live registers; None where nvdisasm does not say.
    """

    address: int
    predicate: str
    opcode: str
    operands: str
    encoding: int
    places: InlineChain
    ptx_line: int
    live: LiveRegisters | None

    @property
    def control(self) -> Control | None:
        """The control bits of the encoding; None where there is no encoding."""
        return control_of(self.encoding) if self.encoding else None

    @property
    def text(self) -> str:
        """The instruction as a listing shows it, without the address."""
        return " ".join(part for part in (self.predicate, self.opcode, self.operands) if part)


@dataclass(frozen=True, slots=True)
class Label:
    """A name for the instruction with this index, which may be behind the last."""

    name: str
    index: int


class FunctionPart(NamedTuple):
    """A function inside a section: the kernel itself, a callee, or a library routine.

    Attributes:
        name: The symbol of the function.
        start: The index of the first instruction.
        end: The index behind the last instruction.
    """

    name: str
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class SassFunction:
    """The code of a section: a kernel, or a function that others call.

    Attributes:
        name: The lowered name.
        is_kernel: Whether the function can be launched.
        addresses: Per instruction, in bytes; ascending.
        predicates: Per instruction; see `Instruction`.
        opcodes: Per instruction.
        operands: Per instruction.
        encodings: 16 bytes per instruction, the least first; empty if the listing has none.
        place_ids: Per instruction, an index into `places`, or `NOWHERE`.
        places: The different places.
        ptx_lines: Per instruction; 0 where unknown.
        ptx_name: How the line table calls the PTX, such as ``.nv_debug_ptx_txt.7``; may be empty.
        labels: In the order of the code.
        parts: The functions in the section, in the order of the code; the first has the same name.
        live: Per instruction gpr, pred, ugpr and upred; empty where nvdisasm did not say.
        is_of_tiles: Whether it was made of a tile function, whose author knows of no threads.
    """

    name: str
    is_kernel: bool
    addresses: Integers
    predicates: tuple[str, ...]
    opcodes: tuple[str, ...]
    operands: tuple[str, ...]
    encodings: bytes
    place_ids: Integers
    places: tuple[InlineChain, ...]
    ptx_lines: Integers
    ptx_name: str
    labels: tuple[Label, ...]
    parts: tuple[FunctionPart, ...]
    live: Integers = field(default_factory=lambda: array("H"))
    is_of_tiles: bool = False

    def __post_init__(self) -> None:
        """Checks that all columns have the same instructions.

        Raises:
            ValueError: They do not.
        """
        count = len(self.opcodes)
        columns = (self.addresses, self.predicates, self.operands, self.place_ids, self.ptx_lines)
        if (
            any(len(column) != count for column in columns)
            or len(self.encodings) not in (0, count * WORD_BYTES)
            or len(self.live) not in (0, count * len(LiveRegisters._fields))
            or min(self.place_ids, default=0) < NOWHERE
            or max(self.place_ids, default=NOWHERE) >= len(self.places)
            or any(not 0 <= label.index <= count for label in self.labels)
            or any(not 0 <= part.start <= part.end <= count for part in self.parts)
        ):
            raise ValueError(f"The columns of {self.name} do not fit one another.")

    def __len__(self) -> int:
        return len(self.opcodes)

    def __getitem__(self, index: int) -> Instruction:
        place = self.place_ids[index]
        return Instruction(
            address=self.addresses[index],
            predicate=self.predicates[index],
            opcode=self.opcodes[index],
            operands=self.operands[index],
            encoding=self.encoding(index),
            places=self.places[place] if place != NOWHERE else (),
            ptx_line=self.ptx_lines[index],
            live=self.live_at(index),
        )

    def __iter__(self) -> Iterator[Instruction]:
        return (self[index] for index in range(len(self)))

    def encoding(self, index: int) -> int:
        """Returns all 128 bits of an instruction; 0 where the listing did not say."""
        at = index * WORD_BYTES
        return int.from_bytes(self.encodings[at : at + WORD_BYTES], "little")

    def live_at(self, index: int) -> LiveRegisters | None:
        """Returns the live registers at an instruction; None where nvdisasm does not say."""
        at = index * len(LiveRegisters._fields)
        counts = self.live[at : at + len(LiveRegisters._fields)]
        return LiveRegisters(*counts) if counts else None

    def index_of(self, address: int) -> int:
        """Returns the index of the instruction at this address, or `NOWHERE`."""
        at = bisect_right(self.addresses, address) - 1
        return at if at >= 0 and self.addresses[at] == address else NOWHERE

    @cached_property
    def code_length(self) -> int:
        """Instructions without the filling at the end: a branch to itself, then NOPs."""
        count = len(self.opcodes)
        while count and self.opcodes[count - 1] == "NOP":
            count -= 1
        if not count or self.opcodes[count - 1] != "BRA" or self.predicates[count - 1]:
            return count
        labels = {label.name for label in self.labels if label.index == count - 1}
        target = self.operands[count - 1].strip("`() ")
        return count - 1 if target in labels else count


@dataclass(frozen=True, eq=False)
class Disassembly:
    """All machine code of a cubin.

    Attributes:
        target: The target, such as ``sm_90a``; empty if the listing does not say.
        functions: In the order of the listing.
        resources: The resources of each kernel, as the cubin has them, without spills.
        notes: The unknown facts and why, in sentences.
        demangled: Demangled names of its functions by the lowered ones.
        constants: The parameters and variables in its constant banks.
    """

    target: str
    functions: tuple[SassFunction, ...]
    resources: Mapping[str, Resources] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    demangled: Mapping[str, str] = field(default_factory=dict)
    constants: ConstantBanks = field(default_factory=ConstantBanks)

    @property
    def kernels(self) -> tuple[SassFunction, ...]:
        """Functions that can be launched."""
        return tuple(function for function in self.functions if function.is_kernel)

    def function(self, name: str) -> SassFunction | None:
        """Returns the function with this lowered name, or None."""
        return next((function for function in self.functions if function.name == name), None)
