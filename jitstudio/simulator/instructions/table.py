"""The table of instructions: all forms, and the binding of an instruction to its registers.

A row is one form of an opcode: the types and words that it takes, and a function that returns the
step of an instruction. A step is a function of the wave, the frame and the threads that execute it.
A flow is a step that also returns where these threads go on. To add an instruction is to add a row.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
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
from jitstudio.simulator.state.model import StateSpace
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
AddsRows = Callable[[Callable[["Binding"], Any]], Callable[["Binding"], Any]]
"""A decorator of functions that bind instructions."""


_MAY_REPEAT = frozenset(
    ["sat", "cc", "relu", "NaN", "shiftamt", "sync", "satfinite", "approx", "uni"]
)
"""Modifiers that ptxas takes twice, as if they stood once."""


@dataclass(frozen=True)
class Row:
    """A form of an instruction.

    Attributes:
        opcode: The first word.
        name: The modifiers right behind it, of each group one, as ``async`` and ``bulk`` of `cp`.
        types: The types that may stand at each place; None for any.
        words: The modifiers that it may have, of each group one at most; None for any.
        needs: The modifiers that it must have, of each group exactly one, or two of a group that
            stands twice.
        bind: Returns the step of an instruction.
        is_flow: Whether the step is a `Flow`.
        counts: The numbers of operands that it may have; empty for any number.
    """

    opcode: str
    name: tuple[frozenset[str], ...]
    types: tuple[frozenset[str], ...] | None
    words: tuple[frozenset[str], ...] | None
    needs: tuple[frozenset[str], ...]
    bind: Callable[[Binding], Any]
    is_flow: bool
    counts: frozenset[int] = frozenset()

    def has_types(self, types: tuple[PtxType, ...]) -> bool:
        """Returns whether the form is for types."""
        return self.types is None or (
            len(types) == len(self.types)
            and all(kind.name in names for kind, names in zip(types, self.types, strict=True))
        )

    def objection(self, words: tuple[str, ...], count: int) -> str:
        """Returns why a number of operands, modifiers and types are not of this form, or nothing.

        The types count for the order only, as in ``mul.u32.lo``.
        """
        for at, group in enumerate(self.name):
            if words[at : at + 1] == () or words[at] not in group:
                behind = ".".join((self.opcode, *words[:at]))
                return f"it lacks {_either(group)} right after {behind}"
        modifiers = tuple(word for word in words[len(self.name) :] if word not in TYPES)
        modifiers = tuple(
            word
            for at, word in enumerate(modifiers)
            if word not in _MAY_REPEAT or word not in modifiers[:at]
        )
        for group in (*self.needs, *(self.words or ())):
            present = [f".{word}" for word in modifiers if word in group]
            # Two layouts of `wmma.mma` are two equal groups.
            times = self.needs.count(group)
            if len(present) < times:
                return f"it lacks {_either(group)}"
            if len(present) > max(times, 1):
                return f"only one of {' and '.join(present)} can be meant"
        if self.words is not None:
            known = frozenset[str]().union(*self.needs, *self.words)
            if unknown := [f".{word}" for word in modifiers if word not in known]:
                return f"{' and '.join(unknown)} is not part of it"
        if self.counts and count not in self.counts:
            return f"it has {count} operands instead of {' or '.join(map(str, self.counts))}"
        return ""

    def likeness(self, words: tuple[str, ...]) -> tuple[int, int]:
        """Returns how many of the groups that it must have are among words, and how few are not."""
        groups = (*self.name, *self.needs)
        present = sum(not group.isdisjoint(words) for group in groups)
        return present, present - len(groups)


def _either(group: frozenset[str]) -> str:
    return " or ".join(f".{word}" for word in sorted(group))


ROWS: dict[str, list[Row]] = {}
"""All forms by their opcode; see `row_of`."""


def form(
    opcode: str,
    *types: str,
    words: str | None = "",
    needs: str = "",
    flow: bool = False,
    count: int | Sequence[int] = (),
    any_types: bool = False,
) -> AddsRows:
    """Adds a row.

    Args:
        opcode: The first word, and the modifiers right behind it, as in ``mbarrier.init``.
        types: For each type of the instruction the allowed ones, with spaces in between.
        words: Modifiers that it may have, with spaces in between; ``rn/rz`` for one
            of both at most. None for any.
        needs: Modifiers that it must have; ``lo/hi`` for one of both.
        flow: Whether the decorated function returns a `Flow`.
        count: The number of operands, or all that it may be; empty for any number.
        any_types: Whether the types may be any.
    """

    def add(bind: Callable[[Binding], Any]) -> Callable[[Binding], Any]:
        allowed = tuple(frozenset(names.split()) for names in types)
        optional = None if words is None else _groups(words)
        first, *named = opcode.split(".")
        name = _groups(" ".join(named))
        kinds = None if any_types else allowed
        counts = frozenset((count,) if isinstance(count, int) else count)
        step = _with_policy(bind) if "L2::cache_hint" in needs else bind
        row = Row(first, name, kinds, optional, _groups(needs), step, flow, counts)
        ROWS.setdefault(first, []).append(row)
        return bind

    return add


def _with_policy(bind: Callable[[Binding], Any]) -> Callable[[Binding], Any]:
    """Returns a binding of an instruction whose last operand is a policy of the cache."""

    @wraps(bind)
    def bind_with_policy(b: Binding) -> Any:
        b.source(b.instruction.operands[-1], TYPES["u64"])
        return bind(b)

    return bind_with_policy


def _groups(words: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(group.split("/")) for group in words.split())


def computes(
    opcode: str,
    *types: str,
    result: str = "t",
    sources: str = "t t",
    words: str = "",
    needs: str = "",
    wider: bool = False,
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
        words: Modifiers that it may have, as in `form`.
        needs: Modifiers that it must have.
        wider: Whether registers may be wider than the types.
    """

    def add(
        make: Callable[[PtxInstruction], Callable[..., Values]],
    ) -> Callable[[PtxInstruction], Callable[..., Values]]:
        @wraps(make)
        def bind(b: Binding) -> Step:
            function = make(b.instruction)
            kinds = [b.type_named(name) for name in sources.split()]
            operands = b.instruction.operands
            pairs = zip(operands[1:], kinds, strict=True)
            places = [b.source(o, k, wider=wider) for o, k in pairs]
            target = b.target(operands[0], b.type_named(result), wider=wider)
            return _step(function, target, places)

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
    words = tuple(instruction.full_opcode.split(".")[1:])
    row = _row_for(instruction.opcode, words, instruction.types, len(instruction.operands))
    if isinstance(row, str):
        raise UnsupportedInstruction(row)
    return row


@lru_cache(maxsize=4096)
def _row_for(
    opcode: str, words: tuple[str, ...], types: tuple[PtxType, ...], count: int
) -> Row | str:
    """Returns the form that fits, or a sentence on why none does."""
    if opcode not in ROWS:
        return "the simulator does not know this instruction"
    rows = [row for row in ROWS[opcode] if row.has_types(types)]
    if fitting := [row for row in rows if not row.objection(words, count)]:
        return max(fitting, key=lambda row: len(row.name) + len(row.needs))
    # The form that was meant is most likely the one of which most is there.
    if not (simulated := [row for row in rows if row.words is not None]):
        named = "".join(f".{kind.name}" for kind in types) or "no type"
        return f"{_UNKNOWN_FORM}: {opcode} with {named} is none"
    meant = max(simulated, key=lambda row: row.likeness(words))
    return f"{_UNKNOWN_FORM}: {meant.objection(words, count)}"


_UNKNOWN_FORM = "the simulator does not know this form of the instruction"


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
    def space(self) -> StateSpace | None:
        """The state space among the words; None for generic addresses."""
        return next((SPACES[word] for word in self.instruction.modifiers if word in SPACES), None)

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

    def source(self, operand: PtxOperand, kind: PtxType, *, wider: bool = False) -> int:
        """Returns the slot of an operand, read as a type.

        Args:
            operand: A register or a number.
            kind: The type.
            wider: Whether the register may be wider than the type, as in `ld`, `st` and `cvt`.

        Raises:
            UnsupportedInstruction: If the operand cannot be read so.
        """
        if isinstance(operand, RegisterOperand):
            if operand.negated:
                raise UnsupportedInstruction(f"{operand.name} is negated, and no predicate here")
            return self._register(operand, kind, wider)
        if isinstance(operand, ImmediateOperand):
            if not _may_be(operand, kind):
                raise UnsupportedInstruction(
                    f"{operand.spelling} is not a number of type .{kind.name}"
                )
            return self.constant(bits_of(operand, kind), kind.dtype)
        if isinstance(operand, SymbolOperand):
            raise UnsupportedInstruction(
                f"{operand.name} is not a register, and one is needed here"
            )
        raise UnsupportedInstruction("it has an operand of a kind that is not expected")

    def predicate(self, operand: PtxOperand) -> tuple[int, bool]:
        """Returns the slot of a predicate, and whether it is negated."""
        if isinstance(operand, RegisterOperand):
            return self.source(RegisterOperand(operand.name), PREDICATE), operand.negated
        return self.source(operand, PREDICATE), False

    def target(self, operand: PtxOperand, kind: PtxType, *, wider: bool = False) -> int:
        """Returns the slot of a register that gets a value of a type, extended if wider.

        Signed integers are extended by their sign, all others by zeros.
        """
        if (
            not isinstance(operand, RegisterOperand)
            or operand.name not in self.function.registers
            or operand.negated
        ):
            raise UnsupportedInstruction("what it writes to is not a register of the function")
        register = self.function.registers[operand.name]
        self._check(operand.name, register, kind, wider=wider)
        if register.bits == kind.bits:
            return self.layout.slot(SlotKind(operand.name, kind.dtype))
        if kind.dtype.kind == "f":
            raise UnsupportedInstruction(
                f"{operand.name} has {register.bits} bits, and the result is .{kind.name}"
            )
        # PTX ISA, "Operand Size Exceeding Instruction-Type Size": sign-extended if the type is a
        # signed integer, zero-extended otherwise.
        letter = "i" if kind.is_signed else "u"
        return self.layout.slot(SlotKind(operand.name, np.dtype(f"{letter}{register.size}")))

    def _check(self, name: str, register: PtxType, kind: PtxType, *, wider: bool) -> None:
        if not register.holds(kind, wider=wider):
            bits = f"{name} has {register.bits} bits, and {kind.bits} are needed"
            of_type = f"{name} is of type .{register.name}, and .{kind.name} is needed"
            raise UnsupportedInstruction(bits if register.bits != kind.bits else of_type)

    def discarded(self, operand: PtxOperand, kind: PtxType) -> int:
        """Returns the slot of a result that may be ``_``, which drops it."""
        if is_sink(operand):
            return self.layout.slot(SlotKind("sink", kind.dtype, "sink"))
        return self.target(operand, kind)

    def constant(self, value: bytes, dtype: np.dtype[Any]) -> int:
        """Returns the slot of a constant."""
        return self.layout.slot(SlotKind("", dtype, "constant", 0, value))

    def carry(self) -> int:
        """Returns the slot of the register for carries."""
        return self.layout.slot(SlotKind(CARRY, np.dtype("u1")))

    def carry_from(self) -> int:
        """Returns the slot that names the setter of the carry: see `CARRY_FROM`."""
        return self.layout.slot(SlotKind(CARRY_FROM, np.dtype("i4")))

    def _register(self, operand: RegisterOperand, kind: PtxType, wider: bool) -> int:
        register = self.function.registers.get(operand.name)
        if register is not None:
            self._check(operand.name, register, kind, wider=wider)
            return self.layout.slot(SlotKind(operand.name, kind.dtype))
        if operand.name not in SPECIAL_NAMES:
            raise UnsupportedInstruction(
                f"{operand.name} is not declared, and no special register that the simulator has"
            )
        # PTX ISA, "Special Registers": they are read by mov or cvt.
        opcode, types = self.instruction.opcode, self.instruction.types
        of_integers = all(kind.is_integer for kind in types) and not self.has("pack")
        if opcode != "mov" and not (opcode == "cvt" and of_integers):
            raise UnsupportedInstruction(
                f"{operand.name} is a special register, which mov and cvt of integers can read"
            )
        bits = self.register_type(operand).bits
        # Before PTX 2.0 these had 16 bits, and ptxas takes them so.
        is_old = kind.bits == 16 and operand.name.split(".")[0] in _ONCE_NARROW
        if kind.bits > bits or (kind.bits < bits and opcode == "mov" and not is_old):
            raise UnsupportedInstruction(f"{operand.name} has {bits} bits")
        return self.layout.slot(SlotKind(operand.name, kind.dtype, "special"))

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

    def address(
        self, operand: PtxOperand, space: StateSpace | None = None
    ) -> Callable[[Frame, Selection], NDArray[np.int64]]:
        """Returns a function that computes the addresses of an operand in brackets.

        Args:
            operand: The operand.
            space: Its state space; None for the one that the instruction names.
        """
        if not isinstance(operand, AddressOperand):
            raise UnsupportedInstruction("it has no address in brackets where one is expected")
        if isinstance(operand.base, SymbolOperand):
            self.check_space(operand.base.name, space or self.space)
        return self.addresses(operand.base, operand.offset)

    def check_space(self, name: str, space: StateSpace | None) -> None:
        """Raises an error where a variable or a function is not in a state space."""
        if name in self.image.codes and space is not None:
            raise UnsupportedInstruction(f"{name} is a function")
        variables = (self.function.variables.get(name), self.image.program.variables.get(name))
        variable = next(filter(None, variables), None)
        actual = "param" if name in self.image.parameters else variable and variable.space
        # A name may be a generic address, but for parameters.
        if actual is not None and actual != (space.value if space else actual):
            raise UnsupportedInstruction(
                f"{name} is in .{actual}, and the address is one of .{space.value if space else ''}"
            )
        if actual == "param" and space is None:
            raise UnsupportedInstruction(f"{name} is a parameter: .param is missing")

    def addresses(
        self, base: PtxOperand, offset: int = 0, kind: PtxType | None = None
    ) -> Callable[[Frame, Selection], NDArray[np.int64]]:
        """Returns a function that computes the addresses of a register, a name or a number.

        Args:
            base: The register, the name or the number.
            offset: Bytes that are added.
            kind: The type of the register; None for 32 or 64 bits.
        """
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
            if not base.is_integer:
                raise UnsupportedInstruction(f"{base.spelling} is not an address")
            # `[-4]` is the address 2^64 - 4.
            value = (int(base.value) + offset) % (1 << 64)
            fixed = self.constant(value.to_bytes(8, "little"), np.dtype("i8"))
            return lambda f, s: f[fixed][s]
        if not isinstance(base, RegisterOperand):
            raise UnsupportedInstruction("it has no address where one is expected")
        if (kind or self.register_type(base)).bits == 64:
            wide = self._register(base, TYPES["s64"], False)
            if offset:
                return lambda f, s: f[wide][s] + offset
            return lambda f, s: f[wide][s]
        # Registers of 32 bits, as for shared memory, are zero-extended.
        narrow = self._register(base, TYPES["u32"], False)
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


def is_one_of(operand: PtxOperand, numbers: Container[int]) -> bool:
    """Returns whether an operand is a constant integer, one of some numbers."""
    return (
        isinstance(operand, ImmediateOperand)
        and operand.is_integer
        and int(operand.value) in numbers
    )


def _may_be(number: ImmediateOperand, kind: PtxType) -> bool:
    """Returns whether a number may stand for a value of a type."""
    if number.is_integer:
        return kind.is_integer or kind is PREDICATE
    # `0f3F800000` may stand for 32 bits, and `1.0` or `0d3FF0000000000000` for 64.
    width = number.float_bits or 64
    return kind.name in ("f32", "f64") or (kind.kind is TypeKind.BITS and kind.bits == width)


SPACES = {
    "global": StateSpace.GLOBAL,
    "shared": StateSpace.SHARED,
    "shared::cta": StateSpace.SHARED,
    "shared::cluster": StateSpace.SHARED,
    "local": StateSpace.LOCAL,
    "const": StateSpace.CONSTANT,
    "param": StateSpace.PARAM,
    "param::entry": StateSpace.PARAM,
    "param::func": StateSpace.PARAM,
}
"""The state spaces by the words for them."""

_VECTORS = {"v2": 2, "v4": 4, "v8": 8}
_ONCE_NARROW = frozenset(["%tid", "%ntid", "%ctaid", "%nctaid"])
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
